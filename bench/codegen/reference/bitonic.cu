// Bitonic sort: tiles of 2048 keys in shared memory, single steps for longer distances, merges of tiles.
static __device__ void exchange(unsigned *tile, unsigned base, unsigned l, unsigned j, unsigned k)
{
	unsigned i = 2 * l - (l & (j - 1));
	unsigned a = tile[i], b = tile[i + j];
	if ((a > b) == (((base + i) & k) == 0)) {
		tile[i] = b;
		tile[i + j] = a;
	}
}

extern "C" __global__ void __launch_bounds__(1024) BitonicTile(unsigned *__restrict__ keys, unsigned)
{
	__shared__ unsigned tile[2048];
	unsigned l = threadIdx.x, base = blockIdx.x * 2048;
	tile[l] = keys[base + l];
	tile[l + 1024] = keys[base + l + 1024];
	__syncthreads();
	for (unsigned k = 2; k <= 2048; k *= 2)
		for (unsigned j = k / 2; j > 0; j /= 2) {
			exchange(tile, base, l, j, k);
			__syncthreads();
		}
	keys[base + l] = tile[l];
	keys[base + l + 1024] = tile[l + 1024];
}

extern "C" __global__ void __launch_bounds__(1024) BitonicMerge(unsigned k, unsigned *__restrict__ keys, unsigned)
{
	__shared__ unsigned tile[2048];
	unsigned l = threadIdx.x, base = blockIdx.x * 2048;
	tile[l] = keys[base + l];
	tile[l + 1024] = keys[base + l + 1024];
	__syncthreads();
	for (unsigned j = 1024; j > 0; j /= 2) {
		exchange(tile, base, l, j, k);
		__syncthreads();
	}
	keys[base + l] = tile[l];
	keys[base + l + 1024] = tile[l + 1024];
}

extern "C" __global__ void __launch_bounds__(256)
BitonicStep(unsigned j, unsigned k, uint4 *__restrict__ keys, unsigned)
{
	unsigned g = blockIdx.x * 256 + threadIdx.x;
	unsigned i = 2 * g - (g & (j - 1));
	uint4 a = keys[i], b = keys[i + j];
	uint4 lo = make_uint4(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z), min(a.w, b.w));
	uint4 hi = make_uint4(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z), max(a.w, b.w));
	if ((i & k) == 0) {
		keys[i] = lo;
		keys[i + j] = hi;
	} else {
		keys[i] = hi;
		keys[i + j] = lo;
	}
}
