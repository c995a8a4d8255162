package cuda_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/driver/cuda/cu"
	"github.com/govyre/vyre/ir"
)

// session does a bit of everything and checks the bytes. The device is closed in any case.
func session(f *fake, p *ir.Program) (err error) {
	d, err := cuda.Open(cuda.Options{Driver: f, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	d.OnEmit(f.watch)
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		return err
	}
	b, err := d.Alloc(128, driver.AllocOptions{Label: "b"})
	if err != nil {
		return err
	}
	host, err := d.AllocHost(128)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, host.Close()) }()
	s := d.NewSequence("session")
	src, dst := bytes.Repeat([]byte{1, 0, 0, 0}, 32), host.Bytes()
	s.Upload(driver.All(b), src, driver.IfChanged)
	s.Repeat(2, func() { s.Launch(k, driver.Groups(1), driver.All(b)) })
	s.Read(driver.All(b), dst)
	want := bytes.Repeat([]byte{3, 0, 0, 0}, 32)
	if _, err := s.Run(ctx); err != nil {
		return err
	}
	if !bytes.Equal(dst, want) {
		return fmt.Errorf("run gave % x", dst[:8])
	}
	g, err := s.Capture(driver.CaptureOptions{})
	if err != nil {
		return err
	}
	if _, err := g.Run(ctx); err != nil {
		return err
	}
	if !bytes.Equal(dst, want) {
		return fmt.Errorf("replay gave % x", dst[:8])
	}
	return errors.Join(g.Close(), s.Close(), b.Close(), k.Close())
}

// Whatever call fails, in whatever way: the error says which, nothing is left, and the next
// session works.
func TestAnyCallMayFail(t *testing.T) {
	p := parse(t, addOne)
	clean := newFake()
	if err := session(clean, p); err != nil {
		t.Fatal(err)
	}
	for _, result := range []cu.Result{cu.OutOfMemory, 1, 719} {
		for n := 1; n <= len(clean.calls)+2; n++ {
			f := newFake()
			f.failAt, f.failWith = n, result
			err := session(f, p)
			at := fmt.Sprintf("call %d, %s, with %v", n, f.calls[min(n, len(f.calls))-1], result)
			var e *driver.Error
			if err != nil && (!errors.As(err, &e) || e.Call == "" && e.Kind != driver.DeviceLost) {
				t.Errorf("%s: the error names no call: %v", at, err)
			}
			if left := f.left(); left != "" && !(n <= len(f.calls) && gives(f.calls[n-1])) {
				t.Errorf("%s: %s left behind after %v", at, left, err)
			}
			f.failAt = 0
			if err := session(f, p); err != nil {
				t.Errorf("%s: the next session fails: %v", at, err)
			}
		}
	}
}

// gives reports whether a call gives something back: if it fails, the driver keeps it.
func gives(call string) bool {
	switch call {
	case "cuMemFree_v2", "cuMemFreeHost", "cuModuleUnload", "cuStreamDestroy_v2", "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2":
		return true
	}
	return false
}
