package cuda_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// TestGPUTakesTurnsWithAnotherLibrary: kernels of vyre and calls of the driver work on the same memory, in turns that the GPU waits for,
// and addresses that cannot be borrowed are refused.
func TestGPUTakesTurnsWithAnotherLibrary(t *testing.T) {
	d := gpu(t)
	l, err := newLibrary(library(t), d.Caps().Ordinal)
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err != nil {
		t.Fatal(err)
	}
	add := compiled(t, d, parse(t, strings.ReplaceAll(noted, "  trace %v, #3\n", "")))
	turns := driver.Turns{Stream: uintptr(l.stream)}
	x, err := driver.Borrow(d, l.foreign(turns))
	if err != nil {
		t.Fatal(err)
	}
	y := alloc(t, d, 128)
	loan, err := driver.Lend(y, turns)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 200
	for i := range rounds {
		set := func() error { return l.do(func() error { return l.set(1) }) }
		if err := set(); err != nil {
			t.Fatal(err)
		}
		gotX, gotY, err := there(d, l, add, x, y, cu.Ptr(loan.Address))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(gotX, words(32, 101)) || !bytes.Equal(gotY, words(32, 2)) {
			t.Fatalf("round %d: x is %v, y is %v", i, gotX[0], gotY[0])
		}
	}
	closeAll(t, loan, x, y, add)

	var freed cu.Ptr
	var host unsafe.Pointer
	if err := l.do(
		func() (err error) { freed, err = l.MemAlloc(64 << 20); return err },
		func() error { return l.MemFree(freed) },
		func() (err error) { host, err = l.MemHostAlloc(128, 0); return err }); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, f := range []driver.Foreign{
		{Address: uint64(l.x), Bytes: 1 << 30}, {Address: uint64(freed), Bytes: 128}, {Address: uint64(uintptr(host)), Bytes: 128},
		{Address: uint64(l.x), Bytes: 128, Turns: driver.Turns{Stream: 2}},
	} {
		b, err := driver.Borrow(d, f)
		if !errors.Is(err, driver.InvalidArgument) {
			t.Errorf("%d bytes at %#x: got %v", f.Bytes, f.Address, err)
		}
		if err == nil {
			closeAll(t, b)
		} else {
			refused++
		}
	}
	if err := l.do(func() error { return l.MemFreeHost(host) }); err != nil {
		t.Error(err)
	}
	total(t, "borrow", "rounds=%d refused=%d", rounds, refused)
}
