// Histogram counts bytes, 64 a thread at a time. Every lane has bins of its own in shared memory, in a bank of its own.
static __device__ void count(unsigned *mine, unsigned w)
{
	atomicAdd(&mine[(w & 255) * 32], 1u);
	atomicAdd(&mine[(w >> 8 & 255) * 32], 1u);
	atomicAdd(&mine[(w >> 16 & 255) * 32], 1u);
	atomicAdd(&mine[(w >> 24) * 32], 1u);
}

static __device__ void count(unsigned *mine, uint4 v)
{
	count(mine, v.x);
	count(mine, v.y);
	count(mine, v.z);
	count(mine, v.w);
}

extern "C" __global__ void __launch_bounds__(256)
Histogram(const uint4 *__restrict__ data, unsigned n, unsigned *__restrict__ bins, unsigned)
{
	__shared__ __align__(16) unsigned part[256 * 32];
	unsigned l = threadIdx.x;
	for (unsigned k = 0; k < 256 * 32; k += 1024)
		*(uint4 *)(part + k + 4 * l) = make_uint4(0, 0, 0, 0);
	__syncthreads();
	unsigned *mine = part + l % 32;
	unsigned step = gridDim.x * 1024;
	for (unsigned i = blockIdx.x * 1024 + l; i < n; i += step) {
		uint4 a = data[i], b = data[i + 256], c = data[i + 512], d = data[i + 768];
		count(mine, a);
		count(mine, b);
		count(mine, c);
		count(mine, d);
	}
	__syncthreads();
	unsigned sum = 0;
	for (unsigned k = 0; k < 32; k++)
		sum += part[32 * l + (k + l) % 32];
	atomicAdd(&bins[l], sum);
}
