package gpu_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/gpu"
)

// halves are Float16 of the given bits.
func halves(bits ...uint16) []gpu.Float16 {
	list := make([]gpu.Float16, len(bits))
	for i, b := range bits {
		list[i] = gpu.Float16FromBits(b)
	}
	return list
}

// oneSum is the element (0, 0) of a product of one row and one column.
func oneSum(g gpu.Grid, a, b []gpu.Float16) uint32 {
	out := make([]float32, 1)
	gpu.Run(g, func(t gpu.Thread) {
		n := uint32(len(a))
		fa := gpu.LoadA(t, a, gpu.Shape{Rows: 1, Cols: n, Stride: n}, 0, 0)
		fb := gpu.LoadB(t, b, gpu.Shape{Rows: n, Cols: 1, Stride: 1}, 0, 0)
		gpu.StoreAcc(t, out, gpu.Shape{Rows: 1, Cols: 1}, 0, 0, gpu.MulAdd(t, fa, fb, gpu.Acc[float32]{}))
	})
	return math.Float32bits(out[0])
}

// Hardware of each generation keeps other bits below the greatest product, and sums another number of products at once.
func TestProductsHaveTheBitsOfTheGeneration(t *testing.T) {
	bits := halves(0x3c00, 0x0c00, 0x0c00, 0x0c00, 0x0c00)
	by := halves(0x3c00, 0x0800, 0x0800, 0x0800, 0x0800)
	for name, want := range map[string]uint32{"": 0x3f800001, "sm_90": 0x3f800001, "sm_120": 0x3f800001, "sm_75": 0x3f800000, "sm_86": 0x3f800000} {
		g := grid(1, 32)
		g.Matrix = name
		if got := oneSum(g, bits, by); got != want {
			t.Errorf("as %q: %#x, want %#x", name, got, want)
		}
	}
}

// Each element of an accumulator is where At says, and no two are in one place.
func TestAccumulatorsCoverTheirRowsAndColumns(t *testing.T) {
	var seen [2][16][8]int
	c := make([]int32, 16*8)
	for i := range c {
		c[i] = int32(i)
	}
	gpu.Run(grid(1, 64), func(t gpu.Thread) {
		acc := gpu.LoadAcc(t, c, gpu.Shape{Rows: 16, Cols: 8, Stride: 8}, 0, 0)
		for i, v := range acc.V {
			row, col := acc.At(t, i)
			if v == int32(row*8+col) {
				seen[t.Warp()][row][col]++
			}
		}
	})
	for w := range seen {
		for r := range seen[w] {
			for q, n := range seen[w][r] {
				if n != 1 {
					t.Errorf("warp %d has (%d, %d) %d times", w, r, q, n)
				}
			}
		}
	}
}

func TestMisusedProductsPanic(t *testing.T) {
	product := func(t gpu.Thread) {
		gpu.MulAdd(t, gpu.FragA[gpu.BFloat16]{}, gpu.FragB[gpu.BFloat16]{}, gpu.Acc[float32]{})
	}
	volta := grid(1, 32)
	volta.Matrix = "sm_70"
	unknown := grid(1, 32)
	unknown.Matrix = "sm_5"
	for _, c := range []struct {
		g      gpu.Grid
		kernel func(gpu.Thread)
		says   string
	}{
		{grid(1, 48), product, "MulAdd in a group of 48 invocations; it takes whole warps"},
		{volta, product, "sm_70 has no matrices of bf16"},
		{unknown, product, `no tensor cores compute as "sm_5"`},
		{grid(1, 32), func(t gpu.Thread) {
			gpu.MulAdd(t, gpu.FragA[int8]{}, gpu.FragB[int8]{}, gpu.Acc[float32]{})
		}, "elements of int8 and sums of float32 do not go together"},
		{grid(1, 32), func(t gpu.Thread) {
			if t.Lane() < 31 {
				product(t)
			}
		}, "MulAdd"},
	} {
		wantMatch(t, panicOf(t, func() { gpu.Run(c.g, c.kernel) }), c.says)
	}
}
