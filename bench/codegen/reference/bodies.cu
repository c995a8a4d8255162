// Bodies moves all bodies under the attraction of all, 256 at a time through shared memory.
#include "vec.h"

struct __align__(16) Body {
	float3 pos;
	float mass;
	float3 vel;
	float potential;
};

extern "C" __global__ void __launch_bounds__(256)
Bodies(float soft, float dt, const Body *__restrict__ bodies, unsigned n, Body *__restrict__ next, unsigned)
{
	__shared__ float4 tile[256];
	unsigned l = threadIdx.x, i = blockIdx.x * 256 + l;
	Body me = bodies[i];
	float3 pull = make_float3(0, 0, 0);
	me.potential = 0;
	for (unsigned base = 0; base < n; base += 256) {
		const Body &b = bodies[base + l];
		tile[l] = make_float4(b.pos.x, b.pos.y, b.pos.z, b.mass);
		__syncthreads();
		for (unsigned j = 0; j < 256; j++) {
			float4 a = tile[j];
			float3 d = make_float3(a.x, a.y, a.z) - me.pos;
			float inv = rsqrtf(fmaf(d.z, d.z, fmaf(d.y, d.y, fmaf(d.x, d.x, soft))));
			float near = a.w * inv;
			pull = plus(pull, near * (inv * inv), d);
			me.potential -= near;
		}
		__syncthreads();
	}
	me.vel = plus(me.vel, dt, pull);
	me.pos = plus(me.pos, dt, me.vel);
	next[i] = me;
}
