package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Host is an argument of Dispatch that lives in host memory: a buffer for one call.
type Host struct {
	mem        []byte
	reads, out bool
	elem       *Element
}

func (Host) arg() {}

// In passes bytes that the kernel reads.
func In(b []byte) Host { return Host{mem: b, reads: true} }

// Out passes bytes that the kernel writes, and which it sees as zero before.
func Out(b []byte) Host { return Host{mem: b, out: true} }

// InOut passes bytes that the kernel reads and writes.
func InOut(b []byte) Host { return Host{mem: b, reads: true, out: true} }

// Dispatch runs a kernel once, with arguments in host memory: it uploads what is In, fills
// with zero what is only Out, launches, and stores what is Out into the caller's slices. An In that the kernel
// writes and an Out that it does not write are refused, and so is host memory that two parameters share and one writes.
// Ranges and scalars are passed as in Sequence.Launch.
//
// A kernel keeps the sequences of the argument sizes it was dispatched with, so that the next
// call with the same sizes only copies and runs. Calls with a Range are not kept: the range
// would stay in use.
//
// If ctx ends during the run, its outputs are dropped: what was passed as Out or InOut keeps its bytes. A device
// with Caps.EndsRuns ends the run before Dispatch returns. Elsewhere it goes on, and may still write pinned memory.
func Dispatch(ctx context.Context, k Kernel, grid Grid, args ...Arg) (Result, error) {
	k, err := KernelOf(k)
	if err != nil {
		return Result{}, err
	}
	if err := k.leaf().Alive("dispatch"); err != nil {
		return Result{}, k.leaf().dev.Fail(err)
	}
	if e := hostShared(k, args); e != nil {
		return Result{}, k.leaf().dev.Fail(e)
	}
	kept := k.leaf().shapesOf(k)
	sh := kept.take(args)
	k.leaf().dev.shapeUse.ask(sh != nil)
	if sh == nil {
		sh = newShape(k, args)
	}
	res, err := sh.run(ctx, grid, args)
	res = res.detached()
	return res, kept.give(sh, err)
}

// detached returns the result with slices of its own.
func (r Result) detached() Result {
	r.Loops, r.Traces, r.Reports = slices.Clone(r.Loops), slices.Clone(r.Traces), slices.Clone(r.Reports)
	r.Commands = slices.Clone(r.Commands)
	return r
}

// shape is a sequence for one kernel and one list of argument sizes.
type shape struct {
	key     []shapeArg
	seq     *Sequence
	step    *Step
	inputs  []*Input
	outputs []*Output
	graph   *Graph
	uses    int
	bytes   int64
	keep    bool
}

// shapeArg is what must be equal for two calls to share a shape.
type shapeArg struct {
	kind    slotKind
	size    int
	in, out bool
	elem    *Element
}

func shapeArgOf(a Arg) shapeArg {
	if h, ok := a.(Host); ok {
		return shapeArg{slotHost, len(h.mem), h.reads, h.out, h.elem}
	}
	s := slotOf(a)
	return shapeArg{kind: s.kind}
}

func newShape(k Kernel, args []Arg) *shape {
	s := k.Device().NewSequence("dispatch " + k.Label())
	s.made = nil
	sh := &shape{seq: s, keep: true}
	bound := slices.Clone(args)
	var written []Host
	var places []Range
	for i, a := range args {
		sh.key = append(sh.key, shapeArgOf(a))
		h, ok := a.(Host)
		if !ok {
			if _, is := a.(Range); is {
				sh.keep = false
			}
			continue
		}
		if e := misdirected(k, i, h); e != nil {
			s.Refuse(e)
		}
		b := s.Scratch(int64(len(h.mem)))
		bound[i] = All(b).Of(h.elem)
		sh.bytes += int64(len(h.mem))
		if h.reads {
			sh.inputs = append(sh.inputs, s.Upload(All(b), h.mem, IfChanged))
		} else {
			s.Fill(All(b), 0, 1)
		}
		if h.out {
			written, places = append(written, h), append(places, All(b))
		}
	}
	sh.step = s.Launch(k, EmptyGrid(), bound...)
	for i, h := range written {
		sh.outputs = append(sh.outputs, s.Read(places[i], h.mem))
	}
	return sh
}

// misdirected refuses an argument whose bytes would go the wrong way in silence: results that nobody fetches, or
// zeros in place of what the kernel was to read.
func misdirected(k Kernel, i int, h Host) *Error {
	params := k.Signature()
	if i >= len(params) || !params[i].IsBuffer() {
		return nil // the launch is refused for that
	}
	refuse := func(fix, format string, args ...any) *Error {
		return &Error{Op: "launch", Label: k.Label(), Device: k.Device().Name(), Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	switch p := &params[i]; {
	case !h.out && p.Access.Writes():
		return refuse("pass it as InOut", "%s is %s, and what is written to an In is lost", p.Name, paramType(p))
	case !h.reads && !p.Access.Writes():
		return refuse("pass it as In", "%s is %s, and an Out is all zeros before the kernel and after it", p.Name, paramType(p))
	}
	return nil
}

// hostShared refuses host memory that two parameters share and one writes. On the device each has a copy of its own, so that
// neither sees what is written through the other, and the copy that comes back last would win.
func hostShared(k Kernel, args []Arg) *Error {
	params := k.Signature()
	for i := range min(len(args), len(params)) {
		a, _ := args[i].(Host)
		for j := range i {
			b, _ := args[j].(Host)
			w, o := i, j
			if !params[w].Access.Writes() {
				w, o = j, i
			}
			if params[w].Access.Writes() && shareBytes(a.mem, b.mem) {
				return &Error{Op: "launch", Label: k.Label(), Device: k.Device().Name(), Kind: InvalidArgument, Fix: "pass separate slices, or a copy",
					Msg: fmt.Sprintf("%s is written and shares host memory with %s", params[w].Name, params[o].Name)}
			}
		}
	}
	return nil
}

func (sh *shape) run(ctx context.Context, grid Grid, args []Arg) (Result, error) {
	if err := sh.seq.Prepare(); err != nil {
		return Result{}, err
	}
	in, out := 0, 0
	for i, a := range args {
		var err error
		switch a := a.(type) {
		case Host:
			if a.reads {
				err = sh.inputs[in].Set(a.mem)
				in++
			}
			if a.out && err == nil {
				err = sh.outputs[out].Set(a.mem)
				out++
			}
		case Range: // bound when the shape was made, for this call only
		default:
			err = sh.step.SetArg(i, a)
		}
		if err != nil {
			return Result{}, err
		}
	}
	if err := sh.step.SetGrid(grid); err != nil {
		return Result{}, err
	}
	// The second use says that there may be many.
	if sh.uses++; sh.uses == 2 && sh.seq.dev.Caps().Graphs {
		g, err := sh.seq.Capture(CaptureOptions{})
		if err != nil && !errors.Is(err, Unsupported) {
			return Result{}, err
		}
		sh.graph = g // without one the sequence runs as it is
	}
	if sh.graph != nil {
		return sh.graph.Run(ctx)
	}
	return sh.seq.Run(ctx)
}

// shapes keeps the idle shapes of one kernel, the most recently used last.
type shapes struct {
	mu     sync.Mutex
	limit  int64 // bytes of device memory
	idle   []*shape
	bytes  int64
	astray []*shape // their caller left before the run ended
}

// MaxShapes bounds the sequences that a kernel keeps for Dispatch.
const MaxShapes = 32

func (l *Leaf) shapesOf(k Kernel) *shapes {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shapes == nil {
		l.shapes = &shapes{limit: k.Device().Caps().TotalMemory / 64}
	}
	return l.shapes
}

// take returns an idle shape for the arguments, which is the caller's until give, or nil.
func (c *shapes) take(args []Arg) *shape {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.idle) - 1; i >= 0; i-- {
		sh := c.idle[i]
		if len(sh.key) == len(args) && !slices.ContainsFunc(args, func(a Arg) bool { return a == nil }) && sh.fits(args) {
			c.idle = slices.Delete(c.idle, i, i+1)
			c.bytes -= sh.bytes
			return sh
		}
	}
	return nil
}

func (sh *shape) fits(args []Arg) bool {
	for i, a := range args {
		if shapeArgOf(a) != sh.key[i] {
			return false
		}
	}
	return true
}

// give ends the use of a shape, with the error of its run, and returns the error of the call.
func (c *shapes) give(sh *shape, err error) error {
	if e, ok := err.(*Error); ok && e.Kind == Canceled && runsOf(sh.seq).inFlight() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.astray = append(c.astray, sh)
		return sh.leftAlone(e)
	}
	if isEnded(err) {
		err = sh.cutShort(err)
	}
	var drop []*shape
	c.mu.Lock()
	c.astray = slices.DeleteFunc(c.astray, func(s *shape) bool {
		if runsOf(s.seq).inFlight() && !runsOf(s.seq).flyingDone() {
			return false
		}
		drop = append(drop, s)
		return true
	})
	if err != nil || !sh.keep || c.limit > 0 && sh.bytes > c.limit || !sh.forget() {
		drop = append(drop, sh)
	} else {
		c.idle = append(c.idle, sh)
		c.bytes += sh.bytes
		for len(c.idle) > MaxShapes || c.limit > 0 && c.bytes > c.limit {
			c.bytes -= c.idle[0].bytes
			drop = append(drop, c.idle[0])
			sh.seq.core.shapeUse.evictions.Add(1)
			c.idle = slices.Delete(c.idle, 0, 1)
		}
	}
	c.mu.Unlock()
	for _, s := range drop {
		s.seq.Drop()
	}
	return err
}

// leftAlone is the error of a call whose context ended while its run goes on. Nobody can wait for that
// run, so its outputs are never delivered; the device may still write those that it reaches directly.
func (sh *shape) leftAlone(e *Error) *Error {
	left := *e
	left.Op, left.Label = "dispatch", sh.step.cmd.Kernel.Label()
	left.Msg = "the run goes on and its outputs are dropped: " + e.Err.Error() + "; what was passed to be written keeps its bytes"
	for _, out := range sh.outputs {
		if out.host != nil {
			left.Msg = fmt.Sprintf("the run goes on: %v; the outputs in pinned memory belong to it until the kernel is closed, others are dropped", e.Err)
			break
		}
	}
	left.Fix = "record a Sequence, whose Wait fetches a run that was left"
	return &left
}

// cutShort is the error of a call whose run ended with its context.
func (sh *shape) cutShort(err error) error {
	left := *err.(*Error)
	left.Op, left.Label = "dispatch", sh.step.cmd.Kernel.Label()
	left.Msg = "the run was ended, and its outputs are dropped: " + left.Err.Error() + "; what was passed to be written keeps its bytes"
	if !sh.keep {
		left.Msg += ", but for buffers, which may hold a part of what the kernel writes"
	}
	return &left
}

// forget lets go of the caller's memory; the next use sets it anew. It reports false if there is none: the device
// was closed meanwhile, and the sequence with it.
func (sh *shape) forget() bool {
	sh.seq.mu.Lock()
	defer sh.seq.mu.Unlock()
	if sh.seq.plan == nil {
		return false
	}
	sh.seq.plan.Rehosted = sh.seq.plan.tick()
	for _, in := range sh.inputs {
		holdsOf(sh.seq).swap(leafOfHost(in.host), nil)
		in.src, in.host = nil, nil
	}
	for _, out := range sh.outputs {
		holdsOf(sh.seq).swap(leafOfHost(out.host), nil)
		out.dst, out.host = nil, nil
	}
	return true
}

// drop closes everything kept, and waits until a time at most; shapes in use are closed by their users.
func (c *shapes) drop(until time.Time) {
	c.mu.Lock()
	all := append(c.idle, c.astray...)
	c.idle, c.astray, c.bytes = nil, nil, 0
	c.mu.Unlock()
	for _, sh := range all {
		// A kernel that closes has no use for what its last runs say.
		_ = sh.seq.closeBy(until)
	}
}

func (s runs) inFlight() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flying != nil
}

func (s runs) flyingDone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flying == nil || s.flying.runner.Done()
}
