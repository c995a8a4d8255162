package front_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/kernel"
)

// The same function gives the same bits natively and on the devices, optimised and not. Without -long only kernels
// with structs, and some with effects in their operands, take part: of all else the conformance suite has each op.
func TestKernelsComputeOnDevicesWhatGoComputes(t *testing.T) {
	pkg := loadCases(t)
	brief := map[string]bool{"RangeHeads": true, "RecordOrder": true, "Particles": true, "Triples": true, "Buckets": true, "Racks": true, "Clouds": true, "Tiles": true, "Passed": true,
		"Draws": true, "Extremes": true, "Tables": true, "Lookups": true}
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
				if !brief[c.name] && !strings.HasPrefix(c.name, "Matrix") && !long.Enabled() {
					continue
				}
				t.Run(on.Name()+"/"+c.name, func(t *testing.T) { runOn(t, on, pkg.Lookup(c.name), c) })
			}
		}
	}
}

// runOn launches c and compares every buffer with what the Go function leaves.
func runOn(t *testing.T, on conform.Device, k *front.Kernel, c launched) {
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

const printing = `package kernels

import "github.com/govyre/vyre/gpu"

type rate struct{ per float64 }

//vyre:kernel workgroup=4
func K(t gpu.Thread, x []int8, f []float32, r rate) {
	i := t.Global().X
	gpu.Printf(t, "x[%d] = %+d, %6.2f%%, %t\n", i, x[i], f[i], x[i] < 0)
	gpu.Trace(t, "plain", uint64(i))
	if i%2 == 1 {
		helper(t, r.per*float64(i), i)
	}
}

func helper(t gpu.Thread, v float64, i uint32) {
	gpu.Printf(t, "%s: %v %#x %X", "100% of", v, i, uint64(i)<<40)
	gpu.Printf(t, "no values")
}
`

// What kernels print comes in order of invocation, with the position of the call, and is the same on all devices.
func TestPrintedTextsAreTheSameOnAllDevices(t *testing.T) {
	p, err := kernel.Program(printing, "")
	if err != nil {
		t.Fatal(err)
	}
	want := "kernel.go:10:2: invocation 0: x[0] = -3,   0.50%, true\n\n" +
		"kernel.go:11:2: invocation 0: plain [0]\n" +
		"kernel.go:10:2: invocation 1: x[1] = +7,  -1.25%, false\n\n" +
		"kernel.go:11:2: invocation 1: plain [1]\n" +
		"kernel.go:18:2: invocation 1: 100% of: 0.1 0x1 10000000000\n" +
		"kernel.go:19:2: invocation 1: no values\n" +
		"kernel.go:10:2: invocation 2: x[2] = -128,    NaN%, true\n\n" +
		"kernel.go:11:2: invocation 2: plain [2]\n" +
		"kernel.go:10:2: invocation 3: x[3] = +0,   +Inf%, false\n\n" +
		"kernel.go:11:2: invocation 3: plain [3]\n" +
		"kernel.go:18:2: invocation 3: 100% of: 0.30000000000000004 0x3 30000000000\n" +
		"kernel.go:19:2: invocation 3: no values\n"
	for _, name := range []string{"cpu", "cuda-sim"} {
		dev, err := driver.Open(name, driver.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"0", ""} {
			l := conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{{Data: []byte{0xFD, 7, 0x80, 0}},
				{Data: []byte{0, 0, 0, 0x3F, 0, 0, 0xA0, 0xBF, 0, 0, 0xC0, 0x7F, 0, 0, 0x80, 0x7F}}, {Bits: 0x3FB999999999999A}}}
			out, err := conform.OnWith(dev, driver.Options{Optimise: level}).Run(t.Context(), p, l)
			if err != nil {
				t.Fatal(err)
			}
			var traces []driver.Trace
			for _, tr := range out.Traces {
				d := driver.Trace{Tag: tr.Tag, Global: tr.Linear, Count: len(tr.Values)}
				copy(d.Values[:], tr.Values)
				traces = append(traces, d)
			}
			got := ""
			for _, line := range driver.Print(p, traces) {
				got += line.String() + "\n"
			}
			if got != want {
				t.Errorf("%s at level %q prints\n%s\nwant\n%s", name, level, got, want)
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
