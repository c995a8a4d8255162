package cases

import "github.com/govyre/vyre/gpu"

// MatrixBF16 is c += A·Bᵀ for one block of 16 by 8 a warp.
//
//vyre:kernel workgroup=64
func MatrixBF16(t gpu.Thread, m, n, k uint32, a, b []gpu.BFloat16, c []float32) {
	product(t, m, n, k, 16, a, b, c)
}

// MatrixF16 keeps sums of float32.
//
//vyre:kernel workgroup=64
func MatrixF16(t gpu.Thread, m, n, k uint32, a, b []gpu.Float16, c []float32) {
	product(t, m, n, k, 16, a, b, c)
}

// MatrixHalf keeps sums of Float16.
//
//vyre:kernel workgroup=64
func MatrixHalf(t gpu.Thread, m, n, k uint32, a, b, c []gpu.Float16) {
	product(t, m, n, k, 16, a, b, c)
}

//vyre:kernel workgroup=64
func MatrixTF32(t gpu.Thread, m, n, k uint32, a, b, c []float32) {
	product(t, m, n, k, 8, a, b, c)
}

//vyre:kernel workgroup=64
func MatrixF64(t gpu.Thread, m, n, k uint32, a, b, c []float64) {
	product(t, m, n, k, 4, a, b, c)
}

//vyre:kernel workgroup=64
func MatrixI8(t gpu.Thread, m, n, k uint32, a, b []int8, c []int32) {
	product(t, m, n, k, 32, a, b, c)
}

//vyre:kernel workgroup=64
func MatrixU8(t gpu.Thread, m, n, k uint32, a, b []uint8, c []uint32) {
	product(t, m, n, k, 32, a, b, c)
}

//vyre:kernel workgroup=64
func MatrixB1(t gpu.Thread, m, n, k uint32, a, b, c []uint32) {
	product(t, m, n, k, 8, a, b, c)
}

// product is c += A·Bᵀ; A is m×k, B n×k, c transposed in the second half of the warps. A step has so many columns of A.
func product[T gpu.MatElem, S gpu.AccElem](t gpu.Thread, m, n, k, step uint32, a, b []T, c []S) {
	ofA, ofB := gpu.Shape{Rows: m, Cols: k, Stride: k}, gpu.Shape{Rows: k, Cols: n, Stride: k, Transposed: true}
	ofC := gpu.Shape{Rows: m, Cols: n, Stride: n}
	w := t.Group().X*2 + t.Warp()
	blocks := (n + 7) / 8
	row, col := w/blocks*16, w%blocks*8
	acc := gpu.LoadAcc(t, c, ofC, row, col)
	for at := uint32(0); at < k; at += step {
		acc = gpu.MulAdd(t, gpu.LoadA(t, a, ofA, row, at), gpu.LoadB(t, b, ofB, at, col), acc)
	}
	gpu.StoreAcc(t, c, ofC, row, col, acc)
}

// MatrixTiles keeps fragments in arrays, loads from shared memory, and changes the accumulators by their places.
//
//vyre:kernel workgroup=32
func MatrixTiles(t gpu.Thread, a, b []int8, c []int32) {
	as := gpu.Shared[int8](t, 32*32)
	for i := t.Lane(); i < 32*32; i += 32 {
		as[i] = gpu.At(a, i)
	}
	t.Barrier()
	whole := gpu.Shape{Rows: 32, Cols: 32, Stride: 32}
	var acc [2][2]gpu.Acc[int32]
	var fa [2]gpu.FragA[int8]
	for i := range fa {
		fa[i] = gpu.LoadA(t, as, whole, 16*uint32(i), 0)
	}
	for j := range 2 {
		fb := gpu.LoadB(t, b, gpu.Shape{Rows: 32, Cols: 13, Stride: 17}, 0, 8*uint32(j))
		for i := range fa {
			acc[i][j] = gpu.MulAdd(t, fa[i], fb, acc[i][j])
		}
	}
	for i := range acc {
		for j := range acc[i] {
			for e := range acc[i][j].V {
				row, col := acc[i][j].At(t, e)
				if row == col {
					acc[i][j].V[e] = -acc[i][j].V[e]
				}
			}
			gpu.StoreAcc(t, c[3:], gpu.Shape{Rows: 30, Cols: 16, Stride: 16}, 16*uint32(i), 8*uint32(j), acc[i][j])
		}
	}
}
