package kernels

import "github.com/govyre/vyre/gpu"

// SGEMM multiplies square matrices whose rows are n vectors of four: c = a·b. A workgroup makes a tile of
// 64 × 64 with slices of 16 of a and b in shared memory, an invocation 4 × 4 of it. The slice of a is stored by
// columns, 68 apart so that storing meets fewer bank conflicts and reading stays aligned to vectors.
//
//vyre:kernel workgroup=16x16
func SGEMM(t gpu.Thread, n uint32, a, b, c [][4]float32) {
	as, bs := gpu.Shared[float32](t, 16*68), gpu.Shared[float32](t, 16*64)
	tx, ty, l := t.Local().X, t.Local().Y, t.LocalIndex()
	ia := (t.Group().Y*64+l/4)*n + l%4
	ib := l/16*n + t.Group().X*16 + l%16
	sa, sb := l%4*(4*68)+l/4, l*4
	var c0, c1, c2, c3 [4]float32
	for k := uint32(0); k < n; k += 4 {
		u, v := a[ia], b[ib]
		as[sa], as[sa+68], as[sa+2*68], as[sa+3*68] = u[0], u[1], u[2], u[3]
		bs[sb], bs[sb+1], bs[sb+2], bs[sb+3] = v[0], v[1], v[2], v[3]
		t.Barrier()
		for q := range uint32(16) {
			r, s := q*68+ty*4, q*64+tx*4
			w := [4]float32{bs[s], bs[s+1], bs[s+2], bs[s+3]}
			c0 = scaled(as[r], w, c0)
			c1 = scaled(as[r+1], w, c1)
			c2 = scaled(as[r+2], w, c2)
			c3 = scaled(as[r+3], w, c3)
		}
		t.Barrier()
		ia += 4
		ib += 16 * n
	}
	ic := (t.Group().Y*64+ty*4)*n + t.Group().X*16 + tx
	c[ic], c[ic+n], c[ic+2*n], c[ic+3*n] = c0, c1, c2, c3
}

// scaled is x·v + w, each element rounded once.
func scaled(x float32, v, w [4]float32) [4]float32 {
	return [4]float32{gpu.FMA(x, v[0], w[0]), gpu.FMA(x, v[1], w[1]), gpu.FMA(x, v[2], w[2]), gpu.FMA(x, v[3], w[3])}
}
