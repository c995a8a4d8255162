package driver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/govyre/vyre/internal/metric"
)

// CaptureOptions adjusts a capture. The zero value is fine.
type CaptureOptions struct {
	Label string // appears in errors; empty is the sequence's
	// Overlap lets commands run at the same time that touch different bytes, in at most eight chains. Without it they are
	// one chain, which a few dependent launches get through sooner. The results are the same.
	Overlap bool
}

// Graph is a captured sequence: a plan compiled by the device into something that replays as
// a whole. It shares handles, setters and buffers with its sequence, and the rule of one run
// in flight.
type Graph struct {
	seq   *Sequence
	label string
	p     *pending
	o     CaptureOptions

	chunks   [2]chunk // of batches: the host fills one while the other runs
	mostRows int      // that the device takes as one launch; 0 if that is not known

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
	if err := s.absent("capture"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flying != nil {
		return nil, runsOf(s).busy("capture")
	}
	if !s.dev.Caps().Graphs {
		return nil, s.core.Fail(&Error{Op: "capture", Label: s.label, Device: s.core.name, Kind: Unsupported, Msg: "the device has no graphs", Fix: "run the sequence"})
	}
	if err := holdsOf(s).prepare(); err != nil {
		return nil, err
	}
	if c := s.plan.hostLoop(); c != nil {
		return nil, s.core.Fail(s.refuse("capture", s.label, c.Path, Unsupported, "run the sequence", "the host decides on every round of the loop"))
	}
	s.plan.refresh()
	r, err := holdsOf(s).vehicle(s.plan, func(timed bool) (Runner, error) { return s.exec.Capture(s.plan, timed, o) })
	if err != nil {
		return nil, s.core.Fail(err)
	}
	g := &Graph{seq: s, label: o.Label, o: o, p: &pending{seq: s, what: "graph", runner: r}}
	if g.label == "" {
		g.label = s.label
	}
	s.graphs = append(s.graphs, g)
	s.core.Gauge(metric.Graphs, 1)
	return g, nil
}

// absent returns nil, or the error of a graph that is nil or was not captured.
func (g *Graph) absent(op string) error {
	if g != nil && g.seq != nil {
		return nil
	}
	return &Error{Op: op, Kind: InvalidArgument, Msg: "the graph is nil, or was not captured", Fix: "make one with Sequence.Capture"}
}

// Run replays the graph and waits. The run is given up when ctx ends.
func (g *Graph) Run(ctx context.Context) (Result, error) {
	if err := g.absent("run"); err != nil {
		return Result{}, err
	}
	return runsOf(g.seq).run(ctx, g.p)
}

// Start starts a replay, which is given up when ctx ends.
func (g *Graph) Start(ctx context.Context, after ...Pending) (Pending, error) {
	if err := g.absent("start"); err != nil {
		return nil, err
	}
	if _, err := runsOf(g.seq).start(ctx, g.p, after, false); err != nil {
		return nil, err
	}
	return g.p, nil
}

// Wait waits for the replay in flight.
func (g *Graph) Wait(ctx context.Context) (Result, error) {
	if err := g.absent("wait"); err != nil {
		return Result{}, err
	}
	return runsOf(g.seq).wait(ctx, g.p)
}

// Info describes the graph as its arguments are now.
func (g *Graph) Info() GraphInfo {
	if g.absent("info") != nil {
		return GraphInfo{Why: "there is no graph"}
	}
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
		if u.Mode != Always && !u.private {
			return GraphInfo{Why: fmt.Sprintf("upload %s into %v is written by another command", u.Path, u.Dst)}
		}
	}
	return GraphInfo{ReplaySafe: true}
}

func (s holds) isScratch(b Buffer) bool {
	for _, sc := range s.scratch {
		if sc.inner == b {
			return true
		}
	}
	return false
}

// Close waits for a replay in flight and frees the graph; the sequence stays.
func (g *Graph) Close() error {
	if err := g.absent("close"); err != nil {
		return err
	}
	s := g.seq
	s.mu.Lock()
	g.p.closed = true
	s.mu.Unlock()
	err := g.closeRunner(s.core.patience())
	s.mu.Lock()
	defer s.mu.Unlock()
	runsOf(s).ended(g.p, err)
	for i, o := range s.graphs {
		if o == g {
			s.graphs = append(s.graphs[:i:i], s.graphs[i+1:]...)
			break
		}
	}
	return err
}

func (g *Graph) closeRunner(until time.Time) error {
	g.closing.Do(func() {
		g.closeErr = g.p.runner.Close(until)
		for i := range g.chunks {
			if err := g.chunks[i].drop(until); g.closeErr == nil {
				g.closeErr = err
			}
		}
		g.seq.core.Gauge(metric.Graphs, -1)
	})
	return g.closeErr
}
