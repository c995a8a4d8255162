package drivertest

import (
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// replays returns how many full and resident replays f makes.
func (e *env) replays(f func()) (full, resident uint64) {
	st := e.counted(f)
	return st.Get(metric.ReplaysFull), st.Get(metric.ReplaysResident)
}

// inc is a graph that uploads a and gives it plus one, through scratch memory.
func (e *env) inc(src, dst []byte) (*driver.Sequence, *driver.Input, *driver.Output) {
	k := e.compile(addTo)
	s := e.dev.NewSequence("inc")
	a, b := s.Scratch(int64(len(src))), s.Scratch(int64(len(src)))
	in := s.Upload(driver.All(a), src, driver.IfChanged)
	s.Launch(k, driver.Cover(uint64(len(src)/4), 32), driver.All(a), driver.All(b), driver.U32(1))
	return s, in, s.Read(driver.All(b), dst)
}

func (e *env) capture(s *driver.Sequence) *driver.Graph {
	e.Helper()
	if !e.dev.Caps().Graphs {
		e.Skip("the device has no graphs")
	}
	g, err := s.Capture(driver.CaptureOptions{})
	e.must(err)
	return g
}

var graphTests = []test{
	{"ReplayGivesWhatARunGives", func(e *env) {
		dst := make([]byte, 8)
		s, in, _ := e.inc(le(1, 2), dst)
		g := e.capture(s)
		st := e.counted(func() { e.run(g) })
		e.equal("first", dst, le(2, 3))
		e.same("runs of graphs", st.Get(metric.RunsGraph), 1)
		e.same("launches in graphs", st.Get(metric.LaunchesGraph), 1)
		e.must(in.Set(le(5, 6)))
		e.run(g)
		e.equal("second", dst, le(6, 7))
		e.run(s)
		e.equal("the sequence itself", dst, le(6, 7))
	}},
	{"UnchangedInputsReplayResident", func(e *env) {
		dst := make([]byte, 8)
		s, in, _ := e.inc(le(1, 2), dst)
		g := e.capture(s)
		for i, c := range []struct {
			step func()
			full bool
		}{
			{func() {}, true}, {func() {}, false}, // A, A
			{func() { e.must(in.Set(le(3, 4))) }, true}, {func() {}, false}, // B, B
			{func() { e.must(in.Set(le(3, 5))) }, true}, // one word changed
			{func() { e.must(in.Touch()) }, true},
		} {
			c.step()
			full, resident := e.replays(func() { e.run(g) })
			if (full == 1) != c.full || full+resident != 1 {
				e.Errorf("replay %d: full %d, resident %d", i, full, resident)
			}
		}
		e.equal("last", dst, le(4, 6))
	}},
	{"FullReplaySendsEveryInput", func(e *env) {
		a, b := e.words("a", 0), e.words("b", 0, 0)
		s := e.dev.NewSequence("two")
		s.Upload(driver.All(a), le(1), driver.IfChanged)
		in := s.Upload(driver.All(b), le(2, 3), driver.IfChanged)
		g := e.capture(s)
		e.sends("graph", e.sent(g, 3, func(i int) {
			if i == 2 {
				e.must(in.Set(le(2, 4)))
			}
		}), 12, 0, 12)
	}},
	{"GraphThatWritesItsInputsIsNotReplaySafe", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 0)
		s := e.dev.NewSequence("unsafe")
		s.Upload(driver.All(b), le(1), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1))
		g := e.capture(s)
		if info := g.Info(); info.ReplaySafe || info.Why == "" {
			e.Errorf("info is %+v", info)
		}
		e.sends("unsafe", e.sent(g, 2, nil), 4, 4)
		e.must(st.SetArg(0, driver.All(e.words("c", 0))))
		if info := g.Info(); !info.ReplaySafe {
			e.Errorf("info after SetArg is %+v", info)
		}
	}},
	{"AnotherWriterForcesAFullReplay", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("graph")
		s.Upload(driver.All(b), le(1), driver.IfChanged)
		g := e.capture(s)
		e.sends("another writer", e.sent(g, 2, func(i int) {
			if i == 1 {
				e.write(b, le(9))
			}
		}), 4, 4)
	}},
	{"OneRunIsInFlightForSequenceAndGraphTogether", func(e *env) {
		s, _, _ := e.inc(le(1), make([]byte, 4))
		g := e.capture(s)
		p, err := g.Start(ctx)
		e.must(err)
		_, err = s.Start(ctx)
		e.fails(err, driver.Busy)
		_, err = p.Wait(ctx)
		e.must(err)
		e.run(s)
	}},
	{"ClosedGraphLeavesItsSequence", func(e *env) {
		dst := make([]byte, 4)
		s, _, _ := e.inc(le(1), dst)
		g := e.capture(s)
		e.same("graphs", e.dev.Stats().Get(metric.Graphs), 1)
		e.must(g.Close())
		e.must(g.Close())
		e.same("graphs", e.dev.Stats().Get(metric.Graphs), 0)
		_, err := g.Run(ctx)
		e.fails(err, driver.Closed, "graph was closed")
		e.run(s)
		e.equal("bytes", dst, le(2))
	}},
	{"OneChangedByteInTheLastOfThreeInputsIsSeen", func(e *env) {
		a := e.words("a", 0, 0, 0)
		s := e.dev.NewSequence("three")
		var last []byte
		for i := range int64(3) {
			last = le(7)
			s.Upload(driver.Part(a, 4*i, 4), last, driver.IfChanged)
		}
		g := e.capture(s)
		e.run(g)
		last[3] = 1
		full, _ := e.replays(func() { e.run(g) })
		e.same("full replays", full, 1)
		e.equal("a", e.read(a), le(7, 7, 7|1<<24))
	}},
	{"AlwaysUploadOverAnInputForcesFullReplays", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("both")
		s.Upload(driver.All(b), le(1), driver.IfChanged)
		s.Upload(driver.All(b), le(2), driver.Always)
		g := e.capture(s)
		full, _ := e.replays(func() { e.run(g); e.run(g); e.run(g) })
		e.same("full replays", full, 3)
		if info := g.Info(); info.ReplaySafe || info.Why == "" {
			e.Errorf("info is %+v", info)
		}
		e.equal("b", e.read(b), le(2))
	}},
	{"StaticInputIsTrustedUntilItIsTouched", func(e *env) {
		b, src := e.words("b", 0), le(1)
		s := e.dev.NewSequence("static")
		in := s.Upload(driver.All(b), src, driver.Static)
		g := e.capture(s)
		e.run(g)
		src[0] = 2
		_, resident := e.replays(func() { e.run(g) })
		e.same("resident replays", resident, 1)
		e.equal("b", e.read(b), le(1))
		e.must(in.Touch())
		full, _ := e.replays(func() { e.run(g) })
		e.same("full replays", full, 1)
		e.equal("b", e.read(b), le(2))
	}},
	{"SetScalarIsUsedByAResidentReplay", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("scalar")
		a, b, dst := s.Scratch(4), s.Scratch(4), make([]byte, 4)
		s.Upload(driver.All(a), le(5), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		s.Read(driver.All(b), dst)
		g := e.capture(s)
		e.run(g)
		for n := uint32(2); n < 5; n++ {
			e.must(st.SetArg(2, driver.U32(n)))
			_, resident := e.replays(func() { e.run(g) })
			e.same("resident replays", resident, 1)
			e.equal("output", dst, le(5+n))
		}
	}},
	{"LaunchOfNoGroupsComesAndGoes", func(e *env) {
		k := e.compile(add)
		b := e.words("b", 0)
		s := e.dev.NewSequence("none")
		st := s.Launch(k, driver.EmptyGrid(), driver.All(b), driver.U32(1))
		g := e.capture(s)
		e.run(g)
		e.must(st.SetGrid(driver.Groups(1)))
		e.run(g)
		e.must(st.SetGrid(driver.Grid{0, 1, 1}))
		e.run(g)
		e.equal("b", e.read(b), le(1))
	}},
	{"EveryReplayOfAGridBarrierStartsAnew", func(e *env) {
		k := e.compile(together)
		b := e.words("sum", 0)
		s := e.dev.NewSequence("together")
		s.Repeat(2, func() { s.Launch(k, driver.Groups(4), driver.All(b)) })
		g := e.capture(s)
		for range 100 {
			e.run(g)
		}
		e.equal("sum", e.read(b), le(4*32))
	}},
	{"CommandsThatOverlapKeepTheirOrder", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("overlap")
		var left, right driver.Buffer
		dst := [2][]byte{make([]byte, 4), make([]byte, 4)}
		src := s.Scratch(4)
		s.Upload(driver.All(src), le(1), driver.Always)
		left, right = s.Scratch(4), s.Scratch(4)
		for _, b := range []driver.Buffer{left, right} {
			s.Launch(k, driver.Groups(1), driver.All(src), driver.All(b), driver.U32(1))
		}
		s.Repeat(3, func() {
			t := s.Scratch(4)
			s.Copy(driver.All(t), driver.All(left))
			s.Launch(k, driver.Groups(1), driver.All(t), driver.All(left), driver.U32(10))
		})
		st := s.Launch(k, driver.Groups(1), driver.All(left), driver.All(right), driver.U32(100))
		s.Read(driver.All(left), dst[0])
		s.Read(driver.All(right), dst[1])
		if !e.dev.Caps().Graphs {
			e.Skip("the device has no graphs")
		}
		g, err := s.Capture(driver.CaptureOptions{Overlap: true})
		e.must(err)
		e.run(g)
		e.equal("left", dst[0], le(32))
		e.equal("right", dst[1], le(132))
		e.must(st.SetArg(0, driver.All(src)))
		e.run(g)
		e.equal("right of another source", dst[1], le(101))
	}},
	{"BatchTakesSeveralRowsAtATime", func(e *env) {
		s, _, _ := e.inc(le(1, 1), make([]byte, 8))
		g := e.capture(s)
		e.run(g)
		var rows []driver.Row
		for i := range uint32(40) {
			rows = append(rows, driver.Row{Inputs: [][]byte{le(i, i)}, Outputs: [][]byte{make([]byte, 8)}})
		}
		for range 2 {
			st := e.counted(func() {
				_, err := g.RunBatch(ctx, rows)
				e.must(err)
			})
			if n := st.Get(metric.BatchChunks); n == 0 || n >= 40 && e.dev.Caps().ConcurrentKernels {
				e.Errorf("40 rows took %d chunks", n)
			}
			e.same("launches", st.Get(metric.LaunchesGraph), 40)
			for i, r := range rows {
				e.equal("row", r.Outputs[0], le(uint32(i)+1, uint32(i)+1))
			}
		}
		_, resident := e.replays(func() { e.run(g) })
		e.same("resident replays of the graph itself", resident, 1)
		_, err := g.RunBatch(ended(), rows)
		e.fails(err, driver.Canceled)
	}},
	{"BatchUsesWhatSettersChanged", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("set")
		a, b := s.Scratch(4), s.Scratch(4)
		s.Upload(driver.All(a), le(0), driver.Static)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		s.Read(driver.All(b), make([]byte, 4))
		g := e.capture(s)
		for n := uint32(1); n < 4; n++ {
			e.must(st.SetArg(2, driver.U32(n)))
			var rows []driver.Row
			for i := range uint32(3) {
				rows = append(rows, driver.Row{Inputs: [][]byte{le(10 * i)}, Outputs: [][]byte{make([]byte, 4)}})
			}
			_, err := g.RunBatch(ctx, rows)
			e.must(err)
			for i, r := range rows {
				e.equal("row", r.Outputs[0], le(uint32(10*i)+n))
			}
		}
	}},
	{"RefusedBatchLeavesTheGraphAsItWas", func(e *env) {
		k := e.compile(addTo)
		s := e.dev.NewSequence("three")
		a, b := s.Scratch(12), s.Scratch(12)
		for i := range int64(3) {
			s.Upload(driver.Part(a, 4*i, 4), le(uint32(i)), driver.IfChanged)
		}
		s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		g := e.capture(s)
		e.run(g)
		st := e.counted(func() {
			_, err := g.RunBatch(ctx, []driver.Row{{Inputs: [][]byte{le(1), le(1)}}})
			e.fails(err, driver.InvalidArgument, "graph takes 3 inputs, got 2")
			_, err = g.RunBatch(ctx, []driver.Row{{Inputs: [][]byte{le(1), le(1), le(1, 2)}}})
			e.fails(err, driver.InvalidArgument, "input 2 was recorded with 4 bytes and now has 8", "capture a graph for this shape")
		})
		e.same("launches", st.Get(metric.LaunchesGraph), 0)
		_, resident := e.replays(func() { e.run(g) })
		e.same("resident replays", resident, 1)
	}},
	{"BatchRunsItsRowsInOrder", func(e *env) {
		first := make([]byte, 4)
		s, in, out := e.inc(le(1), first)
		g := e.capture(s)
		var rows []driver.Row
		var dst [5][]byte
		for i := range dst {
			dst[i] = make([]byte, 4)
			rows = append(rows, driver.Row{Inputs: [][]byte{le(uint32(10 * i))}, Outputs: [][]byte{dst[i]}})
		}
		st := e.counted(func() {
			results, err := g.RunBatch(ctx, rows)
			e.must(err)
			e.same("results", uint64(len(results)), 5)
		})
		e.same("rows", st.Get(metric.BatchRows), 5)
		for i := range dst {
			e.equal("row", dst[i], le(uint32(10*i+1)))
		}
		// The graph's own inputs and outputs are as before.
		e.equal("input", in.Bytes(), le(1))
		if &out.Bytes()[0] != &first[0] {
			e.Error("the batch replaced the output")
		}
	}},
	{"BatchOfAnotherShapeRunsNothing", func(e *env) {
		s, _, _ := e.inc(le(1, 2), make([]byte, 8))
		g := e.capture(s)
		ok := driver.Row{Inputs: [][]byte{make([]byte, 8)}, Outputs: [][]byte{make([]byte, 8)}}
		for _, c := range []struct {
			name string
			row  driver.Row
			says string
		}{
			{"inputs", driver.Row{Outputs: ok.Outputs}, "graph takes 1 inputs, got 0"},
			{"outputs", driver.Row{Inputs: ok.Inputs}, "graph gives 1 outputs, got room for 0"},
			{"input length", driver.Row{Inputs: [][]byte{make([]byte, 4)}, Outputs: ok.Outputs}, "input 0 was recorded with 8 bytes and now has 4"},
			{"output length", driver.Row{Inputs: ok.Inputs, Outputs: [][]byte{make([]byte, 4)}}, "output 0 was recorded with 8 bytes and now has 4"},
		} {
			e.sub(c.name, func(e *env) {
				st := e.counted(func() {
					_, err := g.RunBatch(ctx, []driver.Row{ok, c.row})
					e.fails(err, driver.InvalidArgument, c.says, "row 1")
				})
				e.same("launches", st.Get(metric.LaunchesGraph), 0)
			})
		}
	}},
	{"BatchWhoseRowsShareWhatTheyWriteRunsNothing", func(e *env) {
		s, _, _ := e.inc(le(1, 2), make([]byte, 8))
		g := e.capture(s)
		m := make([]byte, 64)
		row := func(in, out int) driver.Row {
			return driver.Row{Inputs: [][]byte{m[in:][:8]}, Outputs: [][]byte{m[out:][:8]}}
		}
		for _, c := range []struct {
			name string
			rows []driver.Row
			says []string // nothing: the batch runs
		}{
			{"one output", []driver.Row{row(0, 32), row(8, 48), row(16, 32)}, []string{"at row 2: output 0 shares host memory with output 0 of row 0", "outputs of its own"}},
			{"a part of an output", []driver.Row{row(0, 39), row(8, 32)}, []string{"at row 1: output 0 shares host memory with output 0 of row 0"}},
			{"an output that is an input", []driver.Row{row(0, 32), row(32, 48)}, []string{"at row 1: input 0 shares host memory with output 0 of row 0"}},
			{"an output that was an input", []driver.Row{row(0, 32), row(8, 7)}, []string{"at row 1: output 0 shares host memory with input 0 of row 0"}},
			{"an output inside of two inputs", []driver.Row{row(0, 32), row(4, 5)}, []string{"at row 1: output 0 shares host memory with input 0 of row 0"}},
			{"an output in its own input and in another", []driver.Row{row(0, 32), row(1, 2)}, []string{"at row 1: output 0 shares host memory with input 0 of row 0"}},
			{"one input", []driver.Row{row(0, 32), row(0, 40), row(4, 48)}, nil},
			{"outputs in the place of inputs", []driver.Row{row(0, 0), row(8, 8)}, nil},
			{"outputs side by side", []driver.Row{row(0, 32), row(0, 40), row(0, 24)}, nil},
		} {
			e.sub(c.name, func(e *env) {
				want := uint64(0)
				st := e.counted(func() {
					results, err := g.RunBatch(ctx, c.rows)
					if c.says != nil {
						e.fails(err, driver.InvalidArgument, c.says...)
						e.same("results", uint64(len(results)), 0)
						return
					}
					e.must(err)
					want = uint64(len(c.rows))
				})
				e.same("launches", st.Get(metric.LaunchesGraph), want)
			})
		}
	}},
	{"BatchThatWritesSharedMemoryIsRefused", func(e *env) {
		b := e.words("b", 0)
		s := e.dev.NewSequence("shared")
		s.Fill(driver.All(b), 1, 4)
		_, err := e.capture(s).RunBatch(ctx, []driver.Row{{}})
		e.fails(err, driver.InvalidArgument, `would write "b",`, "scratch")
		t, unnamed := e.dev.NewSequence("unnamed"), e.buffer("", 4, 0)
		t.Fill(driver.All(unnamed), 1, 4)
		_, err = e.capture(t).RunBatch(ctx, []driver.Row{{}})
		e.fails(err, driver.InvalidArgument, fmt.Sprintf("would write buffer %d,", unnamed.ID()), "scratch")
	}},
}
