// Inclusive sums along a warp, and of what the lanes agree on.
extern "C" __global__ void scan(const unsigned *in, unsigned *out) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
	unsigned v = in[i], sum = v;
	for (unsigned d = 1; d < 32; d *= 2) {
		unsigned other = __shfl_up_sync(0xffffffffu, sum, d);
		if (lane >= d)
			sum += other;
	}
	unsigned odd = __ballot_sync(0xffffffffu, v & 1);
	unsigned same = __match_any_sync(0xffffffffu, v & 3);
	out[4 * i] = sum;
	out[4 * i + 1] = __popc(odd & ((1u << lane) - 1));
	out[4 * i + 2] = same;
	out[4 * i + 3] = __any_sync(0xffffffffu, v == 7) * 2 + __all_sync(0xffffffffu, v < 100);
}
