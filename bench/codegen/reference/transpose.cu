// Transpose writes the transpose of x to y, matrices with rows of n vectors, in tiles of 64 x 64.
extern "C" __global__ void __launch_bounds__(256)
Transpose(unsigned n, const float4 *__restrict__ x, unsigned, float4 *__restrict__ y, unsigned)
{
	__shared__ float4 tile[64][17]; // by columns, column 4*l + k at l + 16*k
	unsigned lx = threadIdx.x, ly = threadIdx.y;
	unsigned at = (blockIdx.y * 64 + ly * 4) * n + blockIdx.x * 16 + lx;
	float4 a = x[at], b = x[at + n], c = x[at + 2 * n], d = x[at + 3 * n];
	tile[lx][ly] = make_float4(a.x, b.x, c.x, d.x);
	tile[lx + 16][ly] = make_float4(a.y, b.y, c.y, d.y);
	tile[lx + 32][ly] = make_float4(a.z, b.z, c.z, d.z);
	tile[lx + 48][ly] = make_float4(a.w, b.w, c.w, d.w);
	__syncthreads();
	at = (blockIdx.x * 64 + ly * 4) * n + blockIdx.y * 16 + lx;
	for (unsigned k = 0; k < 4; k++)
		y[at + k * n] = tile[ly + 16 * k][lx];
}
