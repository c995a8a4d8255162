package drivertest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

var hammerTests = []test{
	// Everything that may be used from many goroutines is, at once: compiling, allocating,
	// dispatching, runs over a shared buffer, cancellation, closing what others hold.
	{"HammerDevice", func(e *env) {
		span := time.Second
		if testing.Short() {
			span = 100 * time.Millisecond
		}
		const workers = 6
		p, q := e.program(addTo), e.program(add)
		shared := e.words("shared", make([]uint32, 64)...)
		stop := time.Now().Add(span)
		var all sync.WaitGroup
		for n := range workers {
			all.Add(1)
			go func() {
				defer all.Done()
				r := rand.New(rand.NewPCG(uint64(n), 1))
				for time.Now().Before(stop) && !e.Failed() {
					switch r.IntN(4) {
					case 0:
						e.hammerDispatch(p, r)
					case 1:
						e.hammerShared(q, shared, n, r)
					case 2:
						e.hammerCancel(q, r)
					case 3:
						e.hammerClose(r)
					}
				}
			}()
		}
		all.Wait()
	}},
	// A dispatch that ends while its device is closed gives its sequence back to a kernel that is gone.
	{"HammerClose", func(e *env) {
		span := time.Second
		if testing.Short() {
			span = 100 * time.Millisecond
		}
		p := e.program(addTo)
		for stop := time.Now().Add(span); time.Now().Before(stop) && !e.Failed(); {
			e.closeUnderDispatches(p)
		}
	}},
}

// closeUnderDispatches closes a device while goroutines dispatch on it.
func (e *env) closeUnderDispatches(p *ir.Program) {
	dev, err := e.open(driver.OpenOptions{})
	e.must(err)
	k, err := dev.Compile(ctx, p, driver.Options{})
	e.must(err)
	var all sync.WaitGroup
	begun := make(chan bool, 4)
	for range cap(begun) {
		all.Go(func() {
			for n := 0; ; n++ {
				dst := make([]byte, 4)
				_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(3)), driver.Out(dst), driver.U32(uint32(n)))
				if errors.Is(err, driver.Closed) {
					return
				}
				if !e.wish(err) || !bytes.Equal(dst, le(3+uint32(n))) {
					e.Errorf("dispatch gave % x for %d", dst, 3+n)
					return
				}
				if n == 2 {
					begun <- true
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	e.wish(dev.Close())
	all.Wait()
	e.nothingLeft(dev)
}

func (e *env) wish(err error) bool {
	if err != nil {
		e.Error(err)
	}
	return err == nil
}

func (e *env) hammerDispatch(p *ir.Program, r *rand.Rand) {
	k, err := e.dev.Compile(ctx, p, driver.Options{})
	if !e.wish(err) {
		return
	}
	for range 1 + r.IntN(4) {
		v := r.Uint32()
		dst := make([]byte, 4)
		_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(v)), driver.Out(dst), driver.U32(1))
		if e.wish(err) && !bytes.Equal(dst, le(v+1)) {
			e.Errorf("dispatch gave % x for %#x", dst, v)
		}
	}
	e.wish(k.Close())
}

// hammerShared adds to words of its own in a buffer that all share.
func (e *env) hammerShared(p *ir.Program, shared driver.Buffer, n int, r *rand.Rand) {
	k, err := e.dev.Compile(ctx, p, driver.Options{})
	if !e.wish(err) {
		return
	}
	defer func() { e.wish(k.Close()) }()
	s := e.dev.NewSequence("shared")
	defer func() { e.wish(s.Close()) }()
	part := driver.Part(shared, int64(8*n), 8)
	dst := make([]byte, 8)
	v, rounds := r.Uint32(), 1+r.IntN(3)
	s.Upload(part, le(v, v), driver.Always)
	s.Repeat(rounds, func() { s.Launch(k, driver.Groups(1), part, driver.U32(1)) })
	s.Read(part, dst)
	for range 2 {
		if _, err := s.Run(ctx); e.wish(err) && !bytes.Equal(dst, le(v+uint32(rounds), v+uint32(rounds))) {
			e.Errorf("worker %d read % x after adding %d to %#x", n, dst, rounds, v)
		}
	}
}

func (e *env) hammerCancel(p *ir.Program, r *rand.Rand) {
	k, err := e.dev.Compile(ctx, p, driver.Options{})
	if !e.wish(err) {
		return
	}
	defer func() { e.wish(k.Close()) }()
	s := e.dev.NewSequence("canceled")
	defer func() { e.wish(s.Close()) }()
	b := s.Scratch(4)
	s.Fill(driver.All(b), 0, 4)
	s.Repeat(r.IntN(20), func() { s.Launch(k, driver.Groups(1), driver.All(b), driver.U32(1)) })
	c, cancel := context.WithCancel(ctx)
	defer cancel()
	if r.IntN(2) == 0 {
		cancel()
	}
	_, err = s.Run(c)
	if err != nil && !errors.Is(err, driver.Canceled) {
		e.Error(err)
	}
	pending, err := s.Start(ctx)
	if errors.Is(err, driver.Busy) {
		_, err = s.Wait(ctx)
		e.wish(err)
		return
	}
	if e.wish(err) && r.IntN(2) == 0 {
		_, err = pending.Wait(ended())
		if err != nil && !errors.Is(err, driver.Canceled) {
			e.Error(err)
		}
	} // else Close waits for it
}

func (e *env) hammerClose(r *rand.Rand) {
	b, err := e.dev.Alloc(int64(r.IntN(1000)), driver.AllocOptions{Label: "short-lived"})
	if !e.wish(err) {
		return
	}
	s := e.dev.NewSequence("holder")
	s.Fill(driver.All(b), 0, 1)
	if b.Len() > 0 && e.wish(s.Prepare()) {
		if err := b.Close(); !errors.Is(err, driver.Busy) {
			e.Errorf("closing a held buffer: %v", err)
		}
	}
	e.wish(s.Close())
	e.wish(b.Close())
}
