// Package underway makes contexts for tests that end while what was given them is under way.
//
// The clock of context.WithTimeout begins before the call that is to be interrupted does. On a machine with more to do than
// processors it can be over before the call has looked at the context for the first time, and then the call refuses to
// begin, which is another test. So these contexts count how often they are looked at.
package underway

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// Context returns a context that ends, canceled, d after somebody first asks it whether it has, and by then it had not.
func Context(d time.Duration) (context.Context, context.CancelFunc) { return At(1, d) }

// At returns a context that ends, canceled, when it is looked at for the n-th time, or d later. With d of 0 who looks then
// sees it ended.
func At(n int, d time.Duration) (*Looked, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	return &Looked{Context: ctx, at: int64(n), after: d, cancel: cancel}, cancel
}

// Counting returns a context that does not end, and counts how often it is looked at.
func Counting() (*Looked, context.CancelFunc) { return At(math.MaxInt, 0) }

// Looked is a context that counts how often it is looked at.
type Looked struct {
	context.Context
	times  atomic.Int64
	at     int64
	after  time.Duration
	cancel context.CancelFunc
}

// Times returns how often it was looked at.
func (l *Looked) Times() int { return int(l.times.Load()) }

func (l *Looked) look() {
	switch n := l.times.Add(1); {
	case n < l.at:
	case l.after == 0:
		l.cancel() // who looks later, too: the n-th may not have come to it
	case n == l.at:
		time.AfterFunc(l.after, l.cancel)
	}
}

// Err looks, and says how it has ended.
func (l *Looked) Err() error {
	l.look()
	return l.Context.Err()
}

// Done looks, and returns what is closed when it ends.
func (l *Looked) Done() <-chan struct{} {
	l.look()
	return l.Context.Done()
}
