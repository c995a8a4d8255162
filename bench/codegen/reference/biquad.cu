// Biquad filters channels with one section of second order, transposed direct form II, a channel a thread.
extern "C" __global__ void __launch_bounds__(128)
Biquad(unsigned channels, float b0, float b1, float b2, float a1, float a2, const float *__restrict__ x, unsigned n,
       float *__restrict__ y, unsigned)
{
	unsigned channel = blockIdx.x * 128 + threadIdx.x;
	if (channel >= channels)
		return;
	float s1 = 0, s2 = 0;
	for (unsigned i = channel; i < n; i += channels) {
		float in = x[i];
		float out = fmaf(b0, in, s1);
		s1 = fmaf(-a1, out, fmaf(b1, in, s2));
		s2 = fmaf(-a2, out, b2 * in);
		y[i] = out;
	}
}
