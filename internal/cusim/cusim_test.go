package cusim_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/cusim/internal/machine"
)

// addOne adds 1 to n words; crash stores at null; wait never ends.
const text = `.version 6.3
.target sm_75
.address_size 64
.visible .entry addOne(.param .u64 p, .param .u32 n)
{
	.reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.u32 %r1, %r1, %r2, %r3;
	ld.param.u32 %r2, [n];
	setp.ge.u32 %p1, %r1, %r2;
	@%p1 exit;
	ld.param.u64 %rd1, [p];
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.global.u32 %r4, [%rd2];
	add.u32 %r4, %r4, 1;
	st.global.u32 [%rd2], %r4;
	exit;
}
.visible .entry crash(.param .u64 p, .param .u32 n)
{
	.reg .b64 %rd<3>;
	mov.u64 %rd1, 0;
	st.global.u64 [%rd1], %rd1;
	exit;
}
.visible .entry wait(.param .u64 p, .param .u32 n)
{
	.reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [p];
L:	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra L;
	exit;
}
.visible .entry roomy(.param .u64 p, .param .u32 n)
{
	.shared .align 16 .b8 s[40960];
	exit;
}
`

// bench is a driver with a context on the test's thread and one stream.
type bench struct {
	*testing.T
	*cusim.Driver
	module cu.Module
	stream cu.Stream
}

func open(t *testing.T, c cusim.Config) *bench {
	t.Helper()
	if c.Models == nil {
		c.Models = []cusim.Model{cusim.Tiny}
	}
	b := &bench{T: t, Driver: cusim.New(c)}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	b.ok(b.Init())
	ctx := one(b.DevicePrimaryCtxRetain(0))(b)
	b.ok(b.CtxSetCurrent(ctx))
	t.Cleanup(func() { _ = b.CtxSetCurrent(0) })
	b.module = one(b.ModuleLoadDataEx([]byte(text+"\x00"), &cu.JIT{}))(b)
	b.stream = one(b.StreamCreate(0))(b)
	return b
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func one[T any](v T, err error) func(*bench) T {
	return func(b *bench) T {
		b.Helper()
		b.ok(err)
		return v
	}
}

// is fails the test unless err is the result.
func (b *bench) is(err error, want cu.Result) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Errorf("got %v, want %v", err, want)
	}
}

func (b *bench) function(name string) cu.Function {
	b.Helper()
	return one(b.ModuleGetFunction(b.module, name))(b)
}

// pinned returns n bytes of pinned memory.
func (b *bench) pinned(n int64) []byte {
	b.Helper()
	return b.host(n, 0)
}

// host is pinned memory that was cleared.
func (b *bench) host(n int64, flags uint32) []byte {
	b.Helper()
	mem := unsafe.Slice((*byte)(one(b.MemHostAlloc(n, flags))(b)), n)
	clear(mem)
	return mem
}

func TestPinnedMemoryIsNotClear(t *testing.T) {
	b := open(t, cusim.Config{})
	if mem := unsafe.Slice((*byte)(one(b.MemHostAlloc(4, 0))(b)), 4); bytes.Contains(mem, []byte{0}) {
		t.Errorf("it holds % x", mem)
	}
}

func at(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// call is a launch with the two arguments that every kernel of the text takes.
func (b *bench) call(name string, grid, block uint32, p cu.Ptr, n uint32) *cu.Launch {
	values := &struct {
		p uint64
		n uint32
	}{uint64(p), n}
	list := &[2]unsafe.Pointer{unsafe.Pointer(&values.p), unsafe.Pointer(&values.n)}
	return &cu.Launch{Function: b.function(name), Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Stream: b.stream, Params: &list[0]}
}

func TestWorkWaitsUntilSomebodyWaitsForIt(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(8))(b)
	host := b.pinned(8)
	copy(host, "\x01\x00\x00\x00\x02\x00\x00\x00")
	b.ok(b.MemcpyHtoDAsync(p, at(host), 8, b.stream))
	host[0] = 9 // pinned memory is read when the copy runs
	b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 2)))
	out := b.pinned(8)
	b.ok(b.MemcpyDtoHAsync(at(out), p, 8, b.stream))
	if out[0] != 0 {
		t.Error("a copy ran before anybody waited")
	}
	b.ok(b.StreamSynchronize(b.stream))
	if string(out) != "\x0a\x00\x00\x00\x03\x00\x00\x00" {
		t.Errorf("got % x", out)
	}
}

func TestOrdinaryMemoryIsTakenDuringTheCall(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(4))(b)
	src, dst := []byte{1, 0, 0, 0}, make([]byte, 4)
	b.ok(b.MemcpyHtoDAsync(p, at(src), 4, b.stream))
	src[0] = 9
	b.ok(b.MemcpyDtoHAsync(at(dst), p, 4, b.stream))
	if dst[0] != 1 {
		t.Errorf("got % x", dst)
	}
}

func TestArgumentsAreTakenDuringTheLaunch(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(4))(b)
	b.ok(b.MemsetD32Async(p, 5, 1, b.stream))
	l := b.call("addOne", 1, 32, p, 1)
	b.ok(b.LaunchKernel(l))
	*(*uint64)(*l.Params) = 0
	out := make([]byte, 4)
	b.ok(b.MemcpyDtoHAsync(at(out), p, 4, b.stream))
	if out[0] != 6 {
		t.Errorf("got % x", out)
	}
}

func TestStreamsWaitForEvents(t *testing.T) {
	for seed := range uint64(6) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(4))(b)
		other := one(b.StreamCreate(0))(b)
		e := one(b.EventCreate(0))(b)
		b.ok(b.MemsetD32Async(p, 1, 1, b.stream))
		for range 3 {
			b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 1)))
		}
		b.ok(b.EventRecord(e, b.stream))
		b.ok(b.StreamWaitEvent(other, e))
		out := b.pinned(4)
		b.ok(b.MemcpyDtoHAsync(at(out), p, 4, other))
		b.ok(b.StreamSynchronize(other))
		if out[0] != 4 {
			t.Errorf("seed %d: got %d, want 4", seed, out[0])
		}
		if done, err := b.EventQuery(e); !done || err != nil {
			t.Errorf("seed %d: the event has not happened: %v", seed, err)
		}
	}
}

func TestQueriesLetWorkGoOn(t *testing.T) {
	for seed := range uint64(4) {
		b := open(t, cusim.Config{Seed: seed})
		p := one(b.MemAlloc(1 << 16))(b)
		b.ok(b.MemsetD32Async(p, 1, 1<<14, b.stream))
		b.ok(b.LaunchKernel(b.call("addOne", 1<<6, 256, p, 1<<14)))
		e := one(b.EventCreate(0))(b)
		b.ok(b.EventRecord(e, b.stream))
		asked := 0
		for done := false; !done; asked++ {
			done = one(b.EventQuery(e))(b)
			if asked > 10_000 {
				t.Fatal("it never ends")
			}
		}
	}
}

//ci:race OnItsThread
func TestCallNeedsAContextOnItsThread(t *testing.T) {
	b := open(t, cusim.Config{})
	if runtime.GOOS != "linux" {
		t.Skip("threads are told apart on Linux only")
	}
	errs := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_ = b.CtxSetCurrent(0) // the thread may have served another test
		_, err := b.MemAlloc(4)
		errs <- err
	}()
	b.is(<-errs, 201)
}

func TestBadArgumentsAreRefused(t *testing.T) {
	b := open(t, cusim.Config{Memory: 1 << 20})
	p := one(b.MemAlloc(64))(b)
	host := b.pinned(128)
	bad := func(name string, want cu.Result, err error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
	}
	_, err := b.MemAlloc(0)
	bad("no bytes", 1, err)
	_, err = b.MemAlloc(1<<20 - 63)
	bad("more than there is", 2, err)
	bad("free in the middle", 1, b.MemFree(p+8))
	bad("copy across the end", 1, b.MemcpyHtoDAsync(p, at(host), 65, b.stream))
	bad("copy from across the end", 1, b.MemcpyDtoHAsync(at(host), p+60, 8, b.stream))
	bad("fill across the end", 1, b.MemsetD32Async(p, 0, 17, b.stream))
	bad("fill misaligned", 1, b.MemsetD32Async(p+2, 0, 1, b.stream))
	bad("no stream", 400, b.MemsetD8Async(p, 0, 1, 12345))
	bad("no event", 400, b.EventRecord(77, b.stream))
	bad("no function", 400, b.LaunchKernel(&cu.Launch{Function: 3, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}, Stream: b.stream}))
	_, err = b.ModuleGetFunction(b.module, "nothing")
	bad("no such entry", 500, err)
	bad("empty grid", 1, b.LaunchKernel(b.call("addOne", 0, 32, p, 1)))
	bad("empty block", 1, b.LaunchKernel(b.call("addOne", 1, 0, p, 1)))
	bad("large block", 1, b.LaunchKernel(b.call("addOne", 1, 1025, p, 1)))
	tall := b.call("addOne", 1, 32, p, 1)
	tall.Grid[1] = 65536
	bad("tall grid", 1, b.LaunchKernel(tall))
	shared := b.call("roomy", 1, 32, p, 1)
	shared.Shared = 8193
	bad("shared memory without asking", 1, b.LaunchKernel(shared))
	b.ok(b.FuncSetAttribute(shared.Function, cu.FuncMaxDynamicShared, 8193))
	b.ok(b.LaunchKernel(shared))
	bad("more shared memory than there is", 1, b.FuncSetAttribute(shared.Function, cu.FuncMaxDynamicShared, 65536-40960+1))
	bad("more groups than run at once", 720, b.LaunchCooperativeKernel(b.call("addOne", 4*4+1, 256, p, 1)))
	b.ok(b.LaunchCooperativeKernel(b.call("addOne", 4*4, 256, p, 1)))
	bad("pages pinned twice", 712, func() error {
		mem := make([]byte, 100)
		b.ok(b.MemHostRegister(at(mem), 100, 0))
		defer func() { b.ok(b.MemHostUnregister(at(mem))) }()
		return b.MemHostRegister(at(mem), 10, 0)
	}())
	_, err = b.MemHostAlloc(8, 8)
	bad("host memory of no known kind", 1, err)
	bad("pinning of no known kind", 1, b.MemHostRegister(at(make([]byte, 8)), 8, 16))
	_, err = b.StreamCreate(2)
	bad("a stream of no known kind", 1, err)
	_, err = b.EventCreate(8)
	bad("an event of no known kind", 1, err)
	bad("pages never pinned", 713, b.MemHostUnregister(at(host)))
	b.ok(b.StreamSynchronize(b.stream))
}

func TestTextsAreRefusedWithTheirLine(t *testing.T) {
	b := open(t, cusim.Config{Version: 12000})
	for _, c := range []struct {
		name, text string
		want       cu.Result
		says       string
	}{
		{"no zero byte", text, 218, ""},
		{"unknown instruction", ".version 6.3\n.target sm_75\n.entry k() {\nfoo;\n}\x00", 218, "line 4"},
		{"newer than the driver", ".version 8.1\n.target sm_75\n\x00", 222, "8.0"},
		{"for a later device", ".version 7.8\n.target sm_90\n\x00", 209, "sm_90"},
	} {
		var jit cu.JIT
		_, err := b.ModuleLoadDataEx([]byte(c.text), &jit)
		if !errors.Is(err, c.want) || !strings.Contains(jit.Errors, c.says) {
			t.Errorf("%s: got %v and %q, want %v and %q", c.name, err, jit.Errors, c.want, c.says)
		}
	}
}

func TestFaultBreaksTheContextUntilItIsGone(t *testing.T) {
	b := open(t, cusim.Config{Recovers: true})
	p := one(b.MemAlloc(4))(b)
	b.ok(b.LaunchKernel(b.call("crash", 1, 1, p, 1)))
	err := b.StreamSynchronize(b.stream)
	b.is(err, 700)
	var fault *machine.Fault
	if !errors.As(err, &fault) || fault.Kernel != "crash" || fault.Line != 25 || fault.Kind != machine.IllegalAddress {
		t.Errorf("the error says %v", err)
	}
	_, err = b.MemAlloc(4)
	b.is(err, 700)
	b.ok(b.DevicePrimaryCtxRelease(0))
	if left := b.Left(); left != "" {
		t.Errorf("left after the context: %s", left)
	}
	b.ok(b.CtxSetCurrent(one(b.DevicePrimaryCtxRetain(0))(b)))
	one(b.MemAlloc(4))(b)
}

func TestFaultLastsAsLongAsTheProcess(t *testing.T) {
	for _, kernel := range []string{"crash", "wait"} {
		b := open(t, cusim.Config{Budget: 10_000})
		p := one(b.MemAlloc(4))(b)
		b.ok(b.MemsetD8Async(p, 0, 4, b.stream))
		b.ok(b.LaunchKernel(b.call(kernel, 1, 1, p, 1)))
		var call *cu.CallError
		if err := b.StreamSynchronize(b.stream); !errors.As(err, &call) {
			t.Fatalf("%s: got %v", kernel, err)
		}
		b.ok(b.DevicePrimaryCtxRelease(0))
		_, err := b.DevicePrimaryCtxRetain(0)
		b.is(err, call.Result)
		b.ok(b.DevicePrimaryCtxReset(0))
		_, err = b.DevicePrimaryCtxRetain(0)
		b.is(err, call.Result)
		b.Heal()
		one(b.DevicePrimaryCtxRetain(0))(b)
		b.ok(b.DevicePrimaryCtxRelease(0))
	}
}

func TestEndlessKernelTimesOut(t *testing.T) {
	b := open(t, cusim.Config{Budget: 10_000})
	p := one(b.MemAlloc(4))(b)
	b.ok(b.MemsetD8Async(p, 0, 4, b.stream))
	b.ok(b.LaunchKernel(b.call("wait", 1, 1, p, 1)))
	b.is(b.StreamSynchronize(b.stream), 702)
}

// A kernel may wait for another one's store: both streams go on.
func TestKernelsOfTwoStreamsRunAtOnce(t *testing.T) {
	b := open(t, cusim.Config{Seed: 3})
	p := one(b.MemAlloc(4))(b)
	b.ok(b.MemsetD8Async(p, 0, 4, b.stream))
	b.ok(b.StreamSynchronize(b.stream))
	b.ok(b.LaunchKernel(b.call("wait", 1, 1, p, 1)))
	other := b.call("addOne", 1, 1, p, 1)
	other.Stream = one(b.StreamCreate(0))(b)
	b.ok(b.LaunchKernel(other))
	b.ok(b.StreamSynchronize(b.stream))
}

func TestUndefinedReadsAreReported(t *testing.T) {
	for _, strict := range []bool{false, true} {
		b := open(t, cusim.Config{Strict: strict})
		p := one(b.MemAlloc(4))(b)
		b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 1)))
		err := b.StreamSynchronize(b.stream)
		if strict {
			b.is(err, 719)
		} else {
			b.ok(err)
		}
		r := b.Report()
		if len(r.Findings) != 1 || r.Findings[0].Kernel != "addOne" || r.Findings[0].Line != 16 {
			t.Errorf("found %v", r.Findings)
		}
	}
}

func TestMemoryIsAccountedToTheByte(t *testing.T) {
	b := open(t, cusim.Config{Memory: 1000})
	free := func() int64 { n, _, err := b.MemGetInfo(); b.ok(err); return n }
	if free() != 1000 {
		t.Fatalf("%d bytes are free", free())
	}
	p := one(b.MemAlloc(999))(b)
	if free() != 1 {
		t.Errorf("%d bytes are free", free())
	}
	b.ok(b.MemFree(p))
	if free() != 1000 {
		t.Errorf("%d bytes are free", free())
	}
}

func TestTimeIsVirtual(t *testing.T) {
	var times []float32
	for range 2 {
		b := open(t, cusim.Config{})
		p := one(b.MemAlloc(1 << 20))(b)
		from, to := one(b.EventCreate(0))(b), one(b.EventCreate(0))(b)
		b.ok(b.EventRecord(from, b.stream))
		b.ok(b.MemsetD8Async(p, 0, 1<<20, b.stream))
		b.ok(b.LaunchKernel(b.call("addOne", 16, 256, p, 4096)))
		b.ok(b.EventRecord(to, b.stream))
		_, err := b.EventElapsedTime(from, to)
		b.is(err, cu.NotReady)
		b.ok(b.StreamSynchronize(b.stream))
		times = append(times, one(b.EventElapsedTime(from, to))(b))
	}
	if times[0] != times[1] || times[0] <= 0.002 || times[0] > 1 || math.IsNaN(float64(times[0])) {
		t.Errorf("two equal runs took %v ms", times)
	}
}

func TestChosenCallFails(t *testing.T) {
	b := open(t, cusim.Config{Faults: cusim.Faults{{Call: "cuMemAlloc_v2", Nth: 2, Result: 2}, {Call: "cuMemFree_v2", Nth: 1, Result: 1, After: true}}})
	p := one(b.MemAlloc(16))(b)
	_, err := b.MemAlloc(16)
	b.is(err, 2)
	q := one(b.MemAlloc(16))(b)
	b.is(b.MemFree(p), 1)
	b.is(b.MemFree(p), 1) // the first one did its work
	b.ok(b.MemFree(q))
	if left := b.Left(); strings.Contains(left, "allocations") {
		t.Errorf("left: %s", left)
	}
}

func TestEachCallFailsOnce(t *testing.T) {
	var calls []string
	for a := range cusim.EachCall(cusim.Config{}, 1, 1, func(d *cusim.Driver) error {
		if err := d.Init(); err != nil {
			return err
		}
		_, err := d.DeviceGetCount()
		return err
	}, 1, 100) {
		if !errors.Is(a.Err, a.Result) {
			t.Errorf("%s with %v gives %v", a.Call, a.Result, a.Err)
		}
		calls = append(calls, a.Call)
	}
	if got := strings.Join(calls, " "); got != "cuInit cuInit cuDeviceGetCount cuDeviceGetCount" {
		t.Errorf("failed: %s", got)
	}
}

func TestEachCallTakesThoseFromTheFirstOn(t *testing.T) {
	five := func(d *cusim.Driver) error {
		for range 5 {
			if err := d.Init(); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range []struct {
		first, every int
		want         []int
	}{{1, 1, []int{1, 2, 3, 4, 5}}, {1, 2, []int{1, 3, 5}}, {2, 2, []int{2, 4}}, {3, 3, []int{3}}, {6, 1, []int{1, 2, 3, 4, 5}}, {7, 3, []int{2, 5}}} {
		var failed []int
		for a := range cusim.EachCall(cusim.Config{}, c.first, c.every, five, 1) {
			failed = append(failed, a.Nth)
		}
		if !slices.Equal(failed, c.want) {
			t.Errorf("from %d, every %d: the calls %v failed, want %v", c.first, c.every, failed, c.want)
		}
	}
}

func TestWarmWorkAllocatesNothing(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(4096))(b)
	host := b.pinned(4096)
	e := one(b.EventCreate(0))(b)
	l := b.call("addOne", 4, 256, p, 1024)
	n := testing.AllocsPerRun(20, func() {
		b.ok(b.MemcpyHtoDAsync(p, at(host), 4096, b.stream))
		b.ok(b.LaunchKernel(l))
		b.ok(b.MemcpyDtoHAsync(at(host), p, 4096, b.stream))
		b.ok(b.EventRecord(e, b.stream))
		b.ok(b.StreamSynchronize(b.stream))
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	if got := binary.LittleEndian.Uint32(host); got != 21 {
		t.Errorf("got %d, want 21", got)
	}
}

func TestBoundsAreThoseOfWhatIsInUse(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int64
		says  string
	}{
		{"after the end", 8, `0 bytes after the end of "edges", 8 bytes`},
		{"in nobody's memory", 0, "nobody uses now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, cusim.Config{})
			p := one(b.MemAlloc(512))(b)
			b.ok(b.MemsetD8Async(p, 0, 512, b.stream))
			b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 3)))
			b.ok(b.StreamSynchronize(b.stream))
			b.Watch(p, c.bytes, "edges")
			if c.bytes > 0 {
				b.ok(b.MemsetD8Async(p, 0, c.bytes, b.stream))
			}
			b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 3)))
			err := b.StreamSynchronize(b.stream)
			b.is(err, 700)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v", err)
			}
		})
	}
}

func TestFaultsSayWhatTheLineWasMadeFrom(t *testing.T) {
	b := open(t, cusim.Config{})
	b.Locate(b.module, func(line int) string { return fmt.Sprintf("k.go:%d", 100+line) })
	b.ok(b.LaunchKernel(b.call("crash", 1, 1, 0, 1)))
	if err := b.StreamSynchronize(b.stream); err == nil || !strings.Contains(err.Error(), "line 25 (st.global.u64), from k.go:125") {
		t.Errorf("it says %v", err)
	}
}

func TestMemoryInUseAnewIsUndefined(t *testing.T) {
	b := open(t, cusim.Config{})
	p := one(b.MemAlloc(512))(b)
	b.ok(b.MemsetD8Async(p, 0, 512, b.stream))
	b.ok(b.StreamSynchronize(b.stream))
	b.Watch(p, 100, "nodes")
	b.ok(b.LaunchKernel(b.call("addOne", 1, 32, p, 3)))
	b.ok(b.StreamSynchronize(b.stream))
	if r := b.Report(); len(r.Findings) != 1 || r.Findings[0].Kind != machine.UndefinedMemory {
		t.Errorf("found %v", r.Findings)
	}
}

func TestFetchesOfWhatNothingWroteAreFound(t *testing.T) {
	for _, c := range []struct {
		name    string
		fetches bool
		written int64
		found   int
	}{
		{"all of it is written", true, 64, 0}, {"some is not", true, 60, 1}, {"nobody asks", false, 60, 0},
	} {
		b := open(t, cusim.Config{Fetches: c.fetches})
		p, host := one(b.MemAlloc(512))(b), make([]byte, 64)
		b.ok(b.MemsetD8Async(p, 0, c.written, b.stream))
		b.ok(b.MemcpyDtoHAsync(unsafe.Pointer(&host[0]), p, 64, b.stream))
		b.ok(b.StreamSynchronize(b.stream))
		if r := b.Report(); len(r.Findings) != c.found {
			t.Errorf("%s: found %v", c.name, r.Findings)
		}
	}
}

func TestStickyFaultBreaksTheContextWhateverItsResult(t *testing.T) {
	b := open(t, cusim.Config{Faults: cusim.Faults{{Call: "cuMemAlloc_v2", Nth: 1, Result: 999, Sticky: true}}})
	_, err := b.MemAlloc(16)
	b.is(err, 999)
	_, err = b.MemAlloc(16)
	b.is(err, 999)
	b.is(b.StreamSynchronize(b.stream), 999)
}

func TestAddressesTellTheirAllocations(t *testing.T) {
	b := open(t, cusim.Config{Models: []cusim.Model{cusim.Hopper, cusim.Ampere}})
	expect := func(what string, p cu.Ptr, want cu.Pointee) {
		t.Helper()
		if got := one(b.PointerGetAttributes(p))(b); got != want {
			t.Errorf("%s is %+v, want %+v", what, got, want)
		}
	}
	p := one(b.MemAlloc(1000))(b)
	b.Watch(p, 10, "x") // what is in use of it does not matter
	whole := cu.Pointee{Memory: cu.DeviceMemory, Context: b.Current(), Base: p, Bytes: 1000}
	expect("the start", p, whole)
	expect("the last byte", p+999, whole)
	none := cu.Pointee{Device: -2}
	expect("what is after it", p+1000, none)
	expect("a small number", 16, none)
	b.ok(b.MemFree(p))
	expect("freed memory", p, none)

	pool := one(b.MemPoolCreate(0))(b)
	q := one(b.MemAllocFromPoolAsync(64, pool, b.stream))(b)
	expect("memory of a pool that is to come", q, cu.Pointee{Memory: cu.DeviceMemory, Base: q, Bytes: 64})
	b.ok(b.MemFreeAsync(q, b.stream))
	b.ok(b.StreamSynchronize(b.stream))
	b.ok(b.MemPoolDestroy(pool))

	host := b.mapped(4096)
	at := at(host)
	expect("pinned memory", cu.Ptr(uintptr(at))+5, cu.Pointee{Memory: cu.HostMemory, Base: cu.Ptr(uintptr(at)), Bytes: 4096})
	onDevice := one(b.MemHostGetDevicePointer(at))(b)
	expect("pinned memory by its device address", onDevice, cu.Pointee{Memory: cu.HostMemory, Context: b.Current(), Base: onDevice, Bytes: 4096})
}
