// Particles moves particles of 48 bytes, a particle a thread.
#include "vec.h"

struct __align__(16) Particle {
	float3 pos;
	float mass;
	float3 vel;
	float age;
	float3 spin;
	float heat;
};

extern "C" __global__ void __launch_bounds__(256) Particles(float dt, Particle *__restrict__ particles, unsigned n)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	Particle p = particles[i];
	p.vel = plus(p.vel, 0.1f * dt, cross(p.spin, p.vel)) * 0.999f;
	p.vel.y = fmaf(-9.81f, dt, p.vel.y);
	p.pos = plus(p.pos, dt, p.vel);
	p.spin = p.spin * 0.995f;
	p.mass = fmaf(-0.01f * dt, p.heat, p.mass);
	p.heat *= 0.99f;
	p.age += dt;
	if (p.pos.y < 0) {
		p.pos.y = -p.pos.y;
		p.vel.y *= -0.6f;
		p.spin = p.spin * 0.5f;
	}
	particles[i] = p;
}
