// Saxpy adds a*x to y, four numbers a thread.
extern "C" __global__ void __launch_bounds__(256)
Saxpy(float a, const float4 *__restrict__ x, unsigned, float4 *__restrict__ y, unsigned n)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	float4 u = x[i], v = y[i];
	y[i] = make_float4(fmaf(a, u.x, v.x), fmaf(a, u.y, v.y), fmaf(a, u.z, v.z), fmaf(a, u.w, v.w));
}
