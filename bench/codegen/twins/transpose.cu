// Transpose writes the transpose of the n x n matrix x to y, in padded tiles of 32 x 32.
extern "C" __global__ void __launch_bounds__(256)
Transpose(unsigned n, const float *__restrict__ x, unsigned, float *__restrict__ y, unsigned)
{
	__shared__ float tile[32][33];
	unsigned lx = threadIdx.x, ly = threadIdx.y;
	unsigned at = (blockIdx.y * 32 + ly) * n + blockIdx.x * 32 + lx;
	for (unsigned k = 0; k < 32; k += 8)
		tile[ly + k][lx] = x[at + k * n];
	__syncthreads();
	at = (blockIdx.x * 32 + ly) * n + blockIdx.y * 32 + lx;
	for (unsigned k = 0; k < 32; k += 8)
		y[at + k * n] = tile[lx][ly + k];
}
