//go:build !vyre_nocuda && (amd64 || arm64)

package cu_test

import (
	"bytes"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/testing/needs"
)

// ofC is the address of a function of the C library.
func ofC(t testing.TB, name string) uintptr {
	t.Helper()
	libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	needs.CLibrary(t, err)
	addr, err := purego.Dlsym(libc, name)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// A driver of which every function is C's abs: with 0 as its first argument it succeeds.
func TestWarmCallsAllocateNothing(t *testing.T) {
	abs := ofC(t, "abs")
	d := cu.Simple(abs)
	value := new(uint64)
	params := &[1]unsafe.Pointer{unsafe.Pointer(value)}
	l := &cu.Launch{Params: &params[0]}
	many := slices.Repeat([]*cu.Launch{l}, 60)
	c := &cu.Copy{SrcHost: unsafe.Pointer(value), Bytes: 8}
	for _, call := range []struct {
		name string
		run  func() error
	}{
		{"launch", func() error { return d.LaunchKernel(l) }},
		{"launches", func() error { _, err := d.LaunchKernels(many); return err }},
		{"cooperative launch", func() error { return d.LaunchCooperativeKernel(l) }},
		{"upload", func() error { return d.MemcpyHtoDAsync(0, unsafe.Pointer(value), 8, 0) }},
		{"copy", func() error { return d.MemcpyDtoDAsync(0, 0, 8, 0) }},
		{"fill", func() error { return d.MemsetD32Async(0, 0, 8, 0) }},
		{"graph launch", func() error { return d.GraphLaunch(0, 0) }},
		{"graph run", func() error { _, err := d.GraphRun(&cu.GraphRun{}); return err }},
		{"value write", func() error { return d.StreamWriteValue32(0, 0, 1) }},
		{"event record", func() error { return d.EventRecord(0, 0) }},
		{"event query", func() error { _, err := d.EventQuery(0); return err }},
		{"stream query", func() error { _, err := d.StreamQuery(0); return err }},
		{"set context", func() error { return d.CtxSetCurrent(0) }},
		{"kernel update", func() error { return d.GraphExecKernelNodeSetParams(0, 0, l) }},
		{"copy update", func() error { return d.GraphExecMemcpyNodeSetParams(0, 0, c) }},
		{"free", func() error { return d.MemFreeAsync(0, 0) }},
	} {
		if n := testing.AllocsPerRun(50, func() {
			if err := call.run(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", call.name, n)
		}
	}
}

// A driver of which every function is C's abs: it refuses what does not begin with 0.
func TestCallsMadeTogetherSayWhichWasRefused(t *testing.T) {
	abs := ofC(t, "abs")
	d := cu.Simple(abs)
	check := func(what string, made int, err error, want int, call string) {
		t.Helper()
		e, _ := err.(*cu.CallError)
		if made != want || (call == "") != (err == nil) || e != nil && (e.Call != call || e.Result != 7) {
			t.Errorf("%s: %d calls, then %v; want %d, then %s", what, made, err, want, call)
		}
	}
	for i, call := range []string{"cuCtxSetCurrent", "cuGraphLaunch", "cuStreamWriteValue32_v2", ""} {
		g := &cu.GraphRun{Context: cu.Context(7 * b2i(i == 0)), Exec: cu.GraphExec(7 * b2i(i == 1)), Stream: cu.Stream(7 * b2i(i == 2))}
		made, err := d.GraphRun(g)
		check("a run", made, err, i, call)
	}
	for _, refused := range []int{0, 1, 63, 64, 65, 130, 200} {
		list := make([]*cu.Launch, 150)
		for i := range list {
			list[i] = &cu.Launch{Function: cu.Function(7 * b2i(i == refused)), Params: new(unsafe.Pointer)}
		}
		started, err := d.LaunchKernels(list)
		call := "cuLaunchKernel"
		if refused >= len(list) {
			call = ""
		}
		check("launches", started, err, min(refused, len(list)), call)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// BenchmarkLaunches measures what a launch takes on our side: C's abs does nothing for it.
func BenchmarkLaunches(b *testing.B) {
	abs := ofC(b, "abs")
	d := cu.Simple(abs)
	list := make([]*cu.Launch, 64)
	for i := range list {
		list[i] = &cu.Launch{Params: new(unsafe.Pointer)}
	}
	b.Run("one by one", func(b *testing.B) {
		for i := range b.N {
			if err := d.LaunchKernel(list[i%len(list)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("together", func(b *testing.B) {
		for n := b.N; n > 0; n -= len(list) {
			if _, err := d.LaunchKernels(list[:min(n, len(list))]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// snprintf has any number of arguments and returns what it would have written: none of an empty form, which is
// success.
func TestManyCallsPassAllTheirArguments(t *testing.T) {
	snprintf := ofC(t, "snprintf")
	var pins runtime.Pinner
	defer pins.Unpin()
	at := func(b []byte) uintptr {
		pins.Pin(&b[0])
		return uintptr(unsafe.Pointer(&b[0]))
	}
	const n = 5
	form, none := at([]byte("%ld %ld %ld %ld %ld %ld %ld %ld\x00")), at([]byte{0})
	texts := make([][]byte, n)
	calls := make([][12]uintptr, n)
	for i := range calls {
		texts[i] = slices.Repeat([]byte{'-'}, 80)
		calls[i] = [12]uintptr{snprintf, at(texts[i]), uintptr(len(texts[i])), none, 1, 1 << 40, 3, 4, 5, 6, 7, uintptr(i)}
	}
	if made, res := cu.CallAll(calls); made != n || res != 0 {
		t.Errorf("%d calls, the last returned %d; want all %d", made, res, n)
	}
	for i, text := range texts {
		if text[0] != 0 {
			t.Errorf("call %d was not made", i)
		}
	}
	calls[3][3] = form
	texts[4][0] = '-'
	if made, res := cu.CallAll(calls); made != 3 || res != 27 {
		t.Errorf("%d calls, the last returned %d; want 3, and 27 characters of the fourth", made, res)
	}
	if got, _, _ := bytes.Cut(texts[3], []byte{0}); string(got) != "1 1099511627776 3 4 5 6 7 3" {
		t.Errorf("wrote %q", got)
	}
	if texts[4][0] != '-' {
		t.Error("the call after the one that failed was made")
	}
	if made, res := cu.CallAll(nil); made != 0 || res != 0 {
		t.Errorf("no calls: %d, %d", made, res)
	}
}

// words are n words at p, which the calls under test keep alive.
func words(p unsafe.Pointer, n int) []uint64 { return unsafe.Slice((*uint64)(p), n) }

func TestWhileNodeReturnsItsBody(t *testing.T) {
	bodies := [1]uint64{0xB0D7}
	var got []uint64
	add := purego.NewCallback(func(node unsafe.Pointer, graph uintptr, deps unsafe.Pointer, n uintptr, params unsafe.Pointer) uintptr {
		words(node, 1)[0] = 0x70DE
		p := words(params, 32)
		got = append([]uint64{uint64(graph), uint64(n), words(deps, 2)[1]}, p...)
		p[4] = uint64(uintptr(unsafe.Pointer(&bodies)))
		return 0
	})
	node, body, err := cu.With("cuGraphAddNode", add).GraphAddWhileNode(5, []cu.GraphNode{8, 9}, 0x1234, 0xC)
	if err != nil || node != 0x70DE || body != 0xB0D7 {
		t.Fatalf("got node %#x, body %#x, %v", node, body, err)
	}
	// Graph, dependencies, the second one; then type 13, and at byte 16 the handle, 1 for while and one body.
	for i, want := range map[int]uint64{0: 5, 1: 2, 2: 9, 3: 13, 5: 0x1234, 6: 1<<32 | 1, 8: 0xC} {
		if got[i] != want {
			t.Errorf("word %d is %#x, want %#x", i, got[i], want)
		}
	}
}

// The version of the function that is called knows no other flag than none.
func TestStoreOfAStreamHasNoFlags(t *testing.T) {
	var got [4]uintptr
	write := purego.NewCallback(func(stream, at, value, flags uintptr) uintptr {
		got = [4]uintptr{stream, at, value, flags}
		return 0
	})
	if err := cu.With("cuStreamWriteValue32_v2", write).StreamWriteValue32(5, 0x7f00, 9); err != nil {
		t.Fatal(err)
	}
	if want := [4]uintptr{5, 0x7f00, 9, 0}; got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

func TestKernelNodeIsDescribed(t *testing.T) {
	var got [9]uint64
	add := purego.NewCallback(func(node unsafe.Pointer, graph uintptr, deps unsafe.Pointer, n uintptr, params unsafe.Pointer) uintptr {
		copy(got[:], words(params, 9))
		return 0
	})
	value := new(uint64)
	params := &[1]unsafe.Pointer{unsafe.Pointer(value)}
	l := &cu.Launch{Function: 0xF, Grid: [3]uint32{1, 2, 3}, Block: [3]uint32{4, 5, 6}, Shared: 7, Params: &params[0]}
	if _, err := cu.With("cuGraphAddKernelNode_v2", add).GraphAddKernelNode(1, nil, l); err != nil {
		t.Fatal(err)
	}
	if want := [9]uint64{0xF, 2<<32 | 1, 4<<32 | 3, 6<<32 | 5, 7, uint64(uintptr(unsafe.Pointer(&params[0])))}; got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

func TestLogsOfALinkStayWithItUntilItEnds(t *testing.T) {
	var log unsafe.Pointer
	create := purego.NewCallback(func(n uintptr, options, values, out unsafe.Pointer) uintptr {
		log = unsafe.Slice((*unsafe.Pointer)(values), 3)[2] // the third option is the log of errors
		words(out, 1)[0] = 3
		return 0
	})
	jit := &cu.JIT{}
	d := cu.With("cuLinkCreate_v2", create)
	s, err := d.LinkCreate(jit)
	if err != nil || s != 3 {
		t.Fatal(s, err)
	}
	words(log, 1)[0] = uint64('b') | uint64('a')<<8 | uint64('d')<<16
	if err := d.LinkAddData(s, []byte{0}, "x"); err == nil || jit.Errors != "bad" {
		t.Errorf("the log says %q, the call %v", jit.Errors, err)
	}
}

func TestCallThatTheLibraryLacksSaysSo(t *testing.T) {
	if err := cu.Simple(0).FuncLoad(1); err == nil {
		t.Error("it did something")
	}
}

func TestPointerAttributesFillThePointee(t *testing.T) {
	var asked [5]uint32
	tell := purego.NewCallback(func(n uintptr, attributes, data unsafe.Pointer, at uintptr) uintptr {
		copy(asked[:], unsafe.Slice((*uint32)(attributes), n))
		places := unsafe.Slice((*unsafe.Pointer)(data), n)
		*(*uint64)(places[0]), *(*uint64)(places[3]), *(*uint64)(places[4]) = 0xC0, uint64(at)-8, 1<<33
		*(*uint32)(places[1]), *(*int32)(places[2]) = 2, -2 // of which the driver writes half a word
		return 0
	})
	got, err := cu.With("cuPointerGetAttributes", tell).PointerGetAttributes(0x7000_0000_0108)
	if err != nil {
		t.Fatal(err)
	}
	if want := (cu.Pointee{Memory: cu.DeviceMemory, Device: -2, Context: 0xC0, Base: 0x7000_0000_0100, Bytes: 1 << 33}); got != want || asked != [5]uint32{1, 2, 9, 11, 12} {
		t.Errorf("got %+v for attributes %v, want %+v", got, asked, want)
	}
}
