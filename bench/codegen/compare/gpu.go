package main

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
)

// gpu is one device with what every sample needs. Its methods belong to the thread that opened it.
type gpu struct {
	drv       cu.Driver
	dev       cu.Device
	stream    cu.Stream
	from, to  cu.Event
	spin      cu.Function // spins for so many cycles
	empty     cu.Function // does nothing
	helpers   cu.Module
	src, dst  cu.Ptr // of copies, copyBytes each
	name      string
	clockKHz  int
	driverVer int
	l2        int
}

// openGPU opens the first device of a driver.
func openGPU(drv cu.Driver) (*gpu, error) {
	g := &gpu{drv: drv}
	steps := []func() error{
		drv.Init,
		func() (err error) { g.driverVer, err = drv.DriverGetVersion(); return err },
		func() (err error) { g.dev, err = drv.DeviceGet(0); return err },
		func() (err error) { g.name, err = drv.DeviceGetName(g.dev); return err },
		func() (err error) { g.clockKHz, err = drv.DeviceGetAttribute(cu.ClockRate, g.dev); return err },
		func() (err error) { g.l2, err = drv.DeviceGetAttribute(cu.L2CacheSize, g.dev); return err },
		func() error {
			c, err := drv.DevicePrimaryCtxRetain(g.dev)
			if err != nil {
				return err
			}
			return drv.CtxSetCurrent(c)
		},
		func() (err error) { g.stream, err = drv.StreamCreate(cu.StreamNonBlocking); return err },
		func() (err error) { g.from, err = drv.EventCreate(0); return err },
		func() (err error) { g.to, err = drv.EventCreate(0); return err },
		func() (err error) { g.helpers, err = g.load([]byte(helperPTX)); return err },
		func() (err error) { g.spin, err = drv.ModuleGetFunction(g.helpers, "spin"); return err },
		func() (err error) { g.empty, err = drv.ModuleGetFunction(g.helpers, "empty"); return err },
	}
	for _, f := range steps {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// close gives the context back, and with it all that lives in it.
func (g *gpu) close() { _ = g.drv.DevicePrimaryCtxRelease(g.dev) }

// helperPTX has a kernel that keeps the device busy for so many cycles, and one that does nothing.
const helperPTX = `.version 6.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 cycles)
{
	.reg .pred %p;
	.reg .b64 %d<5>;
	ld.param.u64 %d1, [cycles];
	mov.u64 %d2, %clock64;
L:
	mov.u64 %d3, %clock64;
	sub.u64 %d4, %d3, %d2;
	setp.lt.u64 %p, %d4, %d1;
	@%p bra L;
	exit;
}
.visible .entry empty()
{
	exit;
}
`

// load loads machine code, or text.
func (g *gpu) load(image []byte) (cu.Module, error) {
	var jit cu.JIT
	m, err := g.drv.ModuleLoadDataEx(append(image[:len(image):len(image)], 0), &jit)
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, jit.Errors)
	}
	return m, nil
}

// memory allocates, and uploads if there is something to upload.
func (g *gpu) memory(bytes int64, data []byte) (cu.Ptr, error) {
	p, err := g.drv.MemAlloc(bytes)
	if err != nil || data == nil {
		return p, err
	}
	if err := g.drv.MemcpyHtoDAsync(p, unsafe.Pointer(unsafe.SliceData(data)), bytes, g.stream); err != nil {
		return p, err
	}
	return p, g.drv.StreamSynchronize(g.stream)
}

// read copies device memory to the host.
func (g *gpu) read(p cu.Ptr, bytes int64) ([]byte, error) {
	out := make([]byte, bytes)
	if err := g.drv.MemcpyDtoHAsync(unsafe.Pointer(unsafe.SliceData(out)), p, bytes, g.stream); err != nil {
		return nil, err
	}
	return out, g.drv.StreamSynchronize(g.stream)
}

// call is a launch with its arguments laid out.
type call struct {
	launch cu.Launch
	values []uint64
	params []unsafe.Pointer
}

// newCall lays out a launch. Each value takes eight bytes, of which the function reads as many as its
// parameter has.
func (g *gpu) newCall(f cu.Function, grid, block [3]uint32, shared uint32, values []uint64) *call {
	c := &call{values: values, params: make([]unsafe.Pointer, len(values))}
	for i := range values {
		c.params[i] = unsafe.Pointer(&c.values[i])
	}
	c.launch = cu.Launch{Function: f, Grid: grid, Block: block, Shared: shared, Stream: g.stream, Params: unsafe.SliceData(c.params)}
	return c
}

// timed runs calls behind a spinning kernel, between two events.
func (g *gpu) timed(calls []*call) (time.Duration, error) {
	if err := g.hold(len(calls)); err != nil {
		return 0, err
	}
	return g.between(func() error {
		for _, c := range calls {
			if err := g.drv.LaunchKernel(&c.launch); err != nil {
				return err
			}
		}
		return nil
	})
}

// hold keeps the stream busy until the host has enqueued so many calls and two events.
func (g *gpu) hold(calls int) error {
	// An enqueue takes the host two to three microseconds; the queue holds about a thousand.
	us := 10 + 4*min(calls+2, 100)
	wait := g.newCall(g.spin, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, []uint64{uint64(us) * uint64(g.clockKHz) / 1000})
	return g.drv.LaunchKernel(&wait.launch)
}

// between measures the device time from before to after what f enqueues.
func (g *gpu) between(f func() error) (time.Duration, error) {
	if err := g.drv.EventRecord(g.from, g.stream); err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	if err := g.drv.EventRecord(g.to, g.stream); err != nil {
		return 0, err
	}
	if err := g.drv.StreamSynchronize(g.stream); err != nil {
		return 0, err
	}
	ms, err := g.drv.EventElapsedTime(g.from, g.to)
	return time.Duration(float64(ms) * 1e6), err
}

// floor measures what a launch of a kernel that does nothing takes between two events.
func (g *gpu) floor() (time.Duration, error) {
	c := g.newCall(g.empty, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, 0, nil)
	var times []time.Duration
	for range 101 {
		d, err := g.timed([]*call{c})
		if err != nil {
			return 0, err
		}
		times = append(times, d)
	}
	return statsOf(times).p50(), nil
}

// copyBytes is how much a copy takes at most: many times any cache.
const copyBytes = 1 << 30

// placeCopies allocates what copies read and write. The words differ, so that no compression of equal contents helps.
func (g *gpu) placeCopies() error {
	pattern := make([]uint64, copyBytes/8)
	for i := range pattern {
		pattern[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	data := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(pattern))), copyBytes)
	var err error
	if g.src, err = g.memory(copyBytes, data); err != nil {
		return err
	}
	g.dst, err = g.memory(copyBytes, nil)
	return err
}

// copied measures a copy within the device that reads and writes so many bytes together. Of more than there is
// memory for, it copies a part and counts in proportion.
func (g *gpu) copied(moved int64) (time.Duration, error) {
	half := moved / 2
	n := min(half, copyBytes)
	var times []time.Duration
	for i := range warmUps + 21 {
		if err := g.hold(1); err != nil {
			return 0, err
		}
		d, err := g.between(func() error { return g.drv.MemcpyDtoDAsync(g.dst, g.src, n, g.stream) })
		if err != nil {
			return 0, err
		}
		if i >= warmUps {
			times = append(times, d)
		}
	}
	return time.Duration(float64(statsOf(times).p50()) * float64(half) / float64(n)), nil
}
