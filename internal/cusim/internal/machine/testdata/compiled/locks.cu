// A counter behind a lock that threads of all blocks take, and one that compare-and-swap keeps.
extern "C" __global__ void locks(int *lock, volatile int *guarded, unsigned long long *most, unsigned rounds) {
	for (unsigned r = 0; r < rounds; r++) {
		bool done = false;
		while (!done) {
			if (atomicCAS(lock, 0, 1) == 0) {
				__threadfence();
				*guarded = *guarded + 1;
				__threadfence();
				atomicExch(lock, 0);
				done = true;
			}
		}
	}
	unsigned long long mine = blockIdx.x * 1000ull + threadIdx.x * threadIdx.x % 61, seen = *most;
	while (seen < mine) {
		unsigned long long was = atomicCAS(most, seen, mine);
		if (was == seen)
			break;
		seen = was;
	}
}
