// BitDistance compares words of 64 letters with texts by Myers' algorithm, a word a block, a text a thread.
typedef unsigned long long u64;

extern "C" __global__ void __launch_bounds__(64)
BitDistance(const unsigned char *__restrict__ words, unsigned, const unsigned char *__restrict__ letters, unsigned,
            const unsigned *__restrict__ starts, unsigned nstarts, unsigned *__restrict__ distances, unsigned)
{
	__shared__ u64 at[256];
	unsigned l = threadIdx.x, word = blockIdx.x;
	for (unsigned c = l; c < 256; c += 64) {
		u64 mask = 0;
		for (unsigned k = 0; k < 64; k++)
			if (words[word * 64 + k] == c)
				mask |= 1ull << k;
		at[c] = mask;
	}
	__syncthreads();
	unsigned texts = nstarts - 1;
	for (unsigned text = l; text < texts; text += 64) {
		u64 up = ~0ull, down = 0;
		unsigned distance = 64;
		for (unsigned k = starts[text]; k < starts[text + 1]; k++) {
			u64 same = at[letters[k]];
			u64 v = same | down, h = (((same & up) + up) ^ up) | same;
			u64 more = down | ~(h | up), less = up & h;
			if (more >> 63)
				distance++;
			else if (less >> 63)
				distance--;
			more = more << 1 | 1;
			less <<= 1;
			up = less | ~(v | more);
			down = more & v;
		}
		distances[word * texts + text] = distance;
	}
}
