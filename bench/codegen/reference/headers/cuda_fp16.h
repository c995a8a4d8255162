// The part of CUDA's header that the reference kernels use, for a toolkit that comes without it; see prelude.h.
#pragma once

struct __attribute__((aligned(2))) __half {
	unsigned short bits;
};

inlined __half __float2half_rn(float x)
{
	__half h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
	return h;
}
