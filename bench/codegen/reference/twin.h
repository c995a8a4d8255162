// Makes a file of reference kernels a program for one core, too, by gcc -x c++: its twin is a loop over what the launch
// computes. The program reads rounds, and the arguments of the launch, from its input. It prints the least processor
// time of the rounds, and a digest of what came out.
#pragma once
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef long long s64;

#if defined(__CUDACC__) || defined(__CUDA_ARCH__)
#define CUDA
#else
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define __device__
#define __restrict__ __restrict

static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }

// Arg is a buffer, or a scalar in one of 8 bytes.
struct Arg {
	char *at, *first;
	u64 changes, bytes, n; // changes: 0 never written, 1 written, 2 written and read
	template <class T> operator T *() const { return (T *)at; }
};

static void twin(const Arg *a);

int main()
{
	u64 head[2], least = ~0ull, sum = 14695981039346656037u;
	Arg args[16] = {};
	if (fread(head, 8, 2, stdin) != 2)
		return 2;
	for (Arg *a = args; a < args + head[1]; a++) {
		if (fread(&a->changes, 8, 3, stdin) != 3)
			return 2;
		a->at = (char *)aligned_alloc(64, (a->bytes + 127) / 64 * 64);
		a->first = (char *)malloc(a->bytes);
		if (a->changes != 1 && fread(a->first, 1, a->bytes, stdin) != a->bytes)
			return 2;
		memcpy(a->at, a->first, a->bytes);
	}
	while (head[0]-- > 0) {
		for (Arg *a = args; a < args + head[1]; a++)
			if (a->changes == 2)
				memcpy(a->at, a->first, a->bytes);
		struct timespec from, to;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		twin(args);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		u64 ns = (to.tv_sec - from.tv_sec) * 1000000000ll + to.tv_nsec - from.tv_nsec;
		least = ns < least ? ns : least;
	}
	for (Arg *a = args; a < args + head[1]; a++)
		for (u64 k = 0; a->changes && k < a->bytes; k++)
			sum = (sum ^ (u8)a->at[k]) * 1099511628211u;
	printf("%llu %llu\n", least, sum);
}
#endif
