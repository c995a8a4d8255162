// Align compares a query with targets by local alignment with affine gaps, a target a thread.
#include "twin.h"

struct Alignment {
	int score;
	u16 query, target;
};

static __device__ Alignment aligned(unsigned letters, int open, int extend, const s8 *__restrict__ scores, const u8 *__restrict__ query, int m,
                                    const u8 *__restrict__ target, int n)
{
	int ending[64] = {}, gap[64] = {};
	Alignment top = {};
	for (int k = 0; k < n; k++) {
		const s8 *row = scores + target[k] * letters;
		int diagonal = 0, left = 0, across = 0;
		for (int j = 0; j < m; j++) {
			gap[j] = max(ending[j] - open, gap[j] - extend);
			across = max(left - open, across - extend);
			int score = max(max(0, diagonal + row[query[j]]), max(gap[j], across));
			diagonal = ending[j];
			ending[j] = left = score;
			if (score > top.score)
				top = {score, (u16)(j + 1), (u16)(k + 1)};
		}
	}
	return top;
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(64)
Align(unsigned letters, int open, int extend, const s8 *__restrict__ scores, unsigned, const u8 *__restrict__ query, unsigned m,
      const unsigned *__restrict__ starts, unsigned, const u8 *__restrict__ targets, unsigned, Alignment *__restrict__ best, unsigned n)
{
	unsigned i = blockIdx.x * 64 + threadIdx.x;
	if (i < n)
		best[i] = aligned(letters, open, extend, scores, query, m, targets + starts[i], starts[i + 1] - starts[i]);
}
#else
static void twin(const Arg *a)
{
	const unsigned *letters = a[0], *starts = a[5];
	const int *open = a[1], *extend = a[2];
	const u8 *targets = a[6];
	Alignment *best = a[7];
	for (u64 i = 0; i < a[7].n; i++)
		best[i] = aligned(*letters, *open, *extend, a[3], a[4], a[4].n, targets + starts[i], starts[i + 1] - starts[i]);
}
#endif
