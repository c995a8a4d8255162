package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// rowsOf makes a row of each word: one input and one output of so many words.
func rowsOf(words int, values ...uint32) (rows []driver.Row) {
	for _, v := range values {
		rows = append(rows, driver.Row{Inputs: [][]byte{repeated(v, words)}, Outputs: [][]byte{make([]byte, 4*words)}})
	}
	return rows
}

func repeated(v uint32, words int) []byte {
	all := make([]uint32, words)
	for i := range all {
		all[i] = v
	}
	return le(all...)
}

// upTo returns the words from a first one on.
func upTo(first uint32, n int) (values []uint32) {
	for i := range n {
		values = append(values, first+uint32(i))
	}
	return values
}

var batchTests = []test{
	// A chunk is resident only if all its rows are, and is one run.
	{"BatchIsOneRunAChunk", func(e *env) {
		s, _, _ := e.inc(le(1), make([]byte, 4))
		g := e.capture(s)
		const n = 2 // a chunk on every device that runs kernels at the same time
		batch := func(values ...uint32) *driver.Stats {
			rows := rowsOf(1, values...)
			st := e.counted(func() {
				_, err := g.RunBatch(ctx, rows)
				e.must(err)
			})
			for i, v := range values {
				e.equal("row", rows[i].Outputs[0], le(v+1))
			}
			return st
		}
		first := batch(upTo(5, n)...)
		if !e.dev.Caps().ConcurrentKernels {
			e.Skip("kernels run one at a time")
		}
		e.same("chunks", first.Get(metric.BatchChunks), 1)
		e.same("runs", first.Get(metric.RunsGraph), 1)
		e.same("full replays", first.Get(metric.ReplaysFull), 1)
		e.same("resident replays of the same rows", batch(upTo(5, n)...).Get(metric.ReplaysResident), 1)
		other := batch(5, 9)
		e.same("full replays with another row", other.Get(metric.ReplaysFull), 1)
		e.same("uploads with another row", other.Get(metric.UploadBytes), 4*n)
	}},
	{"BatchesOfEveryNumberOfRows", func(e *env) {
		s, _, _ := e.inc(repeated(0, 32), make([]byte, 128))
		g := e.capture(s)
		for _, n := range []int{1, 2, 3, 5, 8, 13, 21, 34, 55, 34, 3, 1, 89} {
			rows := rowsOf(32, upTo(uint32(1000*n), n)...)
			results, err := g.RunBatch(ctx, rows)
			e.must(err)
			e.same("results", uint64(len(results)), uint64(n))
			for i := range rows {
				e.equal("row", rows[i].Outputs[0], repeated(uint32(1000*n+i)+1, 32))
			}
		}
	}},
	// Rows that cannot be changed by a setter go on, and what a row leaves besides its bytes is its own.
	{"BatchTellsOfEachRowWhatItLeft", func(e *env) {
		tell, count := e.compile(tellTo), e.compile(countDown)
		s := e.dev.NewSequence("rows")
		x, y, flag, dst := s.Scratch(128), s.Scratch(128), s.Scratch(4), make([]byte, 4)
		s.Upload(driver.All(x), repeated(0, 32), driver.IfChanged)
		s.Launch(tell, driver.Groups(1), driver.All(x), driver.All(y))
		s.Copy(driver.All(flag), driver.Part(x, 0, 4))
		s.Fill(driver.All(y), 0, 4)
		if e.dev.Caps().LoopNodes {
			s.While(driver.All(flag), 100, func() { s.Launch(count, driver.Groups(1), driver.All(flag), driver.All(y)) })
		}
		s.Launch(tell, driver.Groups(1), driver.All(x), driver.All(y))
		s.Read(driver.Part(y, 0, 4), dst)
		g := e.capture(s)
		rows := rowsOf(32, 3, 9, 0, 5, 1)
		for i := range rows {
			rows[i].Outputs[0] = make([]byte, 4)
		}
		results, err := g.RunBatch(ctx, rows)
		e.must(err)
		for i, v := range []uint32{3, 9, 0, 5, 1} {
			r := results[i]
			e.equal("row", rows[i].Outputs[0], le(v+1))
			if len(r.Traces) != 2 || r.TracesDropped != 0 {
				e.Fatalf("row %d left traces %+v", i, r.Traces)
			}
			last := 1
			if e.dev.Caps().LoopNodes {
				last = 2
				if len(r.Loops) != 1 || r.Loops[0].Iterations != uint64(v) || !r.Loops[0].Converged {
					e.Errorf("row %d: loops %+v, want %d rounds", i, r.Loops, v)
				}
			}
			for _, t := range r.Traces {
				if t.Values[0] != uint64(v) || t.Step != 0 && t.Step != last {
					e.Errorf("row %d left trace %+v", i, t)
				}
			}
			if !r.HasDevice || r.Wall <= 0 {
				e.Errorf("row %d: %+v", i, r.Timing)
			}
		}
	}},
	{"BatchTimesTheCommandsOfEachRow", func(e *env) {
		if !e.dev.Caps().CommandTimes {
			e.Skip("the device does not measure commands")
		}
		s, _, _ := e.inc(le(1), make([]byte, 4))
		s.TimeCommands()
		rows := rowsOf(1, upTo(3, 5)...)
		results, err := e.capture(s).RunBatch(ctx, rows)
		e.must(err)
		for i, r := range results {
			e.equal("row", rows[i].Outputs[0], le(uint32(i)+4))
			if len(r.Commands) != 3 || r.Commands[1].What != "add_to" || r.Commands[1].Times != 1 {
				e.Errorf("row %d: %+v", i, r.Commands)
			}
		}
	}},
	{"TrapOfARowIsOfThatRow", func(e *env) {
		k := e.compile(checkTo)
		s := e.dev.NewSequence("checked")
		x, y := s.Scratch(4), s.Scratch(4)
		s.Upload(driver.All(x), le(0), driver.IfChanged)
		s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y))
		s.Read(driver.All(y), make([]byte, 4))
		g := e.capture(s)
		for _, bad := range []int{0, 1, 3, 6} {
			values := upTo(1, 7)
			values[bad], values[6] = 99, 99
			rows := rowsOf(1, values...)
			results, err := g.RunBatch(ctx, rows)
			e.fails(err, driver.Trap, fmt.Sprintf("at row %d, command ", bad), "value 0x63")
			var trap *driver.TrapError
			if !errors.As(err, &trap) {
				e.Fatalf("%v holds no record", err)
			}
			e.same("results before the trap", uint64(len(results)), uint64(bad))
			for i := range results {
				e.equal("row before the trap", rows[i].Outputs[0], le(values[i]+1))
			}
			rows = rowsOf(1, upTo(1, 7)...)
			results, err = g.RunBatch(ctx, rows)
			e.must(err)
			e.same("results", uint64(len(results)), 7)
			for i := range rows {
				e.equal("row after the trap", rows[i].Outputs[0], le(uint32(i)+2))
			}
		}
		// Rows of the same chunk have run all the same.
		rows := rowsOf(1, 99, 5)
		_, err := g.RunBatch(ctx, rows)
		if e.fails(err, driver.Trap, "at row 0"); e.dev.Caps().ConcurrentKernels {
			e.equal("the row beside the trap", rows[1].Outputs[0], le(6))
		}
	}},
	{"BatchRefusesRowsThatUploadWhatTheyRead", func(e *env) {
		s := e.dev.NewSequence("back")
		a, b := s.Scratch(4), s.Scratch(4)
		s.Upload(driver.All(a), le(0), driver.Always)
		s.Read(driver.All(a), make([]byte, 4))
		s.Upload(driver.All(b), le(0), driver.Always)
		g, h := e.capture(s), le(1, 2)
		rows := []driver.Row{{Inputs: [][]byte{le(5), le(6)}, Outputs: [][]byte{make([]byte, 4)}}, {Inputs: [][]byte{h[:4], h[4:]}, Outputs: [][]byte{h[4:]}}}
		_, err := g.RunBatch(ctx, rows)
		e.fails(err, driver.InvalidArgument, "row 1", "command 1 reads into the same host memory")
		e.equal("h", h, le(1, 2))
		rows[1].Outputs[0] = h[:4] // the upload of it comes before
		_, err = g.RunBatch(ctx, rows)
		e.must(err)
		e.equal("h", h, le(1, 2))
	}},
	{"BatchGoesOnFromWhatSettersMove", func(e *env) {
		k := e.compile(addTo)
		other := e.words("other", 100)
		s := e.dev.NewSequence("set")
		a, b, c := s.Scratch(4), s.Scratch(4), s.Scratch(4)
		s.Upload(driver.All(a), le(0), driver.IfChanged)
		st := s.Launch(k, driver.Groups(1), driver.All(a), driver.All(b), driver.U32(1))
		l := s.Repeat(2, func() {
			s.Launch(k, driver.Groups(1), driver.All(b), driver.All(c), driver.U32(10))
			s.Copy(driver.All(b), driver.All(c))
		})
		s.Read(driver.All(b), make([]byte, 4))
		g := e.capture(s)
		check := func(n int, want func(v uint32) uint32) {
			e.Helper()
			rows := rowsOf(1, upTo(7, n)...)
			_, err := g.RunBatch(ctx, rows)
			e.must(err)
			for i := range rows {
				e.equal("row", rows[i].Outputs[0], le(want(uint32(7+i))))
			}
		}
		check(5, func(v uint32) uint32 { return v + 21 })
		e.must(l.SetCount(3))
		check(5, func(v uint32) uint32 { return v + 31 })
		e.must(st.SetArg(0, driver.All(other)))
		check(3, func(uint32) uint32 { return 131 })
		e.must(st.SetArg(0, driver.All(a)))
		e.must(st.SetGrid(driver.Groups(0)))
		e.must(l.SetCount(0))
		e.must(st.SetGrid(driver.Groups(1)))
		check(5, func(v uint32) uint32 { return v + 1 })
	}},
	{"BatchThatIsCanceledLeavesAGraphThatRuns", func(e *env) {
		s, _, _ := e.inc(le(1), make([]byte, 4))
		g := e.capture(s)
		for n := range 20 {
			c, cancel := context.WithCancel(ctx)
			done := make(chan struct{})
			go func() {
				defer close(done)
				for range n * 50 {
					_ = e.dev.Stats()
				}
				cancel()
			}()
			rows := rowsOf(1, upTo(uint32(n), 60)...)
			results, err := g.RunBatch(c, rows)
			<-done
			if err != nil {
				e.fails(err, driver.Canceled)
			}
			for i := range results {
				e.equal("row", rows[i].Outputs[0], le(uint32(n+i)+1))
			}
			rows = rowsOf(1, 8, 9, 10)
			_, err = g.RunBatch(ctx, rows)
			e.must(err)
			e.equal("row after", rows[2].Outputs[0], le(11))
		}
	}},
	{"RandomBatchesGiveWhatRunsGive", func(e *env) {
		for seed := range uint64(12) {
			e.randomBatches(rand.New(rand.NewPCG(seed, 7)))
		}
	}},
}

// randomBatches runs batches of a random graph of scratch memory, and compares each row with a run of the graph.
func (e *env) randomBatches(rng *rand.Rand) {
	k := e.compile(addTo)
	s := e.dev.NewSequence("random")
	var bufs []driver.Buffer
	for i := range 3 {
		bufs = append(bufs, s.Scratch(256))
		s.Fill(driver.All(bufs[i]), uint64(i), 4) // rows and runs begin alike
	}
	out := make([]byte, 256)
	var ins []*driver.Input
	var inputs [][]byte
	for i := range 2 {
		src := repeated(uint32(i), 32)
		inputs = append(inputs, src)
		ins = append(ins, s.Upload(driver.Part(bufs[i], 64*int64(i), 128), src, []driver.Mode{driver.Always, driver.IfChanged, driver.Static}[rng.IntN(3)]))
	}
	randomCommands(rng, s, k, bufs, 8)
	s.Read(driver.All(bufs[rng.IntN(3)]), out)
	g := e.capture(s)
	for range 3 {
		var rows []driver.Row
		var want [][]byte
		for range 1 + rng.IntN(40) {
			row := driver.Row{Outputs: [][]byte{make([]byte, 256)}}
			for range ins {
				row.Inputs = append(row.Inputs, repeated(rng.Uint32N(50), 32))
			}
			rows = append(rows, row)
			for i, in := range ins {
				e.must(in.Set(row.Inputs[i]))
			}
			e.run(g)
			want = append(want, append([]byte(nil), out...))
		}
		_, err := g.RunBatch(ctx, rows)
		e.must(err)
		for i := range rows {
			if !bytes.Equal(rows[i].Outputs[0], want[i]) {
				e.Fatalf("row %d of %d is % x, want % x", i, len(rows), rows[i].Outputs[0][:8], want[i][:8])
			}
		}
		for i, in := range ins {
			e.must(in.Set(inputs[i]))
		}
	}
	e.must(s.Close())
	e.must(k.Close())
}

// randomCommands records commands over a few buffers of 256 bytes: what they depend on is left to chance.
func randomCommands(rng *rand.Rand, s *driver.Sequence, k driver.Kernel, bufs []driver.Buffer, n int) {
	part := func(b driver.Buffer) driver.Range { return driver.Part(b, 64*rng.Int64N(3), 128) }
	for range n {
		i := rng.IntN(len(bufs))
		to, from := bufs[i], bufs[(i+1+rng.IntN(len(bufs)-1))%len(bufs)]
		switch rng.IntN(6) {
		case 0:
			s.Fill(driver.Part(to, 64*rng.Int64N(4), 64), uint64(rng.Uint32N(9)), 4)
		case 1:
			s.Copy(part(to), part(from))
		case 2:
			s.Repeat(rng.IntN(4), func() {
				s.Launch(k, driver.Groups(1), part(from), part(to), driver.U32(rng.Uint32N(9)))
				s.Launch(k, driver.Groups(1), part(to), part(from), driver.U32(rng.Uint32N(9)))
			})
		default:
			s.Launch(k, driver.Groups(1), part(from), part(to), driver.U32(rng.Uint32N(9)))
		}
	}
}

var overlapTests = []test{
	{"OverlapGivesTheBytesOfAChain", func(e *env) {
		if !e.dev.Caps().Graphs {
			e.Skip("the device has no graphs")
		}
		k := e.compile(addTo)
		for seed := range uint64(25) {
			rng := rand.New(rand.NewPCG(seed, 3))
			s := e.dev.NewSequence("random")
			var bufs []driver.Buffer
			var outs [][]byte
			for i := range 4 {
				b := s.Scratch(256)
				s.Upload(driver.All(b), repeated(uint32(seed)*10+uint32(i), 64), driver.Always)
				bufs = append(bufs, b)
			}
			randomCommands(rng, s, k, bufs, 6+rng.IntN(30))
			for _, b := range bufs {
				outs = append(outs, make([]byte, 256))
				s.Read(driver.All(b), outs[len(outs)-1])
			}
			var want []string
			for _, o := range []driver.CaptureOptions{{}, {Overlap: true}} {
				g, err := s.Capture(o)
				e.must(err)
				for range 3 {
					e.run(g)
					got := make([]string, len(outs))
					for i := range outs {
						got[i] = string(outs[i])
						clear(outs[i])
					}
					if want == nil {
						want = got
					} else if strings.Join(got, "") != strings.Join(want, "") {
						e.Fatalf("seed %d, overlap %v: the bytes are not those of a chain", seed, o.Overlap)
					}
				}
				e.must(g.Close())
			}
			e.must(s.Close())
		}
	}},
	// The barrier blocks, the records of traps and traces, and the control records of loops are each launch's, or are taken in turns.
	{"OverlapSharesNoRecords", func(e *env) {
		if !e.dev.Caps().Graphs {
			e.Skip("the device has no graphs")
		}
		tell, count, check := e.compile(tellTo), e.compile(countDown), e.compile(checkTo)
		s := e.dev.NewSequence("records")
		in := e.words("in", repeatedWords(4, 32)...)
		var outs [][]byte
		for range 4 {
			a, b, flag, n := s.Scratch(128), s.Scratch(128), s.Scratch(4), s.Scratch(4)
			s.Fill(driver.All(n), 0, 4)
			s.Repeat(3, func() {
				s.Launch(tell, driver.Groups(1), driver.All(in), driver.All(a))
				s.Fill(driver.All(flag), 2, 4)
				if e.dev.Caps().LoopNodes {
					s.While(driver.All(flag), 9, func() { s.Launch(count, driver.Groups(1), driver.All(flag), driver.All(n)) })
				} else {
					s.Launch(count, driver.Groups(1), driver.All(flag), driver.All(n))
					s.Launch(count, driver.Groups(1), driver.All(flag), driver.All(n))
				}
			})
			s.Launch(check, driver.Groups(1), driver.All(a), driver.All(b))
			outs = append(outs, make([]byte, 128), make([]byte, 4))
			s.Read(driver.All(b), outs[len(outs)-2])
			s.Read(driver.All(n), outs[len(outs)-1])
		}
		g, err := s.Capture(driver.CaptureOptions{Overlap: true})
		e.must(err)
		for range 3 {
			res := e.run(g)
			e.same("traces", uint64(len(res.Traces)), 12)
			if !res.HasDevice {
				e.Error("no device time")
			}
			for i := 0; i < len(outs); i += 2 {
				e.equal("b", outs[i], repeated(6, 32))
				e.equal("n", outs[i+1], le(6))
				clear(outs[i])
				clear(outs[i+1])
			}
		}
		e.write(in, repeated(98, 32))
		_, err = g.Run(ctx)
		e.fails(err, driver.Trap, "value 0x63")
		e.write(in, repeated(4, 32))
		e.run(g)
	}},
}

func repeatedWords(v uint32, n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = v
	}
	return all
}
