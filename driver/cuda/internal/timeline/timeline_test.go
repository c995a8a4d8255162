package timeline

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

var ctx = context.Background()

func TestAValueIsPassedWhenTheWordReachesIt(t *testing.T) {
	for _, c := range []struct {
		name          string
		value, issued uint64
		word          uint32
		over          bool
	}{
		{"none was issued", 0, 0, 0, true},
		{"the first is on its way", 1, 1, 0, false},
		{"the first has ended", 1, 1, 1, true},
		{"an old value after the word wrapped", 7, 1<<32 + 5, 5, true},
		{"the last one, the word one behind", 1<<32 + 5, 1<<32 + 5, 4, false},
		{"the word has not wrapped yet", 1 << 32, 1 << 32, 1<<32 - 1, false},
		{"a very old value", 1, 1<<40 + 1, 1, true},
	} {
		if got := passed(c.value, c.issued, c.word); got != c.over {
			t.Errorf("%s: over is %v", c.name, got)
		}
	}
}

func TestAGateIsLeftToItsWaitersInOrder(t *testing.T) {
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	var g Gate
	for range 4 {
		if err := g.Lock(canceled, nil, false); err != nil { // free: nobody looks at the context
			t.Fatal(err)
		}
	}
	for _, alone := range []bool{false, true} {
		if err := g.Lock(canceled, nil, alone); !errors.Is(err, context.Canceled) {
			t.Errorf("a full gate let one in, alone %v: %v", alone, err)
		}
	}
	in := make(chan error)
	go func() { in <- g.Lock(ctx, nil, true) }()
	for range 4 {
		g.Unlock(false)
	}
	if err := <-in; err != nil {
		t.Fatal(err)
	}
	if err := g.Lock(canceled, nil, false); !errors.Is(err, context.Canceled) {
		t.Errorf("who was alone got company: %v", err)
	}
	g.Unlock(true)
	if err := g.Lock(canceled, nil, true); err != nil {
		t.Errorf("the gate is not free again: %v", err)
	}
}

func TestHammerGate(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 1000
	}
	var g Gate
	var alone, shared atomic.Int32
	var all sync.WaitGroup
	for n := range 6 {
		all.Add(1)
		go func() {
			defer all.Done()
			r := rand.New(rand.NewPCG(uint64(n), 1))
			for range rounds {
				c, cancel := context.WithCancel(ctx)
				if r.IntN(4) == 0 {
					go cancel()
				}
				exclusive := r.IntN(3) == 0
				if g.Lock(c, nil, exclusive) == nil {
					inside := &shared
					if exclusive {
						inside = &alone
					}
					if inside.Add(1); alone.Load() > 1 || shared.Load() > 4 || alone.Load() == 1 && shared.Load() > 0 {
						t.Errorf("%d alone with %d others", alone.Load(), shared.Load())
					}
					inside.Add(-1)
					g.Unlock(exclusive)
				}
				cancel()
			}
		}()
	}
	all.Wait()
	if err := g.Lock(ctx, nil, true); err != nil {
		t.Error(err)
	}
}
