package drivertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
)

// hammered is how long each of these tests takes.
const hammered = 200 * time.Millisecond

var hammerTests = []test{
	// Everything that may be used from many goroutines is, at once: compiling, allocating,
	// dispatching, runs over a shared buffer, cancellation, closing what others hold.
	{"HammerDevice", func(e *env) {
		const workers = 6
		p, q := e.program(addTo), e.program(add)
		shared := e.words("shared", make([]uint32, 64)...)
		stop := time.Now().Add(hammered)
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
		p := e.program(addTo)
		for stop := time.Now().Add(hammered); time.Now().Before(stop) && !e.Failed(); {
			e.closeUnderDispatches(p)
		}
	}},
	// Whatever is made, used and closed while the device closes is either closed by its user or by the device.
	{"HammerMeanwhile", func(e *env) {
		p := e.program(addTo)
		for stop := time.Now().Add(hammered); time.Now().Before(stop) && !e.Failed(); {
			e.closeUnderUsers(p)
		}
	}},
}

// closeUnderUsers closes a device while goroutines make and close objects of every kind on it.
func (e *env) closeUnderUsers(p *ir.Program) {
	dev, err := e.open(driver.OpenOptions{})
	e.must(err)
	uses := usesOf(dev, p)
	theirs, o := e.words("theirs", make([]uint32, 32)...), &owner{}
	defer func() { e.must(theirs.Close()) }()
	uses = append(uses, func(int64) error { return borrows(dev, theirs, o) })
	if dev.Caps().Graphs {
		uses = append(uses, func(n int64) error { return replays(dev, p, uint32(n)) })
	}
	e.closeUnder(dev, len(uses), func(i int, begun func()) {
		for n := int64(0); ; n++ {
			if err := uses[i](100 + n%3); err != nil {
				if !errors.Is(err, driver.Closed) {
					e.Errorf("use %d: %v", i, err)
				}
				if n <= 2 {
					begun()
				}
				return
			}
			if n == 2 {
				begun()
			}
		}
	})
}

// closeUnder closes a device when each of n goroutines has begun, which it says once.
func (e *env) closeUnder(dev driver.Device, n int, work func(i int, begun func())) {
	var all sync.WaitGroup
	begun := make(chan bool, n)
	for i := range n {
		all.Go(func() { work(i, func() { begun <- true }) })
	}
	for range n {
		<-begun
	}
	e.wish(dev.Close())
	all.Wait()
	e.nothingLeft(dev)
}

// usesOf makes and closes objects on a device, a kind each.
func usesOf(dev driver.Device, p *ir.Program) []func(n int64) error {
	pool := dev.NewPool(driver.PoolOptions{Budget: 300})
	return []func(n int64) error{
		func(n int64) error {
			b, err := dev.Alloc(n, driver.AllocOptions{Label: "b"})
			if err != nil {
				return err
			}
			return b.Close()
		},
		func(n int64) error {
			m, err := dev.AllocHost(n)
			if err != nil {
				return err
			}
			return m.Close()
		},
		func(n int64) error {
			m, err := dev.Pin(make([]byte, n))
			if err != nil {
				return err
			}
			return m.Close()
		},
		func(int64) error {
			k, err := dev.Compile(ctx, p, driver.Options{})
			if err != nil {
				return err
			}
			return k.Close()
		},
		func(n int64) error {
			s := dev.NewSequence("s")
			s.Fill(driver.All(s.Scratch(4*n)), 1, 4)
			var err error
			if dev.Caps().Graphs {
				_, err = s.Capture(driver.CaptureOptions{})
			}
			if err == nil {
				_, err = s.Run(ctx)
			}
			return errors.Join(err, s.Close())
		},
		func(n int64) error { return underOneProfile(dev, n) },
		func(int64) error {
			dev.Caches()
			return dev.Flush()
		},
		func(n int64) error {
			all, err := pool.GetAll(n, 2*n)
			if err != nil {
				return err
			}
			return errors.Join(pool.Put(all[0]), pool.Put(all[1]))
		},
		func(n int64) error {
			s, err := pool.Static(ctx, 1, make([]byte, n))
			if err != nil {
				return err
			}
			return pool.Release(s)
		},
	}
}

// underOneProfile makes a profile of a sequence that runs before it, in it and after it.
func underOneProfile(dev driver.Device, n int64) (err error) {
	s := dev.NewSequence("profiled")
	defer func() { err = errors.Join(err, s.Close()) }()
	s.Fill(driver.All(s.Scratch(4*n)), 1, 4)
	for i := range 3 {
		stop := func() error { return nil }
		if i == 1 {
			if stop, err = driver.Profile(dev, io.Discard); err != nil {
				return err
			}
		}
		_, err := s.Run(ctx)
		if err = errors.Join(err, stop()); err != nil {
			return err
		}
	}
	return nil
}

// closeUnderDispatches closes a device while goroutines dispatch on it.
func (e *env) closeUnderDispatches(p *ir.Program) {
	dev, err := e.open(driver.OpenOptions{})
	e.must(err)
	k, err := dev.Compile(ctx, p, driver.Options{})
	e.must(err)
	e.closeUnder(dev, 4, func(_ int, begun func()) {
		for n := 0; ; n++ {
			dst := make([]byte, 4)
			_, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.In(le(3)), driver.Out(dst), driver.U32(uint32(n)))
			closed := errors.Is(err, driver.Closed)
			wrong := !closed && (!e.wish(err) || !bytes.Equal(dst, le(3+uint32(n))))
			if wrong {
				e.Errorf("dispatch gave % x for %d", dst, 3+n)
			}
			if n == 2 || n < 2 && (closed || wrong) {
				begun()
			}
			if closed || wrong {
				return
			}
		}
	})
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

// replays runs a graph that remembers, with new inputs, with remembered ones, and as a batch.
func replays(dev driver.Device, p *ir.Program, n uint32) (err error) {
	k, err := dev.Compile(ctx, p, driver.Options{})
	if err != nil {
		return err
	}
	s := dev.NewSequence("replays")
	defer func() { err = errors.Join(err, s.Close(), k.Close()) }()
	a, b, dst := s.Scratch(4), s.Scratch(4), make([]byte, 4)
	in := s.Upload(driver.All(a), le(n), driver.Always)
	s.Launch(k, driver.Cover(1, 32), driver.All(a), driver.All(b), driver.U32(1))
	s.Read(driver.All(b), dst)
	g, err := s.Capture(driver.CaptureOptions{Overlap: n%2 == 0})
	if err == nil {
		err = g.Memoize(4, 1<<10)
	}
	for i := uint32(0); i < 4 && err == nil; i++ {
		if err = in.Set(le(n + i%2)); err == nil {
			_, err = g.Run(ctx)
		}
		if err == nil && !bytes.Equal(dst, le(n+i%2+1)) {
			err = fmt.Errorf("% x for %d", dst, n+i%2+1)
		}
	}
	if err == nil {
		rows := rowsOf(1, upTo(1, 40)...) // several chunks, of which two take turns
		_, err = g.RunBatch(ctx, rows)
		for i := range rows {
			if err == nil && !bytes.Equal(rows[i].Outputs[0], le(uint32(i)+2)) {
				err = fmt.Errorf("row %d is % x", i, rows[i].Outputs[0])
			}
		}
	}
	return err
}
