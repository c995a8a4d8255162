package session

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/guard"
)

// A call uses a set of a session for itself, from enter to exit. Whatever came of the call before, its own state is as if that had
// not been: enter waits for what is still under way on the device, everything that a call reads it has written before, and what is
// kept from one call to the next (labels, the order of procedures, parts in slots) is noted as there after all of it is.

// settler is what is kept and may be under way: a sequence or a plan.
type settler interface {
	Settle(ctx context.Context) error
}

// enter begins a call, which ends with exit: it waits for those before it, and for what one of them left on the device, as
// long as ctx allows.
func (s *Session) enter(ctx context.Context) (err error) {
	if err := s.calls.Take(ctx); err != nil {
		return s.canceled(err)
	}
	s.faults = debug.SetPanicOnFault(true)
	switch {
	case s.closers == nil:
		err = turn.Closed("session", s.o.Label, s.dev.Name())
	case s.parts != nil:
		err = s.parts.settle(ctx)
	}
	if err == nil && s.last != nil {
		err = s.last.Settle(ctx)
	}
	if err != nil {
		s.exit(&err)
	}
	return err
}

// made refuses a session that New did not make.
func (s *Session) made() error {
	if s == nil || s.calls == nil {
		return turn.NotMade("session")
	}
	return nil
}

// exit ends a call with its error, of which it says what a caller of the session has to know. It is deferred, and what the call
// panics with is an error, too.
func (s *Session) exit(err *error) { s.over(err, recover()) }

// over is exit for who has recovered.
func (s *Session) over(err *error, panicked any) {
	debug.SetPanicOnFault(s.faults)
	if panicked != nil {
		*err = guard.Of(panicked)
	}
	*err = s.canceled(s.blamed(*err))
	s.calls.Give()
}

// blamed is the error of a call if the file of the graph has not changed: else that is the error, whatever else went wrong.
func (s *Session) blamed(err error) error {
	if err == nil && !s.g.Mapped() {
		return nil // nothing is allocated
	}
	if changed := s.g.Changed(err); changed != nil {
		return changed
	}
	var p *guard.Panic
	if !errors.As(err, &p) {
		return err
	}
	return turn.Broken("session", s.o.Label, s.dev.Name(), p)
}

// canceled is the error of a call, which its context may have ended.
func (s *Session) canceled(err error) error {
	return turn.Ended("session", s.o.Label, s.dev.Name(), err)
}
