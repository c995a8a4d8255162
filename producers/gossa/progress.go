package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// progress says on a stream what is being done, from one second on: after 1, 2, 4 and 8 seconds, then every 10. So a run of an
// hour says some 360 lines, and one of less than a second says nothing.
type progress struct {
	mutex sync.Mutex
	phase string
	done  int
	of    int
	noun  string
}

type progressKey struct{}

// progressOf is that of a context. A nil one says nothing.
func progressOf(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// withProgress is a context with a progress, which is told to w until end is called. unit is what a second is.
func withProgress(ctx context.Context, w io.Writer, unit time.Duration) (_ context.Context, end func()) {
	p := &progress{phase: "loading"}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		began := time.Now()
		for next := unit; ; next += min(next, 10*unit) {
			select {
			case <-stop:
				return
			case <-ctx.Done():
				return
			case <-time.After(time.Until(began.Add(next))):
				fmt.Fprintf(w, "gossa: %s after %d s\n", p, next/unit)
			}
		}
	}()
	return context.WithValue(ctx, progressKey{}, p), sync.OnceFunc(func() { close(stop); <-ended })
}

// begin says what is done from now on.
func (p *progress) begin(phase string) {
	if p != nil {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.phase, p.of = phase, 0
	}
}

// at says how much of it is done.
func (p *progress) at(done, of int, noun string) {
	if p != nil {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.done, p.of, p.noun = done, of, noun
	}
}

func (p *progress) String() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.of == 0 {
		return p.phase
	}
	return fmt.Sprintf("%s, %d of %d %s", p.phase, p.done, p.of, p.noun)
}
