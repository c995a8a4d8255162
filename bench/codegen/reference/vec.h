// Points and directions in space.
#pragma once

static __device__ inline float3 operator-(float3 a, float3 b)
{
	return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static __device__ inline float3 operator*(float3 a, float k)
{
	return make_float3(a.x * k, a.y * k, a.z * k);
}

// plus is a + k*b, each element rounded once.
static __device__ inline float3 plus(float3 a, float k, float3 b)
{
	return make_float3(fmaf(k, b.x, a.x), fmaf(k, b.y, a.y), fmaf(k, b.z, a.z));
}

static __device__ inline float dot(float3 a, float3 b)
{
	return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

static __device__ inline float3 cross(float3 a, float3 b)
{
	return make_float3(fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)), fmaf(a.x, b.y, -(a.y * b.x)));
}
