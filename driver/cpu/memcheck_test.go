package cpu_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/kernel"
)

const reckless = `package k

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=64
func K(t gpu.Thread, x, y []uint32, at uint32) {
	i := t.Global().X
	y[i+at] = 1
	if i < uint32(len(x)) {
		y[i] += x[i]
	}
	if i == 3 {
		gpu.AtomicAdd(&x[i+at], 1)
	}
}
`

// A slice that is nil or shorter than the grid covers gives no error and wrong numbers; with memcheck the run says which.
// The class is all kinds of access: stores, loads, atomics, of buffers that hold less than the grid covers or nothing.
func TestMemcheckNamesWhatIsTooShort(t *testing.T) {
	d := open(t, cpu.Options{OpenOptions: driver.OpenOptions{Debug: "memcheck"}})
	p, err := kernel.Program(reckless, "K")
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(ctx, p, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		x, y   int
		at     uint32
		object string
		index  int64
		access string
	}{
		{"fits", 64, 64, 0, "", 0, ""},
		{"x is compared", 4, 64, 0, "", 0, ""},
		{"y is nil", 64, 0, 0, "y", 0, "store y[0]"},
		{"y is short", 64, 63, 0, "y", 63, "store y[63]"},
		{"an index is wrong", 64, 64, 8, "y", 64, "store y[64]"},
		{"an atomic is outside", 2, 64, 0, "x", 3, "atomic_add x[3]"},
		{"fits again", 64, 64, 0, "", 0, ""},
	} {
		x, y := make([]byte, 4*c.x), make([]byte, 4*c.y)
		res, err := driver.Dispatch(ctx, k, driver.Groups(1), driver.InOut(x), driver.InOut(y), driver.U32(c.at))
		if c.object == "" {
			if err != nil || len(res.Reports) != 0 {
				t.Errorf("%s: %v, %v", c.name, err, res.Reports)
			}
			continue
		}
		wantError(t, err, driver.DeviceFault, `launch "K"`, "kernel.go:", c.access+" is out of bounds", "more elements as "+c.object)
		var b *driver.BoundsError
		var e *driver.Error
		if !errors.As(err, &b) || b.Object != c.object || b.Index != c.index || b.Kernel != "K" || b.Local[0] != uint32(c.index) && c.at == 0 {
			t.Errorf("%s: %+v", c.name, b)
		}
		if errors.As(err, &e); e.Pos == "" {
			t.Errorf("%s: no position", c.name)
		}
		if len(res.Reports) == 0 {
			t.Errorf("%s: no report", c.name)
		}
		if c.y > 8 && binary.LittleEndian.Uint32(y[4*8:]) != 1 { // an access inside took effect, and was delivered
			t.Errorf("%s: y[8] was not delivered", c.name)
		}
	}
	if d.Err() != nil {
		t.Error(d.Err())
	}
}

// The variable asks for the same, also where machine code is required, and leaves the engine as it is.
func TestMemcheckOfTheEnvironment(t *testing.T) {
	without := open(t, cpu.Options{})
	t.Setenv(driver.EnvDebug, "memcheck")
	d := open(t, cpu.Options{})
	if !d.Debug().Memcheck || d.Caps().Target != without.Caps().Target {
		t.Errorf("memcheck is %v on %s, and without it the target is %s", d.Debug().Memcheck, d.Caps().Target, without.Caps().Target)
	}
}
