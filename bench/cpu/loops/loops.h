// What all files of loops share: how inputs are made, and what a problem is.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t mix(uint32_t i) {
	i = (i ^ i >> 16) * 0x7feb352d;
	i = (i ^ i >> 15) * 0x846ca68b;
	return i ^ i >> 16;
}
static inline float unit(uint32_t i) { return (float)(mix(i) >> 8) * 0x1p-24f; }

static inline void units(float *x, uint32_t n, uint32_t from) {
	for (uint32_t i = 0; i < n; i++) x[i] = unit(i + from);
}
static inline void words(void *x, uint32_t n, uint32_t from) {
	for (uint32_t i = 0; i < n; i++) ((uint32_t *)x)[i] = mix(i + from);
}
static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

// A problem is a loop with its memory. Of what it runs on, again is what it changes; it is not timed, nor is make.
struct problem {
	const char *name;
	void (*make)(void), (*again)(void), (*run)(void); // again may be 0
	const void *out;
	size_t bytes;
};

// The problems of each file, up to one without a name.
extern const struct problem streams[], computes[], numbers[], integers[];
