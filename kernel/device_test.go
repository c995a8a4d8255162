package kernel_test

import (
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/conform"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/kernel"
)

// The same function gives the same bits natively and on the devices, optimised and not. Without -long only kernels
// with structs take part: of all else the conformance suite has each op.
func TestKernelsComputeOnDevicesWhatGoComputes(t *testing.T) {
	pkg := loadCases(t)
	brief := map[string]bool{"Particles": true, "Triples": true, "Buckets": true, "Clouds": true, "Tiles": true, "Passed": true,
		"Draws": true}
	for _, name := range []string{"cpu", "cuda-sim"} {
		dev, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := dev.Close(); err != nil {
				t.Error(err)
			}
		})
		for _, level := range []string{"0", ""} {
			on := conform.OnWith(dev, driver.Options{Optimise: level})
			for _, c := range launches {
				if !brief[c.name] && !long.Enabled() {
					continue
				}
				t.Run(on.Name()+"/"+c.name, func(t *testing.T) { runOn(t, on, pkg.Lookup(c.name), c) })
			}
		}
	}
}

// runOn launches c and compares every buffer with what the Go function leaves.
func runOn(t *testing.T, on conform.Device, k *kernel.Kernel, c launched) {
	groups, want := c.natively(k)
	got := copyArgs(c.args)
	l := conform.Launch{Grid: [3]uint32{groups.X, groups.Y, groups.Z}, Rest: c.rest}
	for i, a := range got {
		for _, arg := range argsOf(t, k.Params[i], a) {
			l.Args = append(l.Args, conform.Arg{Data: arg.Mem, Bits: arg.Bits})
		}
	}
	out, err := on.Run(t.Context(), k.Program, l)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		if v := reflect.ValueOf(a); v.Kind() == reflect.Slice {
			copy(bytesOf(v), out.Buffers[k.Params[i].First])
			compareArgs(t, k.Params[i].Name, a, want[i])
		}
	}
}
