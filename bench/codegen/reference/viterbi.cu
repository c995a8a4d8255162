// Viterbi decodes frames of 256 bits in a convolutional code of 64 states, a frame a block.
#include "twin.h"

struct __attribute__((aligned(2))) Symbol {
	s8 first, second;
};

// Goes back through the choices, two words a bit.
static __device__ void trace(const unsigned *choices, u8 *out)
{
	unsigned at = 0;
	u8 letter = 0;
	for (int k = 255; k >= 0; k--) {
		letter |= (at & 1) << k % 8;
		if (k % 8 == 0) {
			out[k / 8] = letter;
			letter = 0;
		}
		unsigned choice = choices[k * 2 + at / 32] >> at % 32 & 1;
		at = (at >> 1) + choice * 32;
	}
}

#ifdef CUDA
static __device__ inline int cost(unsigned sent, Symbol s)
{
	return (__popc(sent & 0171) % 2 ? -s.first : s.first) + (__popc(sent & 0133) % 2 ? -s.second : s.second);
}

extern "C" __global__ void __launch_bounds__(64)
Viterbi(const Symbol *__restrict__ symbols, unsigned, u8 *__restrict__ frames, unsigned)
{
	__shared__ int costs[64];
	__shared__ unsigned choices[512];
	unsigned state = threadIdx.x, bit = state & 1, before = state >> 1;
	unsigned first = before << 1 | bit, second = (before + 32) << 1 | bit;
	costs[state] = state ? 1 << 20 : 0;
	__syncthreads();
	for (int k = 0; k < 256; k++) {
		Symbol s = symbols[blockIdx.x * 256 + k];
		int a = costs[before] + cost(first, s), b = costs[before + 32] + cost(second, s);
		unsigned word = __ballot_sync(~0u, b < a);
		if (state % 32 == 0)
			choices[k * 2 + state / 32] = word;
		__syncthreads();
		costs[state] = min(a, b);
		__syncthreads();
	}
	if (state == 0)
		trace(choices, frames + blockIdx.x * 32);
}
#else
static void twin(const Arg *a)
{
	const Symbol *symbols = a[0];
	u8 *frames = a[1];
	int signs[2][128];
	for (int sent = 0; sent < 128; sent++) {
		signs[0][sent] = __builtin_parity(sent & 0171) ? -1 : 1;
		signs[1][sent] = __builtin_parity(sent & 0133) ? -1 : 1;
	}
	for (u64 frame = 0; frame < a[1].n / 32; frame++) {
		int now[64], next[64];
		unsigned choices[512];
		for (int state = 0; state < 64; state++)
			now[state] = state ? 1 << 20 : 0;
		for (int k = 0; k < 256; k++) {
			Symbol s = symbols[frame * 256 + k];
			u64 word = 0;
			for (unsigned state = 0; state < 64; state++) {
				int p = now[state >> 1] + signs[0][state] * s.first + signs[1][state] * s.second;
				int q = now[(state >> 1) + 32] + signs[0][state + 64] * s.first + signs[1][state + 64] * s.second;
				word |= (u64)(q < p) << state;
				next[state] = min(p, q);
			}
			choices[k * 2] = word;
			choices[k * 2 + 1] = word >> 32;
			memcpy(now, next, sizeof now);
		}
		trace(choices, frames + frame * 32);
	}
}
#endif
