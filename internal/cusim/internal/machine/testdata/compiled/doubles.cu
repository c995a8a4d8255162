#include <math.h>

extern "C" __global__ void doubles(const double *x, double *out, long long *whole, unsigned n) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	double v = x[i];
	double poly = fma(fma(v, 0.25, -1.5), v, 2.0);
	out[4 * i] = poly / (1.0 + v * v);
	out[4 * i + 1] = sqrt(fabs(v));
	out[4 * i + 2] = floor(v) + ceil(v) * 0.5;
	out[4 * i + 3] = v < 0 ? (double)(float)v : fmin(v, 1e10);
	whole[i] = (long long)rint(v) * 3 - (long long)trunc(v);
}
