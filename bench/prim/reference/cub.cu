// The primitives of CUB, cuRAND and cuBLAS on the inputs that bench/prim has, measured as it measures: each operation is captured
// as a graph, which is launched between two events; the chain of five, whose counts the host reads in between, by the host's
// clock. One line an operation and size:
//
//	NAME N MIN_NS MEDIAN_NS CHECK SCRATCH
//
// CHECK is a hash of the results' bytes, of those results that have at most 8<<24; 0 where the library's result is not defined by
// the input alone, or none is that short. Build: nvcc -O3 -std=c++17 -arch=sm_90 -o cub cub.cu -lcurand -lcublas
//
// With -DPIECE=1, 2 and so on, up to PIECES, a program has a part of the operations: compilers that work side by side are done sooner.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cublas_v2.h>
#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand.h>
#if __has_include(<cub/device/device_merge.cuh>) // toolkits before 12.8 have no merges
#include <cub/device/device_merge.cuh>
#define MERGES
#endif

#define PIECES 7
#ifdef PIECE
#define IN(piece) (PIECE == (piece))
#else
#define IN(piece) 1
#endif

inline std::string said(cudaError_t e) { return cudaGetErrorString(e); }
inline std::string said(cublasStatus_t e) { return "status " + std::to_string(e) + " of cuBLAS"; }
inline std::string said(curandStatus_t e) { return "status " + std::to_string(e) + " of cuRAND"; }

#define OK(call)                                                                           \
	do {                                                                                   \
		auto e_ = (call);                                                                  \
		if ((int)e_ != 0) {                                                                \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, said(e_).c_str()); \
			exit(1);                                                                       \
		}                                                                                  \
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
	uint32_t *count, *pinned;
	size_t tmpBytes;
	cudaStream_t s;
} m;

template <class T, class F> T *made(void *at, size_t n, F f) {
	fill<T><<<1024, 256, 0, m.s>>>((T *)at, m.w, n, f);
	OK(cudaStreamSynchronize(m.s));
	return (T *)at;
}

// A result: bytes of memory or, if each is not 0, as many elements of so many bytes as the count says.
struct Result {
	const void *at;
	size_t bytes, each;
};
typedef std::vector<Result> Results;

static uint64_t hash(const Results &results) {
	const uint64_t none = 14695981039346656037ull;
	uint64_t h = none;
	for (const Result &r : results) {
		if (r.bytes > (size_t)8 << 24) continue;
		size_t bytes = r.bytes;
		if (r.each != 0) {
			uint32_t n;
			OK(cudaMemcpy(&n, m.count, 4, cudaMemcpyDeviceToHost));
			bytes = r.each * n;
		}
		std::vector<uint8_t> host(bytes);
		OK(cudaMemcpy(host.data(), r.at, bytes, cudaMemcpyDeviceToHost));
		size_t k = 0;
		for (; k + 4 <= bytes; k += 4) {
			uint32_t v;
			memcpy(&v, &host[k], 4);
			h = (h ^ v) * 1099511628211ull;
		}
		for (; k < bytes; k++) h = (h ^ host[k]) * 1099511628211ull;
	}
	return h == none ? 0 : h;
}

static void print(const char *name, size_t n, std::vector<double> times, uint64_t check, size_t need) {
	std::sort(times.begin(), times.end());
	printf("%s %zu %.0f %.0f %016llx %zu\n", name, n, times[0], times[times.size() / 2], (unsigned long long)check, need);
	fflush(stdout);
}

typedef std::function<cudaError_t(void *, size_t &)> Op;

// scratch is how many bytes of temporary memory an operation takes, or 0 if there is not as much.
static size_t scratch(const char *name, const Op &op) {
	size_t need = 0;
	OK(op(nullptr, need));
	if (need > m.tmpBytes) {
		fprintf(stderr, "%s: %zu bytes of scratch\n", name, need);
		return 0;
	}
	return need;
}

// measure captures op, which is called with temporary memory, and launches it.
static void measure(const char *name, size_t n, const Op &op, const Results &results) {
	size_t need = scratch(name, op);
	if (need == 0) return;
	OK(op(m.tmp, need));
	OK(cudaStreamSynchronize(m.s));
	uint64_t check = hash(results);
	cudaGraph_t g;
	cudaGraphExec_t x;
	OK(cudaStreamBeginCapture(m.s, cudaStreamCaptureModeThreadLocal));
	OK(op(m.tmp, need));
	OK(cudaStreamEndCapture(m.s, &g));
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	cudaEvent_t from, to;
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	std::vector<double> times;
	for (int k = 0; k < 25; k++) {
		OK(cudaEventRecord(from, m.s));
		OK(cudaGraphLaunch(x, m.s));
		OK(cudaEventRecord(to, m.s));
		OK(cudaEventSynchronize(to));
		float ms;
		OK(cudaEventElapsedTime(&ms, from, to));
		if (k >= 4) times.push_back(1e6 * ms);
	}
	print(name, n, times, check, need);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaEventDestroy(from));
	OK(cudaEventDestroy(to));
}

#if IN(6)
// readback is the count that has been found, on the host.
static uint32_t readback() {
	OK(cudaMemcpyAsync(m.pinned, m.count, 4, cudaMemcpyDeviceToHost, m.s));
	OK(cudaStreamSynchronize(m.s));
	return *m.pinned;
}

// chain is five operations of which each takes what the one before has found: flags choose, the chosen are sorted, equal ones are
// left out, the others summed up, and the sums below 1<<30 counted in 256 bins.
static void chain(const char *name, size_t n, const uint32_t *x, const uint8_t *flags) {
	uint32_t *first = (uint32_t *)m.b, *second = (uint32_t *)m.d, *counts = (uint32_t *)m.c;
	cudaStream_t s = m.s;
	Op select = [&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, x, flags, first, m.count, (uint64_t)n, s); };
	auto sort = [&](uint64_t k) -> Op {
		return [=](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, first, second, k, 0, 32, s); };
	};
	auto unique = [&](uint64_t k) -> Op {
		return [=](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, second, first, m.count, k, s); };
	};
	auto scan = [&](uint64_t k) -> Op {
		return [=](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, first, second, k, s); };
	};
	auto histogram = [&](uint64_t k) -> Op {
		return [=](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, second, counts, 257, 0u, 1u << 30, (int64_t)k, s); };
	};
	size_t need = 0;
	for (const Op &op : {select, sort(n), unique(n), scan(n), histogram(n)}) {
		size_t one = scratch(name, op);
		if (one == 0) return;
		need = std::max(need, one);
	}
	std::vector<double> times;
	for (int k = 0; k < 25; k++) {
		auto begin = std::chrono::steady_clock::now();
		size_t room = need;
		OK(select(m.tmp, room));
		uint64_t chosen = readback();
		OK(sort(chosen)(m.tmp, room));
		OK(unique(chosen)(m.tmp, room));
		uint64_t left = readback();
		OK(scan(left)(m.tmp, room));
		OK(histogram(left)(m.tmp, room));
		OK(cudaStreamSynchronize(s));
		auto end = std::chrono::steady_clock::now();
		if (k >= 4) times.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
	}
	print(name, n, times, hash({{m.count, 4, 0}, {second, 4 * n, 4}, {counts, 1024, 0}}), need);
}
#endif

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
// Runs of 1, 3 and 4.
struct Runs {
	__device__ uint32_t operator()(const uint32_t *, size_t i) const { return (uint32_t)(i / 4 + (i % 8 == 0)); }
};
struct Sparse {
	__device__ uint32_t operator()(const uint32_t *w, size_t i) const { return w[i] & 0x3f3f3f3f; }
};
// Ascending keys, of words from some place on.
struct Ascending {
	size_t from;
	uint32_t odd;
	__device__ uint32_t operator()(const uint32_t *w, size_t i) const { return (uint32_t)(32 * i) + (w[from + i] & 30) + odd; }
};
// Where rows begin, of n elements in all: as long as the rows of a Kronecker graph are expected to be, whose edges begin in the
// first half of its nodes with probability 0.76, and so on within each half.
struct Offsets {
	uint64_t n, rows;
	__device__ uint32_t operator()(const uint32_t *, size_t i) const {
		uint64_t before = 0, part = (uint64_t)1 << 32;
		if (i == rows) before = part;
		for (uint64_t bit = rows / 2; bit > 0; bit /= 2) {
			uint64_t first = part * 3264175145ull >> 32;
			if (i & bit) before += first, part -= first;
			else part = first;
		}
		return (uint32_t)(before * n >> 32);
	}
};

// Whole numbers from -4 to 3.
template <class T> struct Whole {
	size_t from;
	__device__ T operator()(const uint32_t *w, size_t i) const { return (T)(float)((int)(w[from + i] & 7) - 4); }
};

static bool wanted(const std::string &s) {
	for (size_t from = 0, to; from <= only.size(); from = to + 1) { // parts of names, with commas between
		to = std::min(only.find(',', from), only.size());
		if (s.find(only.substr(from, to - from)) != std::string::npos) return true;
	}
	return false;
}

#if IN(7)
// multiply makes the product of two square matrices of n elements. What lies by rows is for cuBLAS what is transposed.
template <class T, class C> static void multiply(const char *name, size_t n, cudaDataType of, cudaDataType result, cublasComputeType_t with, C one, bool lines) {
	if (!wanted(name)) return;
	int side = 1;
	while ((size_t)side * side < n) side *= 2;
	auto a = made<T>(m.a, n, Whole<T>{0}), b = made<T>(m.c, n, Whole<T>{n});
	static cublasHandle_t h;
	if (!h) OK(cublasCreate(&h));
	OK(cublasSetStream(h, m.s));
	OK(cublasSetWorkspace(h, m.tmp, std::min(m.tmpBytes, (size_t)64 << 20)));
	C zero = 0;
	measure(name, n, [&](void *t, size_t &need) {
		need = 1;
		if (!t) return cudaSuccess;
		OK(cublasGemmEx(h, lines ? CUBLAS_OP_T : CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, b, of, side, a, of, side, &zero, m.b, result, side, with, CUBLAS_GEMM_DEFAULT));
		return cudaSuccess;
	}, {{m.b, n * sizeof(C), 0}});
}

static void products(size_t n) {
	multiply<__half, float>("matmul-f16", n, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1, false);
	multiply<__nv_bfloat16, float>("matmul-bf16", n, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1, false);
	multiply<float, float>("matmul-tf32", n, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 1, false);
	multiply<double, double>("matmul-f64", n, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 1, false);
	multiply<int8_t, int32_t>("matmul-i8", n, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, true);
}
#endif

static void all(size_t n) {
	const char *name = "";
	auto want = [&](const char *s) {
		name = s;
		return wanted(s);
	};
	auto s = m.s;
	uint64_t N = n;
#if IN(1)
	if (want("reduce-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (uint32_t *)m.b, N, s); }, {{m.b, 4, 0}});
	}
	if (want("reduce-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (uint64_t *)m.b, N, s); }, {{m.b, 8, 0}});
	}
	if (want("reduce-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (float *)m.b, N, s); }, {});
	}
	if (want("reduce-f64")) {
		auto x = made<double>(m.a, n, Uniform64{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, (double *)m.b, N, s); }, {});
	}
	if (want("scan-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (uint32_t *)m.b, N, s); }, {{m.b, 4 * n, 0}});
	}
	if (want("scan-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (uint64_t *)m.b, N, s); }, {{m.b, 8 * n, 0}});
	}
	if (want("scan-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, (float *)m.b, N, s); }, {});
	}
#endif
#if IN(2)
	if (want("sort-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, (uint32_t *)m.b, N, 0, 32, s); }, {{m.b, 4 * n, 0}});
	}
	if (want("sort-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, x, (uint64_t *)m.b, N, 0, 64, s); }, {{m.b, 8 * n, 0}});
	}
	if (want("sort-u32-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto v = made<uint32_t>(m.c, n, Index{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint32_t *)m.b, v, (uint32_t *)m.d, N, 0, 32, s); }, {{m.b, 4 * n, 0}, {m.d, 4 * n, 0}});
	}
#endif
#if IN(3)
	if (want("sort-u64-u32")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		auto v = made<uint32_t>(m.c, n, Index{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint64_t *)m.b, v, (uint32_t *)m.d, N, 0, 64, s); }, {{m.b, 8 * n, 0}, {m.d, 4 * n, 0}});
	}
	if (want("sort-u64-u64")) {
		auto x = made<uint64_t>(m.a, n, Long{});
		auto v = made<uint64_t>(m.c, n, IndexLong{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, x, (uint64_t *)m.b, v, (uint64_t *)m.d, N, 0, 64, s); }, {{m.b, 8 * n, 0}, {m.d, 8 * n, 0}});
	}
#endif
#if IN(4)
	if (want("select-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto f = made<uint8_t>(m.c, n, Flag{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, x, f, (uint32_t *)m.b, m.count, N, s); }, {{m.count, 4, 0}, {m.b, 4 * n, 4}});
	}
	if (want("partition-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto f = made<uint8_t>(m.c, n, Flag{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DevicePartition::Flagged(t, b, x, f, (uint32_t *)m.b, m.count, N, s); }, {{m.count, 4, 0}});
	}
	if (want("unique-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, x, (uint32_t *)m.b, m.count, N, s); }, {{m.count, 4, 0}, {m.b, 4 * n, 4}});
	}
	if (want("runs-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceRunLengthEncode::Encode(t, b, x, (uint32_t *)m.b, (uint32_t *)m.d, m.count, N, s); }, {{m.count, 4, 0}, {m.b, 4 * n, 4}, {m.d, 4 * n, 4}});
	}
	if (want("reducebykey-u32")) {
		auto x = made<uint32_t>(m.a, n, Runs{});
		auto v = made<uint32_t>(m.c, n, Word<uint32_t>{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceReduce::ReduceByKey(t, b, x, (uint32_t *)m.b, v, (uint32_t *)m.d, m.count, cuda::std::plus<>{}, N, s); }, {{m.count, 4, 0}, {m.b, 4 * n, 4}, {m.d, 4 * n, 4}});
	}
#endif
#if IN(5)
	if (want("segments-u32")) {
		auto x = made<uint32_t>(m.a, n, Word<uint32_t>{});
		auto o = made<uint32_t>(m.c, n / 32 + 1, Offsets{N, N / 32});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSegmentedReduce::Sum(t, b, x, (uint32_t *)m.b, (int)(n / 32), o, o + 1, s); }, {{m.b, n / 32 * 4, 0}});
	}
	if (want("segments-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		auto o = made<uint32_t>(m.c, n / 32 + 1, Offsets{N, N / 32});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceSegmentedReduce::Sum(t, b, x, (float *)m.b, (int)(n / 32), o, o + 1, s); }, {});
	}
#ifdef MERGES
	size_t half = n / 2;
	if (want("merge-u32") || want("merge-u32-u32")) {
		auto x = made<uint32_t>(m.a, half, Ascending{0, 0});
		auto y = made<uint32_t>((uint32_t *)m.a + half, half, Ascending{half, 1});
		auto v = made<uint32_t>(m.c, half, Index{});
		auto w = made<uint32_t>((uint32_t *)m.c + half, half, Word<uint32_t>{});
		cuda::std::less<> less;
		if (want("merge-u32"))
			measure(name, n, [&](void *t, size_t &b) { return cub::DeviceMerge::MergeKeys(t, b, x, (int64_t)half, y, (int64_t)half, (uint32_t *)m.b, less, s); }, {{m.b, 4 * n, 0}});
		if (want("merge-u32-u32"))
			measure(name, n, [&](void *t, size_t &b) { return cub::DeviceMerge::MergePairs(t, b, x, v, (int64_t)half, y, w, (int64_t)half, (uint32_t *)m.b, (uint32_t *)m.d, less, s); }, {{m.b, 4 * n, 0}, {m.d, 4 * n, 0}});
	}
#endif
	if (want("histogram-u8")) {
		auto x = made<uint8_t>(m.a, n, Top{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, x, (uint32_t *)m.b, 257, 0, 256, (int64_t)n, s); }, {{m.b, 1024, 0}});
	}
	if (want("histogram-f32")) {
		auto x = made<float>(m.a, n, Uniform{});
		measure(name, n, [&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, x, (uint32_t *)m.b, 1025, 0.0f, 1.0f, (int64_t)n, s); }, {{m.b, 4096, 0}});
	}
	if (want("random-words") || want("random-uniform")) {
		curandGenerator_t g;
		OK(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_PHILOX4_32_10));
		OK(curandSetStream(g, s));
		if (want("random-words")) measure(name, n, [&](void *t, size_t &b) { b = 1; return t ? (cudaError_t)curandGenerate(g, (uint32_t *)m.b, n) : cudaSuccess; }, {});
		if (want("random-uniform")) measure(name, n, [&](void *t, size_t &b) { b = 1; return t ? (cudaError_t)curandGenerateUniform(g, (float *)m.b, n) : cudaSuccess; }, {});
		OK(curandDestroyGenerator(g));
	}
#endif
#if IN(6)
	if (want("chain")) {
		auto x = made<uint32_t>(m.a, n, Sparse{});
		auto f = made<uint8_t>((uint32_t *)m.a + n, n, Flag{});
		chain(name, n, x, f);
	}
#endif
}

int main(int argc, char **argv) {
	if (argc > 1) most = strtoull(argv[1], nullptr, 0);
	if (argc > 2) only = argv[2];
	OK(cudaStreamCreateWithFlags(&m.s, cudaStreamNonBlocking));
	OK(cudaMalloc(&m.w, 8 * most));
	for (void **p : {&m.a, &m.b, &m.c, &m.d}) OK(cudaMalloc(p, 8 * most));
	OK(cudaMalloc(&m.count, 16));
	OK(cudaMallocHost(&m.pinned, 16));
	m.tmpBytes = 20 * most + (1 << 26);
	OK(cudaMalloc(&m.tmp, m.tmpBytes));
	words<<<1024, 256, 0, m.s>>>(m.w, 2 * most);
	OK(cudaStreamSynchronize(m.s));
	for (size_t n : {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28})
		if (n <= most) all(n);
#if IN(7)
	for (int log : {10, 16, 20, 22, 24, 26})
		if ((size_t)1 << log <= most) products((size_t)1 << log);
#endif
	return 0;
}
