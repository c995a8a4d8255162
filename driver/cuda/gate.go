package cuda

import (
	"context"
	"sync"
)

// gate is a lock whose waiters may leave when their context ends, or when they are told to quit. It is open to several at once
// who share it, at most sharers of them, or to one alone. Who waits is served in order, so that
// neither kind starves the other. Taking a free gate allocates nothing.
type gate struct {
	mu     sync.Mutex // held for a few instructions
	shared int
	alone  bool
	queue  []*waiter
}

// sharers bounds who shares a gate: each has a place of its own in the buffer's history.
const sharers = 4

type waiter struct {
	alone bool
	in    chan struct{} // closed by who lets it in
}

// fits reports whether one more may enter. The caller holds mu.
func (g *gate) fits(alone bool) bool {
	if alone {
		return !g.alone && g.shared == 0
	}
	return !g.alone && g.shared < sharers
}

func (g *gate) enter(alone bool) {
	if alone {
		g.alone = true
	} else {
		g.shared++
	}
}

// lock enters, or returns the context's error without having entered, or errGaveUp when quit is
// closed.
func (g *gate) lock(ctx context.Context, quit <-chan struct{}, alone bool) error {
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
		err = errGaveUp
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, o := range g.queue {
		if o == w {
			g.queue = append(g.queue[:i], g.queue[i+1:]...)
			g.admit() // those behind may fit
			return err
		}
	}
	// It was let in meanwhile.
	g.leave(alone)
	return err
}

// unlock leaves what lock entered.
func (g *gate) unlock(alone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(alone)
}

func (g *gate) leave(alone bool) {
	if alone {
		g.alone = false
	} else {
		g.shared--
	}
	g.admit()
}

// admit lets in whom it can, in order.
func (g *gate) admit() {
	for len(g.queue) > 0 && g.fits(g.queue[0].alone) {
		w := g.queue[0]
		g.queue = g.queue[1:]
		g.enter(w.alone)
		close(w.in)
	}
}
