package kernels

import "github.com/govyre/vyre/gpu"

// Body is a mass that moves. Potential is what it would take to carry a unit of mass away from it.
type Body struct {
	Pos       vec
	Mass      float32
	Vel       vec
	Potential float32
}

// attractor is what of a body acts on others.
type attractor struct {
	pos  vec
	mass float32
}

// Bodies moves all bodies by a time of dt under the attraction of all, softened so that a body does not attract itself.
// Attractors come through shared memory 256 at a time.
//
//vyre:kernel workgroup=256
func Bodies(t gpu.Thread, soft, dt float32, bodies, next []Body) {
	tile := gpu.Shared[attractor](t, 256)
	l, n := t.Local().X, uint32(len(bodies))
	me := bodies[t.Global().X]
	var pull vec
	me.Potential = 0
	for base := uint32(0); base < n; base += 256 {
		tile[l] = attractor{bodies[base+l].Pos, bodies[base+l].Mass}
		t.Barrier()
		for _, a := range tile {
			pull, me.Potential = a.acts(soft, me.Pos, pull, me.Potential)
		}
		t.Barrier()
	}
	me.Vel = me.Vel.plus(dt, pull)
	me.Pos = me.Pos.plus(dt, me.Vel)
	next[t.Global().X] = me
}

// acts adds the pull and the potential of the attractor at a place.
func (a attractor) acts(soft float32, at, pull vec, potential float32) (vec, float32) {
	d := a.pos.minus(at)
	inv := gpu.FastRsqrt(gpu.FMA(d.z, d.z, gpu.FMA(d.y, d.y, gpu.FMA(d.x, d.x, soft))))
	near := a.mass * inv
	return pull.plus(near*(inv*inv), d), potential - near
}

// BodiesSplit is Bodies with bodies that are split into vectors by hand: {x, y, z, mass} in places, {vx, vy, vz,
// potential} in motions.
//
//vyre:kernel workgroup=256
func BodiesSplit(t gpu.Thread, soft, dt float32, places, motions, nextPlaces, nextMotions [][4]float32) {
	tile := gpu.Shared[attractor](t, 256)
	i, l, n := t.Global().X, t.Local().X, uint32(len(places))
	p, m := places[i], motions[i]
	pos, vel := vec{p[0], p[1], p[2]}, vec{m[0], m[1], m[2]}
	var pull vec
	var potential float32
	for base := uint32(0); base < n; base += 256 {
		q := places[base+l]
		tile[l] = attractor{vec{q[0], q[1], q[2]}, q[3]}
		t.Barrier()
		for _, a := range tile {
			pull, potential = a.acts(soft, pos, pull, potential)
		}
		t.Barrier()
	}
	vel = vel.plus(dt, pull)
	pos = pos.plus(dt, vel)
	nextPlaces[i] = [4]float32{pos.x, pos.y, pos.z, p[3]}
	nextMotions[i] = [4]float32{vel.x, vel.y, vel.z, potential}
}
