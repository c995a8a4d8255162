package ifds

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/room"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/guard"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// Session is a program made ready for many questions: what follows from these seeds? It may be used from any goroutine;
// questions are answered one after another. A call whose context ends, before its turn or after it, answers Canceled at once, and
// what it has left on the device is waited for by the next one, as long as the context of that allows.
type Session struct {
	calls  turn.Turn
	o      Options
	x      *index
	waves  *waves  // nil if one core of the host answers
	solver *solver // of that core; nil before the first question
	why    string  // it, or the device, answers
	closed bool
	letGo  func() // of the graph, which is held until then
}

// NewSession prepares a program. Engine says what answers: with WavesEngine kernels on the device, in rounds; with
// NativeEngine one core of the host. With AutoEngine kernels do, unless the device is cpu and no topology is asked for, the
// program does not fit into the budget, or kernels cannot count so much. Why says what was decided. The device may be nil, and then
// the host answers.
//
// On a device the program takes 8 bytes an arc, 20 a call, 8 a return and 4 a node, and rows take 20 bytes a word, at exits 28
// more: a node has a word for 64 entries of its procedure, of which the first bit stands for seeds. If any procedure has more
// than 63 entries, words and nodes take 4 bytes more. Nodes with more than 512 arcs and entries with more than 512 calls take some
// memory, too, so that many warps share them. Bytes says it exactly.
//
// Errors: a graph without procedures or call sites; those of its arcs, with node and arc; with WavesEngine, out of memory, with
// the bytes needed and those there are, before anything is allocated; Canceled, if the context ends.
func NewSession(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) (_ *Session, err error) {
	defer func() { err = turn.Ended("ifds", o.settled().Label, nameOf(dev), err) }()
	if err := turn.Err(ctx); err != nil {
		return nil, err
	}
	if g == nil {
		return nil, fmt.Errorf("ifds: no graph")
	}
	s := &Session{calls: turn.New(), o: o.settled()}
	if s.o.Seeds < 0 {
		return nil, s.refuse(dev, fmt.Sprintf("%d seeds", o.Seeds), "allow some, or 0 for the default")
	}
	if s.letGo, err = g.Hold(fmt.Sprintf("ifds session %q", s.o.Label)); err != nil {
		return nil, err
	}
	if err := g.Read(func() error { return s.open(ctx, dev, g, o) }); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open prepares the program, and what answers.
func (s *Session) open(ctx context.Context, dev driver.Device, g *graph.CSR, o Options) error {
	p, err := newProgram(ctx, g, o)
	if err != nil {
		return err
	}
	if s.x, err = newIndex(p); err != nil {
		return err
	}
	return s.engine(ctx, dev, o.Topology)
}

// engine decides what answers, and prepares it.
func (s *Session) engine(ctx context.Context, dev driver.Device, asked megakernel.Topology) error {
	must := s.o.Engine == session.WavesEngine
	switch {
	case s.o.Engine > session.NativeEngine:
		return s.refuse(dev, s.o.Engine.String(), "ask for AutoEngine, WavesEngine or NativeEngine")
	case dev == nil && must:
		return s.refuse(dev, "kernels are to answer, and there is no device", "open one, or leave the engine at its default")
	case dev == nil:
		s.why = "there is no device"
		return nil
	case s.o.Engine == session.NativeEngine && asked != megakernel.Auto:
		return s.refuse(dev, fmt.Sprintf("the native engine has no topology, and %v is asked for", asked), "leave one of the two at its default")
	case s.o.Engine == session.NativeEngine:
		s.why = "the native engine was asked for"
		return nil
	case !must && dev.Name() == onHost && asked == megakernel.Auto:
		s.why = "device cpu is the host"
		return nil
	}
	if s.o.Budget == 0 {
		free, err := dev.Room()
		if err != nil {
			return err
		}
		s.o.Budget = room.Plannable(free)
	}
	w := newWaves(dev, s.x, s.o)
	over := w.image.countable(w.portions)
	if over == "" && w.bytes > s.o.Budget {
		over = fmt.Sprintf("%s needs %d bytes of %d", dev.Name(), w.bytes, s.o.Budget)
	}
	switch {
	case over == "":
		s.why = "the program fits on " + dev.Name()
		if must {
			s.why = "kernels were asked for"
		}
		s.waves = w
		return w.open(ctx)
	case !must:
		s.why = over
		return nil
	case w.bytes <= s.o.Budget:
		return s.refuse(dev, over, "let one core of the host answer (NativeEngine)")
	}
	e := plan.OverBudget("ifds", s.o.Label, s.o.Label, -1, w.bytes, s.o.Budget,
		fmt.Sprintf("raise session.Options.Budget, or let one core of the host answer (NativeEngine), which needs %d bytes of its memory for rows", s.x.rowBytes()))
	e.Label, e.Device = s.o.Label, dev.Name()
	return e
}

// onHost is the name of the device whose memory and cores are the host's.
const onHost = "cpu"

func (s *Session) refuse(dev driver.Device, msg, fix string) error {
	return &driver.Error{Op: "ifds", Label: s.o.Label, Device: nameOf(dev), Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
}

// Engine returns what answers.
func (s *Session) Engine() session.Engine {
	if s.waves != nil {
		return session.WavesEngine
	}
	return session.NativeEngine
}

// Why says why that engine answers.
func (s *Session) Why() string { return s.why }

// Bytes returns what the session takes on the device, beside kernels; it is what the budget was compared with.
func (s *Session) Bytes() uint64 {
	if s.waves == nil {
		return 0
	}
	return s.waves.bytes
}

// Solve finds what follows from the seeds.
//
// Errors: a seed that is no node; more seeds than Options.Seeds, on a device; rows that need more than Options.MaxBytes, on the
// host, with both numbers; a context that ends; those of the device. After one the session is as before the call: what is
// still under way on the device, the next call waits for.
func (s *Session) Solve(ctx context.Context, seeds []uint32) (_ *Solution, err error) {
	if s == nil || s.x == nil {
		return nil, turn.NotMade("ifds")
	}
	for i, v := range seeds {
		if int64(v) >= int64(s.x.Nodes()) {
			return nil, s.refuse(s.device(), fmt.Sprintf("seed %d is node %d, the graph has %d", i, v, s.x.Nodes()), "nodes count from 0")
		}
	}
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.exit(&err)
	began := time.Now()
	solution := &Solution{x: s.x, Why: s.why, Run: session.Run{Engine: s.Engine()}}
	err = s.x.Read(func() error {
		if s.waves != nil {
			return s.waves.solve(ctx, seeds, solution)
		}
		return s.native(ctx, seeds, solution)
	})
	if err != nil {
		return nil, err
	}
	solution.Run.Result.Wall = time.Since(began)
	return solution, nil
}

// enter begins a call, which ends with exit: it waits for those before it, and for what one of them left on the device, as long
// as ctx allows.
func (s *Session) enter(ctx context.Context) (err error) {
	if err := s.calls.Take(ctx); err != nil {
		return s.ended(err)
	}
	switch {
	case s.closed:
		err = turn.Closed("ifds", s.o.Label, nameOf(s.device()))
	case s.waves != nil:
		err = s.waves.plan.Settle(ctx)
	}
	if err != nil {
		s.exit(&err)
	}
	return err
}

// exit ends a call with its error. It is deferred, and what the call panics with is an error, too.
func (s *Session) exit(err *error) {
	if v := recover(); v != nil {
		s.solver = nil
		*err = turn.Broken("ifds", s.o.Label, nameOf(s.device()), guard.Of(v))
	}
	*err = s.ended(*err)
	s.calls.Give()
}

func (s *Session) ended(err error) error {
	return turn.Ended("ifds", s.o.Label, nameOf(s.device()), err)
}

// device is what kernels run on, nil if the host answers.
func (s *Session) device() driver.Device {
	if s.waves == nil {
		return nil
	}
	return s.waves.dev
}

// nameOf is the name of a device, empty if there is none.
func nameOf(dev driver.Device) string {
	if dev == nil {
		return ""
	}
	return dev.Name()
}

func (s *Session) native(ctx context.Context, seeds []uint32, to *Solution) (err error) {
	if s.solver == nil {
		if s.solver, err = newSolver(s.x, s.o); err != nil {
			return err
		}
	}
	t := s.solver
	if err := t.tabulate(ctx, seeds); err != nil {
		return err
	}
	to.Run.Record = megakernel.Record{Status: megakernel.Converged, Items: t.done, Edges: t.looked}
	to.held = make([]uint32, (len(t.rows)+31)/32)
	for _, w := range t.words {
		to.held[w/32] |= 1 << (w % 32)
		to.edges += uint64(bits.OnesCount64(t.rows[w]))
	}
	if s.o.Entries {
		to.rows = slices.Clone(t.rows)
	}
	if s.o.ordered {
		to.summaries = t.summaries
	}
	return nil
}

// Close gives back what the session has on the device, after the call that is being answered. Closing again does nothing.
func (s *Session) Close() error {
	s.calls.Wait()
	defer s.calls.Give()
	s.closed, s.solver = true, nil
	if s.letGo != nil {
		defer s.letGo()
	}
	if s.waves == nil {
		return nil
	}
	return s.waves.Close()
}

// Solve finds what follows from the seeds, on one core of the host. For several questions about one program, or on a device, open a
// Session.
//
// Errors: those of NewSession and Session.Solve.
func Solve(ctx context.Context, g *graph.CSR, seeds []uint32, o Options) (*Solution, error) {
	s, err := NewSession(ctx, nil, g, o)
	if err != nil {
		return nil, err
	}
	solution, err := s.Solve(ctx, seeds)
	return solution, errors.Join(err, s.Close())
}
