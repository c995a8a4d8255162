// LZ4 unpacks blocks of up to 1024 bytes, a block a thread.
#include "twin.h"

struct Unpacking {
	unsigned state, bytes;
};

static __device__ bool unpackedLength(const u8 *in, unsigned size, unsigned &at, unsigned &length)
{
	if (length < 15)
		return true;
	while (at < size) {
		u8 b = in[at++];
		length += b;
		if (b != 255)
			return true;
	}
	return false;
}

static __device__ Unpacking unpack(const u8 *__restrict__ in, unsigned size, u8 *__restrict__ out, unsigned room)
{
	unsigned n = 0;
	for (unsigned at = 0; at < size;) {
		u8 token = in[at++];
		unsigned length = token >> 4;
		if (!unpackedLength(in, size, at, length) || length > size - at)
			return {1, n};
		if (length > room - n)
			return {2, n};
		while (length-- > 0)
			out[n++] = in[at++];
		if (at == size)
			break;
		if (at + 2 > size)
			return {1, n};
		unsigned back = in[at] | in[at + 1] << 8;
		at += 2;
		if (back == 0 || back > n)
			return {3, n};
		length = token & 15;
		if (!unpackedLength(in, size, at, length))
			return {1, n};
		length += 4;
		if (length > room - n)
			return {2, n};
		for (; length > 0; length--, n++)
			out[n] = out[n - back];
	}
	return {0, n};
}

static __device__ Unpacking unpackBlock(const u8 *__restrict__ in, unsigned size, u8 *__restrict__ out)
{
	Unpacking u = unpack(in, size, out, 1024);
	for (unsigned k = u.bytes; k < 1024; k++)
		out[k] = 0;
	return u;
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(64)
LZ4(const unsigned *__restrict__ starts, unsigned, const u8 *__restrict__ packed, unsigned, u8 *__restrict__ out, unsigned,
    Unpacking *__restrict__ results, unsigned n)
{
	unsigned i = blockIdx.x * 64 + threadIdx.x;
	if (i < n)
		results[i] = unpackBlock(packed + starts[i], starts[i + 1] - starts[i], out + i * 1024);
}
#else
static void twin(const Arg *a)
{
	const unsigned *starts = a[0];
	const u8 *packed = a[1];
	u8 *out = a[2];
	Unpacking *results = a[3];
	for (u64 i = 0; i < a[3].n; i++)
		results[i] = unpackBlock(packed + starts[i], starts[i + 1] - starts[i], out + i * 1024);
}
#endif
