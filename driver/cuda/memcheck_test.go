package cuda_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
)

// scribble writes a byte of device memory behind the device's back.
func scribble(t *testing.T, sim *cusim.Driver, at uint64, v uint8) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c, err := sim.DevicePrimaryCtxRetain(0)
	err = errors.Join(err, sim.CtxSetCurrent(c), sim.MemsetD8Async(cu.Ptr(at), v, 1, 0), sim.StreamSynchronize(0), sim.DevicePrimaryCtxRelease(0))
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemcheckFindsWritesOutsideOfBuffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		buffer int // 0 is used by the run, 1 was closed
		offset int64
		says   string
	}{
		{"nothing", 0, 5, ""},
		{"just behind", 0, 100, `byte 100 of buffer "b" of 100 bytes was written, with 0x07`},
		{"last guarded byte", 0, 355, `byte 355 of buffer "b" of 100 bytes`},
		{"just in front", 0, -1, `1 bytes in front of buffer "b"`},
		{"first guarded byte", 0, -256, `256 bytes in front of buffer "b"`},
		{"freed", 1, 99_999, "free memory at"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sim := cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}})
			d, err := cuda.Open(cuda.Options{Driver: sim, OpenOptions: driver.OpenOptions{Debug: "memcheck"}})
			if err != nil {
				t.Fatal(err)
			}
			b, gone := alloc(t, d, 100), alloc(t, d, 100_000)
			var at [2]uint64
			at[0], _ = b.Address()
			at[1], _ = gone.Address()
			closed(t, gone)
			s := d.NewSequence("checked")
			dst := make([]byte, 100)
			s.Fill(driver.All(b), 3, 1)
			s.Read(driver.All(b), dst)
			run(t, s)
			scribble(t, sim, at[c.buffer]+uint64(c.offset), 7)
			_, err = s.Run(ctx)
			if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, driver.DeviceFault) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("the run gives %v, want one that says %q", err, c.says)
			}
			run(t, s) // it is found once
			if dst[0] != 3 || dst[99] != 3 {
				t.Errorf("got % x", dst)
			}
			booksAre(t, d, books{live: 100, reserved: 1024, idle: 106_496})
			closed(t, d)
			booksAre(t, d, books{})
			if left := sim.Left(); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestMemcheckMakesUndefinedMemoryLookUndefined(t *testing.T) {
	d := opened(t, cusim.Config{}, driver.OpenOptions{Debug: "memcheck"})
	b, dst := alloc(t, d, 64), make([]byte, 64)
	s := d.NewSequence("undefined")
	s.Read(driver.All(b), dst)
	run(t, s)
	for _, v := range dst {
		if v != 0xA5 {
			t.Fatalf("got % x", dst)
		}
	}
}
