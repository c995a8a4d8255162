package driver

import (
	"context"
	"fmt"
	"sync"
)

// CaptureOptions adjusts a capture. The zero value is fine.
type CaptureOptions struct {
	Label string // appears in errors; empty is the sequence's
	// Overlap lets commands run at the same time that touch different bytes. Without it they run
	// one after the other, which is quicker to launch.
	Overlap bool
}

// Graph is a captured sequence: a plan compiled by the device into something that replays as
// a whole. It shares handles, setters and buffers with its sequence, and the rule of one run
// in flight.
type Graph struct {
	seq   *Sequence
	label string
	p     *pending

	closing  sync.Once
	closeErr error
}

// Row is one set of inputs and outputs of a batch, in the order of the sequence's uploads
// and reads.
type Row struct {
	Inputs, Outputs [][]byte
}

// GraphInfo describes a graph.
type GraphInfo struct {
	// ReplaySafe reports whether a replay may leave out uploads whose inputs are unchanged.
	ReplaySafe bool
	// Why names the command that prevents it.
	Why string
}

// Capture prepares the sequence and makes a graph of it.
func (s *Sequence) Capture(o CaptureOptions) (*Graph, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying != nil {
		return nil, s.busy("capture")
	}
	if !s.dev.Caps().Graphs {
		return nil, s.core.Fail(&Error{Op: "capture", Label: s.label, Device: s.core.name, Kind: Unsupported, Msg: "the device has no graphs", Fix: "run the sequence"})
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if c := s.plan.hostLoop(); c != nil {
		return nil, s.core.Fail(s.refuse("capture", s.label, c.Path, Unsupported, "run the sequence", "the host decides on every round of the loop"))
	}
	s.plan.refresh()
	r, err := s.exec.Capture(s.plan, o)
	if err != nil {
		return nil, s.core.Fail(err)
	}
	g := &Graph{seq: s, label: o.Label, p: &pending{seq: s, what: "graph", runner: r}}
	if g.label == "" {
		g.label = s.label
	}
	s.graphs = append(s.graphs, g)
	s.core.Gauge(Graphs, 1)
	return g, nil
}

// Run replays the graph and waits.
func (g *Graph) Run(ctx context.Context) (Result, error) { return g.seq.run(ctx, g.p) }

// Start starts a replay.
func (g *Graph) Start(ctx context.Context, after ...Pending) (Pending, error) {
	if err := g.seq.start(ctx, g.p, after, false); err != nil {
		return nil, err
	}
	return g.p, nil
}

// Wait waits for the replay in flight.
func (g *Graph) Wait(ctx context.Context) (Result, error) { return g.seq.wait(ctx, g.p) }

// Info describes the graph as its arguments are now.
func (g *Graph) Info() GraphInfo {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plan == nil {
		return GraphInfo{Why: "the sequence was closed"}
	}
	if s.flying == nil {
		s.plan.refresh()
	}
	for _, u := range s.plan.Uploads {
		if u.Mode != Always && !u.Private {
			return GraphInfo{Why: fmt.Sprintf("upload %s into %v is written by another command", u.Path, u.Dst)}
		}
	}
	return GraphInfo{ReplaySafe: true}
}

// RunBatch replays the graph once for each row, with the row's inputs and outputs, and
// returns a result a row. Every buffer that the graph writes must be scratch, so that no row
// sees another. The first row that fails ends the batch; results up to it are returned.
func (g *Graph) RunBatch(ctx context.Context, rows []Row) ([]Result, error) {
	s := g.seq
	if err := g.checkBatch(rows); err != nil {
		return nil, s.core.Fail(err)
	}
	inputs, outputs := make([][]byte, len(s.inputs)), make([][]byte, len(s.outputs))
	for i, in := range s.inputs {
		inputs[i] = in.src
	}
	for i, out := range s.outputs {
		outputs[i] = out.dst
	}
	region := s.core.region(ctx, "vyre.batch", g.label)
	results, err := g.batch(ctx, rows)
	region.end()
	if back := s.setAll(inputs, outputs); err == nil {
		err = back
	}
	return results, err
}

func (g *Graph) batch(ctx context.Context, rows []Row) ([]Result, error) {
	s := g.seq
	var results []Result
	for _, row := range rows {
		if err := s.setAll(row.Inputs, row.Outputs); err != nil {
			return results, err
		}
		res, err := g.Run(ctx)
		if err != nil {
			return results, err
		}
		// The slices of a result last until the next run only.
		res.Loops = append([]LoopResult(nil), res.Loops...)
		res.Traces = append([]Trace(nil), res.Traces...)
		res.Reports = append([]Report(nil), res.Reports...)
		results = append(results, res)
		s.core.Count(BatchRows, 1)
	}
	return results, nil
}

func (s *Sequence) setAll(inputs, outputs [][]byte) error {
	for i, b := range inputs {
		if err := s.inputs[i].Set(b); err != nil {
			return err
		}
	}
	for i, b := range outputs {
		if err := s.outputs[i].Set(b); err != nil {
			return err
		}
	}
	return nil
}

// checkBatch refuses a batch before any of it runs.
func (g *Graph) checkBatch(rows []Row) error {
	s := g.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	row := ""
	no := func(fix, format string, args ...any) error {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Path: row, Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	if s.closed {
		return &Error{Op: "run", Label: g.label, Device: s.core.name, Kind: Closed, Msg: "graph was closed"}
	}
	s.plan.refresh()
	for _, u := range s.plan.Uses {
		if u.Writes && !s.isScratch(u.Buffer) {
			return no("make it scratch memory of the sequence", "a batch would write %q, which others can see", u.Buffer.Label())
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
	return nil
}

func (s *Sequence) isScratch(b Buffer) bool {
	for _, sc := range s.scratch {
		if sc.inner == b {
			return true
		}
	}
	return false
}

// Close waits for a replay in flight and frees the graph; the sequence stays.
func (g *Graph) Close() error {
	s := g.seq
	s.mu.Lock()
	g.p.closed = true
	s.mu.Unlock()
	err := g.closeRunner()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwaited(g.p, err)
	for i, o := range s.graphs {
		if o == g {
			s.graphs = append(s.graphs[:i:i], s.graphs[i+1:]...)
			break
		}
	}
	return err
}

func (g *Graph) closeRunner() error {
	g.closing.Do(func() {
		g.closeErr = g.p.runner.Close()
		g.seq.core.Gauge(Graphs, -1)
	})
	return g.closeErr
}
