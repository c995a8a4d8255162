// ReedSolomon computes the 32 bytes of parity of messages of 223 bytes, a message a thread.
#include "twin.h"

static __device__ inline void encode(const u8 *__restrict__ log, const u8 *__restrict__ power, const u8 *__restrict__ polynomial,
                                     const u8 *__restrict__ message, u8 *__restrict__ parity)
{
	u8 rest[32] = {};
	for (int i = 0; i < 223; i++) {
		u8 feedback = message[i] ^ rest[0];
		for (int k = 0; k < 31; k++)
			rest[k] = rest[k + 1];
		rest[31] = 0;
		if (feedback == 0)
			continue;
		unsigned l = log[feedback];
		for (int k = 0; k < 32; k++)
			rest[k] ^= power[l + polynomial[k]];
	}
	for (int k = 0; k < 32; k++)
		parity[k] = rest[k];
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
ReedSolomon(const u8 *__restrict__ logs, unsigned, const u8 *__restrict__ powers, unsigned, const u8 *__restrict__ polynomial, unsigned,
            const u8 *__restrict__ messages, unsigned, u8 *__restrict__ parities, unsigned n)
{
	__shared__ u8 log[256], power[512];
	for (unsigned k = threadIdx.x; k < 512; k += 128) {
		if (k < 256)
			log[k] = logs[k];
		power[k] = powers[k];
	}
	__syncthreads();
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		encode(log, power, polynomial, messages + i * 223, parities + i * 32);
}
#else
static void twin(const Arg *a)
{
	const u8 *messages = a[3];
	u8 *parities = a[4];
	for (u64 i = 0; i < a[4].n; i++)
		encode(a[0], a[1], a[2], messages + i * 223, parities + i * 32);
}
#endif
