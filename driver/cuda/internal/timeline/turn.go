package timeline

import (
	"fmt"
	"slices"
	"sync"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// perThread is the handle of the stream that a thread has for itself: another one on each thread.
const perThread = 2

// Turn orders the runs over a buffer with the work of another library. The GPU does the waiting, in both directions.
type Turn struct {
	gpu    *primary.Context
	label  string // of the buffer
	stream cu.Stream
	ready  cu.Event
	done   cu.Event
	of     *Hazards

	mu    sync.Mutex
	mark  cu.Event // our own: after what is in stream
	ended bool
}

// Share orders the runs over a buffer, those in flight too, with the work behind the handles of t, until the turn ends. The context
// is current. Handles that are none of the context's are refused.
func (h *Hazards) Share(gpu *primary.Context, label string, t driver.Turns) (*Turn, error) {
	n := &Turn{gpu: gpu, label: label, stream: cu.Stream(t.Stream), ready: cu.Event(t.Ready), done: cu.Event(t.Done), of: h}
	if !h.gate.try() {
		return nil, &driver.Error{Kind: driver.Busy, Msg: "a run over the buffer is being started", Fix: "try again when its Start has returned"}
	}
	defer h.gate.Unlock(true)
	err := n.open()
	for _, r := range append(h.readers[:], h.writer) {
		if err == nil && !r.Ended() {
			err = n.after(r.Stream, r.Stream.enqueued.Load())
		}
	}
	if err != nil {
		_ = n.drop() // the first error is the one to report
		return nil, err
	}
	h.gate.mu.Lock()
	defer h.gate.mu.Unlock()
	h.turns = append(slices.Clip(h.turns), n)
	return n, nil
}

// open tries the handles.
func (t *Turn) open() (err error) {
	drv := t.gpu.Driver
	if t.stream == perThread {
		return &driver.Error{Kind: driver.InvalidArgument, Msg: "the stream is each thread's own, and runs come from any thread", Fix: "pass a stream that was made by a call"}
	}
	if t.stream != 0 {
		if t.mark, err = drv.EventCreate(cu.EventDisableTiming); err != nil {
			return err
		}
		if err = drv.EventRecord(t.mark, t.stream); err != nil {
			return t.refused("stream", err)
		}
	}
	if t.ready != 0 {
		if _, err = drv.EventQuery(t.ready); err != nil {
			return t.refused("event Ready", err)
		}
	}
	if t.done != 0 {
		if _, err = drv.EventQuery(t.done); err != nil {
			return t.refused("event Done", err)
		}
	}
	return nil
}

// Results by which a driver says that a handle is none of the context's.
const (
	invalidValue    = 1
	invalidHandle   = 400
	contextIsOther  = 201
	contextIsClosed = 709
)

// refused makes an error of one about a handle of the other library.
func (t *Turn) refused(what string, err error) error {
	e := t.gpu.ErrorOf("", "", err)
	if e.Sticky || !slices.Contains([]int32{invalidValue, invalidHandle, contextIsOther, contextIsClosed}, e.Code) {
		return err
	}
	return &driver.Error{Kind: driver.InvalidArgument, Msg: fmt.Sprintf("the %s that buffer %q is shared by is none of the device's context, or not any more", what, t.label),
		Fix: "pass one of the primary context, and end it after the buffer or the loan", Code: e.Code, CodeName: e.CodeName, Call: e.Call, Err: err}
}

// before lets a stream wait for the other library.
func (t *Turn) before(s *Stream) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	drv := t.gpu.Driver
	if t.stream != 0 {
		if err := drv.EventRecord(t.mark, t.stream); err != nil {
			return t.refused("stream", err)
		}
		if err := t.wait(s.Handle, t.mark); err != nil {
			return err
		}
	}
	if t.ready != 0 {
		if err := t.wait(s.Handle, t.ready); err != nil {
			return t.refused("event Ready", err)
		}
	}
	return nil
}

// after lets the other library wait for what is in a stream, up to a value.
func (t *Turn) after(s *Stream, value uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	if t.stream != 0 {
		if err := s.release(t.stream, value); err != nil {
			return t.refused("stream", err)
		}
	}
	if t.done != 0 {
		// Whoever waits for the record waits for the runs of other streams that recorded it before.
		if err := t.wait(s.Handle, t.done); err != nil {
			return t.refused("event Done", err)
		}
		if err := t.gpu.Driver.EventRecord(t.done, s.Handle); err != nil {
			return t.refused("event Done", err)
		}
	}
	return nil
}

func (t *Turn) wait(s cu.Stream, e cu.Event) error {
	t.gpu.Count(metric.OrderWaits, 1)
	return t.gpu.Driver.StreamWaitEvent(s, e)
}

// End ends the turn: later runs are not ordered with the other library. The context is current, or lost. Ending it again does nothing.
func (t *Turn) End() error {
	h := t.of
	h.gate.mu.Lock()
	h.turns = slices.DeleteFunc(slices.Clone(h.turns), func(o *Turn) bool { return o == t })
	h.gate.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	return t.drop()
}

// drop gives back what is ours; a lost context has done so.
func (t *Turn) drop() (err error) {
	if t.mark != 0 && !t.gpu.Lost() {
		err = t.gpu.Driver.EventDestroy(t.mark)
	}
	t.mark = 0
	return err
}

// EndTurns ends all turns of a buffer, and returns the first error.
func (h *Hazards) EndTurns() (first error) {
	h.gate.mu.Lock()
	turns := h.turns
	h.gate.mu.Unlock()
	for _, t := range turns {
		if err := t.End(); first == nil {
			first = err
		}
	}
	return first
}

// Shared reports whether the run being started uses memory that another library uses too.
func (b *Submitter) Shared() bool { return len(b.turns) > 0 }

// Await lets the run being started wait for the other libraries.
func (b *Submitter) Await() error {
	for i, t := range b.turns {
		if b.repeats(i) {
			continue
		}
		if err := t.before(b.Stream); err != nil {
			return err
		}
	}
	return nil
}

// Pass lets the other libraries wait for what is in the stream, up to a value.
func (b *Submitter) Pass(value uint64) error {
	for i, t := range b.turns {
		if b.repeats(i) {
			continue
		}
		if err := t.after(b.Stream, value); err != nil {
			return err
		}
	}
	return nil
}

// repeats reports whether a turn has the handles of one before it, which has done the same.
func (b *Submitter) repeats(i int) bool {
	t := b.turns[i]
	return slices.ContainsFunc(b.turns[:i], func(o *Turn) bool { return o.stream == t.stream && o.ready == t.ready && o.done == t.done })
}
