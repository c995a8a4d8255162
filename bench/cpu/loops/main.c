// The loops of the kernels in C. `loops NAME ROUNDS` prints the least time of the rounds in nanoseconds, and a digest of
// what came out. Build: gcc -O2 -ffp-contract=off -mfma; with -fopenmp all cores work, and -DLARGE gives them something to do.
#include "loops.h"
#include <stdio.h>
#include <time.h>

static uint64_t digest(const void *p, size_t n) {
	const uint32_t *w = p;
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < n / 4; i++) h = (h ^ w[i]) * 1099511628211u;
	return h;
}

static int measure(const struct problem *p, int rounds) {
	int64_t least = INT64_MAX;
	p->make();
	while (rounds-- > 0) {
		if (p->again) p->again();
		struct timespec from, to;
		clock_gettime(CLOCK_MONOTONIC, &from);
		p->run();
		clock_gettime(CLOCK_MONOTONIC, &to);
		int64_t ns = (to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec;
		if (ns < least) least = ns;
	}
	printf("%lld %llu\n", (long long)least, (unsigned long long)digest(p->out, p->bytes));
	return 0;
}

int main(int argc, char **argv) {
	if (argc != 3) return 2;
	const struct problem *all[] = {streams, computes, numbers, integers};
	for (int i = 0; i < 4; i++)
		for (const struct problem *p = all[i]; p->name; p++)
			if (!strcmp(p->name, argv[1])) return measure(p, atoi(argv[2]));
	return 2;
}
