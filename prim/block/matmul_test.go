package block_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/kernel"
	"github.com/govyre/vyre/prim/block"
)

// A kernel with an epilogue of its own makes elements of another type than sums, knows their places and leaves the rest of lines alone.
func TestProductsWithAnEpilogue(t *testing.T) {
	const rows, cols, depth = 130, 9, 35
	rng := rand.New(rand.NewPCG(36, 4))
	x, w, bias := make([]gpu.Float16, rows*depth), make([]gpu.Float16, cols*depth), make([]float32, cols)
	for _, list := range [][]gpu.Float16{x, w} {
		for i := range list {
			list[i] = gpu.ToFloat16(float32(rng.IntN(17) - 8))
		}
	}
	for i := range bias {
		bias[i] = float32(rng.IntN(100))
	}
	want := make([]gpu.BFloat16, rows*(cols+1))
	for i := range rows {
		for j := range cols {
			sum := float32(0)
			for k := range depth {
				sum += x[i*depth+k].Float32() * w[j*depth+k].Float32()
			}
			want[i*(cols+1)+j] = rectified{2}.Apply(uint32(i), uint32(j), sum, bias)
		}
	}
	y := make([]gpu.BFloat16, len(want))
	gpu.Run(gpu.Grid{Groups: gpu.Vec3{X: 1}, Group: gpu.Vec3{X: block.Threads}}, func(t gpu.Thread) { Layer(t, rows, cols, depth, 2, x, w, bias, y) })
	if !slices.Equal(y, want) {
		t.Error("natively: other elements than those of a loop")
	}
	source, err := os.ReadFile("layer_test.go")
	if err != nil {
		t.Fatal(err)
	}
	program, err := kernel.Program(string(source), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu", "cuda-sim:sm_90"} {
		d, err := vyre.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		layer, err := d.Compile(t.Context(), program, vyre.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		clear(y)
		if _, err := vyre.Run(t.Context(), layer, vyre.Grid{2}, driver.U32(rows), driver.U32(cols), driver.U32(depth), driver.F32(2), vyre.In(x), vyre.In(w), vyre.In(bias), vyre.InOut(y)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y, want) {
			t.Errorf("%s: other elements than those of a loop", name)
		}
	}
}
