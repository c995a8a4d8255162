// Huffman decodes blocks of 64 letters in a prefix code with a table in shared memory, a block a thread.
typedef unsigned long long u64;

constexpr unsigned codeBits = 10, blockLength = 64;

extern "C" __global__ void __launch_bounds__(128)
Huffman(const unsigned short *__restrict__ codes, unsigned, const unsigned *__restrict__ starts, unsigned n,
        const unsigned *__restrict__ stream, unsigned, unsigned char *__restrict__ letters, unsigned)
{
	__shared__ unsigned short table[1 << codeBits];
	for (unsigned k = threadIdx.x; k < 1 << codeBits; k += 128)
		table[k] = codes[k];
	__syncthreads();
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	unsigned char *block = letters + i * blockLength;
	unsigned word = starts[i] / 32, have = 32 - starts[i] % 32;
	u64 bits = (u64)stream[word] >> (starts[i] % 32);
	for (unsigned k = 0; k < blockLength; k++) {
		if (have < codeBits) {
			word++;
			bits |= (u64)stream[word] << have;
			have += 32;
		}
		unsigned short code = table[bits % (1 << codeBits)];
		block[k] = code >> 4;
		unsigned length = code % 16;
		bits >>= length;
		have -= length;
	}
}
