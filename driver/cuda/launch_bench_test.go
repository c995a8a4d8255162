package cuda_test

import (
	"context"
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/driver/cuda/cusim"
)

// instant is a driver whose work is done as soon as it is asked for, so that what is left to measure is ours.
type instant struct {
	cu.Driver
	on    bool
	words map[cu.Ptr]unsafe.Pointer
	base  cu.Ptr // of the words used last
	at    unsafe.Pointer
}

func (d *instant) MemHostGetDevicePointer(p unsafe.Pointer) (cu.Ptr, error) {
	at, err := d.Driver.MemHostGetDevicePointer(p)
	d.words[at] = p
	return at, err
}

func (d *instant) CtxSetCurrent(c cu.Context) error {
	if d.on {
		return nil
	}
	return d.Driver.CtxSetCurrent(c)
}

func (d *instant) LaunchKernel(l *cu.Launch) error {
	if d.on {
		return nil
	}
	return d.Driver.LaunchKernel(l)
}

func (d *instant) GraphLaunch(x cu.GraphExec, s cu.Stream) error {
	if d.on {
		return nil
	}
	return d.Driver.GraphLaunch(x, s)
}

func (d *instant) StreamWriteValue32(s cu.Stream, at cu.Ptr, v uint32) error {
	if !d.on {
		return d.Driver.StreamWriteValue32(s, at, v)
	}
	if at < d.base || at >= d.base+1<<13 {
		for base, p := range d.words {
			if at >= base && at < base+1<<13 {
				d.base, d.at = base, p
			}
		}
	}
	*(*uint32)(unsafe.Add(d.at, at-d.base)) = v
	return nil
}

// BenchmarkStart measures what Start adds to the driver's calls.
func BenchmarkStart(b *testing.B) {
	drv := &instant{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), words: map[cu.Ptr]unsafe.Pointer{}}
	dev, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	ctx := context.Background()
	k, err := dev.Compile(ctx, parse(b, "vyre 1\nkernel @empty workgroup(32) {\n}"), driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := dev.NewSequence("start")
			s.NoDeviceTime()
			for range n {
				s.Launch(k, driver.Groups(1))
			}
			if err := s.Prepare(); err != nil {
				b.Fatal(err)
			}
			drv.on = true
			defer func() { drv.on = false }()
			var spent time.Duration
			for b.Loop() {
				begin := time.Now()
				p, err := s.Start(ctx)
				spent += time.Since(begin)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/start")
			drv.on = false
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkDispatch measures what Dispatch of 4 KiB in and out adds.
func BenchmarkDispatch(b *testing.B) {
	drv := &instant{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Hopper}}), words: map[cu.Ptr]unsafe.Pointer{}}
	dev, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	k, err := dev.Compile(ctx, parse(b, addOne), driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	in := make([]byte, 4096)
	args := []driver.Arg{driver.InOut(in)}
	dispatch := func() {
		in[4092]++
		if _, err := driver.Dispatch(ctx, k, driver.Groups(32), args...); err != nil {
			b.Fatal(err)
		}
	}
	for range 4 {
		dispatch()
	}
	drv.on = true
	defer func() { drv.on = false }()
	for b.Loop() {
		dispatch()
	}
}
