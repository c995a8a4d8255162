// Loops that mostly move memory.
#include "loops.h"

#ifdef LARGE
enum { SAXPY = 1 << 26 };
#else
enum { SAXPY = 65536 };
#endif
enum { BYTES = 1 << 20, SIDE = 256, PIXELS = 65536, PARTICLES = 16384 };

static float x[SAXPY], y[SAXPY], start[SAXPY];

static void make_saxpy(void) {
#pragma omp parallel for // who writes a page first has it near
	for (uint32_t i = 0; i < SAXPY; i++) x[i] = unit(i), start[i] = unit(i + SAXPY), y[i] = 0;
}
static void again_saxpy(void) {
#pragma omp parallel for
	for (int i = 0; i < SAXPY; i++) y[i] = start[i];
}
__attribute__((noinline)) static void saxpy_of(float k, const float *restrict x, float *restrict y) {
#pragma omp parallel for
	for (int i = 0; i < SAXPY; i++) y[i] = fmaf(k, x[i], y[i]);
}
static void saxpy(void) { saxpy_of(2.5f, x, y); }

static uint8_t data[BYTES];
static uint32_t bins[256];

static void make_histogram(void) { words(data, BYTES / 4, 0); }
static void again_histogram(void) { memset(bins, 0, sizeof bins); }
static void histogram(void) {
	for (int i = 0; i < BYTES; i++) bins[data[i]]++;
}

static float cells[SIDE * SIDE], next[SIDE * SIDE], turned[SIDE * SIDE];

static void make_cells(void) { units(cells, SIDE * SIDE, 0); }
static void stencil(void) { // the border, where neighbours are missing, and what is inside
	const float centre = 0.6f, side = 0.1f;
	for (int r = 0; r < SIDE; r++) {
		const float *at = cells + r * SIDE;
		for (int c = 0; c < SIDE; c++) {
			float left = c > 0 ? at[c - 1] : 0, right = c < SIDE - 1 ? at[c + 1] : 0;
			float up = r > 0 ? at[c - SIDE] : 0, down = r < SIDE - 1 ? at[c + SIDE] : 0;
			next[r * SIDE + c] = fmaf(centre, at[c], side * ((left + right) + (up + down)));
		}
	}
}
static void transpose(void) {
	for (int r = 0; r < SIDE; r++)
		for (int c = 0; c < SIDE; c++) turned[c * SIDE + r] = cells[r * SIDE + c];
}

static uint8_t pixels[PIXELS][4];
static _Float16 planes[3][PIXELS];

static void make_planes(void) { words(pixels, PIXELS, 0); }
static void split(void) {
	static const float mean[3] = {0.485f, 0.456f, 0.406f}, deviation[3] = {0.229f, 0.224f, 0.225f};
	for (int i = 0; i < PIXELS; i++) {
		float opacity = (float)pixels[i][3] * (float)(1.0 / 255);
		for (int c = 0; c < 3; c++)
			planes[c][i] = (_Float16)(((float)pixels[i][c] * (float)(1.0 / 255) * opacity - mean[c]) * (1 / deviation[c]));
	}
}

struct particle { float pos[3], mass, vel[3], age, spin[3], heat; };
static struct particle particles[PARTICLES], before[PARTICLES];

static void make_particles(void) { units((float *)before, PARTICLES * 12, 0); }
static void again_particles(void) { memcpy(particles, before, sizeof particles); }
static void move(void) {
	const float dt = 0.01f;
	for (int i = 0; i < PARTICLES; i++) {
		struct particle *p = &particles[i];
		float *s = p->spin, *v = p->vel;
		float turn[3] = {fmaf(s[1], v[2], -(s[2] * v[1])), fmaf(s[2], v[0], -(s[0] * v[2])), fmaf(s[0], v[1], -(s[1] * v[0]))};
		for (int k = 0; k < 3; k++) v[k] = fmaf(0.1f * dt, turn[k], v[k]) * 0.999f;
		v[1] = fmaf(-9.81f, dt, v[1]);
		for (int k = 0; k < 3; k++) p->pos[k] = fmaf(dt, v[k], p->pos[k]), s[k] *= 0.995f;
		p->mass = fmaf(-0.01f * dt, p->heat, p->mass);
		p->heat *= 0.99f;
		p->age += dt;
		if (p->pos[1] < 0) {
			p->pos[1] = -p->pos[1];
			v[1] *= -0.6f;
			for (int k = 0; k < 3; k++) s[k] *= 0.5f;
		}
	}
}

const struct problem streams[] = {
	{"saxpy", make_saxpy, again_saxpy, saxpy, y, sizeof y},
	{"histogram", make_histogram, again_histogram, histogram, bins, sizeof bins},
	{"stencil", make_cells, 0, stencil, next, sizeof next},
	{"transpose", make_cells, 0, transpose, turned, sizeof turned},
	{"planes", make_planes, 0, split, planes, sizeof planes},
	{"particles", make_particles, again_particles, move, particles, sizeof particles},
	{0},
};
