// IDCT makes a grey picture of the blocks of a JPEG file, a block a thread.
#include "twin.h"

#ifdef CUDA
__constant__
#endif
static const u8 zigzag[64] = {
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

// Transforms eight coefficients, step apart, in place.
static __device__ inline void inverseDCT(int *c, int step, int shift)
{
	int c0 = c[0], c1 = c[step], c2 = c[2 * step], c3 = c[3 * step], c4 = c[4 * step], c5 = c[5 * step], c6 = c[6 * step], c7 = c[7 * step];
	int z = (c2 + c6) * 4433;
	int e2 = z - c6 * 15137, e3 = z + c2 * 6270;
	int e0 = (c0 + c4) * 8192, e1 = (c0 - c4) * 8192;
	int even[4] = {e0 + e3, e1 + e2, e1 - e2, e0 - e3};
	int z1 = c7 + c1, z2 = c5 + c3, z3 = c7 + c3, z4 = c5 + c1;
	int z5 = (z3 + z4) * 9633;
	z1 *= -7373, z2 *= -20995, z3 = z3 * -16069 + z5, z4 = z4 * -3196 + z5;
	int odd[4] = {c1 * 12299 + z1 + z4, c3 * 25172 + z2 + z3, c5 * 16819 + z2 + z4, c7 * 2446 + z1 + z3};
	int half = 1 << (shift - 1);
	for (int k = 0; k < 4; k++) {
		c[k * step] = (even[k] + odd[k] + half) >> shift;
		c[(7 - k) * step] = (even[k] - odd[k] + half) >> shift;
	}
}

static __device__ void draw(const short *__restrict__ block, const u16 *__restrict__ quantum, u8 *__restrict__ pixels, unsigned width)
{
	int v[64];
	for (int k = 0; k < 64; k++)
		v[zigzag[k]] = block[k] * quantum[k];
	for (int x = 0; x < 8; x++) {
		bool flat = true;
		for (int y = 1; y < 8; y++)
			flat = flat && v[y * 8 + x] == 0;
		if (flat) {
			for (int y = 7; y >= 0; y--)
				v[y * 8 + x] = v[x] * 4;
			continue;
		}
		inverseDCT(v + x, 8, 11);
	}
	for (int y = 0; y < 8; y++) {
		inverseDCT(v + y * 8, 1, 18);
		for (int x = 0; x < 8; x++)
			pixels[y * width + x] = min(max(v[y * 8 + x] + 128, 0), 255);
	}
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(64)
IDCT(unsigned columns, const u16 *__restrict__ quantum, unsigned, const short *__restrict__ blocks, unsigned n, u8 *__restrict__ pixels, unsigned)
{
	unsigned i = blockIdx.x * 64 + threadIdx.x;
	if (i < n)
		draw(blocks + i * 64, quantum, pixels + (i / columns * columns * 8 + i % columns) * 8, columns * 8);
}
#else
static void twin(const Arg *a)
{
	const unsigned *columns = a[0];
	const short *blocks = a[2];
	u8 *pixels = a[3];
	for (u64 i = 0; i < a[2].n; i++)
		draw(blocks + i * 64, a[1], pixels + (i / *columns * *columns * 8 + i % *columns) * 8, *columns * 8);
}
#endif
