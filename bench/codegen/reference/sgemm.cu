// SGEMM multiplies square matrices whose rows are n vectors of four: c = a*b, in tiles of 64 x 64 with slices
// of 16 in shared memory, 4 x 4 a thread.
static __device__ void scaled(float x, float4 v, float4 &w)
{
	w.x = fmaf(x, v.x, w.x);
	w.y = fmaf(x, v.y, w.y);
	w.z = fmaf(x, v.z, w.z);
	w.w = fmaf(x, v.w, w.w);
}

extern "C" __global__ void __launch_bounds__(256)
SGEMM(unsigned n, const float4 *__restrict__ a, unsigned, const float4 *__restrict__ b, unsigned, float4 *__restrict__ c, unsigned)
{
	__shared__ __align__(16) float as[16][68];
	__shared__ float4 bs[16][16];
	unsigned tx = threadIdx.x, ty = threadIdx.y, l = ty * 16 + tx;
	unsigned ia = (blockIdx.y * 64 + l / 4) * n + l % 4;
	unsigned ib = l / 16 * n + blockIdx.x * 16 + l % 16;
	float4 c0 = make_float4(0, 0, 0, 0), c1 = c0, c2 = c0, c3 = c0;
	for (unsigned k = 0; k < n; k += 4) {
		float4 u = a[ia];
		unsigned col = l % 4 * 4, row = l / 4;
		as[col][row] = u.x;
		as[col + 1][row] = u.y;
		as[col + 2][row] = u.z;
		as[col + 3][row] = u.w;
		bs[l / 16][l % 16] = b[ib];
		__syncthreads();
#pragma unroll
		for (int q = 0; q < 16; q++) {
			float4 r = *reinterpret_cast<const float4 *>(&as[q][ty * 4]), w = bs[q][tx];
			scaled(r.x, w, c0);
			scaled(r.y, w, c1);
			scaled(r.z, w, c2);
			scaled(r.w, w, c3);
		}
		__syncthreads();
		ia += 4;
		ib += 16 * n;
	}
	unsigned ic = (blockIdx.y * 64 + ty * 4) * n + blockIdx.x * 16 + tx;
	c[ic] = c0;
	c[ic + n] = c1;
	c[ic + 2 * n] = c2;
	c[ic + 3 * n] = c3;
}
