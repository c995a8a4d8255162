// Running sums in three launches: sums of tiles of 4096 numbers, where each tile starts, the tiles.
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

static __device__ unsigned total(uint4 v)
{
	return v.x + v.y + v.z + v.w;
}

static __device__ uint4 running(uint4 v)
{
	v.y += v.x;
	v.z += v.y;
	v.w += v.z;
	return v;
}

static __device__ uint4 plus(uint4 v, unsigned s)
{
	return make_uint4(v.x + s, v.y + s, v.z + s, v.w + s);
}

static __device__ uint4 minus(uint4 v, uint4 w)
{
	return make_uint4(v.x - w.x, v.y - w.y, v.z - w.z, v.w - w.w);
}

// scanned makes running sums, from start, of the numbers that a thread block has: those of a warp before those of the
// next, in each warp those in v[0] of all lanes before those in v[1]. It leaves the running sums of the warps in part.
template <int warps> static __device__ void scanned(unsigned *part, unsigned start, uint4 v[4])
{
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, upto[4];
#pragma unroll
	for (int k = 0; k < 4; k++) {
		v[k] = running(v[k]);
		upto[k] = warpScan(v[k].w);
	}
#pragma unroll
	for (int k = 1; k < 4; k++)
		upto[k] += __shfl_sync(~0u, upto[k - 1], 31);
	if (lane == 31)
		part[warp] = upto[3];
	__syncthreads();
	if (warp == 0) {
		unsigned s = warpScan(lane < warps ? part[lane] : 0);
		if (lane < warps)
			part[lane] = s;
	}
	__syncthreads();
	if (warp > 0)
		start += part[warp - 1];
#pragma unroll
	for (int k = 0; k < 4; k++)
		v[k] = plus(v[k], start + upto[k] - v[k].w);
}

extern "C" __global__ void __launch_bounds__(256)
ScanSums(const uint4 *__restrict__ x, unsigned, unsigned *__restrict__ sums, unsigned)
{
	__shared__ unsigned part[8];
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	const uint4 *p = x + blockIdx.x * 1024 + threadIdx.x;
	uint4 a = p[0], b = p[256], c = p[512], d = p[768];
	unsigned s = __reduce_add_sync(~0u, total(a) + total(b) + (total(c) + total(d)));
	if (lane == 0)
		part[warp] = s;
	__syncthreads();
	if (warp == 0) {
		s = __reduce_add_sync(~0u, lane < 8 ? part[lane] : 0);
		if (lane == 0)
			sums[blockIdx.x] = s;
	}
}

extern "C" __global__ void __launch_bounds__(1024) ScanStarts(uint4 *__restrict__ sums, unsigned n)
{
	__shared__ unsigned part[32];
	unsigned run = 0;
	for (unsigned base = 0; base < n; base += 4096) {
		unsigned i = base + threadIdx.x / 32 * 128 + threadIdx.x % 32;
		uint4 v[4], w[4];
#pragma unroll
		for (int k = 0; k < 4; k++)
			v[k] = w[k] = i + 32 * k < n ? sums[i + 32 * k] : make_uint4(0, 0, 0, 0);
		scanned<32>(part, run, v);
#pragma unroll
		for (int k = 0; k < 4; k++)
			if (i + 32 * k < n)
				sums[i + 32 * k] = minus(v[k], w[k]);
		run += part[31];
		__syncthreads();
	}
}

extern "C" __global__ void __launch_bounds__(256)
ScanTiles(const uint4 *__restrict__ x, unsigned, uint4 *__restrict__ y, unsigned, const unsigned *__restrict__ starts, unsigned)
{
	__shared__ unsigned part[8];
	unsigned tile = gridDim.x - 1 - blockIdx.x;
	unsigned i = tile * 1024 + threadIdx.x / 32 * 128 + threadIdx.x % 32;
	uint4 v[4] = {x[i], x[i + 32], x[i + 64], x[i + 96]};
	scanned<8>(part, starts[tile], v);
#pragma unroll
	for (int k = 0; k < 4; k++)
		y[i + 32 * k] = v[k];
}
