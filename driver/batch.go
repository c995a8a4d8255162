package driver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/metric"
)

// lane is memory of its own for one row of a batch: scratch, inputs and outputs. What a plan only reads is shared.
type lane struct {
	inputs  []*Input
	outputs []*Output
	scratch []Buffer
}

// laneCount returns how many rows of a batch run at the same time, where one takes so many bytes
// of memory. Kernels that need all of the device run one at a time.
func laneCount(c *Caps, shape int64, cooperative bool, rows int) int {
	const most = 32
	hw, mem := 1, most
	if c.ConcurrentKernels && !cooperative {
		hw = min(max(ceilDiv(c.Units, 8), 2), most)
	}
	if shape > 0 {
		mem = int(min(max(max(c.TotalMemory/64, shape)/shape, 1), most))
	}
	return min(rows, hw, mem)
}

// laneShape returns the bytes that a lane takes, on the device and of the host, and whether it has
// kernels that need all of the device.
func (p *Plan) laneShape() (bytes int64, cooperative bool) {
	for _, b := range p.Scratch {
		bytes += b.Reserved()
	}
	for _, u := range p.Uploads {
		bytes += u.Dst.Len
	}
	for _, r := range p.Reads {
		bytes += r.Src.Len
	}
	return bytes, slices.ContainsFunc(p.Launches, func(l *LaunchCmd) bool { return l.Kernel.Flags()&Resident != 0 })
}

// RunBatch replays the graph once for each row, with the row's inputs and outputs, and returns a
// result a row, in their order. Several rows run at the same time, as one launch, whose time is in the result
// of each. The first batch of a number of rows prepares graphs for it. Every buffer that the graph
// writes must be scratch, so that no row sees another, and rows write to host memory of their own:
// what a row writes, no other row names. Inputs may be shared. A batch that breaks a rule runs nothing. The
// first row that fails, or whose wait ends with ctx, ends the batch; rows that were started before are
// waited for in any case. Results up to it are returned. The sequence is busy meanwhile. Rows that the graph remembers (see
// Memoize) are delivered before the others run.
func (g *Graph) RunBatch(ctx context.Context, rows []Row) ([]Result, error) {
	if err := g.absent("run"); err != nil {
		return nil, err
	}
	if err := g.beginBatch(ctx, rows); err != nil {
		return nil, g.seq.core.Fail(err)
	}
	defer g.endBatch()
	b := batch{g: g, results: make([]Result, len(rows))}
	b.todo = g.recall(rows, b.results)
	if n, err := b.run(ctx); err != nil {
		return b.results[:n], g.seq.core.Fail(err)
	}
	return b.results, nil
}

// batch is one call of RunBatch: the rows that have to run, in chunks of which two take turns.
type batch struct {
	g       *Graph
	results []Result
	todo    []batchRow
	turn    int
	alone   bool // there is no memory for a second chunk
}

// run runs the rows. With an error it returns how many rows succeeded before the first that did not.
func (b *batch) run(ctx context.Context) (int, error) {
	var before *chunk // in flight
	for len(b.todo) > 0 {
		first := b.todo[0].at
		c, failed := b.ready()
		if failed == nil && c == before {
			if n, err := b.wait(ctx, c, b.results); err != nil {
				return n, err
			}
			before = nil
		}
		if failed == nil {
			failed = b.start(ctx, c, before)
		}
		if before != nil {
			if n, err := b.wait(ctx, before, b.results); err != nil {
				if failed == nil {
					_, _ = b.wait(ctx, c, nil) // it is drained: the first error is the one to report
				}
				return n, err
			}
		}
		if failed != nil {
			return first, failed
		}
		before = c
		b.turn++
	}
	if before != nil {
		return b.wait(ctx, before, b.results)
	}
	return 0, nil
}

// batchRow is a row of a batch that has to run.
type batchRow struct {
	Row
	at     int         // in the batch
	hash   uint64      // of its inputs, if the graph remembers results
	missed *remembered // what it will be remembered as, if it succeeds
}

// beginBatch checks the rows, and takes the sequence.
func (g *Graph) beginBatch(ctx context.Context, rows []Row) error {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := g.checkBatch(rows); err != nil {
		return err
	}
	if s.flying != nil {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Kind: Busy, Msg: "a run is in flight", Fix: "wait for it"}
	}
	if err := MayStart(ctx, "run", g.label, s.core.name); err != nil {
		return err
	}
	g.p.memo.claim(s, true)
	s.flying, s.waiting = g.p, true
	s.tally.Gauge(metric.RunsInFlight, 1)
	return nil
}

// recall delivers the rows that are remembered, and returns the others.
func (g *Graph) recall(rows []Row, results []Result) []batchRow {
	m := g.p.memo
	active := m != nil && m.able
	var todo []batchRow
	for i, row := range rows {
		r := batchRow{Row: row, at: i}
		if active {
			begin := time.Now()
			r.hash = m.hashed(g.seq, row.Inputs, true)
			if k := m.find(g.seq, r.hash, row.Inputs, true); k > 0 {
				g.told(m.kept[k-1], row.Outputs, begin, &results[i])
				continue
			}
		}
		todo = append(todo, r)
	}
	return todo
}

// told delivers a row that is remembered.
func (g *Graph) told(k *remembered, outputs [][]byte, begin time.Time, res *Result) {
	s := g.seq
	if f := s.core.observer.RunStart; f != nil {
		f(s.label)
	}
	k.deliver(outputs, res)
	res.Wall = time.Since(begin)
	runsOf(s).count(g.p, res)
	s.core.Count(metric.BatchRows, 1)
	if f := s.core.observer.RunEnd; f != nil {
		f(s.label, res, nil)
	}
}

// ready makes the next chunk ready for as many of the rows as it takes.
func (b *batch) ready() (*chunk, error) {
	g, s := b.g, b.g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || g.p.closed {
		return nil, g.wasClosed()
	}
	shape, cooperative := s.plan.laneShape()
	n := laneCount(s.dev.Caps(), shape, cooperative, len(b.todo))
	for {
		if g.mostRows > 0 {
			n = min(n, g.mostRows)
		}
		at := b.turn % len(g.chunks)
		if b.alone {
			at = 0
		}
		c := &g.chunks[at]
		c.one = cooperative
		err := g.makeReady(c, n)
		switch e, _ := err.(*Error); {
		case err == nil:
			return c, nil
		case e != nil && e.Kind == Unsupported && n > 1:
			g.mostRows = n / 2 // one launch of so many rows is too large for the device
		case e != nil && e.Kind == OutOfMemory && at > 0:
			b.alone = true
			err := c.drop(time.Time{}) // nothing of it is in flight
			if *c = (chunk{}); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

func (g *Graph) wasClosed() error {
	return &Error{Op: "run", Label: g.label, Device: g.seq.core.name, Kind: Closed, Msg: "graph was closed"}
}

func (g *Graph) endBatch() {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range g.chunks {
		for _, l := range g.chunks[i].lanes {
			for _, in := range l.inputs {
				in.src = nil
			}
			for _, out := range l.outputs {
				out.dst = nil
			}
		}
	}
	if s.waiting = false; s.flying == g.p {
		s.flying = nil
		s.tally.Gauge(metric.RunsInFlight, -1)
	}
}

// checkBatch refuses a batch before any of it runs.
func (g *Graph) checkBatch(rows []Row) error {
	s := g.seq
	row := ""
	no := func(fix, format string, args ...any) error {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Path: row, Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	if s.closed || g.p.closed {
		return g.wasClosed()
	}
	s.plan.refresh()
	for _, u := range s.plan.Uses {
		if u.Writes && !holdsOf(s).isScratch(u.Buffer) {
			return no("make it scratch memory of the sequence", "a batch would write %s, which others can see", nameOf(u.Buffer))
		}
	}
	for n, r := range rows {
		row = fmt.Sprintf("row %d", n)
		if len(r.Inputs) != len(s.inputs) {
			return no("", "graph takes %d inputs, got %d", len(s.inputs), len(r.Inputs))
		}
		if len(r.Outputs) != len(s.outputs) {
			return no("", "graph gives %d outputs, got room for %d", len(s.outputs), len(r.Outputs))
		}
		for i, in := range s.inputs {
			if len(r.Inputs[i]) != len(in.src) {
				return no("capture a graph for this shape", "input %d was recorded with %d bytes and now has %d", i, len(in.src), len(r.Inputs[i]))
			}
		}
		for i, out := range s.outputs {
			if len(r.Outputs[i]) != len(out.dst) {
				return no("capture a graph for this shape", "output %d was recorded with %d bytes and now has %d", i, len(out.dst), len(r.Outputs[i]))
			}
		}
	}
	for n, r := range rows {
		e := s.takenBack(func(i int) []byte { return r.Inputs[i] }, func(i int) []byte { return r.Outputs[i] })
		if e != nil {
			e.Path = fmt.Sprintf("row %d", n)
			return e
		}
	}
	if a, b := sharedByRows(rows); a != nil {
		row = fmt.Sprintf("row %d", b.row)
		return no("give each row outputs of its own", "%v shares host memory with %v of row %d, and rows run at the same time", b, a, a.row)
	}
	return nil
}
