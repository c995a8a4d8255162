// Functions that are not inlined: of scalars, by pointer to a local, of and to structures.
struct pair {
	int low;
	long long high;
};

__device__ __noinline__ int gcd(int a, int b) {
	while (b) {
		int r = a % b;
		a = b;
		b = r;
	}
	return a;
}

__device__ __noinline__ void bump(int *p, int by) {
	if (*p & 1)
		return;
	*p += by;
}

__device__ __noinline__ pair twice(pair p, float f) {
	p.low = p.low * 2 + (int)f;
	p.high = p.high - gcd(p.low, 12);
	return p;
}

extern "C" __global__ void calls(const int *in, long long *out, unsigned n) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int g = gcd(in[2 * i], in[2 * i + 1]);
	bump(&g, 10);
	pair p = {g, in[2 * i]};
	if (i % 3 == 0)
		p = twice(p, 2.5f);
	out[i] = p.low * 1000ll + p.high;
}
