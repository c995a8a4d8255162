// A driver without a GPU, for tests of the C side: device memory is host memory, and the copy kernel copies.
//
//	cc -shared -fPIC -o libfake.so libfake.c
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OK(name, args) int name args { return 0; }
#define HANDLE(name, args, at) int name args { *at = (void *)1; return 0; }

OK(cuInit, (unsigned flags))
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = 4; return 0; }
HANDLE(cuDevicePrimaryCtxRetain, (void **c, int d), c)
OK(cuDevicePrimaryCtxRelease_v2, (int d))
OK(cuCtxSetCurrent, (void *c))
HANDLE(cuModuleLoadData, (void **m, const void *image), m)
int cuModuleGetFunction(void **f, void *m, const char *name) { *f = strdup(name); return 0; }
int cuMemAlloc_v2(unsigned long long *p, size_t n) { *p = (uintptr_t)malloc(n); return 0; }
int cuMemFree_v2(unsigned long long p) { free((void *)(uintptr_t)p); return 0; }
int cuMemHostAlloc(void **p, size_t n, unsigned flags) { *p = malloc(n); return 0; }
int cuMemFreeHost(void *p) { free(p); return 0; }
int cuMemHostGetDevicePointer_v2(unsigned long long *at, void *p, unsigned flags) { *at = (uintptr_t)p; return 0; }
int cuMemcpyHtoD_v2(unsigned long long dst, const void *src, size_t n) { memcpy((void *)(uintptr_t)dst, src, n); return 0; }
int cuMemcpyDtoH_v2(void *dst, unsigned long long src, size_t n) { memcpy(dst, (void *)(uintptr_t)src, n); return 0; }
int cuMemcpyHtoDAsync_v2(unsigned long long dst, const void *src, size_t n, void *s) { return cuMemcpyHtoD_v2(dst, src, n); }
int cuMemcpyDtoHAsync_v2(void *dst, unsigned long long src, size_t n, void *s) { return cuMemcpyDtoH_v2(dst, src, n); }
HANDLE(cuStreamCreate, (void **s, unsigned flags), s)
OK(cuStreamSynchronize, (void *s))
int cuStreamWriteValue32_v2(void *s, unsigned long long at, uint32_t v, unsigned flags) { *(uint32_t *)(uintptr_t)at = v; return 0; }
OK(cuStreamBeginCapture_v2, (void *s, int mode))
HANDLE(cuStreamEndCapture, (void *s, void **g), g)
HANDLE(cuGraphInstantiateWithFlags, (void **x, void *g, unsigned long long flags), x)
OK(cuGraphLaunch, (void *x, void *s))
HANDLE(cuEventCreate, (void **e, unsigned flags), e)
OK(cuEventRecord, (void *e, void *s))
int cuEventElapsedTime(float *ms, void *a, void *b) { *ms = 1; return 0; }

int cuLaunchKernel(const char *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params, void **extra)
{
	if (params && strstr(f, "copy"))
		memcpy((void *)(uintptr_t) * (unsigned long long *)params[2], (void *)(uintptr_t) * (unsigned long long *)params[0], 4 * *(uint64_t *)params[1]);
	return 0;
}

OK(cuLaunchCooperativeKernel, (const char *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params))
