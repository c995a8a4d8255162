package main

import "github.com/govyre/vyre/gpu"

// vec is a point or a direction in space. The conversions keep Go from rounding a product and a
// sum only once where it runs these methods natively; a device never does.
type vec struct{ x, y, z float32 }

func (a vec) minus(b vec) vec { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }

func (a vec) plus(b vec, times float32) vec {
	return vec{a.x + float32(b.x*times), a.y + float32(b.y*times), a.z + float32(b.z*times)}
}

func (a vec) dot(b vec) float32 { return float32(a.x*b.x) + float32(a.y*b.y) + float32(a.z*b.z) }

// pull adds to acc what a mass at d attracts, softened so that near passes stay finite.
func pull(acc, d vec, mass float32) vec {
	inv := 1 / gpu.Sqrt(d.dot(d)+soft)
	return acc.plus(d, mass*inv*inv*inv)
}

const soft = 0.01

// Step moves every body by dt under the attraction of all. A body is {x, y, z, mass} in
// pos and {vx, vy, vz, 0} in vel; next gets the new positions. Bodies come through shared
// memory 128 at a time, so that a workgroup reads each only once.
//
//vyre:kernel workgroup=128
func Step(t gpu.Thread, dt float32, pos, next, vel [][4]float32) {
	tile := gpu.Shared[float32](t, 128*4)
	l, i, n := t.Local().X, t.Global().X, uint32(len(pos))
	var me [4]float32
	if i < n {
		me = pos[i]
	}
	at := vec{me[0], me[1], me[2]}
	var acc vec
	for base := uint32(0); base < n; base += 128 {
		var other [4]float32 // of mass 0 beyond the last body
		if base+l < n {
			other = pos[base+l]
		}
		for k := range uint32(4) {
			tile[l*4+k] = other[k]
		}
		t.Barrier()
		for j := range uint32(128) {
			acc = pull(acc, vec{tile[j*4], tile[j*4+1], tile[j*4+2]}.minus(at), tile[j*4+3])
		}
		t.Barrier()
	}
	if i >= n {
		return
	}
	v := vel[i]
	speed := vec{v[0], v[1], v[2]}.plus(acc, dt)
	at = at.plus(speed, dt)
	vel[i] = [4]float32{speed.x, speed.y, speed.z, 0}
	next[i] = [4]float32{at.x, at.y, at.z, me[3]}
}
