// Each thread sorts 8 values in an array of its own, whose elements are picked by run-time indices.
extern "C" __global__ void sort(const int *in, int *out, unsigned n) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int a[8];
	for (int k = 0; k < 8; k++)
		a[k] = in[8 * i + k];
	for (int k = 1; k < 8; k++) {
		int v = a[k], j = k - 1;
		while (j >= 0 && a[j] > v) {
			a[j + 1] = a[j];
			j--;
		}
		a[j + 1] = v;
	}
	int first = a[in[8 * i] & 7];
	for (int k = 0; k < 8; k++)
		out[9 * i + k] = a[k];
	out[9 * i + 8] = first;
}
