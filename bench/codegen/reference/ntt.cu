// NTT transforms polynomials of 1024 coefficients modulo 119 * 2**23 + 1 in place, a polynomial a block.
#include "twin.h"

constexpr unsigned points = 1024, prime = 998244353;

static __device__ inline unsigned plus(unsigned a, unsigned b) { return a + b >= prime ? a + b - prime : a + b; }
static __device__ inline unsigned minus(unsigned a, unsigned b) { return a < b ? a + prime - b : a - b; }
static __device__ inline unsigned times(unsigned a, unsigned b) { return (u64)a * b % prime; }

static __device__ inline void butterfly(unsigned *__restrict__ v, const unsigned *__restrict__ powers, unsigned half, unsigned k)
{
	unsigned j = k % half, at = (k - j) * 2 + j;
	unsigned a = v[at], b = times(v[at + half], powers[j * (points / 2 / half)]);
	v[at] = plus(a, b);
	v[at + half] = minus(a, b);
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(256)
NTT(const unsigned *__restrict__ powers, unsigned, unsigned *__restrict__ polynomials, unsigned)
{
	__shared__ unsigned v[points];
	unsigned *mine = polynomials + blockIdx.x * points;
	for (unsigned k = threadIdx.x; k < points; k += 256)
		v[__brev(k) >> 22] = mine[k];
	__syncthreads();
	for (unsigned half = 1; half < points; half *= 2) {
		for (unsigned k = threadIdx.x; k < points / 2; k += 256)
			butterfly(v, powers, half, k);
		__syncthreads();
	}
	for (unsigned k = threadIdx.x; k < points; k += 256)
		mine[k] = v[k];
}
#else
static void twin(const Arg *a)
{
	const unsigned *__restrict__ powers = a[0];
	unsigned *polynomials = a[1];
	for (u64 i = 0; i < a[1].n; i += points) {
		unsigned *__restrict__ v = polynomials + i;
		for (unsigned k = 0, back = 0; k < points; k++) {
			if (back < k) {
				unsigned other = v[k];
				v[k] = v[back];
				v[back] = other;
			}
			unsigned bit = points / 2;
			for (; back & bit; bit /= 2)
				back ^= bit;
			back |= bit;
		}
		for (unsigned half = 1; half < points; half *= 2)
			for (unsigned k = 0; k < points; k += 2 * half)
				for (unsigned j = 0; j < half; j++) {
					unsigned p = v[k + j], q = times(v[k + j + half], powers[j * (points / 2 / half)]);
					v[k + j] = plus(p, q);
					v[k + j + half] = minus(p, q);
				}
	}
}
#endif
