// Median smooths channels by the median of nine samples, which it keeps sorted, a channel a thread.
static __device__ void insert(float *sorted, int n, float v)
{
	int k = n - 1;
	while (k > 0 && sorted[k - 1] > v) {
		sorted[k] = sorted[k - 1];
		k--;
	}
	sorted[k] = v;
}

static __device__ void removeFrom(float *sorted, int n, float v)
{
	int k = 0;
	while (sorted[k] != v)
		k++;
	for (; k < n - 1; k++)
		sorted[k] = sorted[k + 1];
}

extern "C" __global__ void __launch_bounds__(128)
Median(unsigned channels, const float *__restrict__ x, unsigned, float *__restrict__ y, unsigned n)
{
	unsigned c = blockIdx.x * 128 + threadIdx.x;
	if (c >= channels)
		return;
	float sorted[9];
	for (int k = 0; k < 8; k++)
		insert(sorted, k + 1, x[k * channels + c]);
	for (unsigned i = c; i < n; i += channels) {
		insert(sorted, 9, x[i + 8 * channels]);
		y[i] = sorted[4];
		removeFrom(sorted, 9, x[i]);
	}
}
