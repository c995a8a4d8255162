// Life makes the next generation of the game of life on a torus, 64 cells a thread.
typedef unsigned long long u64;

struct Neighbours {
	u64 ones, twos, fours;
};

static __device__ void add(Neighbours &n, u64 cells)
{
	u64 carry = n.ones & cells;
	n.ones ^= cells;
	n.fours ^= n.twos & carry;
	n.twos ^= carry;
}

extern "C" __global__ void __launch_bounds__(256)
Life(unsigned width, unsigned height, const u64 *__restrict__ now, unsigned, u64 *__restrict__ next, unsigned)
{
	unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	if (x >= width || y >= height)
		return;
	Neighbours n = {0, 0, 0};
	for (unsigned dy = 0; dy < 3; dy++) {
		const u64 *row = now + (y + height + dy - 1) % height * width;
		u64 left = row[(x + width - 1) % width], here = row[x], right = row[(x + 1) % width];
		add(n, here << 1 | left >> 63);
		add(n, here >> 1 | right << 63);
		if (dy != 1)
			add(n, here);
	}
	next[y * width + x] = n.twos & ~n.fours & (n.ones | now[y * width + x]);
}
