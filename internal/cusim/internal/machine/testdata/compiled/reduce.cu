// The sum of a block: in each warp by shuffles, then of the warps through shared memory.
extern "C" __global__ void reduce(const int *in, int *out, unsigned n) {
	__shared__ int part[32];
	int sum = 0;
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	for (int d = 16; d > 0; d >>= 1)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	if (lane == 0)
		part[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		sum = lane < blockDim.x / 32 ? part[lane] : 0;
		for (int d = 16; d > 0; d >>= 1)
			sum += __shfl_xor_sync(0xffffffffu, sum, d);
		if (lane == 0)
			atomicAdd(out, sum);
	}
}
