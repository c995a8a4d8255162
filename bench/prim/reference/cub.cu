// The primitives of CUB and cuRAND on the inputs that bench/prim has, measured as it measures: each operation is captured
// as a graph, which is launched between two events. One line an operation and size:
//
//	NAME N MIN_NS MEDIAN_NS CHECK SCRATCH
//
// CHECK is a hash of the result's bytes, for at most 1<<24 elements; 0 where the library's result is not defined by the
// input alone, or is not read back. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o cub cub.cu -lcurand
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <curand.h>

#define OK(call)                                                                          \
	do {                                                                                  \
		auto e_ = (call);                                                                 \
		if ((int)e_ != 0) {                                                               \
			fprintf(stderr, "%s:%d: error %d of %s\n", __FILE__, __LINE__, (int)e_, #call); \
			exit(1);                                                                      \
		}                                                                                 \
	} while (0)

static size_t most = 1 << 28;
static std::string only;

// Words 4i to 4i+3 of seed 1, stream 0: Philox4x32-10.
__device__ void block4(uint64_t i, uint32_t *out) {
	uint32_t c0 = (uint32_t)i, c1 = (uint32_t)(i >> 32), c2 = 0, c3 = 0, k0 = 1, k1 = 0;
	for (int r = 0; r < 10; r++) {
		uint64_t a = (uint64_t)0xD2511F53 * c0, b = (uint64_t)0xCD9E8D57 * c2;
		uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0, n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
		c1 = (uint32_t)b, c3 = (uint32_t)a, c0 = n0, c2 = n2;
		k0 += 0x9E3779B9, k1 += 0xBB67AE85;
	}
	out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

__global__ void words(uint32_t *x, size_t n) {
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; 4 * i < n; i += (size_t)gridDim.x * blockDim.x) {
		uint32_t w[4];
		block4(i, w);
		for (int k = 0; k < 4 && 4 * i + k < n; k++) x[4 * i + k] = w[k];
	}
}

template <class T, class F> __global__ void fill(T *x, const uint32_t *w, size_t n, F f) {
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) x[i] = f(w, i);
}

struct Fixed { // memory of the whole run
	uint32_t *w;                   // 2 * most words
	void *a, *b, *c, *d, *e, *tmp; // 8 * most bytes each
	uint32_t *count;
	size_t tmpBytes;
	cudaStream_t s;
} m;

template <class T, class F> T *made(void *at, size_t n, F f) {
	fill<T><<<1024, 256, 0, m.s>>>((T *)at, m.w, n, f);
	OK(cudaStreamSynchronize(m.s));
	return (T *)at;
}

static uint64_t hash(const void *device, size_t bytes) {
	if (device == nullptr || bytes > (size_t)8 << 24) return 0;
	std::vector<uint8_t> host(bytes);
	OK(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
	uint64_t h = 14695981039346656037ull;
	size_t k = 0;
	for (; k + 4 <= bytes; k += 4) {
		uint32_t v;
		memcpy(&v, &host[k], 4);
		h = (h ^ v) * 1099511628211ull;
	}
	for (; k < bytes; k++) h = (h ^ host[k]) * 1099511628211ull;
	return h;
}

// measure captures op, which is called with temporary memory, and launches it.
static void measure(const char *name, size_t n, const std::function<cudaError_t(void *, size_t &)> &op, const void *result, size_t bytes) {
	size_t need = 0;
	OK(op(nullptr, need));
	if (need > m.tmpBytes) {
		fprintf(stderr, "%s: %zu bytes of scratch\n", name, need);
		return;
	}
	OK(op(m.tmp, need));
	OK(cudaStreamSynchronize(m.s));
	uint64_t check = hash(result, bytes);
	cudaGraph_t g;
	cudaGraphExec_t x;
	OK(cudaStreamBeginCapture(m.s, cudaStreamCaptureModeThreadLocal));
	OK(op(m.tmp, need));
	OK(cudaStreamEndCapture(m.s, &g));
	OK(cudaGraphInstantiate(&x, g, 0));
	cudaEvent_t from, to;
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	std::vector<float> times;
	for (int k = 0; k < 25; k++) {
		OK(cudaEventRecord(from, m.s));
		OK(cudaGraphLaunch(x, m.s));
		OK(cudaEventRecord(to, m.s));
		OK(cudaEventSynchronize(to));
		float ms;
		OK(cudaEventElapsedTime(&ms, from, to));
		if (k >= 4) times.push_back(ms);
	}
	std::sort(times.begin(), times.end());
	printf("%s %zu %.0f %.0f %016llx %zu\n", name, n, 1e6 * times[0], 1e6 * times[times.size() / 2], (unsigned long long)check, need);
	fflush(stdout);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaEventDestroy(from));
	OK(cudaEventDestroy(to));
}

struct Odd {
	__host__ __device__ bool operator()(uint32_t v) const { return v & 1; }
};

template <class T> struct Word {
	__device__ T operator()(const uint32_t *w, size_t i) const { return (T)w[i]; }
};
struct Long {
	__device__ uint64_t operator()(const uint32_t *w, size_t i) const { return (uint64_t)w[2 * i + 1] << 32 | w[2 * i]; }
};
struct Uniform {
	__device__ float operator()(const uint32_t *w, size_t i) const { return (w[i] >> 8) * (1.0f / (1 << 24)); }
};
struct Uniform64 {
	__device__ double operator()(const uint32_t *w, size_t i) const { return (((uint64_t)w[2 * i + 1] << 32 | w[2 * i]) >> 11) * (1.0 / ((uint64_t)1 << 53)); }
};
struct Top {
	__device__ uint8_t operator()(const uint32_t *w, size_t i) const { return w[i] >> 24; }
};
struct Flag {
	__device__ uint8_t operator()(const uint32_t *w, size_t i) const { return w[i] & 1; }
};
struct Index {
	__device__ uint32_t operator()(const uint32_t *, size_t i) const { return (uint32_t)i; }
};
struct IndexLong {
	__device__ uint64_t operator()(const uint32_t *, size_t i) const { return i; }
};
// Runs of four on average.
struct Runs {
	__device__ uint32_t operator()(const uint32_t *, size_t i) const { return (uint32_t)(i / 4 + (i % 8 == 0)); }
};

static void all(size_t n) {
	const char *name = "";
	auto want = [&](const char *s) {
		name = s;
		return only.empty() || std::string(s).find(only) != std::string::npos;
	};
	auto s = m.s;
	uint64_t N = n;
	if (want("reduce-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (uint32_t *)m.b, N, s); }, m.b, 4);
	}
	if (want("reduce-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (uint64_t *)m.b, N, s); }, m.b, 8);
	}
	if (want("reduce-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (float *)m.b, N, s); }, nullptr, 0);
	}
	if (want("reduce-f64")) {
		auto x = made<double>(m.a, n, Uniform64{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (double *)m.b, N, s); }, nullptr, 0);
	}
	if (want("scan-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (uint32_t *)m.b, N, s); }, m.b, 4 * n);
	}
	if (want("scan-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (uint64_t *)m.b, N, s); }, m.b, 8 * n);
	}
	if (want("scan-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (float *)m.b, N, s); }, nullptr, 0);
	}
	if (want("sort-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, (uint32_t *)m.b, N, 0, 32, s); }, m.b, 4 * n);
	}
	if (want("sort-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, (uint64_t *)m.b, N, 0, 64, s); }, m.b, 8 * n);
	}
	if (want("sort-u32-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto v = made<uint32_t>(m.c, n, Index{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint32_t *)m.b, v, (uint32_t *)m.d, N, 0, 32, s); }, m.d, 4 * n);
	}
	if (want("sort-u64-u32")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		auto v = made<uint32_t>(m.c, n, Index{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint64_t *)m.b, v, (uint32_t *)m.d, N, 0, 64, s); }, m.d, 4 * n);
	}
	if (want("sort-u64-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		auto v = made<uint64_t>(m.c, n, IndexLong{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint64_t *)m.b, v, (uint64_t *)m.d, N, 0, 64, s); }, m.d, 8 * n);
	}
	if (want("select-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto f = made<uint8_t>(m.c, n, Flag{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, x, f, (uint32_t *)m.b, m.count, N, s); }, m.count, 4);
	}
	if (want("partition-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto f = made<uint8_t>(m.c, n, Flag{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DevicePartition::Flagged(t, b, x, f, (uint32_t *)m.b, m.count, N, s); }, m.count, 4);
	}
	if (want("unique-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, x, (uint32_t *)m.b, m.count, N, s); }, m.count, 4);
	}
	if (want("runs-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRunLengthEncode::Encode(t, b, x, (uint32_t *)m.b, (uint32_t *)m.d, m.count, N, s); }, m.count, 4);
	}
	if (want("reducebykey-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		auto v = made<uint32_t>(m.c, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::ReduceByKey(t, b, x, (uint32_t *)m.b, v, (uint32_t *)m.d, m.count, cuda::std::plus<>{}, N, s); }, m.count, 4);
	}
	if (want("histogram-u8")) {
		auto x = made<uint8_t>(m.a, n, Top{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, x, (uint32_t *)m.b, 257, 0, 256, (int64_t)n, s); }, m.b, 1024);
	}
	if (want("histogram-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, x, (uint32_t *)m.b, 1025, 0.0f, 1.0f, (int64_t)n, s); }, m.b, 4096);
	}
	if (want("random-words") || want("random-uniform")) {
		curandGenerator_t g;
		OK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
		OK(curandSetStream(g, s));
		if (want("random-words")) measure(name, n, [&](void *t, size_t &b) { b = 1; return t ? (cudaError_t)curandGenerate(g, (uint32_t *)m.b, n) : cudaSuccess; }, nullptr, 0);
		if (want("random-uniform")) measure(name, n, [&](void *t, size_t &b) { b = 1; return t ? (cudaError_t)curandGenerateUniform(g, (float *)m.b, n) : cudaSuccess; }, nullptr, 0);
		OK(curandDestroyGenerator(g));
	}
}

int main(int argc, char **argv) {
	if (argc > 1) most = strtoull(argv[1], nullptr, 0);
	if (argc > 2) only = argv[2];
	OK(cudaStreamCreateWithFlags(&m.s, cudaStreamNonBlocking));
	OK(cudaMalloc(&m.w, 8 * most));
	for (void **p : {&m.a, &m.b, &m.c, &m.d}) OK(cudaMalloc(p, 8 * most));
	OK(cudaMalloc(&m.count, 16));
	m.tmpBytes = 20 * most + (1 << 26);
	OK(cudaMalloc(&m.tmp, m.tmpBytes));
	words<<<1024, 256, 0, m.s>>>(m.w, 2 * most);
	OK(cudaStreamSynchronize(m.s));
	for (size_t n : {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28})
		if (n <= most) all(n);
	return 0;
}
