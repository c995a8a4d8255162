// SHA256 compresses one block of 64 bytes a thread, from the initial state.
static __device__ unsigned rot(unsigned x, int n)
{
	return __funnelshift_l(x, x, n);
}

extern "C" __global__ void __launch_bounds__(256)
SHA256(const uint4 *__restrict__ blocks, unsigned, uint4 *__restrict__ states, unsigned)
{
	constexpr unsigned K[64] = {
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
	};
	constexpr unsigned H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	unsigned t = blockIdx.x * 256 + threadIdx.x, w[16];
#pragma unroll
	for (int q = 0; q < 4; q++) {
		uint4 v = blocks[4 * t + q];
		w[4 * q] = v.x;
		w[4 * q + 1] = v.y;
		w[4 * q + 2] = v.z;
		w[4 * q + 3] = v.w;
	}
	unsigned a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
#pragma unroll
	for (int i = 0; i < 64; i++) {
		if (i >= 16) {
			unsigned w1 = w[(i + 1) % 16], w14 = w[(i + 14) % 16];
			w[i % 16] += (rot(w1, 25) ^ rot(w1, 14) ^ w1 >> 3) + w[(i + 9) % 16] + (rot(w14, 15) ^ rot(w14, 13) ^ w14 >> 10);
		}
		unsigned t1 = h + K[i] + w[i % 16] + (g ^ (e & (f ^ g))) + (rot(e, 26) ^ rot(e, 21) ^ rot(e, 7));
		unsigned t2 = ((a & b) | (c & (a | b))) + (rot(a, 30) ^ rot(a, 19) ^ rot(a, 10));
		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	states[2 * t] = make_uint4(a + H[0], b + H[1], c + H[2], d + H[3]);
	states[2 * t + 1] = make_uint4(e + H[4], f + H[5], g + H[6], h + H[7]);
}
