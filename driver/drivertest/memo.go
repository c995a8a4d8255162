package drivertest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

const (
	// addPairs: two invocations store x at one index of y.
	addPairs = `
kernel @add_pairs workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  param %n: u32
  %i = global.x
  %h = shr.u32 %i, 1_u32
  %v = load @x[%i]
  store @y[%h], %v
}`

	// addFloats: y[0] += x.
	addFloats = `
kernel @add_floats workgroup(32) {
  param @x: buf<f32> ro
  param @y: buf<f32> rw
  %i = global.x
  %v = load @x[%i]
  atomic_add.relaxed.dev @y[0_u32], %v
}`

	// guess: y = e^x, more or less.
	guess = `
kernel @guess workgroup(32) {
  param @x: buf<f32> ro
  param @y: buf<f32> wo
  %i = global.x
  %v = load @x[%i]
  %w = fast_exp2.f32 %v
  store @y[%i], %w
}`

	// checkTo: y = x + 1, and traps where x is 99.
	checkTo = `
kernel @check_to workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  %i = global.x
  %v = load @x[%i]
  %bad = eq.u32 %v, 99_u32
  %w = cvt.u64.u32 %v
  trap %bad, %w, #7
  %s = add.u32 %v, 1_u32
  store @y[%i], %s
}`

	// sumTo: z = x + y.
	sumTo = `
kernel @sum_to workgroup(32) {
  param @x: buf<u32> ro
  param @y: buf<u32> ro
  param @z: buf<u32> wo
  %i = global.x
  %a = load @x[%i]
  %b = load @y[%i]
  %s = add.u32 %a, %b
  store @z[%i], %s
}`
)

// replayed runs a graph, and says whether it delivered what it remembers. What it counts has to say the same.
func (e *env) replayed(g *driver.Graph) (memoized bool) {
	e.Helper()
	var res driver.Result
	st := e.counted(func() { res = e.run(g) })
	launches, memo, timed := st.Get(metric.LaunchesGraph), st.Get(metric.RunsMemo), st.Get(metric.DeviceTimedRuns)+st.Get(metric.DeviceTimeMissing)
	switch {
	case res.Memoized && (launches != 0 || memo != 1 || timed != 0 || res.HasDevice || st.Get(metric.RunsGraph) != 0 || st.Get(metric.UploadBytes) != 0):
		e.Errorf("remembered: %d launches, %d runs from memory, %d timed, %+v", launches, memo, timed, res)
	case !res.Memoized && (launches == 0 || memo != 0 || st.Get(metric.RunsGraph) != 1):
		e.Errorf("not remembered: %d launches, %d runs from memory", launches, memo)
	}
	return res.Memoized
}

// memoStep is one replay: the input, and whether its result is remembered.
type memoStep struct {
	in   uint32
	want bool
}

// recalls replays the graph that adds one to its input.
func (e *env) recalls(g *driver.Graph, in *driver.Input, dst []byte, steps ...memoStep) {
	e.Helper()
	for i, c := range steps {
		e.must(in.Set(le(c.in)))
		clear(dst)
		if got := e.replayed(g); got != c.want {
			e.Errorf("replay %d of %d: memoized is %v", i, c.in, got)
		}
		e.equal("output", dst, le(c.in+1))
	}
}

// remembering is the graph that adds one to a word, with a memo.
func (e *env) remembering(entries int) (g *driver.Graph, in *driver.Input, dst []byte) {
	dst = make([]byte, 4)
	s, in, _ := e.inc(le(0), dst)
	g = e.capture(s)
	e.must(g.Memoize(entries, 1<<20))
	return g, in, dst
}

var memoTests = []test{
	{"MemoDeliversWhatItRemembersAndLaunchesNothing", func(e *env) {
		g, in, dst := e.remembering(4)
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{5, false}, memoStep{1, true}, memoStep{5, true}, memoStep{6, false})
	}},
	{"MemoIsOffAtFirstAndWhenItIsSwitchedOff", func(e *env) {
		dst := make([]byte, 4)
		s, in, _ := e.inc(le(0), dst)
		g := e.capture(s)
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{1, false})
		e.must(g.Memoize(2, 64))
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{1, true})
		e.must(g.Memoize(0, 0))
		e.recalls(g, in, dst, memoStep{1, false})
	}},
	{"MemoForgetsTheOldest", func(e *env) {
		g, in, dst := e.remembering(2)
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{2, false}, memoStep{1, true}, memoStep{3, false}, memoStep{2, true}, memoStep{1, false}, memoStep{2, false}, memoStep{1, true})
		e.must(g.Memoize(32, 8)) // room for one
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{2, false}, memoStep{2, true}, memoStep{1, false})
	}},
	{"MemoKeepsReplaysResident", func(e *env) {
		g, in, dst := e.remembering(4)
		e.recalls(g, in, dst, memoStep{1, false}, memoStep{2, false}, memoStep{1, true})
		e.must(g.Memoize(0, 0))
		e.must(in.Set(le(2))) // what the device has still
		_, resident := e.replays(func() { e.run(g) })
		e.same("resident replays", resident, 1)
		e.equal("output", dst, le(3))
	}},
	{"MemoOfStartedRuns", func(e *env) {
		g, in, dst := e.remembering(4)
		e.recalls(g, in, dst, memoStep{1, false})
		clear(dst)
		p, err := g.Start(ctx)
		e.must(err)
		e.equal("before the wait", dst, le(0))
		if !p.Done() {
			e.Error("what is remembered is not done")
		}
		_, err = g.Start(ctx)
		e.fails(err, driver.Busy)
		e.fails(in.Set(le(3)), driver.Busy)
		e.fails(g.Memoize(1, 64), driver.Busy)
		res, err := p.Wait(ctx)
		e.must(err)
		if e.equal("after the wait", dst, le(2)); !res.Memoized {
			e.Error("not remembered")
		}
		other := e.dev.NewSequence("other")
		other.Fill(driver.All(e.words("b", 0)), 1, 4)
		before, err := other.Start(ctx)
		e.must(err)
		p, err = g.Start(ctx, before)
		e.must(err)
		if res, err = p.Wait(ctx); err != nil || res.Memoized {
			e.Errorf("a run after another: %v, memoized is %v", err, res.Memoized)
		}
		_, err = before.Wait(ctx)
		e.must(err)
	}},
	{"MemoRefusesWhatIsNotTheSameInEveryRun", func(e *env) {
		for _, c := range []struct {
			name, kernel string
			says         []string
		}{
			{"racy", addPairs, []string{"kernel add_pairs is not proven deterministic", "at 1"}},
			{"unordered", addFloats, []string{"kernel add_floats are not the same in every run"}},
			{"approximate", guess, []string{"kernel guess are not the same in every run", "approximate"}},
			{"tracing", tellTo, []string{"kernel tell_to traces"}},
		} {
			e.sub(c.name, func(e *env) {
				k := e.compile(c.kernel)
				s := e.dev.NewSequence("s")
				x, y := s.Scratch(128), s.Scratch(128)
				in := s.Upload(driver.All(x), make([]byte, 128), driver.IfChanged)
				args := []driver.Arg{driver.All(x), driver.All(y)}
				if len(k.Signature()) == 3 {
					args = append(args, driver.U32(1))
				}
				if strings.Contains(c.name, "unordered") {
					s.Fill(driver.All(y), 0, 4)
				}
				s.Launch(k, driver.Groups(1), args...)
				s.Read(driver.All(y), make([]byte, 128))
				g := e.capture(s)
				e.fails(g.Memoize(4, 1<<20), driver.Unsupported, c.says...)
				e.run(g) // as without it
				e.must(in.Touch())
				if e.replayed(g) {
					e.Error("remembered after a refusal")
				}
			})
		}
	}},
	{"MemoRefusesWhatOthersSeeAndWhatIsLeftOver", func(e *env) {
		k, inPlace := e.compile(addTo), e.compile(add)
		for _, c := range []struct {
			name   string
			record func(s *driver.Sequence)
			says   string // nothing: it is remembered
		}{
			{"a buffer that a launch writes", func(s *driver.Sequence) {
				x := s.Scratch(4)
				s.Upload(driver.All(x), le(1), driver.IfChanged)
				s.Launch(k, driver.Groups(1), driver.All(x), driver.All(e.words("mine", 0)), driver.U32(1))
			}, `a run writes "mine", which others can see`},
			{"a buffer that an upload writes", func(s *driver.Sequence) {
				s.Upload(driver.All(e.words("mine", 0)), le(1), driver.IfChanged)
			}, `a run writes "mine", which others can see`},
			{"scratch memory that is read first", func(s *driver.Sequence) {
				x := s.Scratch(4)
				s.Launch(inPlace, driver.Groups(1), driver.All(x), driver.U32(1))
				s.Read(driver.All(x), make([]byte, 4))
			}, "is read before the run has written all of it"},
			{"scratch memory that is read in part", func(s *driver.Sequence) {
				x := s.Scratch(8)
				s.Fill(driver.Part(x, 4, 4), 0, 4)
				s.Launch(inPlace, driver.Groups(1), driver.All(x), driver.U32(1))
			}, "is read before the run has written all of it"},
			{"scratch memory that a loop may not write", func(s *driver.Sequence) {
				x := s.Scratch(4)
				s.Repeat(0, func() { s.Fill(driver.All(x), 0, 4) })
				s.Read(driver.All(x), make([]byte, 4))
			}, "is read before the run has written all of it"},
			{"scratch memory that is written in parts", func(s *driver.Sequence) {
				x := s.Scratch(12)
				s.Fill(driver.Part(x, 8, 4), 0, 4)
				s.Fill(driver.Part(x, 0, 4), 0, 4)
				s.Repeat(2, func() { s.Fill(driver.Part(x, 4, 4), 0, 4) })
				s.Launch(inPlace, driver.Groups(1), driver.All(x), driver.U32(1))
				s.Read(driver.All(x), make([]byte, 12))
			}, ""},
			{"a grid along y", func(s *driver.Sequence) {
				x, y := s.Scratch(4), s.Scratch(4)
				s.Upload(driver.All(x), le(1), driver.IfChanged)
				s.Launch(k, driver.Grid{1, 2}, driver.All(x), driver.All(y), driver.U32(1))
			}, "for grids along x, and this one is 1×2×1"},
		} {
			e.sub(c.name, func(e *env) {
				s := e.dev.NewSequence("s")
				c.record(s)
				g := e.capture(s)
				if err := g.Memoize(4, 1<<20); c.says == "" {
					e.must(err)
				} else {
					e.fails(err, driver.Unsupported, c.says)
				}
				e.run(g)
			})
		}
	}},
	{"MemoRefusesRoomThatThereIsNot", func(e *env) {
		s, _, _ := e.inc(le(1), make([]byte, 4))
		g := e.capture(s)
		e.fails(g.Memoize(-1, 64), driver.InvalidArgument, "0 to 32 results")
		e.fails(g.Memoize(33, 64), driver.InvalidArgument, "0 to 32 results")
		e.fails(g.Memoize(1, -1), driver.InvalidArgument, "0 to 8388608 bytes")
		e.fails(g.Memoize(1, 8<<20+1), driver.InvalidArgument, "0 to 8388608 bytes")
		e.fails(g.Memoize(1, 7), driver.InvalidArgument, "one result has 8 bytes")
		e.fails((*driver.Graph)(nil).Memoize(1, 8), driver.InvalidArgument)
		e.must(g.Memoize(32, 8<<20))
		e.must(g.Close())
		e.fails(g.Memoize(1, 64), driver.Closed)
	}},
	{"MemoForgetsWhatSettersChange", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("s")
		x, y, z := s.Scratch(256), s.Scratch(256), e.buffer("z", 256, 0)
		in := s.Upload(driver.All(x), make([]byte, 256), driver.IfChanged)
		st := s.Launch(k, driver.Groups(2), driver.All(x), driver.All(y), driver.U32(1))
		dst := make([]byte, 256)
		s.Read(driver.All(y), dst)
		g := e.capture(s)
		e.must(g.Memoize(4, 1<<20))
		check := func(what string, set func() error, want bool) {
			e.Helper()
			e.must(set())
			if got := e.replayed(g); got != want {
				e.Errorf("%s: memoized is %v", what, got)
			}
		}
		nothing := func() error { return nil }
		check("first", nothing, false)
		check("again", nothing, true)
		check("the domain", func() error { return st.SetDomain(7) }, true)
		check("another number", func() error { return st.SetArg(2, driver.U32(5)) }, false)
		e.equal("output", dst[:4], le(5))
		check("again", nothing, true)
		check("the same number", func() error { return st.SetArg(2, driver.U32(5)) }, true)
		check("the first number", func() error { return st.SetArg(2, driver.U32(1)) }, false)
		check("another grid", func() error { return st.SetGrid(driver.Groups(1)) }, false)
		check("a grid that is not proven", func() error { return st.SetGrid(driver.Grid{2, 2}) }, false)
		check("nor remembered", nothing, false)
		check("a proven one", func() error { return st.SetGrid(driver.Groups(2)) }, false)
		check("again", nothing, true)
		check("a buffer of others", func() error { return st.SetArg(1, driver.All(z)) }, false)
		check("nor remembered", nothing, false)
		check("scratch memory", func() error { return st.SetArg(1, driver.All(y)) }, false)
		check("again", nothing, true)
		check("other memory, equal bytes", func() error { return in.Set(make([]byte, 256)) }, true)
	}},
	{"MemoForgetsWithTheCountOfALoop", func(e *env) {
		k := e.compile(add)
		s := e.dev.NewSequence("s")
		x, dst := s.Scratch(4), make([]byte, 4)
		s.Upload(driver.All(x), le(10), driver.IfChanged)
		l := s.Repeat(3, func() { s.Launch(k, driver.Groups(1), driver.All(x), driver.U32(1)) })
		s.Read(driver.All(x), dst)
		g := e.capture(s)
		e.must(g.Memoize(4, 1<<20))
		for i, c := range []struct {
			n    int
			want bool
		}{{3, false}, {3, true}, {5, false}, {5, true}, {3, false}} {
			e.must(l.SetCount(c.n))
			if got := e.replayed(g); got != c.want {
				e.Errorf("run %d: memoized is %v", i, got)
			}
			e.equal("output", dst, le(uint32(10+c.n)))
		}
	}},
	{"MemoHasOutcomesOfLoops", func(e *env) {
		k := e.compile(countDown)
		s := e.dev.NewSequence("s")
		f, x := s.Scratch(4), s.Scratch(4)
		in := s.Upload(driver.All(f), le(3), driver.IfChanged)
		s.Fill(driver.All(x), 0, 4)
		s.While(driver.All(f), 10, func() { s.Launch(k, driver.Groups(1), driver.All(f), driver.All(x)) })
		dst := make([]byte, 4)
		s.Read(driver.All(x), dst)
		g, err := s.Capture(driver.CaptureOptions{})
		if err != nil {
			e.Skip("a loop of the device cannot be captured")
		}
		e.must(g.Memoize(4, 64))
		for i, c := range []struct {
			n    uint32
			want bool
		}{{3, false}, {12, false}, {3, true}, {12, true}} {
			e.must(in.Set(le(c.n)))
			res := e.run(g)
			if want := (driver.LoopResult{Iterations: uint64(min(c.n, 10)), Converged: c.n <= 10}); res.Memoized != c.want || len(res.Loops) != 1 || res.Loops[0] != want {
				e.Errorf("run %d: %+v, want %+v", i, res, want)
			}
			e.equal("x", dst, le(min(c.n, 10)))
		}
	}},
	{"MemoKnowsWhenOthersWriteWhatItReads", func(e *env) {
		k := e.compile(sumTo)
		s := e.dev.NewSequence("s")
		x, z, y := s.Scratch(4), s.Scratch(4), e.words("y", 100)
		in := s.Upload(driver.All(x), le(0), driver.IfChanged)
		s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y), driver.All(z))
		dst := make([]byte, 4)
		s.Read(driver.All(z), dst)
		g := e.capture(s)
		e.must(g.Memoize(4, 1<<20))
		for i, c := range []struct {
			in, y uint32
			want  bool
		}{{1, 0, false}, {2, 0, false}, {1, 0, true}, {1, 200, false}, {2, 0, false}, {2, 0, true}, {1, 0, true}} {
			if c.y != 0 {
				e.write(y, le(c.y))
			}
			e.must(in.Set(le(c.in)))
			if got := e.replayed(g); got != c.want {
				e.Errorf("run %d: memoized is %v", i, got)
			}
			was := uint32(100)
			if i >= 3 {
				was = 200
			}
			e.equal("output", dst, le(c.in+was))
		}
	}},
	{"MemoTrustsStaticInputsUntilTheyAreTouched", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("s")
		x, y, src, dst := s.Scratch(4), s.Scratch(4), le(1), make([]byte, 4)
		in := s.Upload(driver.All(x), src, driver.Static)
		s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y), driver.U32(1))
		s.Read(driver.All(y), dst)
		g := e.capture(s)
		e.must(g.Memoize(4, 1<<20))
		if e.replayed(g) || !e.replayed(g) {
			e.Error("the second run alone is remembered")
		}
		src[0] = 7
		if !e.replayed(g) {
			e.Error("bytes of a static input were looked at")
		}
		e.must(in.Touch())
		if e.replayed(g) {
			e.Error("a touched input is remembered")
		}
		e.equal("touched", dst, le(8))
		out := [2][]byte{make([]byte, 4), make([]byte, 4)}
		results, err := g.RunBatch(ctx, []driver.Row{{Inputs: [][]byte{le(1)}, Outputs: [][]byte{out[0]}}, {Inputs: [][]byte{le(7)}, Outputs: [][]byte{out[1]}}})
		e.must(err)
		if results[0].Memoized || results[1].Memoized {
			e.Error("rows bring bytes of their own")
		}
		e.equal("row 0", out[0], le(2))
		e.equal("row 1", out[1], le(8))
	}},
	{"MemoRemembersNoRunThatTrapped", func(e *env) {
		k := e.compile(checkTo)
		s := e.dev.NewSequence("s")
		x, y, dst := s.Scratch(4), s.Scratch(4), make([]byte, 4)
		in := s.Upload(driver.All(x), le(1), driver.IfChanged)
		s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y))
		s.Read(driver.All(y), dst)
		g := e.capture(s)
		e.must(g.Memoize(4, 1<<20))
		e.recalls(g, in, dst, memoStep{1, false})
		e.must(in.Set(le(99)))
		for range 2 {
			res, err := g.Run(ctx)
			if e.fails(err, driver.Trap); res.Memoized {
				e.Error("a trap was remembered")
			}
		}
		e.recalls(g, in, dst, memoStep{1, true}, memoStep{2, false}, memoStep{2, true})
		rows := []driver.Row{{Inputs: [][]byte{le(99)}, Outputs: [][]byte{make([]byte, 4)}}, {Inputs: [][]byte{le(1)}, Outputs: [][]byte{make([]byte, 4)}}}
		for range 2 {
			results, err := g.RunBatch(ctx, rows)
			e.fails(err, driver.Trap)
			e.same("results before the trap", uint64(len(results)), 0)
		}
		rows[0], rows[1] = rows[1], rows[0]
		results, err := g.RunBatch(ctx, rows)
		e.fails(err, driver.Trap)
		if len(results) != 1 || !results[0].Memoized {
			e.Errorf("%+v", results)
		}
	}},
	{"MemoRemembersARunWhoseFirstWaitWasCanceled", func(e *env) {
		g, in, dst := e.remembering(4)
		e.must(in.Set(le(1)))
		_, err := g.Start(ctx)
		e.must(err)
		over, cancel := context.WithCancel(ctx)
		cancel()
		if _, err = g.Wait(over); err != nil {
			e.fails(err, driver.Canceled)
			_, err = g.Wait(ctx)
		}
		e.must(err)
		e.equal("output", dst, le(2))
		e.recalls(g, in, dst, memoStep{1, true})
		if _, err = g.Run(over); err == nil {
			e.Error("a run under a context that is over")
		}
		e.fails(err, driver.Canceled)
		e.recalls(g, in, dst, memoStep{2, false}, memoStep{1, true})
	}},
	{"BatchTakesRowsFromTheMemoBeforeItTakesLanes", func(e *env) {
		g, in, dst := e.remembering(8)
		e.recalls(g, in, dst, memoStep{10, false})
		const a, b, c = 10, 20, 30
		batch := func(inputs ...uint32) (results []driver.Result, st *driver.Stats) {
			var rows []driver.Row
			for _, v := range inputs {
				rows = append(rows, driver.Row{Inputs: [][]byte{le(v)}, Outputs: [][]byte{make([]byte, 4)}})
			}
			st = e.counted(func() {
				var err error
				results, err = g.RunBatch(ctx, rows)
				e.must(err)
			})
			e.same("results", uint64(len(results)), uint64(len(rows)))
			e.same("rows", st.Get(metric.BatchRows), uint64(len(rows)))
			for i, v := range inputs {
				e.equal("row", rows[i].Outputs[0], le(v+1))
			}
			return results, st
		}
		results, st := batch(a, b, a, c)
		for i, want := range []bool{true, false, true, false} {
			if results[i].Memoized != want {
				e.Errorf("row %d: memoized is %v", i, !want)
			}
		}
		e.same("launches", st.Get(metric.LaunchesGraph), 2)
		e.same("from memory", st.Get(metric.RunsMemo), 2)
		e.same("stored", st.Get(metric.MemoStores), 2)
		if lanes := e.dev.Caps().ConcurrentKernels; lanes {
			e.same("chunks", st.Get(metric.BatchChunks), 1)
		}
		_, st = batch(a, b, c)
		e.same("launches", st.Get(metric.LaunchesGraph), 0)
		e.same("chunks", st.Get(metric.BatchChunks), 0)
		_, st = batch(40, 40, 40)
		e.same("stored of equal rows", st.Get(metric.MemoStores), 1)
		e.recalls(g, in, dst, memoStep{c, true}, memoStep{40, true})
	}},
	{"MemosOfManyGraphsAtOnce", func(e *env) {
		var all sync.WaitGroup
		k, y := e.compile(sumTo), e.words("y", 100)
		for n := range 8 {
			s := e.dev.NewSequence("s")
			x, z, dst := s.Scratch(4), s.Scratch(4), make([]byte, 4)
			in := s.Upload(driver.All(x), le(0), driver.IfChanged)
			s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y), driver.All(z))
			s.Read(driver.All(z), dst)
			g := e.capture(s)
			e.must(g.Memoize(3, 1<<20))
			all.Go(func() {
				for i := range 300 {
					v := uint32(i*(n+1)) % 5
					e.must(in.Set(le(v)))
					if _, err := g.Run(ctx); err != nil {
						e.Error(err)
						return
					}
					// The ninth goroutine writes 100 again and again, so that only the version changes.
					e.equal("sum", dst, le(v+100))
				}
			})
		}
		all.Go(func() {
			for range 20 {
				e.write(y, le(100))
			}
		})
		all.Wait()
	}},
	{"MemoOfOneGraphFromManyGoroutines", func(e *env) {
		g, in, dst := e.remembering(2)
		e.recalls(g, in, dst, memoStep{1, false})
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 200 {
					if _, err := g.Run(ctx); err != nil {
						e.fails(err, driver.Busy)
					}
				}
			})
		}
		all.Wait()
		e.recalls(g, in, dst, memoStep{1, true})
	}},
	{"MemoAllocatesNothing", func(e *env) {
		src, dst := make([]byte, 4096), make([]byte, 4096)
		s, in, _ := e.inc(src, dst)
		g := e.capture(s)
		e.must(g.Memoize(2, 1<<20))
		other := le(1)
		other = append(other, src[4:]...)
		for _, b := range [][]byte{src, other} {
			e.must(in.Set(b))
			e.run(g)
		}
		n := testing.AllocsPerRun(50, func() {
			e.must(in.Set(src))
			a := e.run(g)
			e.must(in.Set(other))
			if b := e.run(g); !a.Memoized || !b.Memoized {
				e.Fatal("not remembered")
			}
		})
		if n != 0 {
			e.Errorf("%v allocations for two remembered runs", n)
		}
	}},
}
