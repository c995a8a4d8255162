package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/govyre/vyre/internal/metric"
)

// chunk is lanes whose rows run as one launch.
type chunk struct {
	lanes  []*lane
	graphs []rowsGraph // by the number of their rows; the one that was used last comes last
	one    bool        // its kernels need all of the device

	// Of the rows in flight. Meanwhile the chunk may be made ready for others.
	graph   rowsGraph
	rows    []batchRow
	begin   time.Time
	enqueue time.Duration
}

// rowsGraph is the plan of a graph once for each of some rows, captured as one whose branches they are.
type rowsGraph struct {
	plan   *Plan
	runner *vehicle
}

// rowsGraphs is how many a chunk keeps: one for each number of rows that batches had lately. The last chunk of a batch has
// another number than those before.
const rowsGraphs = 4

// rowEnd is what the launches of a row left.
type rowEnd struct {
	res Result // its traces and reports
	err error
}

// rowOf returns the row that a launch is of; nil in a plan that is not a chunk of a batch.
func (p *Plan) rowOf(c *LaunchCmd) *rowEnd {
	if p.Rows == 0 {
		return nil
	}
	return &p.ends[c.Index/(len(p.Launches)/p.Rows)]
}

// Told returns where a device puts the traces and the reports of a launch: into a result of its row if the plan is a chunk
// of a batch, else into res.
func (p *Plan) Told(c *LaunchCmd, res *Result) *Result {
	if row := p.rowOf(c); row != nil {
		return &row.res
	}
	return res
}

// Trapped notes the error of a launch that trapped, or was out of bounds, which fails its row alone if the plan is a chunk of
// a batch. The run fails with the first such error in any case.
func (p *Plan) Trapped(c *LaunchCmd, err error) {
	if row := p.rowOf(c); row != nil && row.err == nil {
		row.err = err
	}
}

// makeReady gives a chunk n lanes, and a graph of so many rows with what setters changed.
func (g *Graph) makeReady(c *chunk, n int) error {
	for len(c.lanes) < n {
		l, err := g.newLane()
		if err != nil {
			return err
		}
		c.lanes = append(c.lanes, l)
	}
	at := slices.IndexFunc(c.graphs, func(r rowsGraph) bool { return r.plan.Rows == n })
	if at < 0 {
		r, err := g.newRows(c.lanes[:n])
		if err != nil {
			return err
		}
		c.graphs = append(c.graphs, r)
		if len(c.graphs) > rowsGraphs {
			old := c.graphs[0]
			c.graphs = slices.Delete(c.graphs, 0, 1)
			if err := old.runner.Close(g.seq.core.patience()); err != nil {
				return err
			}
		}
		return nil
	}
	r := c.graphs[at]
	c.graphs = append(slices.Delete(c.graphs, at, at+1), r)
	if r.plan.adopted == g.seq.plan.Clock() {
		return nil
	}
	memory := make([]map[Buffer]Buffer, n)
	for i, l := range c.lanes[:n] {
		memory[i] = l.memory(g.seq)
	}
	r.plan.adopt(g.seq.plan, memory)
	return nil
}

// newRows captures the plan once for each lane.
func (g *Graph) newRows(lanes []*lane) (r rowsGraph, err error) {
	s, from := g.seq, g.seq.plan
	p := from.empty()
	p.Rows, p.ends = len(lanes), make([]rowEnd, len(lanes))
	for _, l := range lanes {
		c := cloner{memory: l.memory(s), inputs: map[*Input]*Input{}, outputs: map[*Output]*Output{}}
		for i, in := range s.inputs {
			c.inputs[in] = l.inputs[i]
		}
		for i, out := range s.outputs {
			c.outputs[out] = l.outputs[i]
		}
		p.Cmds = append(p.Cmds, c.list(from.Cmds)...)
		p.Scratch = append(p.Scratch, l.scratch...)
	}
	p.index()
	o := g.o
	o.Overlap = o.Overlap || len(lanes) > 1
	r.plan = p
	r.runner, err = holdsOf(s).vehicle(p, func(timed bool) (Runner, error) { return s.exec.Capture(p, timed, o) })
	return r, err
}

// newLane makes a lane. What a failure leaves is given back.
func (g *Graph) newLane() (*lane, error) {
	s, l := g.seq, &lane{}
	for _, sc := range s.scratch {
		b, err := s.dev.Alloc(sc.bytes, AllocOptions{Label: sc.label + " of a row"})
		if err != nil {
			_ = l.drop() // the first error is the one to report
			return nil, err
		}
		l.scratch = append(l.scratch, b)
	}
	c := cloner{memory: l.memory(s)}
	for _, in := range s.inputs {
		// To the device rows come from ordinary memory, because lanes do not hold host memory.
		l.inputs = append(l.inputs, &Input{seq: s, path: in.path, dst: c.moved(resolve(in.dst)), mode: in.mode, src: in.src})
	}
	for _, out := range s.outputs {
		l.outputs = append(l.outputs, &Output{seq: s, path: out.path, src: c.moved(resolve(out.src)), dst: out.dst})
	}
	return l, nil
}

// memory tells which buffer of a lane stands for which of the sequence.
func (l *lane) memory(s *Sequence) map[Buffer]Buffer {
	m := map[Buffer]Buffer{}
	for i, sc := range s.scratch {
		if i < len(l.scratch) {
			m[sc.inner] = l.scratch[i]
		}
	}
	return m
}

// drop gives up what the lane has.
func (l *lane) drop() (first error) {
	for _, b := range l.scratch {
		if err := b.Close(); first == nil {
			first = err
		}
	}
	return first
}

// drop waits for the chunk, until a time at most, and gives up what it has.
func (c *chunk) drop(until time.Time) (first error) {
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, r := range c.graphs {
		note(r.runner.Close(until))
	}
	for _, l := range c.lanes {
		note(l.drop())
	}
	return first
}

// start starts as many rows as a chunk is ready for, without the lock: that may take as long as others are starting runs over
// what the graph reads. Kernels that need all of the device wait for those of the chunk before.
func (b *batch) start(ctx context.Context, c, before *chunk) error {
	g, s, m := b.g, b.g.seq, b.g.p.memo
	c.begin = time.Now()
	err := MayStart(ctx, "run", g.label, s.core.name)
	if err == nil {
		err = g.load(c, b.todo)
	}
	if err != nil {
		return err
	}
	if m != nil && m.barred == nil {
		for i := range c.rows {
			row := &c.rows[i]
			row.missed = m.note(s, row.hash, row.Inputs, true)
		}
	}
	var after []Runner
	if before != nil && c.one {
		after = append(after, before.graph.runner.inner())
	}
	if err = c.graph.runner.Start(ctx, after, false); err != nil && goesOn(err) {
		err = nil // its wait says the same
	}
	for i := range c.rows {
		if row := &c.rows[i]; row.missed != nil && (err != nil || !m.current(row.missed)) {
			m.giveBack(row.missed)
			row.missed = nil
		}
	}
	if err != nil {
		return err
	}
	s.core.Count(metric.BatchChunks, 1)
	b.todo = b.todo[len(c.rows):]
	c.enqueue = time.Since(c.begin)
	if f := s.core.observer.RunStart; f != nil {
		for range c.rows {
			f(s.label)
		}
	}
	return nil
}

// load gives the lanes of a chunk the inputs and outputs of the first rows.
func (g *Graph) load(c *chunk, todo []batchRow) error {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || g.p.closed {
		return g.wasClosed()
	}
	c.graph = c.graphs[len(c.graphs)-1]
	p := c.graph.plan
	c.rows = todo[:p.Rows]
	for n, row := range c.rows {
		for i, in := range c.lanes[n].inputs {
			in.src = row.Inputs[i]
			if in.mode == Static {
				in.changed++
			}
		}
		for i, out := range c.lanes[n].outputs {
			out.dst = row.Outputs[i]
		}
	}
	clear(p.ends)
	p.refresh()
	return nil
}

// wait waits until the rows of a chunk have ended, and enters results of their own, unless these are of no interest. With an
// error it returns how many rows of the batch succeeded before the first that did not.
func (b *batch) wait(ctx context.Context, c *chunk, results []Result) (n int, first error) {
	g, s, begin := b.g, b.g.seq, time.Now()
	r := c.graph
	var all Result
	err := r.runner.Wait(ctx, &all)
	if e, ok := err.(*Error); ok && e.Kind == Canceled {
		if !isEnded(e) { // its results are not delivered, but the lanes have to be free
			_ = r.runner.Wait(context.Background(), &Result{})
			clear(r.plan.ends)
		}
		err = &Error{Op: "wait", Label: g.label, Device: s.core.name, Kind: Canceled, Msg: "the batch ended early: " + e.Err.Error(), Err: e.Err}
	}
	now := time.Now()
	all.Wall, all.Enqueue, all.Wait = now.Sub(c.begin), c.enqueue, now.Sub(begin)
	runsOf(s).count(g.p, &all)
	for i := range c.rows {
		row := &c.rows[i]
		res, failed := r.row(i, &all), r.failed(i, err)
		if row.missed != nil {
			g.p.memo.keep(s, row.missed, row.Outputs, &res, failed)
			row.missed = nil
		}
		if f := s.core.observer.RunEnd; f != nil {
			f(s.label, &res, failed)
		}
		if failed != nil && first == nil {
			n, first = row.at, atRow(row.at, failed)
		}
		if first == nil && results != nil {
			results[row.at] = res
			s.core.Count(metric.BatchRows, 1)
		}
	}
	return n, first
}

// row returns the result of a row of those that ran as one.
func (r *rowsGraph) row(i int, all *Result) Result {
	p, told := r.plan, r.plan.ends[i].res
	res := Result{Timing: all.Timing, Loops: share(all.Loops, i, p.Rows), Commands: share(all.Commands, i, p.Rows),
		Traces: told.Traces, Reports: told.Reports, TracesDropped: told.TracesDropped}
	for j := range res.Traces {
		res.Traces[j].Step %= len(p.Launches) / p.Rows
	}
	return res.detached()
}

func share[T any](all []T, i, of int) []T {
	n := len(all) / of
	return all[i*n : (i+1)*n]
}

// failed returns the error of a row, where err is that of all: a launch that trapped fails its row alone.
func (r *rowsGraph) failed(i int, err error) error {
	if slices.ContainsFunc(r.plan.ends, func(e rowEnd) bool { return e.err != nil }) {
		return r.plan.ends[i].err
	}
	return err
}

// atRow says which row an error is of, if it is of one command.
func atRow(at int, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Path == "" {
		return err
	}
	own := *e
	own.Path = fmt.Sprintf("row %d, command %s", at, e.Path)
	return &own
}
