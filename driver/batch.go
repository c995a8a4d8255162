package driver

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// lane is a captured plan once more, with scratch memory, inputs and outputs of its own, so that
// several rows of a batch run at the same time. What the plan only reads is shared.
type lane struct {
	plan    *Plan
	inputs  []*Input
	outputs []*Output
	scratch []Buffer
	runner  Runner
	begin   time.Time
	enqueue time.Duration
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
// result a row, in their order. Several rows run at the same time. Every buffer that the graph
// writes must be scratch, so that no row sees another, and rows write to host memory of their own:
// what a row writes, no other row names. Inputs may be shared. A batch that breaks a rule runs nothing. The
// first row that fails, or whose wait ends with ctx, ends the batch; rows that were started before are
// waited for in any case. Results up to it are returned. The sequence is busy meanwhile. Rows that the graph remembers (see
// Memoize) are delivered before the others run.
func (g *Graph) RunBatch(ctx context.Context, rows []Row) ([]Result, error) {
	if err := g.absent("run"); err != nil {
		return nil, err
	}
	s := g.seq
	if err := g.beginBatch(ctx, rows); err != nil {
		return nil, s.core.Fail(err)
	}
	defer g.endBatch()
	results := make([]Result, len(rows))
	todo := g.recall(rows, results)
	if len(todo) == 0 {
		return results, nil
	}
	lanes, err := g.ready(len(todo))
	if err != nil {
		return nil, s.core.Fail(err)
	}
	for len(todo) > 0 {
		now := todo[:min(len(todo), len(lanes))]
		n, err := g.chunk(ctx, lanes, now, results)
		if err != nil {
			return results[:now[n].at], s.core.Fail(err)
		}
		todo = todo[len(now):]
	}
	return results, nil
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
	s.tally.Gauge(RunsInFlight, 1)
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
	s.core.Count(BatchRows, 1)
	if f := s.core.observer.RunEnd; f != nil {
		f(s.label, res, nil)
	}
}

// ready makes lanes for so many rows.
func (g *Graph) ready(rows int) ([]*lane, error) {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || g.p.closed {
		return nil, &Error{Op: "run", Label: g.label, Device: s.core.name, Kind: Closed, Msg: "graph was closed"}
	}
	shape, cooperative := s.plan.laneShape()
	n := laneCount(s.dev.Caps(), shape, cooperative, rows)
	for len(g.lanes) < n {
		l, err := g.newLane()
		if err != nil {
			return nil, err
		}
		g.lanes = append(g.lanes, l)
	}
	for _, l := range g.lanes[:n] {
		l.plan.adopt(s.plan, l.memory(s))
	}
	return g.lanes[:n], nil
}

func (g *Graph) endBatch() {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range g.lanes {
		for _, in := range l.inputs {
			in.src = nil
		}
		for _, out := range l.outputs {
			out.dst = nil
		}
	}
	if s.waiting = false; s.flying == g.p {
		s.flying = nil
		s.tally.Gauge(RunsInFlight, -1)
	}
}

// chunk runs one row a lane, and returns how many succeeded before the first that did not. The error is of that.
func (g *Graph) chunk(ctx context.Context, lanes []*lane, rows []batchRow, results []Result) (n int, err error) {
	c := g.seq.core
	c.Count(BatchChunks, 1)
	started := 0
	for i := range rows {
		if err = g.startRow(ctx, lanes[i], &rows[i]); err != nil {
			break
		}
		started++
	}
	var first error
	for i, l := range lanes[:started] {
		res, failed := g.waitRow(ctx, l, &rows[i])
		switch {
		case first != nil:
		case failed != nil:
			first = failed
		default:
			results[rows[i].at] = res
			n++
			c.Count(BatchRows, 1)
		}
	}
	if first == nil {
		first = err
	}
	return n, first
}

// startRow starts a row, without the lock: that may take as long as others are starting runs over
// what the graph reads.
func (g *Graph) startRow(ctx context.Context, l *lane, row *batchRow) error {
	s, m := g.seq, g.p.memo
	l.begin = time.Now()
	if err := g.load(l, row.Row); err != nil {
		return err
	}
	if m != nil && m.barred == nil {
		row.missed = m.note(s, row.hash, row.Inputs, true)
	}
	err := l.runner.Start(ctx, nil, false)
	if row.missed != nil && (err != nil || !m.current(row.missed)) {
		m.giveBack(row.missed)
		row.missed = nil
	}
	if err != nil {
		return err
	}
	l.enqueue = time.Since(l.begin)
	if f := s.core.observer.RunStart; f != nil {
		f(s.label)
	}
	return nil
}

// load gives a lane the inputs and outputs of a row.
func (g *Graph) load(l *lane, row Row) error {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || g.p.closed {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Kind: Closed, Msg: "graph was closed"}
	}
	for i, in := range l.inputs {
		in.src = row.Inputs[i]
		if in.mode == Static {
			in.changed++
		}
	}
	for i, out := range l.outputs {
		out.dst = row.Outputs[i]
	}
	l.plan.refresh()
	return nil
}

// waitRow waits for a row until it has ended, and returns a result of its own.
func (g *Graph) waitRow(ctx context.Context, l *lane, row *batchRow) (Result, error) {
	s, begin := g.seq, time.Now()
	var res Result
	err := l.runner.Wait(ctx, &res)
	if e, ok := err.(*Error); ok && e.Kind == Canceled {
		if !isEnded(e) { // what comes of it is told to nobody; the lane has to be free
			_ = l.runner.Wait(context.Background(), &Result{})
		}
		err = &Error{Op: "wait", Label: g.label, Device: s.core.name, Kind: Canceled, Msg: "the batch ended early: " + e.Err.Error(), Err: e.Err}
	}
	if row.missed != nil {
		g.p.memo.keep(s, row.missed, row.Outputs, &res, err)
		row.missed = nil
	}
	now := time.Now()
	res.Wall, res.Enqueue, res.Wait = now.Sub(l.begin), l.enqueue, now.Sub(begin)
	runsOf(s).count(g.p, &res)
	if f := s.core.observer.RunEnd; f != nil {
		f(s.label, &res, err)
	}
	return res.detached(), err
}

// newLane makes a lane. What a failure leaves is given back.
func (g *Graph) newLane() (*lane, error) {
	s, l := g.seq, &lane{}
	for _, sc := range s.scratch {
		b, err := s.dev.Alloc(sc.bytes, AllocOptions{Label: fmt.Sprintf("%s, lane %d", sc.label, len(g.lanes))})
		if err != nil {
			_ = l.drop(time.Time{}) // the first error is the one to report
			return nil, err
		}
		l.scratch = append(l.scratch, b)
	}
	c := cloner{memory: l.memory(s), inputs: map[*Input]*Input{}, outputs: map[*Output]*Output{}}
	for _, in := range s.inputs {
		// Rows come from ordinary memory as far as the device knows: nobody holds it for a lane.
		own := &Input{seq: s, path: in.path, dst: c.moved(resolve(in.dst)), mode: in.mode, src: in.src}
		c.inputs[in] = own
		l.inputs = append(l.inputs, own)
	}
	for _, out := range s.outputs {
		own := &Output{seq: s, path: out.path, src: c.moved(resolve(out.src)), dst: out.dst}
		c.outputs[out] = own
		l.outputs = append(l.outputs, own)
	}
	l.plan = c.plan(s.plan)
	l.plan.Scratch = l.scratch
	r, err := s.exec.Capture(l.plan, g.o)
	if err != nil {
		_ = l.drop(time.Time{}) // the first error is the one to report
		return nil, err
	}
	l.runner = r
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

// drop waits for the lane, until a time at most, and gives up what it has.
func (l *lane) drop(until time.Time) error {
	var err error
	if l.runner != nil {
		err = l.runner.Close(until)
	}
	for _, b := range l.scratch {
		if e := b.Close(); err == nil {
			err = e
		}
	}
	return err
}

// checkBatch refuses a batch before any of it runs.
func (g *Graph) checkBatch(rows []Row) error {
	s := g.seq
	row := ""
	no := func(fix, format string, args ...any) error {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Path: row, Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	if s.closed || g.p.closed {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Kind: Closed, Msg: "graph was closed"}
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
	if a, b := sharedByRows(rows); a != nil {
		row = fmt.Sprintf("row %d", b.row)
		return no("give each row outputs of its own", "%v shares host memory with %v of row %d, and rows run at the same time", b, a, a.row)
	}
	return nil
}
