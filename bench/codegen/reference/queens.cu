// Queens counts the ways to place n queens of which so many are given, by backtracking with a stack of boards.
struct Board {
	unsigned columns, down, up, free;
};

static __device__ Board with(Board b, unsigned queen, unsigned all)
{
	b.columns |= queen;
	b.down = (b.down | queen) << 1;
	b.up = (b.up | queen) >> 1;
	b.free = all & ~(b.columns | b.down | b.up);
	return b;
}

extern "C" __global__ void __launch_bounds__(128)
Queens(unsigned n, unsigned given, unsigned *__restrict__ counts, unsigned length)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= length)
		return;
	unsigned all = (1u << n) - 1, rest = i;
	Board b = {0, 0, 0, all};
	for (unsigned k = 0; k < given; k++) {
		unsigned queen = 1u << rest % n;
		if ((b.free & queen) == 0) {
			counts[i] = 0;
			return;
		}
		b = with(b, queen, all);
		rest /= n;
	}
	Board stack[20];
	unsigned depth = 0, found = 0;
	for (;;) {
		if (b.free == 0) {
			if (depth == 0)
				break;
			b = stack[--depth];
			continue;
		}
		unsigned queen = b.free & -b.free;
		b.free ^= queen;
		if (given + depth + 1 == n) {
			found++;
			continue;
		}
		stack[depth++] = b;
		b = with(b, queen, all);
	}
	counts[i] = found;
}
