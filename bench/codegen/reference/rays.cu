// Rays finds the nearest triangle that each ray meets, by the algorithm of Möller and Trumbore.
#include "vec.h"

struct Triangle {
	float3 a, b, c;
};
struct Ray {
	float3 from, along;
};
struct __align__(8) Hit {
	float distance;
	unsigned triangle;
};

constexpr float missed = 3.40282347e38f;

static __device__ float distance(Ray r, Triangle t)
{
	float3 e = t.b - t.a, f = t.c - t.a;
	float3 p = cross(r.along, f);
	float det = dot(e, p);
	if (fabsf(det) < 1e-8f)
		return missed;
	float inv = 1 / det;
	float3 s = r.from - t.a;
	float u = dot(s, p) * inv;
	if (u < 0 || u > 1)
		return missed;
	float3 q = cross(s, e);
	float v = dot(r.along, q) * inv;
	if (v < 0 || u + v > 1)
		return missed;
	float d = dot(f, q) * inv;
	return d < 0 ? missed : d;
}

extern "C" __global__ void __launch_bounds__(128)
Rays(const Triangle *__restrict__ triangles, unsigned n, const Ray *__restrict__ rays, unsigned, Hit *__restrict__ hits, unsigned length)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= length)
		return;
	Ray ray = rays[i];
	Hit nearest = {missed, ~0u};
	for (unsigned k = 0; k < n; k++) {
		float d = distance(ray, triangles[k]);
		if (d < nearest.distance) {
			nearest.distance = d;
			nearest.triangle = k;
		}
	}
	hits[i] = nearest;
}
