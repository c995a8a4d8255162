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

// MatrixBlock44 is c += A·Bᵀ, 64 by 64 of c a group. A warp keeps 64 by 32 of it in registers.
//
//vyre:kernel workgroup=64
func MatrixBlock44(t gpu.Thread, m, n, k uint32, a, b []gpu.BFloat16, c []float32) {
	const bk = 32
	as, bs := gpu.Shared[gpu.BFloat16](t, 64*bk), gpu.Shared[gpu.BFloat16](t, 64*bk)
	row, col, x := t.Group().X*64, t.Group().Y*64, t.Warp()*32
	inA, inB := gpu.Shape{Rows: 64, Cols: bk, Stride: bk}, gpu.Shape{Rows: bk, Cols: 64, Stride: bk, Transposed: true}
	var acc [4][4]gpu.Acc[float32]
	for s := uint32(0); s < k; s += bk {
		for i := t.LocalIndex(); i < 64*bk; i += 64 {
			as[i], bs[i] = gpu.ToBFloat16(0), gpu.ToBFloat16(0)
			if r, q := i/bk, s+i%bk; q < k {
				if row+r < m {
					as[i] = gpu.At(a, (row+r)*k+q)
				}
				if col+r < n {
					bs[i] = gpu.At(b, (col+r)*k+q)
				}
			}
		}
		t.Barrier()
		for kk := uint32(0); kk < bk; kk += 16 {
			var fa [4]gpu.FragA[gpu.BFloat16]
			for i := range fa {
				fa[i] = gpu.LoadA(t, as, inA, 16*uint32(i), kk)
			}
			for j := range 4 {
				fb := gpu.LoadB(t, bs, inB, kk, x+8*uint32(j))
				for i := range fa {
					acc[i][j] = gpu.MulAdd(t, fa[i], fb, acc[i][j])
				}
			}
		}
		t.Barrier()
	}
	ofC := gpu.Shape{Rows: m, Cols: n, Stride: n}
	for i := range acc {
		for j := range acc[i] {
			gpu.StoreAcc(t, c, ofC, row+16*uint32(i), col+x+8*uint32(j), acc[i][j])
		}
	}
}

// MatrixBlock24 loads from slices, and its accumulators.
//
//vyre:kernel workgroup=32
func MatrixBlock24(t gpu.Thread, m, n, k uint32, a, b, c []float64) {
	ofA, ofB := gpu.Shape{Rows: m, Cols: k, Stride: k}, gpu.Shape{Rows: k, Cols: n, Stride: k, Transposed: true}
	ofC := gpu.Shape{Rows: m, Cols: n, Stride: n}
	row, col := t.Group().X*32, t.Group().Y*32
	var acc [2][4]gpu.Acc[float64]
	for i := range acc {
		for j := range acc[i] {
			acc[i][j] = gpu.LoadAcc(t, c, ofC, row+16*uint32(i), col+8*uint32(j))
		}
	}
	for at := uint32(0); at < k; at += 4 {
		var fb [4]gpu.FragB[float64]
		for j := range fb {
			fb[j] = gpu.LoadB(t, b, ofB, at, col+8*uint32(j))
		}
		for i := range acc {
			fa := gpu.LoadA(t, a, ofA, row+16*uint32(i), at)
			for j, f := range fb {
				acc[i][j] = gpu.MulAdd(t, fa, f, acc[i][j])
			}
		}
	}
	for i, of := range acc {
		for j, x := range of {
			gpu.StoreAcc(t, c, ofC, row+16*uint32(i), col+8*uint32(j), x)
		}
	}
}

// MatrixBlock48 has the largest block, and changes it before it is stored.
//
//vyre:kernel workgroup=32
func MatrixBlock48(t gpu.Thread, a, b []int8, c []int32) {
	as, bs := gpu.Shared[int8](t, 64*64), gpu.Shared[int8](t, 64*64)
	for i := t.Lane(); i < 64*64; i += 32 {
		as[i], bs[i] = gpu.At(a, i), gpu.At(b, i)
	}
	t.Barrier()
	in, turned := gpu.Shape{Rows: 64, Cols: 64, Stride: 64}, gpu.Shape{Rows: 64, Cols: 64, Stride: 64, Transposed: true}
	var acc [4][8]gpu.Acc[int32]
	for k := uint32(0); k < 64; k += 32 {
		var fa [4]gpu.FragA[int8]
		for i := range fa {
			fa[i] = gpu.LoadA(t, as, in, 16*uint32(i), k)
		}
		for j := range 8 {
			fb := gpu.LoadB(t, bs, turned, k, 8*uint32(j))
			for i := range fa {
				acc[i][j] = gpu.MulAdd(t, fa[i], fb, acc[i][j])
			}
		}
	}
	for i := range acc {
		for j := range acc[i] {
			for e, v := range acc[i][j].V {
				acc[i][j].V[e] = 2*v + 1
			}
			gpu.StoreAcc(t, c, in, 16*uint32(i), 8*uint32(j), acc[i][j])
		}
	}
}
