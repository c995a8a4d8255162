package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/graph/internal/turn"
)

// scheduler has the sets of a session, and says which of them answers. A session has the graph once, and as many sets as
// Options.Parallel says.
//
// Locks, in the order in which they are taken:
//
//   - closing, of the scheduler: one Close at a time. A Close takes all sets out of idle, so that it waits for the searches.
//   - idle, of a session with several sets: a search takes a set out, from take to leave. With one set there is none.
//   - calls, the turn of a set: a search has it from take to leave, an analysis that of the first set from enter to exit, and
//     Totals, Bytes, Explain and Close wait for it. Inside of it a call has all of the set: nothing else there has a lock.
//   - resident.analysed: bytes of analyses. Nothing is taken inside of it.
//
// An analysis does not take the first set out of idle. A search that finds it there at an analysis takes another one, if
// another one is idle, and else waits for its turn.
type scheduler struct {
	sets     []*set       // the first one makes the analyses; none if nothing was opened
	idle     chan *set    // those that answer nothing; nil if there is one
	searches atomic.Int64 // that the last batch was
	closing  sync.Mutex
}

// first is the set that makes the analyses; of a session that nobody opened, one that has nothing.
func (c *scheduler) first() *set {
	if len(c.sets) == 0 {
		return &set{runner: &runner{resident: &resident{}}}
	}
	return c.sets[0]
}

// begin opens the first set, decides what answers a query alone, and opens the others.
func (c *scheduler) begin(ctx context.Context, decided *decision) error {
	if err := turn.Err(ctx); err != nil {
		return err
	}
	first := c.first()
	if first.native { // kernels are opened when somebody asks for what it does not have
		first.openHost()
	} else if err := first.openDevice(ctx); err != nil {
		return err
	}
	*decided = first.decide()
	return c.open(ctx)
}

// open makes the sets beside the first one. A graph in parts has one set: its parts share the memory that they come to.
func (c *scheduler) open(ctx context.Context) error {
	first := c.first()
	if first.o.Parallel == 1 || first.device != nil && first.device.parts() > 0 {
		return nil
	}
	c.idle = make(chan *set, first.o.Parallel)
	c.idle <- first
	for range first.o.Parallel - 1 {
		s := newSet(first.resident)
		s.closers = []closer{}
		c.sets = append(c.sets, s)
		c.idle <- s
		if first.host != nil {
			s.openHost()
			continue
		}
		if first.beside.engine != nil {
			s.beside = beside{newNative(s.runner, first.beside.engine.why), first.beside.queries}
		}
		if err := s.openKernels(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

// take is searching by a set that answers nothing, which is waited for as long as ctx allows. It ends with leave.
func (c *scheduler) take(ctx context.Context, queries int) (s *set, by engine, err error) {
	s = c.first()
	if c.idle != nil {
		if s, err = c.unused(ctx); err != nil {
			return nil, nil, err
		}
	}
	if by, err = s.searching(ctx, queries); err != nil && c.idle != nil {
		c.idle <- s
	}
	return s, by, err
}

// unused takes a set. The first one may be at an analysis: then it is not taken as long as there is another one.
func (c *scheduler) unused(ctx context.Context) (s *set, err error) {
	first := c.first()
	if err := turn.Err(ctx); err != nil {
		return nil, first.canceled(err)
	}
	select {
	case s = <-c.idle:
	case <-ctx.Done():
		return nil, first.canceled(ctx.Err())
	}
	if s != first || s.calls.Free() {
		return s, nil
	}
	select {
	case other := <-c.idle:
		c.idle <- s
		return other, nil
	default:
		return s, nil
	}
}

// leave unlocks a set, for whoever is next.
func (c *scheduler) leave(s *set, err *error) {
	c.searches.Store(int64(len(s.groups.Groups)))
	s.over(err, recover())
	if c.idle != nil {
		c.idle <- s
	}
}

// close closes all sets, the first one last, and then lets go of what they had together. It waits for what runs.
func (c *scheduler) close(letGo func()) (err error) {
	c.closing.Lock()
	defer c.closing.Unlock()
	if c.idle != nil {
		for range c.sets {
			<-c.idle
		}
		defer func() {
			for _, s := range c.sets {
				c.idle <- s // so that who asks hears that it is closed
			}
		}()
	}
	for _, s := range c.sets[1:] {
		s.calls.Wait()
		err = errors.Join(err, s.close())
		s.calls.Give()
	}
	first := c.first()
	first.calls.Wait()
	defer first.calls.Give()
	if letGo != nil {
		defer letGo()
	}
	return errors.Join(err, first.close())
}

// totals are the sums of all sets.
func (c *scheduler) totals() (t Totals) {
	for _, s := range c.sets {
		t.join(s.own())
	}
	return t
}
