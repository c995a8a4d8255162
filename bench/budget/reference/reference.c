// The C side of the budgets: the same driver calls, made as a C program makes them. It needs no toolkit:
//
//	cc -O2 -o reference reference.c -ldl
//	reference KERNELS.ptx EMPTY COPY [GRIDSYNC.cubin]
//
// KERNELS.ptx holds an entry without parameters, called EMPTY, and one that copies words, called COPY, whose parameters
// are two pairs of address and length. GRIDSYNC.cubin holds `gridsync(int rounds)`, made of vendor.cu.
//
// Each line of standard input asks for a block of samples, "NAME SAMPLES [ARGUMENTS]", and gets one line:
//
//	ok N MIN P50 P99      nanoseconds, with fractions
//	skip REASON           there is nothing to compare with
//	error TEXT            a call failed
//
// With -first as its only other argument it is timed from the outside: it gets to the first result, says how long
// the parts took, and ends.
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int Result;
typedef int Device;
typedef struct Opaque *Context, *Module, *Function, *Stream, *Event, *Graph, *GraphExec;
typedef unsigned long long Ptr;

// The driver's functions. Names carry the version suffix under which the library exports them.
#define FUNCTIONS \
	F(cuInit, (unsigned)) \
	F(cuDeviceGet, (Device *, int)) \
	F(cuDeviceGetAttribute, (int *, int, Device)) \
	F(cuDevicePrimaryCtxRetain, (Context *, Device)) \
	F(cuDevicePrimaryCtxRelease_v2, (Device)) \
	F(cuCtxSetCurrent, (Context)) \
	F(cuModuleLoadData, (Module *, const void *)) \
	F(cuModuleGetFunction, (Function *, Module, const char *)) \
	F(cuMemAlloc_v2, (Ptr *, size_t)) \
	F(cuMemFree_v2, (Ptr)) \
	F(cuMemHostAlloc, (void **, size_t, unsigned)) \
	F(cuMemFreeHost, (void *)) \
	F(cuMemHostGetDevicePointer_v2, (Ptr *, void *, unsigned)) \
	F(cuMemcpyHtoD_v2, (Ptr, const void *, size_t)) \
	F(cuMemcpyDtoH_v2, (void *, Ptr, size_t)) \
	F(cuMemcpyHtoDAsync_v2, (Ptr, const void *, size_t, Stream)) \
	F(cuMemcpyDtoHAsync_v2, (void *, Ptr, size_t, Stream)) \
	F(cuStreamCreate, (Stream *, unsigned)) \
	F(cuStreamSynchronize, (Stream)) \
	F(cuStreamWriteValue32_v2, (Stream, Ptr, uint32_t, unsigned)) \
	F(cuStreamBeginCapture_v2, (Stream, int)) \
	F(cuStreamEndCapture, (Stream, Graph *)) \
	F(cuGraphInstantiateWithFlags, (GraphExec *, Graph, unsigned long long)) \
	F(cuGraphLaunch, (GraphExec, Stream)) \
	F(cuEventCreate, (Event *, unsigned)) \
	F(cuEventRecord, (Event, Stream)) \
	F(cuEventElapsedTime, (float *, Event, Event)) \
	F(cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **, void **)) \
	F(cuLaunchCooperativeKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **))

#define F(name, args) static Result(*name) args;
FUNCTIONS
#undef F

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// failure is the first thing that went wrong since the last answer.
static char failure[256];

static void fail(const char *format, ...)
{
	va_list args;
	if (failure[0])
		return;
	va_start(args, format);
	vsnprintf(failure, sizeof failure, format, args);
	va_end(args);
}

#define TRY(call) do { Result r_ = (call); if (r_) fail("%s gives %d", #call, r_); } while (0)

static int load(void)
{
	const char *named = getenv("VYRE_CUDA_LIBRARY");
	const char *names[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
	void *lib = NULL;
	if (named && *named)
		lib = dlopen(named, RTLD_NOW);
	else
		for (int i = 0; i < 3 && !lib; i++)
			lib = dlopen(names[i], RTLD_NOW);
	if (!lib) {
		fail("%s", dlerror());
		return 0;
	}
#define F(name, args) if (!(name = (Result(*) args)dlsym(lib, #name))) fail("the library has no " #name);
	FUNCTIONS
#undef F
	return !failure[0];
}

// What samples are made of.
static Device device;
static Context context;
static Stream stream;
static Event from, to;
static Function empty, copy, gridsync;
static int units;
static uint32_t *word; // pinned, where the stream writes
static Ptr word_at;

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long n;
	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) || !(text = malloc(n + 1)) || fread(text, 1, n, f) != (size_t)n) {
		fail("cannot read %s", path);
		return NULL;
	}
	fclose(f);
	text[n] = 0;
	return text;
}

static void launch_empty(void) { TRY(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL)); }
static void wait(void) { TRY(cuStreamSynchronize(stream)); }

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void answer(double *t, int n)
{
	if (failure[0]) {
		printf("error %s\n", failure);
		failure[0] = 0;
		return;
	}
	qsort(t, n, sizeof *t, by_value);
	int p99 = n * 99 / 100;
	printf("ok %d %.1f %.1f %.1f\n", n, t[0], t[n / 2], t[p99 < n ? p99 : n - 1]);
}

// The measures. Each fills t with n samples.

static void launches(double *t, int n, int count) // count launches, each
{
	for (int i = 0; i < n; i++) {
		double begin = now();
		for (int k = 0; k < count; k++)
			launch_empty();
		t[i] = (now() - begin) / count;
		wait();
	}
}

static void launches_wait(double *t, int n, int count)
{
	for (int i = 0; i < n; i++) {
		double begin = now();
		for (int k = 0; k < count; k++)
			launch_empty();
		wait();
		t[i] = now() - begin;
	}
}

// captured makes a graph of so many launches, each after the one before.
static GraphExec captured(int nodes)
{
	Graph g = NULL;
	GraphExec x = NULL;
	TRY(cuStreamBeginCapture_v2(stream, 0));
	for (int i = 0; i < nodes; i++)
		launch_empty();
	TRY(cuStreamEndCapture(stream, &g));
	if (!failure[0])
		TRY(cuGraphInstantiateWithFlags(&x, g, 0));
	if (!failure[0]) { // the first launch also uploads the graph
		TRY(cuGraphLaunch(x, stream));
		wait();
	}
	return x;
}

// calls makes the calls named, in order, as one start, and waits for the word that they write, if they do; returns 0 if it does
// not know one.
static int calls(double *t, int n, char *names)
{
	enum { BIND, LAUNCH, REPLAY, WRITE, RECORD } list[16];
	static GraphExec x;
	static uint32_t value; // of the word
	int count = 0, writes = 0;
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		if (count == 16)
			return 0;
		if (!strcmp(name, "cuCtxSetCurrent"))
			list[count++] = BIND;
		else if (!strcmp(name, "cuLaunchKernel"))
			list[count++] = LAUNCH;
		else if (!strcmp(name, "cuGraphLaunch"))
			list[count++] = REPLAY;
		else if (!strncmp(name, "cuStreamWriteValue32", 20))
			list[count++] = WRITE, writes = 1;
		else if (!strcmp(name, "cuEventRecord"))
			list[count++] = RECORD;
		else
			return 0;
	}
	if (!x) // of one launch
		x = captured(1);
	for (int i = 0; i < n && !failure[0]; i++) {
		value++;
		double begin = now();
		for (int k = 0; k < count; k++) {
			switch (list[k]) {
			case BIND: TRY(cuCtxSetCurrent(context)); break;
			case LAUNCH: launch_empty(); break;
			case REPLAY: TRY(cuGraphLaunch(x, stream)); break;
			case WRITE: TRY(cuStreamWriteValue32_v2(stream, word_at, value, 0)); break;
			case RECORD: TRY(cuEventRecord(to, stream)); break;
			}
		}
		t[i] = now() - begin;
		if (!writes)
			wait();
		else // as the other side does: a call would do some of the next launch's work
			while (!failure[0] && __atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
				;
	}
	return 1;
}

static void graph(double *t, int n, int nodes) // of so many launches, each
{
	GraphExec x = captured(nodes);
	for (int i = 0; i < n && !failure[0]; i++) {
		double begin = now();
		TRY(cuGraphLaunch(x, stream));
		wait();
		t[i] = (now() - begin) / nodes;
	}
}

// transfer moves so many bytes up or down. The memory stays from one block to the next.
static void transfer(double *t, int n, int up, int pinned, size_t bytes)
{
	static Ptr dev;
	static void *host[2];
	static size_t have;
	if (have != bytes) {
		if (have) {
			TRY(cuMemFree_v2(dev));
			TRY(cuMemFreeHost(host[1]));
			free(host[0]);
		}
		have = 0;
		TRY(cuMemAlloc_v2(&dev, bytes));
		TRY(cuMemHostAlloc(&host[1], bytes, 3));
		host[0] = malloc(bytes);
		if (failure[0] || !host[0])
			return fail("no memory for %zu bytes", bytes);
		memset(host[0], 1, bytes);
		memset(host[1], 2, bytes);
		have = bytes;
	}
	for (int i = 0; i < n; i++) {
		double begin = now();
		if (pinned && up)
			TRY(cuMemcpyHtoDAsync_v2(dev, host[1], bytes, stream));
		else if (pinned)
			TRY(cuMemcpyDtoHAsync_v2(host[1], dev, bytes, stream));
		else if (up)
			TRY(cuMemcpyHtoD_v2(dev, host[0], bytes));
		else
			TRY(cuMemcpyDtoH_v2(host[0], dev, bytes));
		wait();
		t[i] = now() - begin;
	}
}

// dispatch sends bytes, copies them on the device, and gets them back.
static void dispatch(double *t, int n, size_t bytes)
{
	static Ptr in, out;
	static char *src, *dst;
	static size_t have;
	if (have < bytes) {
		TRY(cuMemAlloc_v2(&in, bytes));
		TRY(cuMemAlloc_v2(&out, bytes));
		TRY(cuMemHostAlloc((void **)&src, bytes, 3));
		TRY(cuMemHostAlloc((void **)&dst, bytes, 3));
		if (failure[0])
			return;
		memset(src, 0, bytes);
		memset(dst, 0, bytes);
		have = bytes;
	}
	uint64_t len = bytes / 4;
	void *params[] = {&in, &len, &out, &len};
	for (int i = 0; i < n; i++) {
		src[bytes - 4]++;
		double begin = now();
		TRY(cuMemcpyHtoDAsync_v2(in, src, bytes, stream));
		TRY(cuLaunchKernel(copy, (unsigned)((len + 255) / 256), 1, 1, 256, 1, 1, 0, stream, params, NULL));
		TRY(cuMemcpyDtoHAsync_v2(dst, out, bytes, stream));
		wait();
		t[i] = now() - begin;
		if (dst[bytes - 4] != src[bytes - 4])
			fail("the copy is wrong");
	}
}

static void barriers(double *t, int n, int rounds) // of the vendor, each
{
	void *params[] = {&rounds};
	for (int i = 0; i < n; i++) {
		float ms = 0;
		TRY(cuEventRecord(from, stream));
		TRY(cuLaunchCooperativeKernel(gridsync, units, 1, 1, 256, 1, 1, 0, stream, params));
		TRY(cuEventRecord(to, stream));
		wait();
		if (!failure[0])
			TRY(cuEventElapsedTime(&ms, from, to));
		t[i] = ms * 1e6 / rounds;
	}
}

static void serve(void)
{
	static char line[512];
	static double t[1 << 16];
	while (fgets(line, sizeof line, stdin)) {
		char name[64] = "", rest[400] = "";
		int n = 0;
		long long a = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%63s %d %399[^\n]", name, &n, rest) < 2 || n < 1 || n > 1 << 16) {
			printf("error no measure is written %s\n", line);
			fflush(stdout);
			continue;
		}
		sscanf(rest, "%lld", &a);
		if (!strcmp(name, "launches"))
			launches(t, n, (int)a);
		else if (!strcmp(name, "launches-wait"))
			launches_wait(t, n, (int)a);
		else if (!strcmp(name, "graph"))
			graph(t, n, (int)a);
		else if (!strcmp(name, "up-pinned") || !strcmp(name, "down-pinned") || !strcmp(name, "up-pageable") || !strcmp(name, "down-pageable"))
			transfer(t, n, name[0] == 'u', strstr(name, "pinned") != NULL, (size_t)a);
		else if (!strcmp(name, "dispatch"))
			dispatch(t, n, (size_t)a);
		else if (!strcmp(name, "barriers") && !gridsync) {
			printf("skip no grid synchronisation of the vendor's: nvcc did not build vendor.cu\n");
			fflush(stdout);
			continue;
		} else if (!strcmp(name, "barriers"))
			barriers(t, n, (int)a);
		else if (strcmp(name, "calls") || !calls(t, n, rest)) {
			printf("skip the C side has no %s\n", line);
			fflush(stdout);
			continue;
		}
		answer(t, n);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	int first = argc > 1 && !strcmp(argv[argc - 1], "-first");
	double at[6];
	char *text;
	Module m;
	argc -= first;
	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: reference KERNELS.ptx EMPTY COPY [GRIDSYNC.cubin] [-first]\n");
		return 2;
	}
	at[0] = now();
	if (load())
		TRY(cuInit(0));
	at[1] = now();
	if (!failure[0])
		TRY(cuDeviceGet(&device, 0));
	if (!failure[0])
		TRY(cuDevicePrimaryCtxRetain(&context, device));
	if (!failure[0])
		TRY(cuCtxSetCurrent(context));
	at[2] = now();
	if (!failure[0] && (text = read_file(argv[1]))) {
		TRY(cuModuleLoadData(&m, text));
		if (!failure[0])
			TRY(cuModuleGetFunction(&empty, m, argv[2]));
		if (!failure[0])
			TRY(cuModuleGetFunction(&copy, m, argv[3]));
	}
	at[3] = now();
	if (!failure[0]) {
		TRY(cuStreamCreate(&stream, 1));
		TRY(cuEventCreate(&from, 0));
		TRY(cuEventCreate(&to, 0));
		TRY(cuDeviceGetAttribute(&units, 16, device));
	}
	if (first && !failure[0]) {
		double t;
		dispatch(&t, 1, 4096);
		at[4] = now();
		if (!failure[0])
			printf("init_ns=%.0f context_ns=%.0f compile_ns=%.0f run_ns=%.0f\n", at[1] - at[0], at[2] - at[1], at[3] - at[2], at[4] - at[3]);
	}
	if (!failure[0] && !first) {
		TRY(cuMemHostAlloc((void **)&word, 64, 3));
		if (!failure[0])
			TRY(cuMemHostGetDevicePointer_v2(&word_at, word, 0));
	}
	if (!failure[0] && argc == 5 && (text = read_file(argv[4]))) {
		TRY(cuModuleLoadData(&m, text));
		if (!failure[0])
			TRY(cuModuleGetFunction(&gridsync, m, "gridsync"));
	}
	if (failure[0]) {
		printf("error %s\n", failure);
		return 1;
	}
	if (first)
		return 0;
	printf("ready\n");
	fflush(stdout);
	serve();
	return 0;
}
