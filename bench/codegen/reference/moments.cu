// Moments computes mean and variance of segments, a segment a block.
struct Numbers {
	double n, mean, squares;
};
struct __align__(16) Spread {
	double mean, variance;
};

static __device__ Numbers with(Numbers a, double v)
{
	a.n++;
	double d = v - a.mean;
	a.mean += d / a.n;
	a.squares = fma(d, v - a.mean, a.squares);
	return a;
}

static __device__ Numbers merged(Numbers a, Numbers b)
{
	if (b.n == 0)
		return a;
	double n = a.n + b.n, d = b.mean - a.mean, share = b.n / n;
	return {n, fma(d, share, a.mean), fma(d * d, a.n * share, a.squares + b.squares)};
}

extern "C" __global__ void __launch_bounds__(128)
Moments(const unsigned *__restrict__ starts, unsigned, const double *__restrict__ values, unsigned, Spread *__restrict__ spreads, unsigned)
{
	__shared__ Numbers parts[128];
	unsigned l = threadIdx.x, s = blockIdx.x, end = starts[s + 1];
	Numbers mine = {0, 0, 0};
	for (unsigned i = starts[s] + l; i < end; i += 128)
		mine = with(mine, values[i]);
	parts[l] = mine;
	__syncthreads();
	for (unsigned half = 64; half > 0; half /= 2) {
		if (l < half)
			parts[l] = merged(parts[l], parts[l + half]);
		__syncthreads();
	}
	if (l == 0) {
		Numbers all = parts[0];
		Spread out = {all.mean, 0};
		if (all.n > 0)
			out.variance = all.squares / all.n;
		spreads[s] = out;
	}
}
