// KMeans finds the nearest of up to 64 centres for each point, a point a thread, and counts what each centre gets.
#include "twin.h"

struct Feature {
	float x[16];
};

static __device__ inline float away(const Feature &p, const Feature &q, float most)
{
	float sum = 0;
	for (int k = 0; k < 16; k += 4) {
		for (int j = k; j < k + 4; j++) {
			float d = p.x[j] - q.x[j];
			sum += d * d;
		}
		if (sum > most)
			break;
	}
	return sum;
}

static __device__ inline unsigned nearestOf(const Feature *centres, unsigned n, const Feature &p)
{
	unsigned best = 0;
	float least = 3.40282347e38f;
	for (unsigned c = 0; c < n; c++) {
		float d = away(p, centres[c], least);
		if (d < least) {
			least = d;
			best = c;
		}
	}
	return best;
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(256)
KMeans(const Feature *__restrict__ centres, unsigned m, const Feature *__restrict__ points, unsigned n, u8 *__restrict__ nearest, unsigned,
       unsigned *__restrict__ sizes, unsigned)
{
	__shared__ Feature tile[64];
	__shared__ unsigned counts[64];
	unsigned l = threadIdx.x, i = blockIdx.x * 256 + l;
	if (l < 64) {
		counts[l] = 0;
		if (l < m)
			tile[l] = centres[l];
	}
	__syncthreads();
	if (i < n) {
		Feature p = points[i];
		unsigned best = nearestOf(tile, m, p);
		nearest[i] = best;
		atomicAdd(&counts[best], 1);
	}
	__syncthreads();
	if (l < 64 && counts[l] > 0)
		atomicAdd(&sizes[l], counts[l]);
}
#else
static void twin(const Arg *a)
{
	const Feature *points = a[1];
	u8 *nearest = a[2];
	unsigned *sizes = a[3];
	for (u64 i = 0; i < a[1].n; i++) {
		unsigned best = nearestOf(a[0], a[0].n, points[i]);
		nearest[i] = best;
		sizes[best]++;
	}
}
#endif
