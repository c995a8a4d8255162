// Reduce sums blocks of 8192 numbers, one a thread block, in a fixed order.
static __device__ float4 add(float4 a, float4 b)
{
	return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

extern "C" __global__ void __launch_bounds__(256)
Reduce(const float4 *__restrict__ x, unsigned, float *__restrict__ sums, unsigned)
{
	__shared__ float part[8];
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const float4 *p = x + blockIdx.x * 2048 + threadIdx.x;
	float4 a = p[0], b = p[256], c = p[512], d = p[768];
	float4 e = p[1024], f = p[1280], g = p[1536], h = p[1792];
	float4 v = add(add(add(a, b), add(c, d)), add(add(e, f), add(g, h)));
	float s = (v.x + v.y) + (v.z + v.w);
#pragma unroll
	for (int m = 16; m > 0; m /= 2)
		s += __shfl_xor_sync(~0u, s, m);
	if (lane == 0)
		part[warp] = s;
	__syncthreads();
	if (warp == 0) {
		s = lane < 8 ? part[lane] : 0.0f;
#pragma unroll
		for (int m = 4; m > 0; m /= 2)
			s += __shfl_xor_sync(~0u, s, m);
		if (lane == 0)
			sums[blockIdx.x] = s;
	}
}
