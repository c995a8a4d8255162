package timeline

import (
	"context"
	"sync/atomic"

	"github.com/govyre/vyre/driver"
)

// Run names one run. The zero value is one that has ended.
type Run struct {
	Stream *Stream
	Value  uint64
	// of is set instead for a run that is being enqueued and was given up: nobody knows its last
	// value yet, and no run of the submitter comes after it.
	of *Submitter
}

// known returns the reference with a value, if there is one by now.
func (ref Run) known() (Run, bool) {
	if ref.of == nil {
		return ref, true
	}
	if ref.of.Starting.Load() {
		return ref, false
	}
	return ref.of.Run(), true
}

// Ended reports whether the run has ended, as far as can be seen without a call.
func (ref Run) Ended() bool {
	ref, ok := ref.known()
	return ok && (ref.Stream == nil || ref.Stream.Over(ref.Value))
}

// Ask is Ended after the driver was asked, if need be. The context is current.
func (ref Run) Ask() bool {
	ref, ok := ref.known()
	if !ok {
		return false
	}
	if ref.Ended() {
		return true
	}
	if err := ref.Stream.Ask(); err != nil {
		_ = ref.Stream.gpu.Fail(ref.Stream.gpu.ErrorOf("wait", "", err)) // nobody waits for the run; the device counts it
	}
	return ref.Ended()
}

// Submitter puts the runs of one sequence on a stream, one after the other.
type Submitter struct {
	Stream *Stream
	// Last is the value of the run in flight, or of the last one.
	Last atomic.Uint64
	// After are the runs of other streams that the one being started has to come after.
	After []Run
	// Starting is true while a Start uses the submitter. A Start first says so and then looks at
	// Closing, Close does it the other way around: so one of the two sees the other.
	Starting, Closing atomic.Bool
	// GaveUp says that Close has stopped waiting. Quit is closed then, for a Start that waits for others.
	GaveUp atomic.Bool
	Quit   chan struct{}

	places []place // of the run being started
	turns  []*Turn // of its buffers
}

// Run names the run in flight, or the last one.
func (b *Submitter) Run() Run { return Run{Stream: b.Stream, Value: b.Last.Load()} }

// submitter lets the package reach the Submitter of what embeds one.
//
//lint:ignore U1000 owners of deferred releases are called by it, through an interface
func (b *Submitter) submitter() *Submitter { return b }

// Guarded is a buffer with hazards.
type Guarded interface{ Hazards() *Hazards }

// Lock enters the hazards of all buffers that the run uses. They ascend by ID, so that two
// runs that start together cannot block each other. It returns the context's error if that ends
// first, with none entered.
func (b *Submitter) Lock(ctx context.Context, uses []driver.Use) error {
	if b.places = b.places[:0]; len(b.turns) > 0 {
		clear(b.turns)
		b.turns = b.turns[:0]
	}
	for _, u := range uses {
		p, deps, err := u.Buffer.(Guarded).Hazards().lock(ctx, b, u.Writes, b.After)
		if err != nil {
			b.Unlock(Run{})
			return err
		}
		b.places, b.After = append(b.places, p), deps
	}
	return nil
}

// Unlock leaves them, with a run that was enqueued, or with none.
func (b *Submitter) Unlock(run Run) {
	for _, p := range b.places {
		p.unlock(run)
	}
	b.places = b.places[:0]
}
