// Planes makes three planes of halves, red, green and blue, of pixels in bytes, a pixel a thread.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
Planes(const uchar4 *__restrict__ pixels, unsigned n, __half *__restrict__ planes, unsigned)
{
	constexpr float mean[3] = {0.485f, 0.456f, 0.406f}, deviation[3] = {0.229f, 0.224f, 0.225f};
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	uchar4 p = pixels[i];
	unsigned char bytes[3] = {p.x, p.y, p.z};
	float opacity = p.w * (1.0f / 255);
#pragma unroll
	for (unsigned c = 0; c < 3; c++) {
		float colour = bytes[c] * (1.0f / 255) * opacity;
		planes[c * n + i] = __float2half_rn((colour - mean[c]) * (1 / deviation[c]));
	}
}
