package session

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/guard"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// set is what a search has for itself: memory, plans and prepared runs over the graph that all sets share. The first set of a session
// makes the analyses as well.
//
// A call uses a set for itself, from enter to exit. Whatever came of the call before, its own state is as if that had
// not been: enter waits for what is still under way on the device, everything that a call reads it has written before, and what is
// kept from one call to the next (labels, the order of procedures, parts in slots) is noted as there after all of it is.
type set struct {
	*runner
	calls  turn.Turn
	faults bool // what debug.SetPanicOnFault returned when the call began

	host   *native  // nil if the session is one of kernels
	device onDevice // nil as long as the host's cores do without
	beside beside   // of kernels

	asked  [1]Query // by ReachInto
	answer [1]*Reached
}

// beside is the native engine of a session of kernels, and when it answers: the session has the host's graph, too, and a short
// search is over there before a launch has come back.
type beside struct {
	engine  *native
	queries int // of a batch at most; 0 is never
}

// engine is what answers the questions of a set, for whoever has entered it, with kinds that are settled: kernels, parts, or native.
type engine interface {
	batch(ctx context.Context, queries []Query, all []*Reached) error
	levels(ctx context.Context, q Query) ([]uint32, Run, error) // with Count in memory of the engine's, until the call ends
	parents(ctx context.Context, levels []uint32, kinds uint32) ([]uint32, Run, error)
	near(ctx context.Context, q Query, arcs uint32) ([]Nearby, Run, error)
	components(ctx context.Context, c *Components) error
	labels(ctx context.Context, c *Components, dst []uint32) ([]uint32, error) // of the components that it counted, in dst if they come from there
	weak(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	strong(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	topological(ctx context.Context, kinds uint32) ([]uint32, Run, error)
	bits(ctx context.Context, f BitFlow, gen, kill, in []uint64) (Run, error)
	byWeights() byWeights
	dominators(ctx context.Context, roots []uint32, kinds uint32, idom []uint32) (DominatorShares, Run, error)
}

// byWeights is the part of an engine that finds shortest paths by weights.
type byWeights interface {
	find(ctx context.Context, p *Paths) error
	distances(ctx context.Context, p *Paths, first uint32, dst []uint64) error
	parents(ctx context.Context, p *Paths, use func(parents []uint32) error) error // which are there until use returns
}

// onDevice is an engine whose graph is on the device: kernels, or parts.
type onDevice interface {
	engine
	topology() megakernel.Topology // who drives the rounds of a query alone
	parts() int                    // in how many parts the graph is; 0 if it is whole
	explain() string               // the plan of a query alone
	// whole is kernels with all of the graph, or the error of what needs it: with the bytes of such a session, and more for that.
	whole(what string, more func(whole *runner) uint64) (*kernels, error)
	forget() error // closes what was prepared for batches
}

func newSet(r *resident) *set { return &set{runner: &runner{resident: r}, calls: turn.New()} }

// enter begins a call, which ends with exit: it waits for those before it, and for what one of them left on the device, as
// long as ctx allows.
func (s *set) enter(ctx context.Context) (err error) {
	if err := s.calls.Take(ctx); err != nil {
		return s.canceled(err)
	}
	s.faults = debug.SetPanicOnFault(true)
	switch {
	case s.closers == nil:
		err = turn.Closed("session", s.o.Label, s.dev.Name())
	case s.coming != nil:
		err = s.coming.Settle(ctx)
	}
	if err == nil && s.last != nil {
		err = s.last.Settle(ctx)
	}
	if err != nil {
		s.exit(&err)
	}
	return err
}

// exit ends a call with its error, of which it says what a caller of the session has to know. It is deferred, and what the call
// panics with is an error, too.
func (s *set) exit(err *error) { s.over(err, recover()) }

// over is exit after recovering.
func (s *set) over(err *error, panicked any) {
	debug.SetPanicOnFault(s.faults)
	if panicked != nil {
		*err = guard.Of(panicked)
	}
	*err = s.canceled(s.blamed(*err))
	s.calls.Give()
}

// answering enters the set, which ends with exit, and returns its engine.
func (s *set) answering(ctx context.Context) (engine, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	if s.host != nil {
		return s.host, nil
	}
	return s.device, nil
}

// searching is answering, for searches that take as long as so many queries.
func (s *set) searching(ctx context.Context, queries int) (engine, error) {
	by, err := s.answering(ctx)
	if err == nil && 0 < queries && queries <= s.beside.queries {
		return s.beside.engine, nil
	}
	return by, err
}

// begin enters the set for what only kernels do with all of the graph, which ends with exit. If the native
// engine did without them so far, it opens them. An analysis has no parts: more is what it takes beside a whole session.
func (s *set) begin(ctx context.Context, what string, more func(whole *runner) uint64) (k *kernels, err error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	if s.device == nil {
		before := len(s.closers)
		if err = s.openDevice(ctx); err != nil {
			err = errors.Join(err, s.closeFrom(before)) // the session stays open, and its fixpoints
		}
	}
	if err == nil {
		k, err = s.device.whole(what, more)
	}
	if err != nil {
		s.exit(&err)
	}
	return k, err
}

// openHost makes the native engine the set's.
func (s *set) openHost() {
	s.host = newNative(s.runner, "the session's engine searches on the cores of the host")
	s.closers = []closer{} // open, and nothing to close yet
}

// openDevice plans what kernels need, and opens it.
func (s *set) openDevice(ctx context.Context) error {
	l, err := s.layout()
	if err != nil {
		return err
	}
	if l != nil {
		p, err := openParts(ctx, s.runner, l)
		if err == nil {
			s.device = partEngine{p}
		}
		return err
	}
	images := []wanted{{&s.forward.memory, s.forward.bytes(), "graph"}}
	if s.twice() {
		images = append(images, wanted{&s.back.memory, s.back.bytes(), "reverse"})
	}
	return s.openKernels(ctx, images)
}

// openKernels opens kernels, and before them images of the graph that are not on the device yet.
func (s *set) openKernels(ctx context.Context, images []wanted) error {
	k := newKernels(s.runner)
	if err := s.alloc(append(images, k.buffers()...)); err != nil {
		return err
	}
	if images != nil {
		err := s.put(ctx, s.forward)
		if err == nil && s.twice() {
			err = s.put(ctx, s.back)
		}
		if err != nil {
			return err
		}
	}
	err := k.open(ctx)
	if err == nil && images != nil {
		s.drained = k.topology() == megakernel.Drained
		s.memory, err = plan.PlanSession(s.request()) // of the topology that it has come to
	}
	if err == nil {
		s.device = k
	}
	return err
}

// close closes all that is kept, for whoever has the turn.
func (s *set) close() (err error) {
	if s.device != nil {
		err = s.device.forget()
	}
	err = errors.Join(err, s.closeFrom(0))
	s.closers = nil
	return err
}

// own are the sums of the set.
func (s *set) own() Totals {
	s.calls.Wait()
	defer s.calls.Give()
	t := s.totals
	t.Uploaded, t.Read, t.Allocations = s.moved.uploaded, s.moved.read, s.moved.buffers
	return t
}
