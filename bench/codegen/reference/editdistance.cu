// EditDistance counts the letters in which two words differ, by the algorithm of Wagner and Fischer, a pair a thread.
struct __align__(16) Word {
	unsigned char letter[32];
};

extern "C" __global__ void __launch_bounds__(128)
EditDistance(const Word *__restrict__ first, unsigned, const Word *__restrict__ second, unsigned,
             unsigned *__restrict__ distances, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	Word to = second[i];
	unsigned row[33];
#pragma unroll
	for (unsigned k = 0; k <= 32; k++)
		row[k] = k;
	for (unsigned j = 0; j < 32; j++) {
		unsigned char letter = first[i].letter[j];
		unsigned diagonal = row[0];
		row[0] = j + 1;
#pragma unroll
		for (unsigned k = 0; k < 32; k++) {
			unsigned cost = diagonal + (letter != to.letter[k]);
			diagonal = row[k + 1];
			row[k + 1] = min(cost, min(row[k], diagonal) + 1);
		}
	}
	distances[i] = row[32];
}
