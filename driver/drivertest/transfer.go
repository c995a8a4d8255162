package drivertest

import (
	"bytes"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var transferTests = []test{
	{"FillStoresTheLowBytesOfItsValue", func(e *env) {
		for _, c := range []struct {
			width int
			want  []byte
		}{
			{1, []byte{0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08}},
			{2, []byte{0x08, 0x07, 0x08, 0x07, 0x08, 0x07, 0x08, 0x07}},
			{4, []byte{0x08, 0x07, 0x06, 0x05, 0x08, 0x07, 0x06, 0x05}},
			{8, []byte{0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01}},
		} {
			b := e.buffer("b", 32, 0xFF)
			s := e.dev.NewSequence("fill")
			s.Fill(driver.Part(b, 8, 16), 0x0102030405060708, c.width)
			e.run(s)
			want := bytes.Repeat([]byte{0xFF}, 32)
			copy(want[8:], c.want)
			copy(want[16:], c.want)
			e.equal("buffer", e.read(b), want)
			e.must(s.Close())
		}
	}},
	{"FillUsesNoHostBytes", func(e *env) {
		b := e.buffer("b", 64, 0xFF)
		s := e.dev.NewSequence("fill")
		s.Fill(driver.All(b), 0xA5, 1)
		st := e.counted(func() { e.run(s) })
		e.same("bytes uploaded", st.Get(metric.UploadBytes), 0)
		e.same("bytes filled", st.Get(metric.FillBytes), 64)
		e.equal("buffer", e.read(b), bytes.Repeat([]byte{0xA5}, 64))
	}},
	{"UploadTouchesItsRangeOnly", func(e *env) {
		b := e.buffer("b", 8, 0xEE)
		s := e.dev.NewSequence("upload")
		s.Upload(driver.Part(b, 3, 2), []byte{1, 2}, driver.Always)
		e.run(s)
		e.equal("buffer", e.read(b), []byte{0xEE, 0xEE, 0xEE, 1, 2, 0xEE, 0xEE, 0xEE})
	}},
	{"UploadTakesBytesWhenTheRunStarts", func(e *env) {
		b := e.buffer("b", 4, 0)
		src := []byte{1, 2, 3, 4}
		s := e.dev.NewSequence("upload")
		s.Upload(driver.All(b), src, driver.Always)
		e.must(s.Prepare())
		copy(src, []byte{5, 6, 7, 8})
		p, err := s.Start(ctx)
		e.must(err)
		clear(src)
		_, err = p.Wait(ctx)
		e.must(err)
		e.equal("buffer", e.read(b), []byte{5, 6, 7, 8})
	}},
	{"CopyMovesBytesWithinAndBetweenBuffers", func(e *env) {
		a, b := e.words("a", 1, 2, 3, 4), e.words("b", 9, 9)
		s := e.dev.NewSequence("copy")
		s.Copy(driver.Part(a, 8, 8), driver.Part(a, 0, 8))
		s.Copy(driver.Part(b, 4, 4), driver.Part(a, 8, 4))
		e.run(s)
		e.equal("a", e.read(a), le(1, 2, 1, 2))
		e.equal("b", e.read(b), le(9, 1))
	}},
	{"ReadDeliversItsRange", func(e *env) {
		b := e.buffer("b", 6, 0)
		e.write(b, []byte{10, 11, 12, 13, 14, 15})
		dst := make([]byte, 3)
		e.must(driver.ReadInto(ctx, driver.Part(b, 2, 3), dst))
		e.equal("bytes", dst, []byte{12, 13, 14})
	}},
	{"ReadSeesTheStateAtItsPlace", func(e *env) {
		b := e.words("b", 1)
		before, after := make([]byte, 4), make([]byte, 4)
		s := e.dev.NewSequence("read")
		s.Read(driver.All(b), before)
		s.Fill(driver.All(b), 2, 4)
		s.Read(driver.All(b), after)
		e.run(s)
		e.equal("first read", before, le(1))
		e.equal("second read", after, le(2))
	}},
	{"ReadLeavesItsDestinationAloneUntilWait", func(e *env) {
		b := e.words("b", 1)
		dst := le(7)
		s := e.dev.NewSequence("read")
		s.Read(driver.All(b), dst)
		p, err := s.Start(ctx)
		e.must(err)
		for !p.Done() {
		}
		e.equal("destination before Wait", dst, le(7))
		_, err = p.Wait(ctx)
		e.must(err)
		e.equal("destination after Wait", dst, le(1))
	}},
	{"LengthZeroIsLegalEverywhere", func(e *env) {
		k := e.compile(addTo)
		a, b := e.buffer("a", 0, 0), e.buffer("b", 0, 0)
		s := e.dev.NewSequence("nothing")
		s.Fill(driver.All(a), 1, 8)
		s.Upload(driver.All(a), nil, driver.Always)
		s.Copy(driver.All(b), driver.All(a))
		s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		s.Read(driver.All(b), nil)
		st := e.counted(func() { e.run(s) })
		for _, m := range []driver.Metric{metric.Fills, metric.Uploads, metric.Copies, metric.Reads} {
			e.same(m.String(), st.Get(m), 0)
		}
		e.same("launches", st.Get(metric.LaunchesPlain), 1)
	}},
	{"ScratchIsUsableByItsSequence", func(e *env) {
		dst := make([]byte, 8)
		s := e.dev.NewSequence("scratch")
		b := s.Scratch(8)
		s.Upload(driver.Part(b, 0, 4), le(3), driver.Always)
		s.Copy(driver.Part(b, 4, 4), driver.Part(b, 0, 4))
		s.Read(driver.All(b), dst)
		e.run(s)
		e.equal("bytes", dst, le(3, 3))
	}},
	{"HostMemoryStartsAsZero", func(e *env) {
		b := e.buffer("b", 100, 7)
		for range 2 {
			m, err := e.dev.AllocHost(100)
			e.must(err)
			e.equal("host memory", m.Bytes(), make([]byte, 100))
			e.must(driver.ReadInto(ctx, driver.All(b), m.Bytes()))
			e.must(m.Close())
		}
	}},
	// An upload takes host memory as it is before the run, and a read delivers after it, whatever is recorded first.
	{"UploadOfWhatTheRunReadsIsRefused", func(e *env) {
		h, other := le(1, 2, 3), le(7)
		a, b := e.words("a", 4, 5), e.words("b", 6)
		s := e.dev.NewSequence("back")
		s.Upload(driver.Part(a, 0, 4), h[8:], driver.Always) // before the read
		out := s.Read(driver.All(a), h[4:])
		var in *driver.Input
		s.Repeat(2, func() { in = s.Upload(driver.All(b), h[8:], driver.Always) })
		e.must(s.Prepare()) // setters may still choose memory
		runs := []driver.Prepared{s}
		if e.dev.Caps().Graphs {
			runs = append(runs, e.capture(s))
		}
		for _, p := range runs {
			for _, src := range [][]byte{h[4:8], h[8:], h[5:9]} {
				e.must(in.Set(src))
				_, err := p.Run(ctx)
				e.fails(err, driver.InvalidArgument, `upload "b"`, "2.body.0", "command 1 reads into the same host memory", "in a later run")
				e.equal("h", h, le(1, 2, 3))
				e.equal("b", e.read(b), le(6))
			}
			e.must(in.Set(h[:4]))
			e.run(p)
			e.equal("h", h, le(1, 3, 5))
			e.equal("b", e.read(b), le(1))
			e.must(in.Set(h[8:]))
			e.must(out.Set(h[:8]))
			e.run(p)
			e.equal("h", h, le(5, 5, 5))
			e.equal("b", e.read(b), le(5))
			e.must(in.Set(other))
			copy(h, le(1, 2, 3))
			e.write(a, le(4, 5))
			e.write(b, le(6))
			e.must(out.Set(h[4:]))
		}
	}},
	{"HostMemoryIsMemory", func(e *env) {
		m, err := e.dev.AllocHost(8)
		e.must(err)
		copy(m.Bytes(), le(1, 2))
		b := e.buffer("b", 8, 0)
		s := e.dev.NewSequence("host")
		s.Upload(driver.All(b), m.Bytes(), driver.Always)
		s.Read(driver.Part(b, 0, 4), m.Bytes()[4:])
		e.run(s)
		e.equal("host memory", m.Bytes(), le(1, 1))
		e.must(s.Close())
		e.must(m.Close())
	}},
	{"PinnedBytesMayNotOverlap", func(e *env) {
		mem := make([]byte, 64)
		m, err := e.dev.Pin(mem[16:48])
		e.must(err)
		for _, part := range [][]byte{mem[:17], mem[47:], mem[20:30], mem} {
			_, err := e.dev.Pin(part)
			e.fails(err, driver.InvalidArgument, "pinned already")
		}
		beside, err := e.dev.Pin(mem[48:])
		e.must(err)
		e.must(m.Close())
		e.must(beside.Close())
	}},
	{"TimingAddsUp", func(e *env) {
		a := driver.Timing{Wall: 7, Enqueue: 1, Wait: 3, Device: 4, HasDevice: true}
		b := driver.Timing{Wall: 8, Enqueue: 1, Wait: 4, Device: 5, HasDevice: true}
		want := driver.Timing{Wall: 15, Enqueue: 2, Wait: 7, Device: 9, HasDevice: true}
		if got := a.Add(b); got != want {
			e.Errorf("sum is %+v, want %+v", got, want)
		}
		b.HasDevice = false
		if got := a.Add(b); got.HasDevice || got.Device != 0 {
			e.Errorf("sum with a missing device time is %+v", got)
		}
	}},
	{"TimingIsFilled", func(e *env) {
		b := e.buffer("b", 4096, 0)
		s := e.dev.NewSequence("time")
		s.Fill(driver.All(b), 1, 1)
		res := e.run(s)
		if !res.HasDevice || res.Wall < res.Enqueue || res.Wall < res.Wait || res.Wall <= 0 || res.Device > res.Wall {
			e.Errorf("timing is %+v", res.Timing)
		}
	}},
	{"AllocRefusesWhatCannotBe", func(e *env) {
		_, err := e.dev.Alloc(-1, driver.AllocOptions{Label: "b"})
		e.fails(err, driver.InvalidArgument, `alloc "b"`, "-1 bytes")
		_, err = e.dev.Alloc(math.MaxInt64, driver.AllocOptions{Label: "b"})
		e.fails(err, driver.OutOfMemory, `alloc "b"`, "requested 9223372036854775807 bytes")
	}},
	{"AllocAllRollsBack", func(e *env) {
		all, err := driver.AllocAll(e.dev, 16, 0, 32)
		e.must(err)
		for i, n := range []int64{16, 0, 32} {
			e.same("length", uint64(all[i].Len()), uint64(n))
			e.must(all[i].Close())
		}
		live := e.dev.Stats().Get(metric.LiveBytes)
		_, err = driver.AllocAll(e.dev, 16, -1)
		e.fails(err, driver.InvalidArgument)
		e.same("live bytes", e.dev.Stats().Get(metric.LiveBytes), live)
	}},
}
