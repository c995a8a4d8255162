// SpMV multiplies a sparse matrix in compressed rows by x, a warp a row.
extern "C" __global__ void __launch_bounds__(256)
SpMV(const unsigned *__restrict__ rows, unsigned, const unsigned *__restrict__ cols, unsigned,
     const float *__restrict__ values, unsigned, const float *__restrict__ x, unsigned, float *__restrict__ y, unsigned)
{
	unsigned lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
	unsigned end = rows[row + 1];
	float s = 0;
	for (unsigned j = rows[row] + lane; j < end; j += 32)
		s = fmaf(values[j], x[cols[j]], s);
#pragma unroll
	for (int m = 16; m > 0; m /= 2)
		s += __shfl_xor_sync(~0u, s, m);
	if (lane == 0)
		y[row] = s;
}
