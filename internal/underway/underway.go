// Package underway makes contexts for tests that end while what was given them is under way.
//
// The clock of context.WithTimeout begins before the call that is to be interrupted does. On a machine with more to do than
// processors it can be over before the call has looked at the context for the first time, and then the call refuses to
// begin, which is another test.
package underway

import (
	"context"
	"sync"
	"time"
)

// Context returns a context that ends, canceled, d after somebody first asks it whether it has, and by then it had not.
func Context(d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	return &asked{Context: ctx, begin: sync.OnceFunc(func() { time.AfterFunc(d, cancel) })}, cancel
}

type asked struct {
	context.Context
	begin func()
}

func (a *asked) Err() error {
	err := a.Context.Err()
	a.begin()
	return err
}

func (a *asked) Done() <-chan struct{} {
	a.begin()
	return a.Context.Done()
}
