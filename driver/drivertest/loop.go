package drivertest

import (
	"context"
	"encoding/binary"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

var loopTests = []test{
	{"RepeatRunsItsBody", func(e *env) {
		k := e.compile(add)
		for _, c := range []struct {
			n    int
			want []uint32
		}{{0, []uint32{0}}, {1, []uint32{1}}, {5, []uint32{5}}} {
			b := e.words("x", 0)
			s := e.dev.NewSequence("repeat")
			s.Repeat(c.n, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
			st := e.counted(func() { e.run(s) })
			e.equal("x", e.read(b), le(c.want...))
			e.same("launches", st.Get(metric.LaunchesPlain), uint64(c.n))
			e.same("iterations", st.Get(metric.LoopIterations), uint64(c.n))
			e.must(s.Close())
		}
	}},
	{"SetCountChangesARepeat", func(e *env) {
		k := e.compile(add)
		b := e.words("x", 0)
		s := e.dev.NewSequence("repeat")
		l := s.Repeat(0, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
		e.run(s)
		e.must(l.SetCount(3))
		e.run(s)
		e.fails(l.SetCount(-1), driver.InvalidArgument, "count is -1")
		e.run(s)
		e.equal("x", e.read(b), le(6))
	}},
	{"LoopsNest", func(e *env) {
		k := e.compile(add)
		b := e.words("x", 0)
		s := e.dev.NewSequence("nest")
		s.Repeat(2, func() {
			s.Repeat(3, func() {
				s.Repeat(2, func() {
					s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
				})
			})
			s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(100))
		})
		e.run(s)
		e.equal("x", e.read(b), le(224))
	}},
	{"WhileStopsAtItsFlagOrItsBound", func(e *env) {
		k := e.compile(countDown)
		for _, c := range []struct {
			name      string
			flag      uint32
			max       int
			x         uint32
			rounds    uint64
			converged bool
		}{
			{"converges", 3, 10, 3, 3, true},
			{"meets its bound", 3, 2, 2, 2, false},
			{"ends exactly at its bound", 3, 3, 3, 3, true},
			{"may not run", 3, 0, 0, 0, false},
			{"has nothing to do", 0, 10, 0, 0, true},
		} {
			e.sub(c.name, func(e *env) {
				flag, x := e.words("flag", c.flag), e.words("x", 0)
				s := e.dev.NewSequence("while")
				l := s.While(driver.All(flag), c.max, func() { s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
				res := e.run(s)
				e.equal("x", e.read(x), le(c.x))
				if l.Iterations() != c.rounds || l.Converged() != c.converged {
					e.Errorf("loop ended after %d rounds, converged %v", l.Iterations(), l.Converged())
				}
				if len(res.Loops) != 1 || res.Loops[0] != (driver.LoopResult{Iterations: c.rounds, Converged: c.converged}) {
					e.Errorf("result says %+v", res.Loops)
				}
				e.must(s.Close())
			})
		}
	}},
	{"SetCountChangesTheBoundOfAWhile", func(e *env) {
		k := e.compile(countDown)
		flag, x := e.words("flag", 9), e.words("x", 0)
		s := e.dev.NewSequence("while")
		l := s.While(driver.All(flag), 2, func() { s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
		e.run(s)
		e.must(l.SetCount(4))
		e.run(s)
		e.equal("x", e.read(x), le(6))
	}},
	{"LoopBodiesTakeFillsUploadsAndCopies", func(e *env) {
		k := e.compile(add)
		a, b := e.words("a", 0), e.words("b", 0)
		s := e.dev.NewSequence("body")
		s.Repeat(3, func() {
			s.Upload(driver.All(a), le(5), driver.Always)
			s.Launch(k, driver.Groups(1), driver.All(a), driver.U32(1))
			s.Copy(driver.All(b), driver.All(a))
		})
		e.run(s)
		e.equal("b", e.read(b), le(6))
	}},
	{"WhileLowersToTheDeviceOrTheHost", func(e *env) {
		k := e.compile(countDown)
		for _, l := range []driver.Lowering{driver.LoopGraph, driver.LoopHost} {
			e.sub(l.String(), func(e *env) {
				flag, x := e.words("flag", 3), e.words("x", 0)
				s := e.dev.NewSequence("while")
				s.Lower(l)
				var inner *driver.Loop
				outer := s.Repeat(2, func() {
					s.Fill(driver.All(flag), 3, 4)
					inner = s.While(driver.All(flag), 10, func() { s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x)) })
				})
				if l == driver.LoopGraph && !e.dev.Caps().LoopNodes {
					_, err := s.Run(ctx)
					e.fails(err, driver.Unsupported, "at 0.body.1")
					return
				}
				st := e.counted(func() { e.run(s) })
				e.equal("x", e.read(x), le(6))
				e.same("launches", st.Get(metric.LaunchesPlain), 6)
				if inner.Lowering() != l || outer.Lowering() != driver.LowerAuto || inner.Iterations() != 3 || !inner.Converged() {
					e.Errorf("%v loop ran %d times, converged %v", inner.Lowering(), inner.Iterations(), inner.Converged())
				}
				p, err := s.Start(ctx)
				if l == driver.LoopHost {
					e.fails(err, driver.Unsupported, "at 0.body.1", "use Run")
					_, err := s.Capture(driver.CaptureOptions{})
					e.fails(err, driver.Unsupported)
					return
				}
				e.must(err)
				_, err = p.Wait(ctx)
				e.must(err)
				e.equal("x", e.read(x), le(12))
				e.must(s.Close())
			})
		}
	}},
	{"WhileLoopsNestInAGraph", func(e *env) {
		if !e.dev.Caps().LoopNodes {
			e.Skip("the device has no loops in graphs")
		}
		k := e.compile(countDown)
		outer, inner := e.words("outer", 4), e.words("inner", 0)
		x, y := e.words("x", 0), e.words("y", 0)
		s := e.dev.NewSequence("nest")
		o := s.While(driver.All(outer), 3, func() {
			s.Fill(driver.All(inner), 2, 4)
			s.While(driver.All(inner), 10, func() { s.Launch(k, driver.Groups(1), driver.All(inner), driver.All(x)) })
			s.Launch(k, driver.Groups(1), driver.All(outer), driver.All(y))
		})
		g := e.capture(s)
		var res driver.Result
		st := e.counted(func() { res = e.run(g) })
		e.equal("x", e.read(x), le(6))
		e.equal("y", e.read(y), le(3))
		e.same("launches", st.Get(metric.LaunchesGraph), 9)
		want := []driver.LoopResult{{Iterations: 3}, {Iterations: 2, Converged: true}}
		if len(res.Loops) != 2 || res.Loops[0] != want[0] || res.Loops[1] != want[1] || o.Iterations() != 3 {
			e.Errorf("loops ended as %+v, want %+v", res.Loops, want)
		}
		// One round is left of the outer loop.
		e.must(o.SetCount(10))
		e.run(g)
		e.equal("y after another run", e.read(y), le(4))
	}},
	{"RepeatInAGraphHasTheLengthItIsGiven", func(e *env) {
		k := e.compile(add)
		for _, counts := range [][]int{{3, 0, 5}, {2000, 1, 3000}, {1, 2000}} {
			b := e.words("x", 0)
			s := e.dev.NewSequence("repeat")
			l := s.Repeat(counts[0], func() {
				s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
				s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(10000)) })
			})
			g := e.capture(s)
			sum := uint32(0)
			for _, n := range counts {
				e.must(l.SetCount(n))
				st := e.counted(func() { e.run(g) })
				e.same("launches", st.Get(metric.LaunchesGraph), uint64(3*n))
				sum += 20001 * uint32(n)
				e.equal("x", e.read(b), le(sum))
			}
			e.must(s.Close())
		}
	}},
	{"WhileInARunSendsItsUploads", func(e *env) {
		k := e.compile(countDown)
		flag, x, y := e.words("flag", 0), e.words("x", 0), e.words("y", 0)
		s := e.dev.NewSequence("uploads")
		in := s.Upload(driver.All(flag), le(2), driver.Always)
		s.While(driver.All(flag), 10, func() {
			s.Upload(driver.All(y), le(9), driver.IfChanged)
			s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x))
		})
		for i := range uint32(3) {
			e.must(in.Set(le(2)))
			e.run(s)
			e.equal("x", e.read(x), le(2*i+2))
		}
		e.equal("y", e.read(y), le(9))
	}},
	{"EveryLoopOfARunThatTheHostDecidesOnStops", func(e *env) {
		for name, flags := range map[string]uint32{"with a While that goes on": 1, "with a While that ends at once": 0} {
			e.sub(name, func(e *env) {
				flag, x := e.words("flag", 0), e.words("x", 0)
				s := e.dev.NewSequence("huge")
				s.Lower(driver.LoopHost)
				huge := s.Repeat(1<<40, func() {
					s.Fill(driver.All(flag), uint64(flags), 4)
					s.While(driver.All(flag), 1, func() { s.Fill(driver.All(x), 5, 4) })
				})
				c, cancel := context.WithCancel(ctx)
				before := e.dev.Stats()
				go func() {
					for e.dev.Stats().Sub(before).Get(metric.LoopIterations) < 3 {
					}
					cancel()
				}()
				_, err := s.Run(c)
				e.fails(err, driver.Canceled, e.stopped())
				e.must(huge.SetCount(1))
				e.run(s)
				e.equal("x", e.read(x), le(5*flags))
			})
		}
	}},
	{"LoopOfTheHostStopsBetweenTwoRounds", func(e *env) {
		k := e.compile(countDown)
		flag, x := e.words("flag", much), e.words("x", 0)
		s := e.dev.NewSequence("endless")
		s.Lower(driver.LoopHost)
		l := s.While(driver.All(flag), much, func() {
			s.Launch(k, driver.Groups(1), driver.All(flag), driver.All(x))
		})
		c, cancel := context.WithCancel(ctx)
		before := e.dev.Stats()
		go func() {
			for e.dev.Stats().Sub(before).Get(metric.LoopIterations) < 3 {
			}
			cancel()
		}()
		_, err := s.Run(c)
		e.fails(err, driver.Canceled, e.stopped())
		_, err = s.Wait(ctx)
		e.fails(err, driver.InvalidArgument, "no run is in flight")
		f, n := binary.LittleEndian.Uint32(e.read(flag)), binary.LittleEndian.Uint32(e.read(x))
		if f+n != much || n < 3 {
			e.Errorf("after %d rounds the flag is %d", n, f)
		}
		e.must(l.SetCount(2))
		e.run(s)
		e.equal("x", e.read(x), le(n+2))
	}},
}
