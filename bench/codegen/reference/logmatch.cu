// LogMatch finds the leftmost, then longest match of an automaton in each line, a line a thread.
#include "twin.h"

struct Found {
	int from, to;
};

static __device__ Found matched(unsigned kinds, const u8 *__restrict__ kind, const u16 *__restrict__ next, const bool *__restrict__ accepts,
                                const u8 *__restrict__ line, int n)
{
	for (int from = 0; from < n; from++) {
		unsigned state = 0;
		int to = -1;
		for (int at = from; at < n; at++) {
			state = next[state * kinds + kind[line[at]]];
			if (state == 1)
				break;
			if (accepts[state])
				to = at + 1;
		}
		if (to >= 0)
			return {from, to};
	}
	return {-1, -1};
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
LogMatch(unsigned kinds, const u8 *__restrict__ kind, unsigned, const u16 *__restrict__ next, unsigned, const bool *__restrict__ accepts, unsigned,
         const unsigned *__restrict__ starts, unsigned, const u8 *__restrict__ text, unsigned, Found *__restrict__ found, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		found[i] = matched(kinds, kind, next, accepts, text + starts[i], starts[i + 1] - starts[i]);
}
#else
static void twin(const Arg *a)
{
	const unsigned *kinds = a[0], *starts = a[4];
	const u8 *text = a[5];
	Found *found = a[6];
	for (u64 i = 0; i < a[6].n; i++)
		found[i] = matched(*kinds, a[1], a[2], a[3], text + starts[i], starts[i + 1] - starts[i]);
}
#endif
