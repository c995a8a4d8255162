// Steps until 1, with three ways out of the loop that lanes take at different times.
extern "C" __global__ void collatz(const unsigned long long *in, int *out, unsigned n, int most) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long v = in[i];
	int steps = 0;
	for (;;) {
		if (v == 1)
			break;
		if (v == 0) {
			steps = -1;
			break;
		}
		if (steps == most) {
			steps = -2;
			break;
		}
		steps++;
		if (v & 1) {
			v = 3 * v + 1;
			continue;
		}
		v >>= 1;
	}
	out[i] = steps;
}
