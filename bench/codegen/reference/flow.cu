// Flow makes one step of a fluid on a lattice, a cell a thread.
#include "twin.h"

static __device__ inline void cell(unsigned width, unsigned height, float rate, const bool *__restrict__ wall, const float *__restrict__ now,
                                   float *__restrict__ next, unsigned x, unsigned y)
{
	const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
	const unsigned opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
	const float weight[9] = {4.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 9, 1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
	unsigned cells = width * height, here = y * width + x;
	float f[9];
	for (int k = 0; k < 9; k++)
		f[k] = now[k * cells + (y + height - ey[k]) % height * width + (x + width - ex[k]) % width];
	if (wall[here]) {
		for (int k = 0; k < 9; k++)
			next[k * cells + here] = f[opposite[k]];
		return;
	}
	float density = 0, ux = 0, uy = 0;
	for (int k = 0; k < 9; k++) {
		density += f[k];
		ux += f[k] * ex[k];
		uy += f[k] * ey[k];
	}
	ux /= density;
	uy /= density;
	float still = 1 - 1.5f * (ux * ux + uy * uy);
	for (int k = 0; k < 9; k++) {
		float along = 3 * (ux * ex[k] + uy * ey[k]);
		float equal = weight[k] * density * (still + along + 0.5f * along * along);
		next[k * cells + here] = f[k] + rate * (equal - f[k]);
	}
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
Flow(unsigned width, unsigned height, float rate, const bool *__restrict__ wall, unsigned, const float *__restrict__ now, unsigned,
     float *__restrict__ next, unsigned)
{
	unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
	if (x < width && y < height)
		cell(width, height, rate, wall, now, next, x, y);
}
#else
static void twin(const Arg *a)
{
	const unsigned *width = a[0], *height = a[1];
	const float *rate = a[2];
	for (unsigned y = 0; y < *height; y++)
		for (unsigned x = 0; x < *width; x++)
			cell(*width, *height, *rate, a[3], a[4], a[5], x, y);
}
#endif
