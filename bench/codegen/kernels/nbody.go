package kernels

import "github.com/govyre/vyre/gpu"

// NBody sums the attraction of all bodies {x, y, z, mass} on each one, softened so that a body does not
// attract itself. Bodies come through shared memory 256 at a time.
//
//vyre:kernel workgroup=256
func NBody(t gpu.Thread, soft float32, bodies, pull [][4]float32) {
	tile := gpu.Shared[float32](t, 4*256)
	l, n := t.Local().X, uint32(len(bodies))
	me := bodies[t.Global().X]
	var ax, ay, az float32
	for base := uint32(0); base < n; base += 256 {
		b := bodies[base+l]
		tile[4*l], tile[4*l+1], tile[4*l+2], tile[4*l+3] = b[0], b[1], b[2], b[3]
		t.Barrier()
		for j := uint32(0); j < 4*256; j += 4 {
			dx, dy, dz := tile[j]-me[0], tile[j+1]-me[1], tile[j+2]-me[2]
			inv := gpu.FastRsqrt(gpu.FMA(dz, dz, gpu.FMA(dy, dy, gpu.FMA(dx, dx, soft))))
			f := tile[j+3] * inv * (inv * inv)
			ax, ay, az = gpu.FMA(f, dx, ax), gpu.FMA(f, dy, ay), gpu.FMA(f, dz, az)
		}
		t.Barrier()
	}
	pull[t.Global().X] = [4]float32{ax, ay, az, 0}
}
