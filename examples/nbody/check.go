package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// cluster returns n bodies in a ball that turns slowly.
func cluster(n int) (pos, vel [][4]float32) {
	rng := rand.New(rand.NewPCG(7, 8))
	for len(pos) < n {
		p := vec{rng.Float32()*2 - 1, rng.Float32()*2 - 1, rng.Float32()*2 - 1}
		if p.dot(p) < 1 {
			pos = append(pos, [4]float32{p.x, p.y, p.z, 1 / float32(n)})
			vel = append(vel, [4]float32{-p.y / 2, p.x / 2, 0, 0})
		}
	}
	return pos, vel
}

// move is one step, as two nested loops.
func move(pos, vel [][4]float32) {
	old := slices.Clone(pos)
	for i, p := range old {
		at := vec{p[0], p[1], p[2]}
		var acc vec
		for _, o := range old {
			acc = pull(acc, vec{o[0], o[1], o[2]}.minus(at), o[3])
		}
		speed := vec{vel[i][0], vel[i][1], vel[i][2]}.plus(acc, dt)
		at = at.plus(speed, dt)
		vel[i] = [4]float32{speed.x, speed.y, speed.z, 0}
		pos[i] = [4]float32{at.x, at.y, at.z, p[3]}
	}
}

// energy is that of motion plus that of all pairs.
func energy(pos, vel [][4]float32) float64 {
	sum := 0.0
	for i, p := range pos {
		v := vec{vel[i][0], vel[i][1], vel[i][2]}
		sum += float64(p[3]) * float64(v.dot(v)) / 2
		for _, o := range pos[:i] {
			d := vec{p[0], p[1], p[2]}.minus(vec{o[0], o[1], o[2]})
			sum -= float64(p[3]) * float64(o[3]) / math.Sqrt(float64(d.dot(d)+soft))
		}
	}
	return sum
}
