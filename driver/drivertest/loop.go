package drivertest

import "github.com/govyre/vyre/driver"

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
			e.same("launches", st.Get(driver.LaunchesPlain), uint64(c.n))
			e.same("iterations", st.Get(driver.LoopIterations), uint64(c.n))
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
}
