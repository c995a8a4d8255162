// Package turn lets the calls of a session follow each other: each waits for those before it as long as its context allows.
package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/guard"
)

// Turn is whose turn it is. New makes one that is nobody's. Of the zero value, which is that of a session that nobody opened,
// Take is an error, and nobody waits.
type Turn chan struct{}

// New returns a turn that is nobody's.
func New() Turn { return make(Turn, 1) }

// errNone is the error of a context that is nil.
var errNone = errors.New("there is no context")

// Err returns the error of a context that has ended, or is nil. Ended says of what call it is.
func Err(ctx context.Context) error {
	if ctx == nil {
		return errNone
	}
	return ctx.Err()
}

// Take waits for the turn, and returns the error of ctx if that ends first or has ended before, as Err does.
func (t Turn) Take(ctx context.Context) error {
	if t == nil {
		return errors.New("the turn was not made by New")
	}
	if err := Err(ctx); err != nil {
		return err
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait waits for the turn as long as it takes.
func (t Turn) Wait() {
	if t != nil {
		t <- struct{}{}
	}
}

// Give ends a turn that was taken.
func (t Turn) Give() {
	if t != nil {
		<-t
	}
}

// Free reports whether it is nobody's turn at the moment.
func (t Turn) Free() bool {
	select {
	case t <- struct{}{}:
		<-t
		return true
	default:
		return false
	}
}

// Ended returns the error of a session's call: err, or if that is because a context ended or there is none, one that says what this
// means for whoever has the session and not what runs on its device. Device is empty if there is none.
func Ended(op, label, device string, err error) error {
	ended := context.Canceled
	switch {
	case errors.Is(err, errNone):
		var none context.Context
		return driver.MayStart(none, op, label, device)
	case errors.Is(err, context.DeadlineExceeded):
		ended = context.DeadlineExceeded
	case !errors.Is(err, context.Canceled):
		return err
	}
	return &driver.Error{Op: op, Label: label, Device: device, Kind: driver.Canceled, Err: err,
		Msg: fmt.Sprintf("%v before there was an answer", ended), Fix: "ask again, with a context that lasts longer: the session is as it was"}
}

// Broken returns the error of a call that panicked.
func Broken(op, label, device string, p *guard.Panic) error {
	return &driver.Error{Op: op, Label: label, Device: device, Kind: driver.Internal, Msg: p.Error(), Err: p,
		Fix: "report it, unless the arrays of the graph were written after it was made"}
}

// NotMade returns the error of a call of a session that is nil, or its type's zero value.
func NotMade(op string) error {
	return &driver.Error{Op: op, Kind: driver.InvalidArgument, Msg: "the session is nil, or was not made by NewSession", Fix: "open one, and look at the error of that"}
}

// Closed returns the error of a call of a session that is closed.
func Closed(op, label, device string) error {
	return &driver.Error{Op: op, Label: label, Device: device, Kind: driver.Closed, Msg: "the session is closed", Fix: "open another one"}
}
