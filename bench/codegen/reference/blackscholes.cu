// BlackScholes prices European options, calls and puts.
static __device__ float normal(float x)
{
	return 0.5f + 0.5f * erff(x * 0.70710678f);
}

extern "C" __global__ void __launch_bounds__(256)
BlackScholes(float rate, float volatility, const float *__restrict__ spot, unsigned, const float *__restrict__ strike, unsigned,
             const float *__restrict__ years, unsigned, float *__restrict__ call, unsigned n, float *__restrict__ put, unsigned)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	float s = spot[i], k = strike[i], y = years[i];
	float deviation = volatility * sqrtf(y);
	float d1 = (logf(s / k) + (rate + volatility * volatility / 2) * y) / deviation;
	float n1 = normal(d1), n2 = normal(d1 - deviation);
	float paid = k * expf(-rate * y);
	call[i] = s * n1 - paid * n2;
	put[i] = paid * (1 - n2) - s * (1 - n1);
}
