// Running sums in three launches: sums of tiles of 1024 numbers, where each tile starts, the tiles.
static __device__ unsigned warpScan(unsigned v)
{
	unsigned lane = threadIdx.x % 32;
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		unsigned u = __shfl_up_sync(~0u, v, d);
		if (lane >= d)
			v += u;
	}
	return v;
}

// scanBefore returns the sum of v over the threads before this one, and leaves the running sums of the
// warps in part.
template <int warps> static __device__ unsigned scanBefore(unsigned *part, unsigned v)
{
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	unsigned upto = warpScan(v);
	if (lane == 31)
		part[warp] = upto;
	__syncthreads();
	if (warp == 0) {
		unsigned s = warpScan(lane < warps ? part[lane] : 0);
		if (lane < warps)
			part[lane] = s;
	}
	__syncthreads();
	return (warp > 0 ? part[warp - 1] : 0) + upto - v;
}

extern "C" __global__ void __launch_bounds__(256)
ScanSums(const uint4 *__restrict__ x, unsigned, unsigned *__restrict__ sums, unsigned)
{
	__shared__ unsigned part[8];
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	uint4 v = x[blockIdx.x * 256 + threadIdx.x];
	unsigned s = __reduce_add_sync(~0u, v.x + v.y + v.z + v.w);
	if (lane == 0)
		part[warp] = s;
	__syncthreads();
	if (warp == 0) {
		s = __reduce_add_sync(~0u, lane < 8 ? part[lane] : 0);
		if (lane == 0)
			sums[blockIdx.x] = s;
	}
}

extern "C" __global__ void __launch_bounds__(1024) ScanStarts(unsigned *__restrict__ sums, unsigned n)
{
	__shared__ unsigned part[32];
	unsigned run = 0;
	for (unsigned base = 0; base < n; base += 1024) {
		unsigned i = base + threadIdx.x;
		unsigned v = i < n ? sums[i] : 0;
		unsigned before = run + scanBefore<32>(part, v);
		if (i < n)
			sums[i] = before;
		run += part[31];
		__syncthreads();
	}
}

extern "C" __global__ void __launch_bounds__(256)
ScanTiles(const uint4 *__restrict__ x, unsigned, uint4 *__restrict__ y, unsigned, const unsigned *__restrict__ starts, unsigned)
{
	__shared__ unsigned part[8];
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	uint4 v = x[i];
	v.y += v.x;
	v.z += v.y;
	v.w += v.z;
	unsigned s = starts[blockIdx.x] + scanBefore<8>(part, v.w);
	y[i] = make_uint4(v.x + s, v.y + s, v.z + s, v.w + s);
}
