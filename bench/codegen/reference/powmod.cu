// PowMod raises numbers to a power modulo m, in Montgomery's form.
typedef unsigned long long u64;

static __device__ u64 montgomery(u64 a, u64 b, u64 m, u64 inverse)
{
	u64 lo = a * b, hi = __umul64hi(a, b);
	u64 h = __umul64hi(lo * inverse, m);
	u64 r = hi + h + (lo != 0); // the low half of the sum is 0, so it carries unless both are
	return r >= m ? r - m : r;
}

extern "C" __global__ void __launch_bounds__(128)
PowMod(u64 exponent, u64 m, u64 inverse, u64 square, const u64 *__restrict__ x, unsigned, u64 *__restrict__ y, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	u64 base = montgomery(x[i], square, m, inverse), power = montgomery(1, square, m, inverse);
	for (u64 e = exponent; e > 0; e >>= 1) {
		if (e & 1)
			power = montgomery(power, base, m, inverse);
		base = montgomery(base, base, m, inverse);
	}
	y[i] = montgomery(power, 1, m, inverse);
}
