// Spline evaluates a cubic spline over irregular knots, a place a thread.
#include "twin.h"

struct Cubic {
	double a, b, c, d;
};
struct Sample {
	double value, slope;
};

static __device__ double valueAt(Cubic p, double x) { return p.a + x * (p.b + x * (p.c + x * p.d)); }

static __device__ Sample sampled(const double *__restrict__ knots, unsigned n, const Cubic *__restrict__ pieces, unsigned m, double x)
{
	unsigned lo = 0, hi = n;
	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;
		if (knots[mid] > x)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == 0)
		return {pieces[0].a, 0};
	if (lo == n)
		return {valueAt(pieces[m - 1], knots[n - 1] - knots[n - 2]), 0};
	Cubic p = pieces[lo - 1];
	x -= knots[lo - 1];
	return {valueAt(p, x), p.b + x * (2 * p.c + x * (3 * p.d))};
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
Spline(const double *__restrict__ knots, unsigned n, const Cubic *__restrict__ pieces, unsigned m, const double *__restrict__ x, unsigned places,
       Sample *__restrict__ samples, unsigned)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i < places)
		samples[i] = sampled(knots, n, pieces, m, x[i]);
}
#else
static void twin(const Arg *a)
{
	const double *x = a[2];
	Sample *samples = a[3];
	for (u64 i = 0; i < a[2].n; i++)
		samples[i] = sampled(a[0], a[0].n, a[1], a[1].n, x[i]);
}
#endif
