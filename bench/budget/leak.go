package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/metric"
)

// leaking launches from 16 goroutines, each with a sequence of its own, and looks at what is left: bytes of the
// device, objects, goroutines, and memory of the process.
func (b *bench) leaking() error {
	const workers, batch = 16, 10
	dev := b.env.dev
	if err := dev.Warm(b.ctx); err != nil {
		return err
	}
	var running sync.WaitGroup
	var done atomic.Int64
	errs := make([]error, workers)
	seqs := make([]*driver.Sequence, workers)
	for i := range seqs {
		seqs[i] = b.launching(batch, true)
		if _, err := seqs[i].Run(b.ctx); err != nil {
			return err
		}
	}
	before, begin := footprint(dev), time.Now()
	for i, s := range seqs {
		running.Go(func() {
			for done.Add(batch) <= int64(b.size.leak) && errs[i] == nil && !b.late() {
				_, errs[i] = s.Run(b.ctx)
			}
		})
	}
	running.Wait()
	passed, after := time.Since(begin), footprint(dev)
	for i, s := range seqs {
		errs[i] = errors.Join(errs[i], s.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	n := min(done.Load(), int64(b.size.leak))
	closed := footprint(dev)
	grown := after.rss - before.rss
	// A process of this kind keeps some megabytes more than it began with, whatever it does.
	const slack = 64 << 20
	ok := after.device == before.device && after.goroutines <= before.goroutines && closed.sequences == before.sequences-workers && grown < slack
	b.out.number("leak", "leaked", map[bool]float64{true: 0, false: 1}[ok], 0, ok)
	b.out.linef("name=leak side=vyre launches=%d seconds=%.1f launches_per_s=%.0f device_bytes=%d,%d goroutines=%d,%d rss_kib=%d,%d %s",
		n, passed.Seconds(), float64(n)/passed.Seconds(), before.device, after.device, before.goroutines, after.goroutines, before.rss>>10, after.rss>>10, b.out.suffix)
	if n < int64(b.size.leak) {
		b.out.skip("leak-all", "the time was over after %d of %d launches", n, b.size.leak)
	}
	return nil
}

// held is what a process holds.
type held struct {
	device, sequences uint64
	goroutines        int
	rss               int64
}

func footprint(dev driver.Device) held {
	runtime.GC()
	s := dev.Stats()
	return held{s.Get(metric.DriverBytes), s.Get(metric.Sequences), runtime.NumGoroutine(), resident()}
}

// resident is the memory of the process, 0 where the system does not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(text), "VmRSS:")
	var kib int64
	if _, err := fmt.Sscan(line, &kib); err != nil {
		return 0
	}
	return kib << 10
}
