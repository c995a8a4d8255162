package graph

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
)

// A call uses a set of a session for itself, from enter to exit. Whatever came of the call before, its own state is as if that had
// not been: enter waits for what is still under way on the device, everything that a call reads it has written before, and what is
// kept from one call to the next (labels, the order of procedures, parts in slots) is marked as there after all of it is.

// settler is what is kept and may be under way: a sequence or a plan.
type settler interface {
	Settle(ctx context.Context) error
}

// turn is whose turn it is.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn as long as it takes.
func (t turn) take() { t <- struct{}{} }

func (t turn) give() { <-t }

// free reports whether it is nobody's at the moment.
func (t turn) free() bool {
	select {
	case t <- struct{}{}:
		t.give()
		return true
	default:
		return false
	}
}

// enter begins a call, which ends with exit: it waits for those before it, and for what one of them left on the device, as
// long as ctx allows.
func (s *Session) enter(ctx context.Context) (err error) {
	if err := ctx.Err(); err != nil {
		return s.canceled(err)
	}
	select {
	case s.calls <- struct{}{}:
	case <-ctx.Done():
		return s.canceled(ctx.Err())
	}
	defer func() {
		if err != nil {
			s.exit(&err)
		}
	}()
	switch {
	case s.closers == nil:
		return &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.Closed, Msg: "the session is closed", Fix: "open another one"}
	case s.parts != nil:
		err = s.parts.settle(ctx)
	}
	if err == nil && s.last != nil {
		err = s.last.Settle(ctx)
	}
	return err
}

// exit ends a call with its error, of which it says what a caller of the session has to know.
func (s *Session) exit(err *error) {
	if errors.Is(*err, context.Canceled) || errors.Is(*err, context.DeadlineExceeded) {
		*err = s.canceled(*err)
	}
	s.calls.give()
}

// canceled is the error of a call whose context ended.
func (s *Session) canceled(cause error) error {
	ended := context.Canceled
	if errors.Is(cause, context.DeadlineExceeded) {
		ended = context.DeadlineExceeded
	}
	return &driver.Error{Op: "session", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.Canceled, Err: cause,
		Msg: fmt.Sprintf("%v before there was an answer", ended), Fix: "ask again with a context that lasts longer; the session is as it was"}
}
