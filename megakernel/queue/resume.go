package queue

import (
	"context"
	"errors"

	"github.com/govyre/vyre/driver"
)

// An error of commands does not say that nothing was done: a launch may have been on its way when the call that reports
// it failed. Whether it was, the control words say, since every launch happens as a whole or not at all. So after
// such an error the host knows nothing, and Resume asks the device.

// Resume goes on where Run or Resume ended with an error. What the failed call had done by then counts as done. An
// error of Resume says the same as one of Run, and Resume may be called again.
//
// Errors: those of Run; InvalidArgument if there is nothing to go on with; DeviceFault if an item was begun and not ended.
func (q *Queue) Resume(ctx context.Context) (Record, error) {
	switch q.state {
	case closed:
		return Record{}, q.refuse(driver.Closed, "", "it was closed", "")
	case empty:
		return Record{}, q.refuse(driver.InvalidArgument, "", "it has no items", "begin with Run")
	case unsure:
		if err := q.look(ctx); err != nil {
			return q.record(), err
		}
		if q.get(wordLive) == 0 { // all that failed was to hear of it
			return q.ended()
		}
	}
	for {
		if q.state == halfway && q.get(wordDeferred) > 0 {
			if err := q.makeRoom(); err != nil {
				return q.record(), err
			}
		}
		if err := q.launch(ctx); err != nil {
			return q.record(), err
		}
		if q.get(wordLive) == 0 {
			return q.ended()
		}
	}
}

func (q *Queue) ended() (Record, error) {
	q.state = empty
	return q.record(), nil
}

// launch launches the kernel, if that was not done already, and waits for it.
func (q *Queue) launch(ctx context.Context) error {
	if q.state != inFlight {
		q.state = unsure
		if err := q.begin(ctx); err != nil {
			return err
		}
		q.state = inFlight
	}
	res, err := q.ring.seq.Wait(ctx)
	if errors.Is(err, driver.Canceled) {
		return err
	}
	res.Reports = append(q.result.Reports, res.Reports...)
	q.result = res
	switch {
	case errors.Is(err, driver.DeviceFault), errors.Is(err, driver.Trap):
		q.state = empty // a thread that trapped has left its item
	case err != nil:
		q.state = unsure
	default:
		q.state = halfway
		q.launches++
	}
	return err
}

// look asks the device what commands have done, of which the host knows only that something failed.
func (q *Queue) look(ctx context.Context) error {
	if err := q.ring.seq.Settle(ctx); err != nil {
		return err
	}
	words := make([]byte, len(q.words)) // of its own: one whose context ended may still be written
	if err := driver.ReadInto(ctx, driver.All(q.control), words); err != nil {
		return err
	}
	copy(q.words[:], words)
	switch {
	case q.next.seq == nil:
	case q.get(wordDeferred) == 0:
		q.moved()
	default: // the items never left the old one
		q.keep(q.next.close())
	}
	if !q.quiet() {
		q.state = empty
		return q.refuse(driver.DeviceFault, "", "an item was begun and not ended", "bring back what items write, and begin with Run")
	}
	q.state = halfway
	return nil
}

// quiet reports whether every item that is left is in the ring or deferred, as it is whenever no kernel is at work and
// none stopped in the middle of an item.
func (q *Queue) quiet() bool {
	ready := q.get(wordTail) - q.get(wordHead)
	return q.get(wordReady) == ready && q.get(wordFree) == q.ring.capacity-ready && q.get(wordLive) == ready+q.get(wordDeferred)
}
