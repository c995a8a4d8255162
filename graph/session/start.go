package session

import (
	"context"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/internal/guard"
)

// Pending is a query that was started.
type Pending struct {
	s    *resident
	done chan struct{}
	r    *Reached
	err  error
}

// Start asks one query while the caller does something else. The query is checked before Start returns, and its seeds are
// copied. Several may be started; they are answered one after another, or as many side by side as Options.Parallel says, in
// no order that is promised, as those of several goroutines are. A session may be closed with queries pending: those that have not begun fail. ctx is that of the query.
func (s *Session) Start(ctx context.Context, q Query) (*Pending, error) {
	if err := made(s); err != nil {
		return nil, err
	}
	if ctx == nil { // Wait says of one that has ended that it has
		return nil, s.resident.canceled(turn.Err(ctx))
	}
	q, err := s.resident.settle(0, q)
	if err != nil {
		return nil, err
	}
	q.Seeds = slices.Clone(q.Seeds)
	p := &Pending{s: s.resident, done: make(chan struct{})}
	guard.Go(func() {
		p.r, p.err = s.Reach(ctx, q)
		close(p.done)
	}, func(failed *guard.Panic) {
		p.err = s.resident.blamed(failed)
		close(p.done)
	})
	return p, nil
}

// Wait returns the answer, from any goroutine and as often as it is asked for. If ctx ends first, only the waiting does.
func (p *Pending) Wait(ctx context.Context) (*Reached, error) {
	if p == nil || p.s == nil {
		return nil, turn.NotMade("wait")
	}
	select {
	case <-p.done:
		return p.r, p.err
	default: // an answer that is there is returned even if ctx has ended
	}
	if ctx == nil {
		return nil, p.s.canceled(turn.Err(ctx))
	}
	select {
	case <-p.done:
		return p.r, p.err
	case <-ctx.Done():
		return nil, &driver.Error{Op: "wait", Label: p.s.o.Label, Device: p.s.dev.Name(), Kind: driver.Canceled, Msg: fmt.Sprintf("the query goes on: %v", ctx.Err()), Fix: "wait again, with a context that lasts longer", Err: ctx.Err()}
	}
}
