package cuda_test

import (
	"encoding/binary"
	"runtime"
	"sync"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir/text"
)

// Sixteen goroutines, each with a graph that remembers three results, replay it over five inputs in an order in which some
// are remembered and some are not. Every answer is right, each run is counted once, and nothing grows.
func TestReplaysFromManyGoroutines(t *testing.T) {
	const goroutines, inputs, entries = 16, 5, 3
	each := long.Count(500, 20_000, 625_000) // ten million in all
	dev, _ := onSim(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}})
	ps, err := text.Parse("k.vyre", `vyre 1
kernel @k workgroup(1) {
  param @x: buf<u32> ro
  param @y: buf<u32> wo
  %i = global.x
  %v = load @x[%i]
  %w = mul.u32 %v, 2654435761_u32
  store @y[%i], %w
}`)
	if err != nil {
		t.Fatal(err)
	}
	k, err := dev.Compile(t.Context(), ps[0], driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	var all sync.WaitGroup
	start := make(chan struct{})
	ready := sync.WaitGroup{}
	ready.Add(goroutines)
	for n := range uint32(goroutines) {
		all.Go(func() {
			s := dev.NewSequence("s")
			x, y := s.Scratch(4), s.Scratch(4)
			src, dst := make([]byte, 4), make([]byte, 4)
			s.Upload(driver.All(x), src, driver.IfChanged)
			s.Launch(k, driver.Groups(1), driver.All(x), driver.All(y))
			s.Read(driver.All(y), dst)
			defer s.Close()
			g, err := s.Capture(driver.CaptureOptions{})
			if err == nil {
				err = g.Memoize(entries, 1<<10)
			}
			ready.Done()
			if <-start; err != nil {
				t.Error(err)
				return
			}
			memoized := 0
			for i := range each {
				// Two of three are the same two inputs, which stay remembered for a while.
				v := n*inputs + uint32(i%2)
				if i%3 == 2 {
					v = n*inputs + uint32(i/3%inputs)
				}
				binary.LittleEndian.PutUint32(src, v)
				res, err := g.Run(t.Context())
				if got := binary.LittleEndian.Uint32(dst); err != nil || got != v*2654435761 {
					t.Errorf("goroutine %d, run %d of %d: %d, %v", n, i, v, got, err)
					return
				}
				if res.Memoized {
					memoized++
				}
			}
			if memoized < each/4 || memoized > each*9/10 {
				t.Errorf("goroutine %d: %d of %d runs were remembered", n, memoized, each)
			}
		})
	}
	ready.Wait()
	runtime.GC()
	runtime.ReadMemStats(&before)
	st := dev.Stats()
	close(start)
	all.Wait()
	d := dev.Stats().Sub(st)
	if got := d.Get(metric.RunsMemo) + d.Get(metric.RunsGraph); got != uint64(goroutines*each) {
		t.Errorf("%d runs were counted, of %d", got, goroutines*each)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes of the heap are left", grown)
	}
}
