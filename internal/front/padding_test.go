package front_test

import (
	"bytes"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/kernel"
)

const padding = `package kernels

import "github.com/govyre/vyre/gpu"

type inner struct {
	A uint8
	B uint16
}

type mixed struct {
	A uint8
	B uint32
	C [3]inner
	_ uint16
	D uint64
	E uint8
}

type blank struct {
	_ [5]uint8
	A uint8
	_ inner
}

//vyre:kernel workgroup=4
func K(t gpu.Thread, n uint32, ms []mixed, bs [][2]blank, is []inner, part []mixed) {
	i := t.Global().X
	if i >= n {
		return
	}
	in := inner{1, 2}
	ms[i] = mixed{A: 1, B: 2, C: [3]inner{in, in, in}, D: 3, E: 4}
	bs[i] = [2]blank{{A: 1}, {A: 2}}
	is[i] = in
	part[i].A, part[i].E = 1, 4
	part[i].C[i%3] = in
}
`

// The class: equal records have equal bytes once a kernel has stored them, whatever memory held before. An assignment of a struct
// writes zeros between its fields; one of a field leaves what is around it.
func TestStoresOfRecordsClearTheirPadding(t *testing.T) {
	p, err := kernel.Program(padding, "")
	if err != nil {
		t.Fatal(err)
	}
	const junk = 0xAA
	whole := []byte{1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}
	blanks := []byte{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0}
	const records = 3
	old := func(bytes int) conform.Arg {
		data := make([]byte, records*bytes)
		for i := range data {
			data[i] = junk
		}
		return conform.Arg{Data: data}
	}
	want := [][]byte{old(40).Data, old(20).Data, old(4).Data, old(40).Data}
	for i := range records - 1 {
		copy(want[0][40*i:], whole)
		copy(want[1][20*i:], blanks)
		copy(want[2][4*i:], []byte{1, 0, 2, 0})
		part := want[3][40*i:]
		part[0], part[32] = 1, 4
		copy(part[8+4*(i%3):], []byte{1, 0, 2, 0})
	}
	for name, engine := range map[string]cpu.Engine{"interp": cpu.Interp, "cpu": cpu.Auto, "cuda-sim": cpu.Auto} {
		dev, err := driver.Open(name, driver.OpenOptions{})
		if name == "interp" {
			dev, err = cpu.Open(cpu.Options{Engine: engine})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"0", ""} {
			l := conform.Launch{Grid: [3]uint32{1, 1, 1}, Args: []conform.Arg{{Bits: records - 1}, old(40), old(20), old(4), old(40)}}
			out, err := conform.OnWith(dev, driver.Options{Optimise: level}).Run(t.Context(), p, l)
			if err != nil {
				t.Fatal(err)
			}
			for i, w := range want {
				if got := out.Buffers[i+1]; !bytes.Equal(got, w) {
					t.Errorf("%s at level %q: buffer %d\n%x, want\n%x", name, level, i, got, w)
				}
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
