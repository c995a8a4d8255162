// Loops on rows, pictures and lists of numbers.
#include "loops.h"

enum { CHANNELS = 2048, SAMPLES = 128, PICTURE = 512, OPTIONS = 16384 };

static float x[CHANNELS * SAMPLES], y[CHANNELS * SAMPLES];

static void make_channels(void) { units(x, CHANNELS * SAMPLES, 0); }
static void biquad(void) { // channels inside, so that the inner loop has no stride
	const float b0 = 0.0674553f, b1 = 0.1349105f, b2 = 0.0674553f, a1 = -1.1429805f, a2 = 0.4128016f;
	static float s1[CHANNELS], s2[CHANNELS];
	memset(s1, 0, sizeof s1), memset(s2, 0, sizeof s2);
	for (int t = 0; t < SAMPLES; t++)
		for (int c = 0; c < CHANNELS; c++) {
			float in = x[t * CHANNELS + c], out = fmaf(b0, in, s1[c]);
			s1[c] = fmaf(-a1, out, fmaf(b1, in, s2[c]));
			s2[c] = fmaf(-a2, out, b2 * in);
			y[t * CHANNELS + c] = out;
		}
}

static float weights[25], picture[PICTURE * PICTURE], blurred[PICTURE * PICTURE];

static void make_picture(void) { units(weights, 25, 0), units(picture, PICTURE * PICTURE, 25); }
static int within(int v) { return v < 0 ? 0 : v > PICTURE - 1 ? PICTURE - 1 : v; }
static void convolve(void) { // of a copy with a border, so that the inner loops ask nothing
	static float wide[PICTURE + 4][PICTURE + 4];
	for (int row = 0; row < PICTURE + 4; row++)
		for (int col = 0; col < PICTURE + 4; col++) wide[row][col] = picture[within(row - 2) * PICTURE + within(col - 2)];
	for (int row = 0; row < PICTURE; row++)
		for (int col = 0; col < PICTURE; col++) {
			float sum = 0;
			for (int dy = 0; dy < 5; dy++)
				for (int dx = 0; dx < 5; dx++) sum = fmaf(weights[dy * 5 + dx], wide[row + dy][col + dx], sum);
			blurred[row * PICTURE + col] = sum;
		}
}

// The functions that package gpu has, with the coefficients of internal/exact.

static uint32_t bits_of(float x) { uint32_t b; memcpy(&b, &x, 4); return b; }
static float of_bits(uint32_t b) { float x; memcpy(&x, &b, 4); return x; }

static float exp_of(float x) {
	x = x > 89 ? 89 : x < -104 ? -104 : x;
	float m = fmaf(x, 0x1.715476p0f, 0x1.8p23f), n = m - 0x1.8p23f;
	float r = fmaf(n, 1.904654299957768e-09f, fmaf(n, -0x1.62e43p-1f, x));
	float p = 0.001382061047f;
	p = fmaf(p, r, 0.008368674666f), p = fmaf(p, r, 0.04166826606f), p = fmaf(p, r, 0.1666652113f);
	p = fmaf(p, r, 0.4999999404f), p = fmaf(p, r, 1), p = fmaf(p, r, 1);
	uint32_t word = bits_of(m), half = word >> 1; // in two factors, as 2^n alone may be too great or too small
	return p * of_bits((half << 23) + 0x3f800000) * of_bits(((word - half) << 23) + 0x3f800000);
}

static float log_of(float x) {
	float given = x, less = 0;
	if (x < 0x1p-126f) x *= 0x1p24f, less = 24;
	uint32_t d = (bits_of(x) - 0x3f3504f3) & 0xff800000;
	float f = of_bits(bits_of(x) - d) - 1, k = fmaf((float)(int32_t)d, 0x1p-23f, -less);
	float p = -0.07635971f;
	p = fmaf(p, f, 0.12762009f), p = fmaf(p, f, -0.13159686f), p = fmaf(p, f, 0.14201616f), p = fmaf(p, f, -0.16623406f);
	p = fmaf(p, f, 0.2000124f), p = fmaf(p, f, -0.2500082f), p = fmaf(p, f, 0.3333333f), p = fmaf(p, f, -0.5f);
	p = fmaf(k, 0x1.62e43p-1f, fmaf(f * f, p, f));
	if (bits_of(given) >= 0x7f800000) p = fmaf(given, INFINITY, INFINITY);
	return given == 0 ? -INFINITY : p;
}

static float erf_of(float x) {
	float size = fabsf(x), z = x * x, q = 7.806903e-05f;
	if (!(size > 1)) {
		q = fmaf(q, z, -0.0007997853f), q = fmaf(q, z, 0.005187162f), q = fmaf(q, z, -0.026853347f);
		q = fmaf(q, z, 0.11283579f), q = fmaf(q, z, -0.37612626f), q = fmaf(q, z, 0.12837917f);
		return fmaf(x, q, x);
	}
	float v = (size > 3.92f ? 3.92f : size) - 1.5f;
	q = -1.2023291e-05f;
	q = fmaf(q, v, 3.3331387e-05f), q = fmaf(q, v, 0.00036959382f), q = fmaf(q, v, -0.0020412426f);
	q = fmaf(q, v, 0.0015316815f), q = fmaf(q, v, 0.012643959f), q = fmaf(q, v, -0.030704612f), q = fmaf(q, v, -0.02391857f);
	q = fmaf(q, v, 0.20115961f), q = fmaf(q, v, -0.32299453f), q = fmaf(q, v, 0.18410558f);
	return copysignf(fmaf(-q, q, 1), x);
}

static float normal(float x) { return 0.5f + 0.5f * erf_of(x * 0x1.6a09e6p-1f); }

static float spot[OPTIONS], strike[OPTIONS], years[OPTIONS], call[OPTIONS], put[OPTIONS];

static void make_options(void) {
	for (uint32_t i = 0; i < OPTIONS; i++) {
		spot[i] = 5 + 25 * unit(i), strike[i] = 1 + 99 * unit(i + OPTIONS), years[i] = 0.25f + 10 * unit(i + 2 * OPTIONS);
	}
}
static void price(void) {
	const float rate = 0.02f, volatility = 0.3f;
	for (int i = 0; i < OPTIONS; i++) {
		float s = spot[i], k = strike[i], y = years[i], deviation = volatility * sqrtf(y);
		float d = (log_of(s / k) + (rate + volatility * volatility / 2) * y) / deviation;
		float n1 = normal(d), n2 = normal(d - deviation), paid = k * exp_of(-rate * y);
		call[i] = s * n1 - paid * n2;
		put[i] = paid * (1 - n2) - s * (1 - n1);
	}
}

const struct problem numbers[] = {
	{"biquad", make_channels, 0, biquad, y, sizeof y},
	{"convolve", make_picture, 0, convolve, blurred, sizeof blurred},
	{"blackscholes", make_options, 0, price, put, sizeof put},
	{0},
};
