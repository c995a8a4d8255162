package kernels

import "github.com/govyre/vyre/gpu"

// Particle is a spark of a firework, 48 bytes.
type Particle struct {
	Pos  vec
	Mass float32
	Vel  vec
	Age  float32
	Spin vec
	Heat float32
}

// Particles moves particles by a time of dt.
//
//vyre:kernel workgroup=256
func Particles(t gpu.Thread, dt float32, particles []Particle) {
	i := t.Global().X
	if i >= uint32(len(particles)) {
		return
	}
	particles[i] = particles[i].after(dt)
}

// ParticlesSplit is Particles with particles that are split into vectors by hand: {x, y, z, mass} in places, {vx, vy, vz,
// age} in motions, {spin, heat} in states.
//
//vyre:kernel workgroup=256
func ParticlesSplit(t gpu.Thread, dt float32, places, motions, states [][4]float32) {
	i := t.Global().X
	if i >= uint32(len(places)) {
		return
	}
	a, b, c := places[i], motions[i], states[i]
	p := Particle{vec{a[0], a[1], a[2]}, a[3], vec{b[0], b[1], b[2]}, b[3], vec{c[0], c[1], c[2]}, c[3]}.after(dt)
	places[i] = [4]float32{p.Pos.x, p.Pos.y, p.Pos.z, p.Mass}
	motions[i] = [4]float32{p.Vel.x, p.Vel.y, p.Vel.z, p.Age}
	states[i] = [4]float32{p.Spin.x, p.Spin.y, p.Spin.z, p.Heat}
}

// after is the particle a time of dt later: it falls, its spin bends its way, it cools and burns away, and it bounces off
// the ground.
func (p Particle) after(dt float32) Particle {
	p.Vel = p.Vel.plus(0.1*dt, p.Spin.cross(p.Vel)).times(0.999)
	p.Vel.y = gpu.FMA(-9.81, dt, p.Vel.y)
	p.Pos = p.Pos.plus(dt, p.Vel)
	p.Spin = p.Spin.times(0.995)
	p.Mass = gpu.FMA(-0.01*dt, p.Heat, p.Mass)
	p.Heat *= 0.99
	p.Age += dt
	if p.Pos.y < 0 {
		p.Pos.y = -p.Pos.y
		p.Vel.y *= -0.6
		p.Spin = p.Spin.times(0.5)
	}
	return p
}
