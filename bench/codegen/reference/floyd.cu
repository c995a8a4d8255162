// Floyd finds the shortest ways between all pairs of nodes, in tiles of 32 x 32 in shared memory.
constexpr unsigned side = 32;

extern "C" __global__ void __launch_bounds__(1024)
FloydDiagonal(unsigned n, unsigned k, unsigned *__restrict__ distances, unsigned)
{
	__shared__ unsigned tile[side][side];
	unsigned x = threadIdx.x, y = threadIdx.y;
	unsigned at = (k * side + y) * n + k * side + x;
	tile[y][x] = distances[at];
	__syncthreads();
	for (unsigned m = 0; m < side; m++) {
		unsigned over = tile[y][m] + tile[m][x];
		if (over < tile[y][x])
			tile[y][x] = over;
		__syncthreads();
	}
	distances[at] = tile[y][x];
}

extern "C" __global__ void __launch_bounds__(1024)
FloydCross(unsigned n, unsigned k, unsigned *__restrict__ distances, unsigned)
{
	__shared__ unsigned diagonal[side][side], tile[side][side];
	unsigned x = threadIdx.x, y = threadIdx.y;
	bool inColumn = blockIdx.y == 1;
	unsigned row = inColumn ? blockIdx.x : k, col = inColumn ? k : blockIdx.x;
	if (row == col)
		return;
	unsigned at = (row * side + y) * n + col * side + x;
	diagonal[y][x] = distances[(k * side + y) * n + k * side + x];
	tile[y][x] = distances[at];
	__syncthreads();
	for (unsigned m = 0; m < side; m++) {
		unsigned over = inColumn ? tile[y][m] + diagonal[m][x] : diagonal[y][m] + tile[m][x];
		if (over < tile[y][x])
			tile[y][x] = over;
		__syncthreads();
	}
	distances[at] = tile[y][x];
}

extern "C" __global__ void __launch_bounds__(1024)
FloydRest(unsigned n, unsigned k, unsigned *__restrict__ distances, unsigned)
{
	__shared__ unsigned from[side][side], to[side][side];
	if (blockIdx.x == k || blockIdx.y == k)
		return;
	unsigned x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * side + x, row = blockIdx.y * side + y;
	from[y][x] = distances[row * n + k * side + x];
	to[y][x] = distances[(k * side + y) * n + col];
	__syncthreads();
	unsigned shortest = distances[row * n + col];
	for (unsigned m = 0; m < side; m++)
		shortest = min(shortest, from[y][m] + to[m][x]);
	distances[row * n + col] = shortest;
}
