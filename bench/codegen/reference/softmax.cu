// Softmax makes weights that sum to 1 of each row of n numbers, a warp a row.
extern "C" __global__ void __launch_bounds__(256)
Softmax(unsigned n, const float *__restrict__ x, unsigned, float *__restrict__ y, unsigned)
{
	unsigned lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
	const float *in = x + row * n;
	float *out = y + row * n;
	float most = -INFINITY;
	for (unsigned i = lane; i < n; i += 32)
		most = fmaxf(most, in[i]);
#pragma unroll
	for (int m = 16; m > 0; m /= 2)
		most = fmaxf(most, __shfl_xor_sync(~0u, most, m));
	float sum = 0;
	for (unsigned i = lane; i < n; i += 32)
		sum += expf(in[i] - most);
#pragma unroll
	for (int m = 16; m > 0; m /= 2)
		sum += __shfl_xor_sync(~0u, sum, m);
	float scale = 1 / sum;
	for (unsigned i = lane; i < n; i += 32)
		out[i] = scale * expf(in[i] - most);
}
