// Stencil is one step of diffusion on a grid with rows of w vectors of four cells. A thread has a vector in each of
// four rows. x and cells are the same memory.
static __device__ float4 diffused(float centre, float side, float4 up, float4 v, float4 down, float edge)
{
	float left = __shfl_up_sync(~0u, v.w, 1), right = __shfl_down_sync(~0u, v.x, 1);
	if (threadIdx.x == 0)
		left = edge;
	if (threadIdx.x == 31)
		right = edge;
	return make_float4(fmaf(centre, v.x, side * ((left + v.y) + (up.x + down.x))),
	                   fmaf(centre, v.y, side * ((v.x + v.z) + (up.y + down.y))),
	                   fmaf(centre, v.z, side * ((v.y + v.w) + (up.z + down.z))),
	                   fmaf(centre, v.w, side * ((v.z + right) + (up.w + down.w))));
}

extern "C" __global__ void __launch_bounds__(256)
Stencil(unsigned w, float centre, float side, const float4 *__restrict__ x, unsigned n,
        const float *__restrict__ cells, unsigned, float4 *__restrict__ y, unsigned)
{
	unsigned lane = threadIdx.x, col = blockIdx.x * 32 + lane;
	unsigned i = (blockIdx.y * 8 + threadIdx.y) * 4 * w + col;
	unsigned above = i >= w ? i - w : i, below = i + 4 * w < n ? i + 4 * w : i + 3 * w;
	unsigned beside = lane > 0 ? i * 4 + 4 : i * 4 - 1;
	float p = 0, q = 0, r = 0, s = 0;
	if ((lane == 0 && col > 0) || (lane == 31 && col < w - 1)) {
		p = cells[beside];
		q = cells[beside + 4 * w];
		r = cells[beside + 8 * w];
		s = cells[beside + 12 * w];
	}
	float4 up = x[above], down = x[below];
	float4 a = x[i], b = x[i + w], c = x[i + 2 * w], d = x[i + 3 * w];
	if (above == i)
		up = make_float4(0, 0, 0, 0);
	if (below == i + 3 * w)
		down = make_float4(0, 0, 0, 0);
	float4 e = diffused(centre, side, up, a, b, p), f = diffused(centre, side, a, b, c, q);
	float4 g = diffused(centre, side, b, c, d, r), h = diffused(centre, side, c, d, down, s);
	y[i] = e;
	y[i + w] = f;
	y[i + 2 * w] = g;
	y[i + 3 * w] = h;
}
