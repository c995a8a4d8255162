// BLAKE3 compresses one block of 64 bytes a thread, each the only block of its message number i.
static __device__ unsigned rot(unsigned x, int n)
{
	return __funnelshift_l(x, x, n);
}

static __device__ void mix(unsigned &a, unsigned &b, unsigned &c, unsigned &d, unsigned x, unsigned y)
{
	a += b + x;
	d = rot(d ^ a, 16);
	c += d;
	b = rot(b ^ c, 20);
	a += b + y;
	d = rot(d ^ a, 24);
	c += d;
	b = rot(b ^ c, 25);
}

extern "C" __global__ void __launch_bounds__(256)
BLAKE3(const uint4 *__restrict__ blocks, unsigned, uint4 *__restrict__ values, unsigned)
{
	constexpr int order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
	unsigned t = blockIdx.x * 256 + threadIdx.x, m[16];
#pragma unroll
	for (int q = 0; q < 4; q++) {
		uint4 x = blocks[4 * t + q];
		m[4 * q] = x.x;
		m[4 * q + 1] = x.y;
		m[4 * q + 2] = x.z;
		m[4 * q + 3] = x.w;
	}
	unsigned v[16] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	                  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, t, 0, 64, 11};
#pragma unroll
	for (int round = 0; round < 7; round++) {
		if (round > 0) {
			unsigned p[16];
#pragma unroll
			for (int i = 0; i < 16; i++)
				p[i] = m[order[i]];
#pragma unroll
			for (int i = 0; i < 16; i++)
				m[i] = p[i];
		}
#pragma unroll
		for (int i = 0; i < 4; i++)
			mix(v[i], v[4 + i], v[8 + i], v[12 + i], m[2 * i], m[2 * i + 1]);
#pragma unroll
		for (int i = 0; i < 4; i++)
			mix(v[i], v[4 + (i + 1) % 4], v[8 + (i + 2) % 4], v[12 + (i + 3) % 4], m[8 + 2 * i], m[9 + 2 * i]);
	}
	values[2 * t] = make_uint4(v[0] ^ v[8], v[1] ^ v[9], v[2] ^ v[10], v[3] ^ v[11]);
	values[2 * t + 1] = make_uint4(v[4] ^ v[12], v[5] ^ v[13], v[6] ^ v[14], v[7] ^ v[15]);
}
