// Newton finds a root of each polynomial of degree five, a polynomial a thread.
struct Polynomial {
	float p[6];
};

static __device__ float root(const Polynomial &q, float x, int &rounds)
{
	for (int k = 0; k < 30; k++) {
		float value = q.p[5], slope = 0;
		for (int j = 4; j >= 0; j--) {
			slope = fmaf(slope, x, value);
			value = fmaf(value, x, q.p[j]);
		}
		rounds = k;
		if (fabsf(value) < 1e-6f)
			return x;
		if (slope == 0) {
			rounds = -1;
			return x;
		}
		float next = x - value / slope;
		if (fabsf(next) > 1e6f) {
			rounds = -2;
			return next;
		}
		if (next == x)
			return x;
		x = next;
	}
	rounds = -3;
	return x;
}

extern "C" __global__ void __launch_bounds__(128)
Newton(float from, const Polynomial *__restrict__ polynomials, unsigned n, float *__restrict__ roots, unsigned,
       int *__restrict__ rounds, unsigned)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	Polynomial q = polynomials[i];
	int k;
	float at = root(q, from, k);
	roots[i] = k < 0 ? 0 : at;
	rounds[i] = k;
}
