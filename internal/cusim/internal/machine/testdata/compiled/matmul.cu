// c = a b of n by n matrices in tiles of shared memory; n is a multiple of the tile.
const int tile = 16;

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
	__shared__ float as[tile][tile], bs[tile][tile + 1];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * tile + y, col = blockIdx.x * tile + x;
	float sum = 0;
	for (int k = 0; k < n; k += tile) {
		as[y][x] = a[row * n + k + x];
		bs[y][x] = b[(k + y) * n + col];
		__syncthreads();
		for (int i = 0; i < tile; i++)
			sum = fmaf(as[y][i], bs[i][x], sum);
		__syncthreads();
	}
	c[row * n + col] = sum;
}
