package drivertest

import (
	"github.com/govyre/vyre/driver"

	"github.com/govyre/vyre/internal/metric"
)

var fusionTests = []test{
	{"NeighbouringUploadsBecomeOneAndLaterBytesWin", func(e *env) {
		b := e.buffer("b", 128, 0)
		s := e.dev.NewSequence("fuse")
		s.Upload(driver.Part(b, 104, 4), []byte{4, 5, 6, 7}, driver.Always)
		s.Upload(driver.Part(b, 102, 4), []byte{1, 2, 9, 8}, driver.Always)
		st := e.counted(func() { e.run(s) })
		e.same("copies", st.Get(metric.Uploads), 1)
		e.same("bytes", st.Get(metric.UploadBytes), 6)
		e.same("uploads fused", st.Get(metric.UploadsFused), 1)
		e.equal("bytes", e.read(b)[100:110], []byte{0, 0, 1, 2, 9, 8, 6, 7, 0, 0})
	}},
	{"UploadsFuseThroughALaterBridge", func(e *env) {
		b := e.buffer("b", 8, 0xEE)
		s := e.dev.NewSequence("fuse")
		s.Upload(driver.Part(b, 0, 2), []byte{1, 1}, driver.Always)
		s.Upload(driver.Part(b, 5, 2), []byte{2, 2}, driver.Always)
		s.Upload(driver.Part(b, 1, 5), []byte{3, 3, 3, 3, 3}, driver.Always)
		st := e.counted(func() { e.run(s) })
		e.same("copies", st.Get(metric.Uploads), 1)
		e.equal("bytes", e.read(b), []byte{1, 3, 3, 3, 3, 3, 2, 0xEE})
	}},
	{"UploadsNeverBridgeAGap", func(e *env) {
		b := e.buffer("b", 8, 0xEE)
		s := e.dev.NewSequence("gap")
		s.Upload(driver.Part(b, 0, 2), []byte{1, 2}, driver.Always)
		s.Upload(driver.Part(b, 3, 2), []byte{3, 4}, driver.Always)
		st := e.counted(func() { e.run(s) })
		e.same("copies", st.Get(metric.Uploads), 2)
		e.equal("bytes", e.read(b), []byte{1, 2, 0xEE, 3, 4, 0xEE, 0xEE, 0xEE})
	}},
	{"UploadsOfDifferentModesOrBuffersStayApart", func(e *env) {
		a, b := e.buffer("a", 8, 0), e.buffer("b", 8, 0)
		s := e.dev.NewSequence("apart")
		s.Upload(driver.Part(a, 0, 4), []byte{1, 2, 3, 4}, driver.Always)
		s.Upload(driver.Part(a, 4, 4), []byte{5, 6, 7, 8}, driver.Static)
		s.Upload(driver.Part(b, 0, 4), []byte{1, 2, 3, 4}, driver.Static)
		st := e.counted(func() { e.run(s) })
		e.same("copies", st.Get(metric.Uploads), 3)
	}},
	{"UploadsOverOneAnotherInDifferentModesKeepTheirOrder", func(e *env) {
		b := e.buffer("b", 4, 0)
		s := e.dev.NewSequence("order")
		s.Upload(driver.All(b), []byte{1, 1, 1, 1}, driver.Always)
		s.Upload(driver.Part(b, 1, 2), []byte{2, 2}, driver.IfChanged)
		s.Upload(driver.Part(b, 2, 2), []byte{3, 3}, driver.Always)
		e.run(s)
		e.run(s)
		e.equal("bytes", e.read(b), []byte{1, 2, 3, 3})
	}},
	{"NeighbouringReadsOfABufferBecomeOne", func(e *env) {
		a, b := e.buffer("a", 128, 0), e.buffer("b", 32, 9)
		src := make([]byte, 128)
		for i := range src {
			src[i] = byte(i)
		}
		e.write(a, src)
		x, y, z := make([]byte, 8), make([]byte, 4), make([]byte, 2)
		s := e.dev.NewSequence("fuse")
		s.Read(driver.Part(a, 100, 8), x)
		s.Read(driver.Part(a, 104, 4), y)
		s.Read(driver.Part(b, 16, 2), z)
		st := e.counted(func() { e.run(s) })
		e.same("copies", st.Get(metric.Reads), 2)
		e.same("bytes", st.Get(metric.ReadBytes), 10)
		e.same("reads fused", st.Get(metric.ReadsFused), 1)
		e.equal("first", x, src[100:108])
		e.equal("second", y, src[104:108])
		e.equal("third", z, []byte{9, 9})
	}},
	{"ReadsBridgeAGapOf4096BytesAndNoMore", func(e *env) {
		for _, c := range []struct{ second, copies, gap int64 }{{1000, 1, 984}, {16 + 4096, 1, 4096}, {16 + 4097, 2, 0}, {5000, 2, 0}} {
			b := e.buffer("b", 5016, 3)
			x, y := make([]byte, 16), make([]byte, 16)
			s := e.dev.NewSequence("gap")
			s.Read(driver.Part(b, 0, 16), x)
			s.Read(driver.Part(b, c.second, 16), y)
			st := e.counted(func() { e.run(s) })
			e.same("copies", st.Get(metric.Reads), uint64(c.copies))
			e.same("gap bytes", st.Get(metric.ReadGapBytes), uint64(c.gap))
			e.same("bytes", st.Get(metric.ReadBytes), uint64(32+c.gap))
			e.same("last byte", uint64(y[15]), 3)
			e.must(s.Close())
		}
	}},
	{"ReadsWithALaunchBetweenStayApart", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 1)
		x, y := make([]byte, 4), make([]byte, 4)
		s := e.dev.NewSequence("apart")
		s.Read(driver.All(b), x)
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		s.Read(driver.All(b), y)
		e.run(s)
		e.equal("first", x, le(1))
		e.equal("second", y, le(2))
	}},
	{"FillThatIsCoveredAtOnceIsDropped", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 1, 2)
		src := le(5, 6)
		dropped := e.dev.NewSequence("dropped")
		dropped.Fill(driver.All(b), 0, 4)
		dropped.Upload(driver.All(b), src, driver.Always)
		e.same("fills", e.counted(func() { e.run(dropped) }).Get(metric.Fills), 0)

		kept := e.dev.NewSequence("kept")
		kept.Fill(driver.All(b), 0, 4)
		kept.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		kept.Upload(driver.All(b), src, driver.Always)
		e.same("fills with a launch between", e.counted(func() { e.run(kept) }).Get(metric.Fills), 1)

		partly := e.dev.NewSequence("partly")
		partly.Fill(driver.All(b), 0, 4)
		partly.Upload(driver.Part(b, 0, 4), src[:4], driver.Always)
		e.same("fills covered partly", e.counted(func() { e.run(partly) }).Get(metric.Fills), 1)
		e.equal("bytes", e.read(b), le(5, 0))
	}},
	{"PlanShowsWhatIsLeft", func(e *env) {
		k := e.compile(add)
		b := e.buffer("b", 8, 0)
		s := e.dev.NewSequence("plan")
		s.Fill(driver.All(b), 0, 4)
		s.Upload(driver.Part(b, 0, 4), le(1), driver.Always)
		s.Upload(driver.Part(b, 4, 4), le(2), driver.Always)
		s.Repeat(3, func() {
			s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		})
		s.While(driver.Part(b, 4, 4), 9, func() {
			s.Copy(driver.Part(b, 0, 4), driver.Part(b, 4, 4))
		})
		s.Read(driver.All(b), make([]byte, 8))
		e.must(s.Prepare())
		want := "0          fill b[0:8) with 0x0, width 4\n" +
			"1          upload b[0:8), always, inputs 2\n" +
			"3          repeat 3\n" +
			"  3.body.0   launch add on 1×1×1 x=b[0:8) n=0x1\n" +
			"4          while b[4:8), at most 9\n" +
			"  4.body.0   copy b[0:4) from b[4:8)\n" +
			"5          read b[0:8), outputs 1, gap 0\n"
		if got := s.Plan().String(); got != want {
			e.Errorf("plan is\n%s\nwant\n%s", got, want)
		}
	}},
}
