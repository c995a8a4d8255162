// Skeleton places the joints of figures in the world, a joint a thread.
#include "vec.h"

struct Quaternion {
	float w, x, y, z;
};
struct Motion {
	Quaternion turn;
	float3 shift;
};
struct Joint {
	Motion motion;
	int parent;
};

constexpr unsigned figureJoints = 64;

static __device__ Quaternion operator*(Quaternion a, Quaternion b)
{
	return {
		fmaf(-a.z, b.z, fmaf(-a.y, b.y, fmaf(-a.x, b.x, a.w * b.w))),
		fmaf(-a.z, b.y, fmaf(a.y, b.z, fmaf(a.x, b.w, a.w * b.x))),
		fmaf(a.z, b.x, fmaf(a.y, b.w, fmaf(-a.x, b.z, a.w * b.y))),
		fmaf(a.z, b.w, fmaf(-a.y, b.x, fmaf(a.x, b.y, a.w * b.z))),
	};
}

static __device__ float3 rotate(Quaternion a, float3 v)
{
	float3 axis = make_float3(a.x, a.y, a.z);
	float3 u = cross(axis, v) * 2;
	return plus(plus(v, a.w, u), 1, cross(axis, u));
}

static __device__ Quaternion unit(Quaternion a)
{
	float k = 1 / sqrtf(fmaf(a.w, a.w, fmaf(a.x, a.x, fmaf(a.y, a.y, a.z * a.z))));
	return {a.w * k, a.x * k, a.y * k, a.z * k};
}

extern "C" __global__ void __launch_bounds__(128)
Skeleton(const Joint *__restrict__ joints, unsigned, Motion *__restrict__ world, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	const Joint *figure = joints + i / figureJoints * figureJoints;
	Joint j = figure[i % figureJoints];
	Motion at = j.motion;
	while (j.parent >= 0) {
		j = figure[j.parent];
		at.shift = plus(j.motion.shift, 1, rotate(j.motion.turn, at.shift));
		at.turn = j.motion.turn * at.turn;
	}
	at.turn = unit(at.turn);
	world[i] = at;
}
