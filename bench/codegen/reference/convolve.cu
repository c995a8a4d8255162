// Convolve weighs the 5 x 5 pixels around each pixel of a picture, with tiles of 32 x 8 in shared memory.
extern "C" __global__ void __launch_bounds__(256)
Convolve(unsigned width, unsigned height, const float *__restrict__ weights, unsigned, const float *__restrict__ x, unsigned,
         float *__restrict__ y, unsigned)
{
	__shared__ float tile[12][36];
	unsigned lx = threadIdx.x, ly = threadIdx.y;
	int left = (int)(blockIdx.x * 32) - 2, top = (int)(blockIdx.y * 8) - 2;
	for (unsigned k = ly * 32 + lx; k < 36 * 12; k += 256) {
		int col = min(max(left + (int)(k % 36), 0), (int)width - 1);
		int row = min(max(top + (int)(k / 36), 0), (int)height - 1);
		tile[k / 36][k % 36] = x[row * (int)width + col];
	}
	__syncthreads();
	float sum = 0;
#pragma unroll
	for (int dy = 0; dy < 5; dy++)
#pragma unroll
		for (int dx = 0; dx < 5; dx++)
			sum = fmaf(weights[dy * 5 + dx], tile[ly + dy][lx + dx], sum);
	unsigned px = blockIdx.x * 32 + lx, py = blockIdx.y * 8 + ly;
	if (px < width && py < height)
		y[py * width + px] = sum;
}
