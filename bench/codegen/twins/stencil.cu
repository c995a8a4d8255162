// Stencil is one step of diffusion on a grid of rows of length w. A thread goes down eight rows.
extern "C" __global__ void __launch_bounds__(256)
Stencil(unsigned w, float centre, float side, const float *__restrict__ x, unsigned n, float *__restrict__ y, unsigned)
{
	unsigned col = blockIdx.x * 32 + threadIdx.x;
	unsigned i = (blockIdx.y * 8 + threadIdx.y) * 8 * w + col;
	float up = i >= w ? x[i - w] : 0.0f, mid = x[i];
	for (int row = 0; row < 8; row++) {
		float down = i + w < n ? x[i + w] : 0.0f;
		float left = col > 0 ? x[i - 1] : 0.0f, right = col < w - 1 ? x[i + 1] : 0.0f;
		y[i] = fmaf(centre, mid, side * ((left + right) + (up + down)));
		up = mid;
		mid = down;
		i += w;
	}
}
