package cuda_test

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// instant is a driver that, while on, has done its work as soon as it is asked to: what is left to measure is ours.
type instant struct {
	cu.Driver
	on    bool
	words map[cu.Ptr]unsafe.Pointer // where the host finds what the GPU finds there
	base  cu.Ptr                    // of the words used last
	at    unsafe.Pointer
}

// wordsSpan covers the words of all streams.
const wordsSpan = 1 << 13

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

func (d *instant) LaunchKernels(list []*cu.Launch) (int, error) {
	if d.on {
		return len(list), nil
	}
	return d.Driver.LaunchKernels(list)
}

func (d *instant) GraphLaunch(x cu.GraphExec, s cu.Stream) error {
	if d.on {
		return nil
	}
	return d.Driver.GraphLaunch(x, s)
}

func (d *instant) GraphRun(g *cu.GraphRun) (int, error) {
	if !d.on {
		return d.Driver.GraphRun(g)
	}
	return 3, d.StreamWriteValue32(g.Stream, g.Word, g.Value)
}

func (d *instant) GraphExecKernelNodeSetParams(x cu.GraphExec, n cu.GraphNode, l *cu.Launch) error {
	if d.on {
		return nil
	}
	return d.Driver.GraphExecKernelNodeSetParams(x, n, l)
}

func (d *instant) StreamWriteValue32(s cu.Stream, at cu.Ptr, v uint32) error {
	if !d.on {
		return d.Driver.StreamWriteValue32(s, at, v)
	}
	if at < d.base || at >= d.base+wordsSpan {
		for base, p := range d.words {
			if at >= base && at < base+wordsSpan {
				d.base, d.at = base, p
			}
		}
	}
	*(*uint32)(unsafe.Add(d.at, at-d.base)) = v
	return nil
}

// onInstant opens a device of that driver, and compiles a kernel for it.
func onInstant(b *testing.B, text string) (*instant, *cuda.Device, driver.Kernel) {
	b.Helper()
	drv := &instant{Driver: cusim.New(eager), words: map[cu.Ptr]unsafe.Pointer{}}
	d, err := cuda.Open(cuda.Options{Driver: drv})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		drv.on = false
		if err := d.Close(); err != nil {
			b.Error(err)
		}
	})
	k, err := d.Compile(ctx, parse(b, text), driver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return drv, d, k
}

// startings starts and waits again and again, and says what Start takes. set comes before each.
func startings(b *testing.B, drv *instant, p driver.Prepared, set func(i uint32) error) {
	b.Helper()
	for range 4 { // the third run of a sequence makes a graph
		if _, err := p.Run(ctx); err != nil {
			b.Fatal(err)
		}
	}
	drv.on = true
	b.ReportAllocs()
	var spent time.Duration
	for i := uint32(0); b.Loop(); i++ {
		if err := set(i); err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		run, err := p.Start(ctx)
		spent += time.Since(begin)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := run.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/start")
}

const nothing = `vyre 1
kernel @nothing workgroup(32) {
  param %n: u32
}`

func unchanged(uint32) error { return nil }

// BenchmarkStart measures what Start adds to the driver's calls.
func BenchmarkStart(b *testing.B) {
	for _, launches := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(launches), func(b *testing.B) {
			drv, d, k := onInstant(b, nothing)
			s := d.NewSequence("bench")
			s.NoDeviceTime()
			for range launches {
				s.Launch(k, driver.Groups(1), driver.U32(0))
			}
			startings(b, drv, s, unchanged)
		})
	}
}

// BenchmarkStartChanged does so where every run finds a launch changed, so that they are enqueued one by one.
func BenchmarkStartChanged(b *testing.B) {
	const launches = 1000
	drv, d, k := onInstant(b, nothing)
	s := d.NewSequence("bench")
	s.NoDeviceTime()
	var last *driver.Step
	for range launches {
		last = s.Launch(k, driver.Groups(1), driver.U32(0))
	}
	startings(b, drv, s, func(i uint32) error { return last.SetDomain(uint64(i) + 1) })
}

// BenchmarkGraphStart does so for graphs: it is to be the same however many nodes there are.
func BenchmarkGraphStart(b *testing.B) {
	var st *driver.Step
	for _, c := range []struct {
		name string
		set  func(i uint32) error
	}{
		{"unchanged", unchanged},
		{"an argument set", func(i uint32) error { return st.SetArg(0, driver.U32(i)) }},
		{"a domain set", func(i uint32) error { return st.SetDomain(uint64(i)) }},
	} {
		for _, nodes := range []int{1, 100, 1000, 10000} {
			b.Run(fmt.Sprintf("%s/nodes=%d", c.name, nodes), func(b *testing.B) {
				drv, d, k := onInstant(b, nothing)
				s := d.NewSequence("bench")
				s.NoDeviceTime()
				for range nodes {
					st = s.Launch(k, driver.Groups(1), driver.U32(0))
				}
				g, err := s.Capture(driver.CaptureOptions{})
				if err != nil {
					b.Fatal(err)
				}
				startings(b, drv, g, c.set)
			})
		}
	}
}

// BenchmarkDispatch measures what Dispatch of 4 KiB in and out adds.
func BenchmarkDispatch(b *testing.B) {
	drv, _, k := onInstant(b, addOne)
	bytes := make([]byte, 4096)
	args := []driver.Arg{driver.InOut(bytes)}
	dispatch := func() {
		bytes[4092]++
		if _, err := driver.Dispatch(ctx, k, driver.Groups(32), args...); err != nil {
			b.Fatal(err)
		}
	}
	for range 4 {
		dispatch()
	}
	drv.on = true
	for b.Loop() {
		dispatch()
	}
}
