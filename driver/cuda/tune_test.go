package cuda_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/faults"
	"github.com/govyre/vyre/internal/testing/long"
)

// addNarrow is addOne in groups of four: a quarter of a warp's eighth.
const addNarrow = `vyre 1
kernel @add_narrow workgroup(4) {
  param @x: buf<u32> rw
  %i = global.x
  %v = load @x[%i]
  %w = add.u32 %v, 1_u32
  store @x[%i], %w
}`

// TestTuningByAnExactClock: the simulated driver charges each warp, so that groups of four take eight times as long.
// Another process with the same store takes the choice and measures nothing.
func TestTuningByAnExactClock(t *testing.T) {
	const n = 2048
	o := driver.OpenOptions{CacheDir: t.TempDir()}
	p := parse(t, addNarrow)
	var tuned [2]driver.Tuning
	for i := range tuned {
		d := onExact(t, cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), o)
		b := alloc(t, d, 4*n)
		var err error
		if tuned[i], err = driver.Tune(ctx, d, p, driver.Options{Items: n}, driver.All(b)); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := fmt.Sprint(tuned[0]), fmt.Sprint(tuned[1]); a != b {
		t.Errorf("first\n%s, then\n%s", a, b)
	}
	first := tuned[0]
	if len(first.Candidates) != 4 || first.Candidates[0].Workgroup[0] != 4 || first.Workgroup[0] < 32 || first.Candidates[0].Median <= first.Candidates[1].Median {
		t.Errorf("of %v the choice is %v", first.Candidates, first.Workgroup)
	}
	d := onExact(t, cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), o)
	k, err := d.Compile(ctx, p, driver.Options{Workgroup: driver.AutoWorkgroup, Items: n})
	if err != nil || k.Workgroup() != first.Workgroup {
		t.Fatalf("%v, want a kernel of %v", err, first.Workgroup)
	}
	if st := d.Stats(); st.Get(metric.CompilesFresh)+st.Get(metric.CompilesDisk) != 1 {
		t.Error("more is compiled than the choice")
	}
}

// onExact opens a device whose clock is known to be exact.
func onExact(t *testing.T, drv cu.Driver, o driver.OpenOptions) *cuda.Device {
	t.Helper()
	d, err := cuda.Open(cuda.Options{Driver: drv, OpenOptions: o, Simulated: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	return d
}

// TestNoFaultBreaksTuning: whatever call fails, the buffer has its contents if the device works, the store holds a
// whole decision or none, and tuning again works, on the same device too.
func TestNoFaultBreaksTuning(t *testing.T) {
	p, dir := parse(t, addNarrow), t.TempDir()
	tune := func(ctx context.Context, d *cuda.Device, b driver.Buffer) error {
		got, err := driver.Tune(ctx, d, p, driver.Options{Items: 64}, driver.All(b))
		if d.Err() != nil {
			return err
		}
		left := make([]byte, 256)
		if e := driver.ReadInto(ctx, driver.All(b), left); e != nil {
			return errors.Join(err, e)
		}
		for i := range 64 {
			if v := binary.LittleEndian.Uint32(left[4*i:]); v != 7 && !gaveUp(err) {
				return fmt.Errorf("%w: word %d is %d after %w", faults.ErrWrong, i, v, err)
			}
		}
		if err == nil && got.File == "" {
			return fmt.Errorf("%w: nothing is kept", faults.ErrWrong)
		}
		return err
	}
	session := func(drv *cusim.Driver) (err error) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		d, err := cuda.Open(cuda.Options{Driver: drv, Simulated: true, OpenOptions: driver.OpenOptions{CloseTimeout: time.Second, CacheDir: dir}})
		if err != nil {
			return err
		}
		defer func() {
			if n := d.Stats().Get(metric.CacheCorrupt); n > 0 {
				err = errors.Join(err, fmt.Errorf("%w: %d files are damaged", faults.ErrWrong, n))
			}
			err = errors.Join(err, d.Close())
		}()
		b, err := d.Alloc(256, driver.AllocOptions{})
		if err != nil {
			return err
		}
		words := make([]byte, 256)
		for i := range 64 {
			words[4*i] = 7
		}
		if err := driver.Write(ctx, driver.All(b), words); err != nil {
			return err
		}
		return faults.Twice(ctx, func() error { return tune(ctx, d, b) })
	}
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, long.Count(61, 3, 1), session, 719, cu.OutOfMemory)
	t.Logf("%d attempts", n)
	if files, err := os.ReadDir(dir + "/tune"); err != nil || len(files) == 0 {
		t.Errorf("nothing is kept: %v", err)
	}
}

// gaveUp reports whether giving back the contents failed too: one fault that is seen by two calls.
func gaveUp(err error) bool {
	return errors.Is(err, driver.DeviceLost) || errors.Is(err, driver.DeviceFault)
}

// TestNoFaultBreaksCosts: they are measured at the next request, and nothing is left.
func TestNoFaultBreaksCosts(t *testing.T) {
	session := faults.OnDevice(func(ctx context.Context, dev driver.Device) error {
		return faults.Twice(ctx, func() error {
			c, err := dev.Costs(ctx)
			if err == nil && c.LaunchRead <= 0 {
				return fmt.Errorf("%w: costs are %+v", faults.ErrWrong, c)
			}
			return err
		})
	})
	n := faults.EachCall(t, cusim.Config{Models: []cusim.Model{cusim.Tiny}}, long.Count(307, 7, 1), session, 719, cu.OutOfMemory)
	t.Logf("%d attempts", n)
}
