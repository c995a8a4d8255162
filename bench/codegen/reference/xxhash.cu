// XXHash is xxHash64 of records of whole words, a record a thread.
typedef unsigned long long u64;

static const u64 prime1 = 0x9E3779B185EBCA87, prime2 = 0xC2B2AE3D27D4EB4F, prime3 = 0x165667B19E3779F9,
                 prime4 = 0x85EBCA77C2B2AE63, prime5 = 0x27D4EB2F165667C5;

static __device__ u64 turned(u64 x, int n) { return x << n | x >> (64 - n); }

static __device__ u64 mixed(u64 sum, u64 word) { return turned(sum + word * prime2, 31) * prime1; }

extern "C" __global__ void __launch_bounds__(128)
XXHash(const unsigned *__restrict__ starts, unsigned, const u64 *__restrict__ words, unsigned, u64 *__restrict__ hashes, unsigned n)
{
	unsigned r = blockIdx.x * 128 + threadIdx.x;
	if (r >= n)
		return;
	unsigned at = starts[r], end = starts[r + 1];
	u64 h = prime5, length = (u64)(end - at) * 8;
	if (end - at >= 4) {
		u64 sums[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
		for (; at + 4 <= end; at += 4)
			for (unsigned k = 0; k < 4; k++)
				sums[k] = mixed(sums[k], words[at + k]);
		h = turned(sums[0], 1) + turned(sums[1], 7) + turned(sums[2], 12) + turned(sums[3], 18);
		for (unsigned k = 0; k < 4; k++)
			h = (h ^ mixed(0, sums[k])) * prime1 + prime4;
	}
	h += length;
	for (; at < end; at++)
		h = turned(h ^ mixed(0, words[at]), 27) * prime1 + prime4;
	h = (h ^ h >> 33) * prime2;
	h = (h ^ h >> 29) * prime3;
	hashes[r] = h ^ h >> 32;
}
