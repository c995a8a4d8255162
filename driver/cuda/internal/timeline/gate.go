package timeline

import (
	"context"
	"errors"
	"sync"
)

// ErrGaveUp ends the enqueuing of a run whose sequence was closed and given up.
var ErrGaveUp = errors.New("the sequence was given up")

// Gate is a lock whose waiters may leave when their context ends, or when they are told to quit. It is open to several at once
// who share it, at most sharers of them, or to one alone. Who waits is served in order, so that
// neither kind starves the other. Taking a free gate allocates nothing.
type Gate struct {
	mu     sync.Mutex // held for a few instructions
	shared int
	alone  bool
	queue  []*waiter
}

// sharers bounds who shares a gate: each has a place of its own in the buffer's hazards.
const sharers = 4

type waiter struct {
	alone bool
	in    chan struct{} // closed by who lets it in
}

// fits reports whether one more may enter. The caller holds mu.
func (g *Gate) fits(alone bool) bool {
	if alone {
		return !g.alone && g.shared == 0
	}
	return !g.alone && g.shared < sharers
}

func (g *Gate) enter(alone bool) {
	if alone {
		g.alone = true
	} else {
		g.shared++
	}
}

// Lock enters, or returns the context's error without having entered, or ErrGaveUp when quit is
// closed.
func (g *Gate) Lock(ctx context.Context, quit <-chan struct{}, alone bool) error {
	g.mu.Lock()
	if len(g.queue) == 0 && g.fits(alone) {
		g.enter(alone)
		g.mu.Unlock()
		return nil
	}
	w := &waiter{alone, make(chan struct{})}
	g.queue = append(g.queue, w)
	g.mu.Unlock()
	var err error
	select {
	case <-w.in:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-quit:
		err = ErrGaveUp
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, o := range g.queue {
		if o == w {
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			g.admit() // those after it may fit
			return err
		}
	}
	// It was let in meanwhile.
	g.leave(alone)
	return err
}

// try enters alone, if nobody is in or waits.
func (g *Gate) try() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	ok := len(g.queue) == 0 && g.fits(true)
	if ok {
		g.enter(true)
	}
	return ok
}

// Unlock leaves what Lock entered.
func (g *Gate) Unlock(alone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(alone)
}

func (g *Gate) leave(alone bool) {
	if alone {
		g.alone = false
	} else {
		g.shared--
	}
	g.admit()
}

// admit lets in whom it can, in order.
func (g *Gate) admit() {
	for len(g.queue) > 0 && g.fits(g.queue[0].alone) {
		w := g.queue[0]
		g.queue = g.queue[1:]
		g.enter(w.alone)
		close(w.in)
	}
}
