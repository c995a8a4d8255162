// Loops bound by arithmetic.
#include "loops.h"

#ifdef LARGE
enum { WIDE = 4096, BLOCKS = 1 << 21, BODIES = 16384 };
#else
enum { WIDE = 256, BLOCKS = 4096, BODIES = 1024 };
#endif
enum { DIM = 256, RAYS = 1024, TRIANGLES = 256 };

static void nothing(void) {}

static uint32_t rounds[WIDE * WIDE];

__attribute__((noinline)) static void mandelbrot_of(uint32_t most, float x0, float y0, float step) {
#pragma omp parallel for schedule(dynamic)
	for (int py = 0; py < WIDE; py++)
		for (int px = 0; px < WIDE; px++) {
			float cx = fmaf((float)px, step, x0), cy = fmaf((float)py, step, y0), x = 0, y = 0;
			uint32_t n = 0;
			while (n < most) {
				float y2 = y * y;
				if (fmaf(x, x, y2) > 4) break;
				float nx = fmaf(x, x, cx - y2);
				y = fmaf(x + x, y, cy), x = nx, n++;
			}
			rounds[py * WIDE + px] = n;
		}
}
static void mandelbrot(void) { mandelbrot_of(256, -2, -1.5f, 3.0f / WIDE); }

static uint32_t blocks[BLOCKS * 16], states[BLOCKS * 8];

static void make_blocks(void) { words(blocks, BLOCKS * 16, 0); }

static const uint32_t K[64] = {
#define R(a, b, c, d, e, f, g, h) 0x##a, 0x##b, 0x##c, 0x##d, 0x##e, 0x##f, 0x##g, 0x##h
	R(428a2f98, 71374491, b5c0fbcf, e9b5dba5, 3956c25b, 59f111f1, 923f82a4, ab1c5ed5),
	R(d807aa98, 12835b01, 243185be, 550c7dc3, 72be5d74, 80deb1fe, 9bdc06a7, c19bf174),
	R(e49b69c1, efbe4786, 0fc19dc6, 240ca1cc, 2de92c6f, 4a7484aa, 5cb0a9dc, 76f988da),
	R(983e5152, a831c66d, b00327c8, bf597fc7, c6e00bf3, d5a79147, 06ca6351, 14292967),
	R(27b70a85, 2e1b2138, 4d2c6dfc, 53380d13, 650a7354, 766a0abb, 81c2c92e, 92722c85),
	R(a2bfe8a1, a81a664b, c24b8b70, c76c51a3, d192e819, d6990624, f40e3585, 106aa070),
	R(19a4c116, 1e376c08, 2748774c, 34b0bcb5, 391c0cb3, 4ed8aa4a, 5b9cca4f, 682e6ff3),
	R(748f82ee, 78a5636f, 84c87814, 8cc70208, 90befffa, a4506ceb, bef9a3f7, c67178f2)};
#define ROR(v, n) ((v) >> (n) | (v) << (32 - (n)))

static void sha256(void) {
#pragma omp parallel for schedule(dynamic, 256)
	for (int i = 0; i < BLOCKS; i++) {
		uint32_t w[64], s[8] = {R(6a09e667, bb67ae85, 3c6ef372, a54ff53a, 510e527f, 9b05688c, 1f83d9ab, 5be0cd19)}, v[8];
		memcpy(w, blocks + 16 * i, 64);
		for (int t = 16; t < 64; t++)
			w[t] = (ROR(w[t - 2], 17) ^ ROR(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] + (ROR(w[t - 15], 7) ^ ROR(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
		memcpy(v, s, sizeof v);
		for (int t = 0; t < 64; t++) {
			uint32_t e = v[4], p = v[7] + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + (v[6] ^ (e & (v[5] ^ v[6]))) + K[t] + w[t];
			uint32_t q = (ROR(v[0], 2) ^ ROR(v[0], 13) ^ ROR(v[0], 22)) + ((v[0] & v[1]) | (v[2] & (v[0] | v[1])));
			v[7] = v[6], v[6] = v[5], v[5] = e, v[4] = v[3] + p, v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = p + q;
		}
		for (int t = 0; t < 8; t++) states[8 * i + t] = v[t] + s[t];
	}
}

static uint32_t values[BLOCKS * 8];

#define MIX(a, b, c, d, x, y) \
	a += b + (x), d = ROR(d ^ a, 16), c += d, b = ROR(b ^ c, 12), a += b + (y), d = ROR(d ^ a, 8), c += d, b = ROR(b ^ c, 7)

static void blake3(void) {
	static const uint8_t order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t m[16], t[16], v[16] = {R(6a09e667, bb67ae85, 3c6ef372, a54ff53a, 510e527f, 9b05688c, 1f83d9ab, 5be0cd19),
			0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, i, 0, 64, 11};
		memcpy(m, blocks + 16 * i, 64);
		for (int r = 0; r < 7; r++) {
			MIX(v[0], v[4], v[8], v[12], m[0], m[1]), MIX(v[1], v[5], v[9], v[13], m[2], m[3]);
			MIX(v[2], v[6], v[10], v[14], m[4], m[5]), MIX(v[3], v[7], v[11], v[15], m[6], m[7]);
			MIX(v[0], v[5], v[10], v[15], m[8], m[9]), MIX(v[1], v[6], v[11], v[12], m[10], m[11]);
			MIX(v[2], v[7], v[8], v[13], m[12], m[13]), MIX(v[3], v[4], v[9], v[14], m[14], m[15]);
			for (int k = 0; k < 16; k++) t[k] = m[order[k]];
			memcpy(m, t, 64);
		}
		for (int k = 0; k < 8; k++) values[8 * i + k] = v[k] ^ v[k + 8];
	}
}

static float bodies[BODIES * 4], pull[BODIES * 4];

static void make_bodies(void) { units(bodies, BODIES * 4, 0); }

__attribute__((noinline)) static void nbody_of(float soft) {
#pragma omp parallel for schedule(dynamic, 16)
	for (int i = 0; i < BODIES; i++) {
		const float *me = bodies + 4 * i;
		float ax = 0, ay = 0, az = 0;
		for (int j = 0; j < BODIES; j++) {
			const float *o = bodies + 4 * j;
			float dx = o[0] - me[0], dy = o[1] - me[1], dz = o[2] - me[2];
			float inv = 1 / sqrtf(fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, soft)))), f = o[3] * inv * (inv * inv);
			ax = fmaf(f, dx, ax), ay = fmaf(f, dy, ay), az = fmaf(f, dz, az);
		}
		pull[4 * i] = ax, pull[4 * i + 1] = ay, pull[4 * i + 2] = az, pull[4 * i + 3] = 0;
	}
}
static void nbody(void) { nbody_of(0.01f); }

static float a[DIM * DIM], b[DIM * DIM], c[DIM * DIM];

static void make_matrices(void) { units(a, DIM * DIM, 0), units(b, DIM * DIM, DIM * DIM); }

static void sgemm(void) { // rows of b, so that the inner loop has no stride
	memset(c, 0, sizeof c);
	for (int i = 0; i < DIM; i++)
		for (int k = 0; k < DIM; k++) {
			float f = a[i * DIM + k];
			for (int j = 0; j < DIM; j++) c[i * DIM + j] = fmaf(f, b[k * DIM + j], c[i * DIM + j]);
		}
}

struct vec { float x, y, z; };
static struct vec triangles[TRIANGLES][3], rays[RAYS][2];
static struct { float distance; uint32_t triangle; } hits[RAYS];

static struct vec minus(struct vec a, struct vec b) { return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static float dot(struct vec a, struct vec b) { return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z)); }
static struct vec cross(struct vec a, struct vec b) {
	return (struct vec){fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)), fmaf(a.x, b.y, -(a.y * b.x))};
}

static void make_rays(void) {
	units((float *)triangles, TRIANGLES * 9, 0);
	units((float *)rays, RAYS * 6, TRIANGLES * 9);
}
static float distance(const struct vec *ray, const struct vec *corner) {
	struct vec e = minus(corner[1], corner[0]), f = minus(corner[2], corner[0]), p = cross(ray[1], f);
	float det = dot(e, p);
	if (fabsf(det) < 1e-8f) return 0x1.fffffep127f;
	float inv = 1 / det;
	struct vec s = minus(ray[0], corner[0]);
	float u = dot(s, p) * inv;
	if (u < 0 || u > 1) return 0x1.fffffep127f;
	struct vec q = cross(s, e);
	float v = dot(ray[1], q) * inv;
	if (v < 0 || u + v > 1) return 0x1.fffffep127f;
	float d = dot(f, q) * inv;
	return d < 0 ? 0x1.fffffep127f : d;
}
static void trace(void) {
	for (int i = 0; i < RAYS; i++) {
		float nearest = 0x1.fffffep127f;
		uint32_t which = ~0u;
		for (int k = 0; k < TRIANGLES; k++) {
			float d = distance(rays[i], triangles[k]);
			if (d < nearest) nearest = d, which = k;
		}
		hits[i].distance = nearest, hits[i].triangle = which;
	}
}

const struct problem computes[] = {
	{"mandelbrot", nothing, 0, mandelbrot, rounds, sizeof rounds},
	{"sha256", make_blocks, 0, sha256, states, sizeof states},
	{"blake3", make_blocks, 0, blake3, values, sizeof values},
	{"nbody", make_bodies, 0, nbody, pull, sizeof pull},
	{"sgemm", make_matrices, 0, sgemm, c, sizeof c},
	{"rays", make_rays, 0, trace, hits, sizeof hits},
	{0},
};
