// FIR filters two channels of 16 bits in fixed point, a frame a thread.
constexpr int point = 13;

static __device__ short clamped(int v)
{
	if (v < -32768)
		return -32768;
	if (v > 32767)
		return 32767;
	return v;
}

extern "C" __global__ void __launch_bounds__(256)
FIR(const short *__restrict__ taps, unsigned n, const short2 *__restrict__ in, unsigned, short2 *__restrict__ out, unsigned frames)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= frames)
		return;
	int left = 1 << (point - 1), right = 1 << (point - 1);
	for (unsigned k = 0; k < n; k++) {
		short2 f = in[i + k];
		left += taps[k] * f.x;
		right += taps[k] * f.y;
	}
	out[i] = make_short2(clamped(left >> point), clamped(right >> point));
}
