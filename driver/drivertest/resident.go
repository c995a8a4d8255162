package drivertest

import (
	"github.com/govyre/vyre/driver"

	"github.com/govyre/vyre/internal/metric"
)

// sent returns how many bytes each of n runs uploads; before each, step is called.
func (e *env) sent(p driver.Prepared, n int, step func(i int)) []uint64 {
	e.Helper()
	var bytes []uint64
	for i := range n {
		if step != nil {
			step(i)
		}
		bytes = append(bytes, e.counted(func() { e.run(p) }).Get(metric.UploadBytes))
	}
	return bytes
}

func (e *env) sends(what string, got []uint64, want ...uint64) {
	e.Helper()
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			e.Errorf("%s: runs upload %d bytes, want %d", what, got, want)
			return
		}
	}
}

var residentTests = []test{
	{"AlwaysSendsInEveryRun", func(e *env) {
		s := e.dev.NewSequence("always")
		s.Upload(driver.All(e.words("b", 0)), le(1), driver.Always)
		e.sends("always", e.sent(s, 3, nil), 4, 4, 4)
	}},
	{"IfChangedSendsWhatChanged", func(e *env) {
		b := e.words("b", 0)
		src := le(1)
		s := e.dev.NewSequence("if changed")
		in := s.Upload(driver.All(b), src, driver.IfChanged)
		e.sends("if changed", e.sent(s, 5, func(i int) {
			switch i {
			case 2:
				src[0] = 2 // in place
			case 3:
				e.must(in.Set(le(2))) // other memory, same bytes
			case 4:
				e.must(in.Touch())
			}
		}), 4, 0, 4, 0, 4)
		e.equal("b", e.read(b), le(2))
	}},
	{"StaticTrustsTheCaller", func(e *env) {
		b := e.words("b", 0)
		src := le(1)
		s := e.dev.NewSequence("static")
		in := s.Upload(driver.All(b), src, driver.Static)
		e.sends("static", e.sent(s, 4, func(i int) {
			switch i {
			case 1:
				src[0] = 2
			case 2:
				e.must(in.Touch())
			case 3:
				e.must(in.Set(le(3)))
			}
		}), 4, 0, 4, 4)
		e.equal("b", e.read(b), le(3))
	}},
	{"LaunchThatReadsKeepsTheUpload", func(e *env) {
		k := e.compile(addTo)
		a, b := e.words("a", 0), e.words("b", 0)
		s := e.dev.NewSequence("reads")
		s.Upload(driver.All(a), le(1), driver.IfChanged)
		s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		e.sends("a launch reads it", e.sent(s, 2, nil), 4, 0)
	}},
	{"UploadsThatALaunchWroteAreSentAgainWhenItWritesElsewhere", func(e *env) {
		k := e.compile(add)
		a, b := e.words("a", 0), e.words("b", 0)
		s := e.dev.NewSequence("moved")
		s.Upload(driver.All(a), le(1), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.U32(1))
		e.sends("a launch that moves", e.sent(s, 3, func(i int) {
			if i == 1 {
				e.must(st.SetArg(0, driver.All(b)))
			}
		}), 4, 4, 0)
		e.equal("a", e.read(a), le(1))
	}},
	{"UploadOfALoopWithoutRoundsIsNotSent", func(e *env) {
		a, flag := e.words("a", 0), e.words("flag", 0)
		s := e.dev.NewSequence("no rounds")
		l := s.Repeat(0, func() { s.Upload(driver.All(a), le(1), driver.Static) })
		e.run(s)
		e.must(l.SetCount(1))
		e.run(s)
		e.equal("a after a round of a Repeat", e.read(a), le(1))

		k := e.compile(countDown)
		s = e.dev.NewSequence("no rounds of a While")
		in := s.Upload(driver.All(flag), le(0), driver.Always)
		x := s.Scratch(4)
		s.Fill(driver.All(x), 0, 4)
		s.While(driver.All(flag), 2, func() {
			s.Upload(driver.All(a), le(2), driver.Static)
			s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x))
		})
		e.run(s)
		e.must(in.Set(le(1)))
		e.run(s)
		e.equal("a after a round of a While", e.read(a), le(2))
	}},
	{"CommandThatWritesForcesTheUpload", func(e *env) {
		k := e.compile(add)
		for _, c := range []struct {
			name  string
			write func(s *driver.Sequence, b driver.Buffer)
		}{
			{"launch", func(s *driver.Sequence, b driver.Buffer) { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) }},
			{"fill", func(s *driver.Sequence, b driver.Buffer) {
				s.Launch(k, driver.EmptyGrid(), driver.All(e.words("other", 0)), driver.U32(1))
				s.Fill(driver.All(b), 9, 4)
			}},
			{"copy", func(s *driver.Sequence, b driver.Buffer) { s.Copy(driver.All(b), driver.All(e.words("other", 9))) }},
			{"loop", func(s *driver.Sequence, b driver.Buffer) {
				s.Repeat(1, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
			}},
		} {
			e.sub(c.name, func(e *env) {
				b := e.words("b", 0)
				s := e.dev.NewSequence("writes")
				s.Upload(driver.All(b), le(1), driver.IfChanged)
				c.write(s, b)
				e.sends(c.name, e.sent(s, 2, nil), 4, 4)
				e.must(s.Close())
			})
		}
	}},
	{"SetArgDecidesAnew", func(e *env) {
		k := e.compile(add)
		a, b := e.words("a", 0), e.words("b", 0)
		s := e.dev.NewSequence("set arg")
		s.Upload(driver.All(a), le(1), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		e.sends("set arg", e.sent(s, 4, func(i int) {
			if i == 2 {
				e.must(st.SetArg(0, driver.All(a)))
			}
		}), 4, 0, 4, 4)
		e.equal("a", e.read(a), le(2))
	}},
	{"AnotherSequenceThatWritesForcesTheUpload", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("one")
		s.Upload(driver.All(b), le(1), driver.IfChanged)
		e.sends("another sequence writes", e.sent(s, 3, func(i int) {
			if i == 2 {
				e.write(b, le(7))
			}
		}), 4, 0, 4)
		e.equal("b", e.read(b), le(1))
	}},
	{"WritingOtherBytesOfTheBufferWithinTheSequenceKeepsTheUpload", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 0, 0)
		s := e.dev.NewSequence("parts")
		s.Upload(driver.Part(b, 0, 4), le(1), driver.IfChanged)
		s.Launch(k, driver.Groups(1), driver.Part(b, 4, 4), driver.U32(1))
		e.sends("other bytes", e.sent(s, 3, nil), 4, 0, 0)
		e.equal("b", e.read(b), le(1, 3))
	}},
	{"FailedRunLeavesNothingResident", func(e *env) {
		k := e.compile(check)
		a, x := e.words("a", 0), e.words("x", 1)
		s := e.dev.NewSequence("fails")
		s.Upload(driver.All(a), le(1), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(x))
		_, err := s.Run(ctx)
		e.fails(err, driver.Trap)
		e.must(st.SetGrid(driver.EmptyGrid()))
		e.sends("after a failure", e.sent(s, 2, nil), 4, 0)
	}},
	{"UploadsOverOneAnotherAreSentAgain", func(e *env) {
		b := e.words("b", 0)
		k := e.compile(addTo)
		s := e.dev.NewSequence("twice")
		s.Upload(driver.All(b), le(1), driver.Static)
		s.Launch(k, driver.Groups(1), driver.All(b), driver.All(e.words("c", 0)), driver.U32(0))
		s.Upload(driver.All(b), le(2), driver.Static)
		e.sends("twice", e.sent(s, 2, nil), 8, 8)
	}},
	{"InputsBeyondTheLimitCountAsChanged", func(e *env) {
		n := int64(driver.IdentityLimit)
		for _, c := range []struct {
			more int64
			sent []uint64
		}{{0, []uint64{uint64(n), 0}}, {8, []uint64{uint64(n) + 8, uint64(n) + 8}}} {
			b := e.buffer("b", n+c.more, 0)
			s := e.dev.NewSequence("s")
			s.Upload(driver.Part(b, 0, n), make([]byte, n), driver.IfChanged)
			if c.more > 0 {
				s.Upload(driver.Part(b, n, c.more), make([]byte, c.more), driver.IfChanged)
			}
			g := e.capture(s)
			for _, want := range c.sent {
				e.same("bytes sent", e.counted(func() { e.run(g) }).Get(metric.UploadBytes), want)
			}
			e.must(s.Close())
			e.must(b.Close())
		}
	}},
	{"DeviceTimeIsLeftOutWhenNobodyWantsIt", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 0)
		s := e.dev.NewSequence("s")
		s.NoDeviceTime()
		s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		st := e.counted(func() {
			if res := e.run(s); res.HasDevice || res.Device != 0 {
				e.Errorf("timing is %+v", res.Timing)
			}
		})
		e.same("missing", st.Get(metric.DeviceTimeMissing), 0)
		s.TimeTransfers(true)
		_, err := s.Run(ctx)
		e.fails(err, driver.InvalidArgument, "was prepared")
	}},
}
