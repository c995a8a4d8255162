// The part of CUDA C++ that the reference kernels use, for a toolkit that comes without its headers. The names are CUDA's;
// behind them stand what nvcc's own compiler knows and its library of device functions.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define builtin __device__ __attribute__((device_builtin))
#define inlined static __device__ inline

struct __attribute__((aligned(4))) short2 {
	short x, y;
};
struct __attribute__((aligned(8))) uint2 {
	unsigned x, y;
};
struct uint3 {
	unsigned x, y, z;
};
struct float3 {
	float x, y, z;
};
struct __attribute__((aligned(4))) uchar4 {
	unsigned char x, y, z, w;
};
struct __attribute__((aligned(16))) ulonglong2 {
	unsigned long long x, y;
};
struct __attribute__((aligned(16))) float4 {
	float x, y, z, w;
};
struct __attribute__((aligned(16))) uint4 {
	unsigned x, y, z, w;
};
extern const uint3 __attribute__((device_builtin)) threadIdx, blockIdx, blockDim, gridDim;

extern "C" {
builtin void __syncthreads();
builtin unsigned __uAtomicAdd(unsigned *, unsigned);
builtin unsigned __uAtomicOr(unsigned *, unsigned);
builtin unsigned __uAtomicCAS(unsigned *, unsigned, unsigned);
builtin unsigned __nvvm_shfl_idx_sync(unsigned, unsigned, unsigned, unsigned);
builtin unsigned __nvvm_shfl_up_sync(unsigned, unsigned, unsigned, unsigned);
builtin unsigned __nvvm_shfl_down_sync(unsigned, unsigned, unsigned, unsigned);
builtin unsigned __nvvm_shfl_bfly_sync(unsigned, unsigned, unsigned, unsigned);
builtin unsigned __float_as_uint(float);
builtin float __uint_as_float(unsigned);
__device__ float __nv_fmaf(float, float, float);
__device__ double __nv_fma(double, double, double);
__device__ double __nv_fabs(double);
__device__ float __nv_fmaxf(float, float);
__device__ float __nv_fabsf(float);
__device__ float __nv_sqrtf(float);
__device__ float __nv_rsqrtf(float);
__device__ float __nv_expf(float);
__device__ float __nv_logf(float);
__device__ float __nv_erff(float);
__device__ int __nv_brev(int);
__device__ int __nv_popc(int);
__device__ unsigned long long __nv_umul64hi(unsigned long long, unsigned long long);
}

#define INFINITY __builtin_huge_valf()

inlined short2 make_short2(short x, short y)
{
	short2 v;
	v.x = x, v.y = y;
	return v;
}

inlined float3 make_float3(float x, float y, float z)
{
	float3 v;
	v.x = x, v.y = y, v.z = z;
	return v;
}

inlined float4 make_float4(float x, float y, float z, float w)
{
	float4 v;
	v.x = x, v.y = y, v.z = z, v.w = w;
	return v;
}

inlined uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
	uint4 v;
	v.x = x, v.y = y, v.z = z, v.w = w;
	return v;
}

inlined unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inlined unsigned max(unsigned a, unsigned b) { return a > b ? a : b; }
inlined int min(int a, int b) { return a < b ? a : b; }
inlined int max(int a, int b) { return a > b ? a : b; }
inlined float fmaf(float a, float b, float c) { return __nv_fmaf(a, b, c); }
inlined double fma(double a, double b, double c) { return __nv_fma(a, b, c); }
inlined double fabs(double x) { return __nv_fabs(x); }
inlined float fmaxf(float a, float b) { return __nv_fmaxf(a, b); }
inlined float fabsf(float x) { return __nv_fabsf(x); }
inlined float sqrtf(float x) { return __nv_sqrtf(x); }
inlined float rsqrtf(float x) { return __nv_rsqrtf(x); }
inlined float expf(float x) { return __nv_expf(x); }
inlined float logf(float x) { return __nv_logf(x); }
inlined float erff(float x) { return __nv_erff(x); }
inlined unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nv_umul64hi(a, b); }
inlined unsigned __brev(unsigned x) { return __nv_brev(x); }
inlined int __popc(unsigned x) { return __nv_popc(x); }
inlined unsigned atomicAdd(unsigned *p, unsigned v) { return __uAtomicAdd(p, v); }
inlined unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) { return __uAtomicCAS(p, old, v); }
inlined unsigned atomicOr(unsigned *p, unsigned v) { return __uAtomicOr(p, v); }

inlined unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n)
{
	unsigned v;
	asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(lo), "r"(hi), "r"(n));
	return v;
}

inlined unsigned __reduce_add_sync(unsigned mask, unsigned v)
{
	unsigned s;
	asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(s) : "r"(v), "r"(mask));
	return s;
}

inlined unsigned __ballot_sync(unsigned mask, int p)
{
	unsigned lanes;
	asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(lanes) : "r"(p), "r"(mask));
	return lanes;
}

inlined unsigned __shfl_sync(unsigned mask, unsigned v, unsigned lane) { return __nvvm_shfl_idx_sync(mask, v, lane, 31); }
inlined unsigned __shfl_up_sync(unsigned mask, unsigned v, unsigned d) { return __nvvm_shfl_up_sync(mask, v, d, 0); }
inlined float __shfl_up_sync(unsigned mask, float v, unsigned d)
{
	return __uint_as_float(__nvvm_shfl_up_sync(mask, __float_as_uint(v), d, 0));
}
inlined float __shfl_down_sync(unsigned mask, float v, unsigned d)
{
	return __uint_as_float(__nvvm_shfl_down_sync(mask, __float_as_uint(v), d, 31));
}
inlined float __shfl_xor_sync(unsigned mask, float v, unsigned d)
{
	return __uint_as_float(__nvvm_shfl_bfly_sync(mask, __float_as_uint(v), d, 31));
}
