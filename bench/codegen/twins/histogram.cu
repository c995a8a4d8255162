// Histogram counts bytes, sixteen a load. Every warp counts into bins of its own in shared memory.
static __device__ void count(unsigned *mine, unsigned w)
{
	atomicAdd(&mine[w & 255], 1u);
	atomicAdd(&mine[w >> 8 & 255], 1u);
	atomicAdd(&mine[w >> 16 & 255], 1u);
	atomicAdd(&mine[w >> 24], 1u);
}

extern "C" __global__ void __launch_bounds__(256)
Histogram(const uint4 *__restrict__ data, unsigned n, unsigned *__restrict__ bins, unsigned)
{
	__shared__ unsigned part[8 * 256];
	unsigned l = threadIdx.x;
	for (unsigned k = 0; k < 8 * 256; k += 256)
		part[k + l] = 0;
	__syncthreads();
	unsigned *mine = part + l / 32 * 256;
	unsigned step = gridDim.x * 256;
	for (unsigned i = blockIdx.x * 256 + l; i < n; i += step) {
		uint4 v = data[i];
		count(mine, v.x);
		count(mine, v.y);
		count(mine, v.z);
		count(mine, v.w);
	}
	__syncthreads();
	unsigned sum = 0;
	for (unsigned k = 0; k < 8 * 256; k += 256)
		sum += part[k + l];
	atomicAdd(&bins[l], sum);
}
