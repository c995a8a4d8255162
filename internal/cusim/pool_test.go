package cusim_test

import (
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// mapped returns n bytes of pinned memory that the device sees.
func (b *bench) mapped(n int64) []byte {
	b.Helper()
	return b.host(n, cu.HostPortable|cu.HostDeviceMap)
}

func (b *bench) account(p cu.MemPool, a cu.MemPoolAttribute) uint64 {
	b.Helper()
	return one(b.MemPoolGetAttribute(p, a))(b)
}

func TestPoolsAreAccountedToTheByte(t *testing.T) {
	b := open(t, cusim.Config{Memory: 1000})
	p := one(b.MemPoolCreate(0))(b)
	b.ok(b.MemPoolSetAttribute(p, cu.PoolReleaseThreshold, 250))
	x := one(b.MemAllocFromPoolAsync(600, p, b.stream))(b)
	y := one(b.MemAllocFromPoolAsync(300, p, b.stream))(b)
	_, err := b.MemAllocFromPoolAsync(101, p, b.stream)
	b.is(err, cu.OutOfMemory)
	_, err = b.MemAlloc(101)
	b.is(err, cu.OutOfMemory)
	b.ok(b.MemFreeAsync(x, b.stream))
	if used := b.account(p, cu.PoolUsed); used != 900 {
		t.Errorf("%d bytes are in use before the stream gets to the free, want 900", used)
	}
	b.ok(b.StreamSynchronize(b.stream))
	for _, c := range []struct {
		a    cu.MemPoolAttribute
		want uint64
	}{{cu.PoolUsed, 300}, {cu.PoolUsedPeak, 900}, {cu.PoolReserved, 300}, {cu.PoolReservedPeak, 900}} {
		if got := b.account(p, c.a); got != c.want {
			t.Errorf("attribute %d is %d, want %d", c.a, got, c.want)
		}
	}
	b.ok(b.MemFreeAsync(y, b.stream))
	b.ok(b.StreamSynchronize(b.stream))
	if got := b.account(p, cu.PoolReserved); got != 250 {
		t.Errorf("%d bytes are kept, the threshold is 250", got)
	}
	if free, _, err := b.MemGetInfo(); err != nil || free != 750 {
		t.Errorf("%d bytes are free, want 750; %v", free, err)
	}
	b.ok(b.MemPoolTrimTo(p, 100))
	if got := b.account(p, cu.PoolReserved); got != 100 {
		t.Errorf("%d bytes are kept, want 100", got)
	}
	b.ok(b.MemPoolDestroy(p))
	if left := b.Left(); strings.Contains(left, "pools") || strings.Contains(left, "allocations") {
		t.Errorf("left: %s", left)
	}
}

func TestMemoryOfAPoolIsThereInTheOrderOfItsStream(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(b *bench, p cu.MemPool, other cu.Stream) error
	}{
		{"before it was allocated", func(b *bench, p cu.MemPool, other cu.Stream) error {
			x := one(b.MemAllocFromPoolAsync(64, p, b.stream))(b)
			b.ok(b.MemsetD8Async(x, 0, 64, other))
			return b.StreamSynchronize(other)
		}},
		{"after it was freed", func(b *bench, p cu.MemPool, other cu.Stream) error {
			x := one(b.MemAllocFromPoolAsync(64, p, b.stream))(b)
			b.ok(b.MemsetD8Async(x, 0, 64, b.stream))
			l := b.call("addOne", 1, 32, x, 1)
			l.Stream = other
			b.ok(b.StreamSynchronize(b.stream))
			b.ok(b.LaunchKernel(l))
			b.ok(b.MemFreeAsync(x, b.stream))
			b.ok(b.StreamSynchronize(b.stream))
			return b.StreamSynchronize(other)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, cusim.Config{})
			p := one(b.MemPoolCreate(0))(b)
			b.is(c.run(b, p, one(b.StreamCreate(0))(b)), 700)
		})
	}
	t.Run("with an event between", func(t *testing.T) {
		b := open(t, cusim.Config{Seed: 5})
		p := one(b.MemPoolCreate(0))(b)
		other, e := one(b.StreamCreate(0))(b), one(b.EventCreate(0))(b)
		x := one(b.MemAllocFromPoolAsync(64, p, b.stream))(b)
		b.ok(b.EventRecord(e, b.stream))
		b.ok(b.StreamWaitEvent(other, e))
		b.ok(b.MemsetD8Async(x, 0, 64, other))
		b.ok(b.MemFreeAsync(x, other))
		b.ok(b.StreamSynchronize(other))
	})
}

func TestMemoryOfAPoolIsFreedOnce(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemPoolCreate(0))(b)
	x := one(b.MemAllocFromPoolAsync(64, p, b.stream))(b)
	y := one(b.MemAlloc(64))(b)
	b.ok(b.MemFreeAsync(x, b.stream))
	b.is(b.MemFreeAsync(x, b.stream), 1)
	b.is(b.MemFreeAsync(y, b.stream), 1)
	z := one(b.MemAllocFromPoolAsync(64, p, b.stream))(b)
	b.ok(b.MemPoolDestroy(p))
	b.ok(b.MemFree(z)) // the free that waits takes it as well
	if left := b.Left(); !strings.Contains(left, "1 allocations") {
		t.Errorf("left: %s", left)
	}
}

func TestStreamWritesAWordWhenItGetsThere(t *testing.T) {
	b := open(t, cusim.Config{})
	host := b.mapped(8)
	word := one(b.MemHostGetDevicePointer(at(host[4:])))(b)
	p := one(b.MemAlloc(4))(b)
	b.ok(b.MemsetD32Async(p, 1, 1, b.stream))
	b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 1)))
	b.ok(b.StreamWriteValue32(b.stream, word, 0x01020304))
	if host[4] != 0 {
		t.Error("it was written before anybody waited")
	}
	b.ok(b.StreamSynchronize(b.stream))
	if string(host) != "\x00\x00\x00\x00\x04\x03\x02\x01" {
		t.Errorf("got % x", host)
	}
	// Kernels see the same memory.
	b.ok(b.LaunchKernel(b.call("addOne", 1, 32, word, 1)))
	b.ok(b.StreamSynchronize(b.stream))
	if host[4] != 5 {
		t.Errorf("got %d, want 5", host[4])
	}
	b.is(b.StreamWriteValue32(b.stream, word+2, 0), 1)
	b.is(b.StreamWriteValue32(b.stream, word+4, 0), 1)
	_, err := b.MemHostGetDevicePointer(at(b.pinned(4)))
	b.is(err, 1)
	b.ok(b.MemFreeHost(at(host)))
	b.is(b.StreamWriteValue32(b.stream, word, 0), 1)
}

func TestContextsArePushedAndPopped(t *testing.T) {
	b := open(t, cusim.Config{Models: []cusim.Model{cusim.Tiny, cusim.Ampere}})
	first := b.Current()
	second := one(b.DevicePrimaryCtxRetain(1))(b)
	b.ok(b.CtxPushCurrent(second))
	b.is(b.StreamSynchronize(b.stream), 400)
	if got := one(b.CtxPopCurrent())(b); got != second {
		t.Errorf("popped %d, pushed %d", got, second)
	}
	if got := b.Current(); got != first {
		t.Errorf("current is %d, was %d", got, first)
	}
}

func TestLinkMakesAnImage(t *testing.T) {
	b := open(t, cusim.Config{Models: []cusim.Model{cusim.Tiny, cusim.Hopper}})
	jit := &cu.JIT{}
	l := one(b.LinkCreate(jit))(b)
	b.is(b.LinkAddData(l, []byte(text), "no zero byte"), 1)
	b.is(b.LinkAddData(l, []byte(".version 6.3\n.target sm_75\nfoo\x00"), "broken"), 218)
	if !strings.Contains(jit.Errors, "line 3") {
		t.Errorf("the log says %q", jit.Errors)
	}
	b.ok(b.LinkAddData(l, []byte(text+"// the end\n\x00"), "text"))
	driversOwn := one(b.LinkComplete(l))(b)
	image := append([]byte(nil), driversOwn...)
	if strings.Contains(string(image), "the end") {
		t.Error("comments are in the image")
	}
	b.ok(b.LinkDestroy(l))
	if string(driversOwn) == string(image) {
		t.Error("the image outlives its link")
	}
	m := one(b.ModuleLoadDataEx(image, jit))(b)
	b.ok(b.FuncLoad(one(b.ModuleGetFunction(m, "addOne"))(b)))
	for i := range image {
		if i >= 12 && i < 16 {
			continue // nothing
		}
		image[i] ^= 1
		if _, err := b.ModuleLoadDataEx(image, jit); err == nil {
			t.Fatalf("it loads with byte %d changed", i)
		}
		image[i] ^= 1
	}
	b.ok(b.CtxSetCurrent(one(b.DevicePrimaryCtxRetain(1))(b)))
	_, err := b.ModuleLoadDataEx(image, jit)
	b.is(err, 209)
}
