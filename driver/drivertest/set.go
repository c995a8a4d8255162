package drivertest

import (
	"testing"

	"github.com/govyre/vyre/driver"
)

var setTests = []test{
	{"ArgumentsGridsAndHostMemoryChangeBetweenRuns", func(e *env) {
		k := e.compile(addTo)
		a, b, c := e.words("a", 0, 0), e.words("b", 0, 0), e.words("c", 0, 0)
		dst, other := make([]byte, 8), make([]byte, 8)
		s := e.dev.NewSequence("set")
		in := s.Upload(driver.All(a), le(1, 2), driver.Always)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(10))
		out := s.Read(driver.All(b), dst)
		e.run(s)
		e.equal("first", dst, le(11, 12))
		e.must(in.Set(le(3, 4)))
		e.must(st.SetArg(2, driver.U32(20)))
		e.must(out.Set(other))
		e.run(s)
		e.equal("second", other, le(23, 24))
		e.equal("the first destination", dst, le(11, 12))
		e.must(st.SetArg(1, driver.All(c)))
		e.run(s)
		e.equal("the buffer set", e.read(c), le(23, 24))
		e.must(st.SetGrid(driver.EmptyGrid()))
		e.must(st.SetArg(2, driver.U32(30)))
		e.run(s)
		e.equal("after no launch", e.read(c), le(23, 24))
	}},
	{"WrongValueLeavesTheOldOne", func(e *env) {
		k := e.compile(addTo)
		a, b := e.words("a", 1), e.words("b", 0)
		dst := make([]byte, 4)
		s := e.dev.NewSequence("set")
		in := s.Upload(driver.All(a), le(1), driver.Always)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		out := s.Read(driver.All(b), dst)
		e.must(s.Prepare())
		closed := e.words("closed", 0)
		e.must(closed.Close())
		for _, c := range []struct {
			name string
			err  error
			kind driver.Kind
			says string
		}{
			{"input of another length", in.Set(make([]byte, 5)), driver.InvalidArgument, "5 host bytes for a range of 4"},
			{"output of another length", out.Set(make([]byte, 3)), driver.InvalidArgument, "3 host bytes for a range of 4"},
			{"scalar of another type", st.SetArg(2, driver.F32(1)), driver.InvalidArgument, "n is u32, the argument is f32"},
			{"overlap", st.SetArg(1, driver.All(a)), driver.InvalidArgument, "y is written"},
			{"closed buffer", st.SetArg(1, driver.All(closed)), driver.Closed, "was closed"},
			{"no such argument", st.SetArg(3, driver.U32(1)), driver.InvalidArgument, "no argument 3 of 3"},
			{"grid", st.SetGrid(driver.Grid{1, 1 << 20, 1}), driver.InvalidArgument, "grid-dim(need=[1 1048576 1]"},
		} {
			e.sub(c.name, func(e *env) { e.fails(c.err, c.kind, c.says) })
		}
		e.run(s)
		e.equal("result", dst, le(2))
	}},
	{"SettersAreBusyWhileARunIsInFlight", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 0)
		s := e.dev.NewSequence("set")
		in := s.Upload(driver.All(b), le(1), driver.Always)
		var st *driver.Step
		l := s.Repeat(1, func() { st = s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
		out := s.Read(driver.All(b), make([]byte, 4))
		p, err := s.Start(ctx)
		e.must(err)
		for !p.Done() {
		}
		// Done does not end the run: its results have not been delivered.
		for name, err := range map[string]error{
			"Input.Set": in.Set(le(2)), "Input.Touch": in.Touch(), "Output.Set": out.Set(make([]byte, 4)), "Step.SetArg": st.SetArg(1, driver.U32(2)),
			"Step.SetGrid": st.SetGrid(driver.Groups(2)), "Step.SetDomain": st.SetDomain(1), "Loop.SetCount": l.SetCount(2),
		} {
			e.sub(name, func(e *env) { e.fails(err, driver.Busy, "in flight") })
		}
		_, err = s.Start(ctx)
		e.fails(err, driver.Busy, "in flight")
		_, err = s.Capture(driver.CaptureOptions{})
		e.fails(err, driver.Busy, "in flight")
		_, err = p.Wait(ctx)
		e.must(err)
		e.must(in.Set(le(2)))
	}},
	{"BufferSetIsHeldAndTheOldOneIsFree", func(e *env) {
		k := e.compile(add)
		a, b := e.words("a", 0), e.words("b", 0)
		s := e.dev.NewSequence("holder")
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.U32(1))
		e.must(s.Prepare())
		e.must(st.SetArg(0, driver.All(b)))
		e.must(a.Close())
		e.fails(b.Close(), driver.Busy, `"holder"`)
	}},
	{"NoSetterOrRunAllocates", func(e *env) {
		k := e.compile(add)
		a, b := e.words("a", 0), e.words("b", 0)
		src, dst := le(1), make([]byte, 4)
		s := e.dev.NewSequence("frugal")
		in := s.Upload(driver.All(a), src, driver.IfChanged)
		var st *driver.Step
		l := s.Repeat(1, func() { st = s.Launch(k, driver.EmptyGrid(), driver.All(a), driver.U32(1)) })
		out := s.Read(driver.All(a), dst)
		e.run(s)
		n := testing.AllocsPerRun(100, func() {
			e.must(in.Set(src))
			e.must(in.Touch())
			e.must(out.Set(dst))
			e.must(st.SetArg(0, driver.All(b)))
			e.must(st.SetArg(0, driver.All(a)))
			e.must(st.SetArg(1, driver.U32(2)))
			e.must(st.SetGrid(driver.EmptyGrid()))
			e.must(l.SetCount(2))
			if _, err := s.Run(ctx); err != nil {
				e.Fatal(err)
			}
			p, err := s.Start(ctx)
			e.must(err)
			if _, err := p.Wait(ctx); err != nil {
				e.Fatal(err)
			}
		})
		if n != 0 {
			e.Errorf("a warm round allocates %v times", n)
		}
	}},
	{"NoReplayAllocates", func(e *env) {
		k := e.compile(add)
		src, dst := le(3), make([]byte, 4)
		s := e.dev.NewSequence("frugal")
		x := s.Scratch(4)
		in := s.Upload(driver.All(x), src, driver.IfChanged)
		st := s.Launch(k, driver.EmptyGrid(), driver.All(x), driver.U32(1))
		s.Read(driver.All(x), dst)
		g := e.capture(s)
		e.run(g)
		n := testing.AllocsPerRun(50, func() {
			for range 2 {
				e.must(in.Set(src))
				e.must(st.SetArg(1, driver.U32(2)))
				if _, err := g.Run(ctx); err != nil {
					e.Fatal(err)
				}
				src[0]++
			}
			p, err := g.Start(ctx)
			e.must(err)
			if _, err := p.Wait(ctx); err != nil {
				e.Fatal(err)
			}
		})
		if n != 0 {
			e.Errorf("a warm round allocates %v times", n)
		}
	}},
}
