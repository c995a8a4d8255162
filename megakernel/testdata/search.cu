// The search of megakernel/arcs in C++, with the barrier of cooperative groups: a round of all blocks
// with four threads, two or one a row, and rounds of one block with the list in shared memory.
//
//	nvcc -O3 -arch=sm_90 -o search search.cu && ./search GRAPH REPETITIONS SEED
//
// GRAPH is a file of words: nodes, arcs, offsets, targets. It prints rounds, nodes reached from node SEED,
// and the least time in ns of reset, search and one read.
//
//	./search levels GRAPH REPETITIONS SEED LEVELS
//
// does the search of arcs.RoundBoth over a graph that is its own reverse, writes the level of each node to LEVELS, and
// prints rounds, nodes, the least time of all with reading the levels, and the least on the device.
//
//	./search barriers BLOCKS
//
// prints the time in ns of a bare barrier among so many blocks.
#include <cooperative_groups.h>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;
constexpr uint32_t threads = 256, alone = 64, many = 256, room = 1024;
constexpr uint32_t none = ~0u, split = 64, hub = 32 * split;

struct Graph {
	const uint32_t *offsets, *targets;
};

struct State {
	uint32_t *seen, *list, *lengths, *hand, *out;
	uint32_t half;
};

__device__ bool claim(uint32_t *seen, uint32_t v)
{
	uint32_t bit = 1u << (v & 31);
	return !(atomicOr(&seen[v / 32], bit) & bit);
}

__device__ uint32_t share(uint32_t n, uint32_t all) { return n <= all / 4 ? 2 : n <= all / 2 ? 1 : 0; }

// append returns where a lane of the warp stores what it found.
__device__ uint32_t append(bool found, uint32_t *count)
{
	uint32_t all = __ballot_sync(~0u, found), lane = threadIdx.x % 32, at = 0;
	if (lane == 0 && all)
		at = atomicAdd(count, __popc(all));
	return __shfl_sync(~0u, at, 0) + __popc(all & ((1u << lane) - 1));
}

// stay does rounds of one block, and returns the nodes that are left.
__device__ uint32_t stay(Graph g, State s, uint32_t &round, uint32_t n, uint32_t &reached)
{
	__shared__ uint32_t nodes[2][room], count[2];
	__shared__ uint2 rows[2][room];
	if (threadIdx.x < 2)
		count[threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t held = 0;;) {
		reached += n;
		uint32_t from = round & 1, into = from ^ 1, lanes = share(n, threads);
		for (uint32_t base = threadIdx.x / 32 * (32 >> lanes); base < n; base += threads >> lanes) {
			uint32_t i = base + (threadIdx.x % 32 >> lanes), k = 0, last = 0;
			if (i < held) {
				k = rows[from][i].x, last = rows[from][i].y;
			} else if (i < n) {
				uint32_t v = s.list[from * s.half + i];
				k = g.offsets[v], last = g.offsets[v + 1];
			}
			for (k += threadIdx.x & ((1u << lanes) - 1); __any_sync(~0u, k < last); k += 1u << lanes) {
				bool found = false;
				uint32_t to = 0;
				uint2 row = {0, 0};
				if (k < last) {
					to = __ldg(&g.targets[k]);
					row = {__ldg(&g.offsets[to]), __ldg(&g.offsets[to + 1])};
					found = claim(s.seen, to);
				}
				uint32_t at = append(found, &count[into]);
				if (found && at < room)
					nodes[into][at] = to, rows[into][at] = row;
				else if (found)
					s.list[into * s.half + at] = to;
			}
		}
		__syncthreads();
		n = count[into];
		if (threadIdx.x == 0)
			count[from] = 0;
		__syncthreads();
		held = min(n, room);
		round++;
		if (n == 0 || n > many) {
			for (uint32_t i = threadIdx.x; i < held; i += threads)
				s.list[(round & 1) * s.half + i] = nodes[round & 1][i];
			if (threadIdx.x < 3)
				s.lengths[threadIdx.x] = threadIdx.x == round % 3 ? n : 0;
			return n;
		}
	}
}

__global__ void __launch_bounds__(threads) search(Graph g, State s)
{
	cg::grid_group grid = cg::this_grid();
	uint32_t all = gridDim.x * threads, round = 0, n = 1, reached = 0;
	while (n) {
		if (round && n <= alone) {
			if (blockIdx.x == 0) {
				n = stay(g, s, round, n, reached);
				if (threadIdx.x == 0)
					s.hand[0] = round, s.hand[1] = n;
			}
			grid.sync();
			round = __ldcg(&s.hand[0]), n = __ldcg(&s.hand[1]);
			grid.sync();
			continue;
		}
		reached += n;
		uint32_t from = round & 1, into = from ^ 1, lanes = share(n, all);
		uint32_t *count = &s.lengths[(round + 1) % 3];
		for (uint32_t base = (threadIdx.x / 32 * gridDim.x + blockIdx.x) * (32 >> lanes); base < n; base += all >> lanes) {
			uint32_t i = base + (threadIdx.x % 32 >> lanes), k = 0, last = 0;
			if (i < n) {
				uint32_t v = s.list[from * s.half + i];
				k = g.offsets[v], last = g.offsets[v + 1];
			}
			for (k += threadIdx.x & ((1u << lanes) - 1); __any_sync(~0u, k < last); k += 1u << lanes) {
				uint32_t to = 0;
				bool found = false;
				if (k < last) {
					to = __ldg(&g.targets[k]);
					found = claim(s.seen, to);
				}
				uint32_t at = append(found, count);
				if (found)
					s.list[into * s.half + at] = to;
			}
		}
		if (grid.thread_rank() == 0)
			s.lengths[(round + 2) % 3] = 0;
		grid.sync();
		n = __ldcg(count);
		round++;
	}
	if (grid.thread_rank() == 0)
		s.out[0] = round, s.out[1] = reached;
}

// Levels is what a search in both directions has. Sums are those of arcs of the nodes that a round found: round r reads
// word r%3, adds to the next and clears the third, as with lengths.
struct Levels {
	uint32_t *level, *list, *lengths, *sums, *out;
	uint32_t nodes, arcs, closed; // closed are nodes that no arc comes to
};

__device__ bool reach(Levels s, uint32_t v, uint32_t now)
{
	return s.level[v] == none && atomicCAS(&s.level[v], none, now) == none;
}

// add lists what the lanes of a warp found, and counts its arcs.
__device__ void add(Graph g, Levels s, bool found, uint32_t v, uint32_t round, uint32_t &arcs)
{
	uint32_t at = append(found, &s.lengths[(round + 1) % 3]);
	if (found) {
		s.list[((round + 1) & 1) * s.nodes + at] = v;
		arcs += __ldg(&g.offsets[v + 1]) - __ldg(&g.offsets[v]);
	}
}

// row walks a part of a row that all lanes of a warp have, four arcs a lane in flight and one addition for all of them.
__device__ void row(Graph g, Levels s, uint32_t k, uint32_t last, uint32_t step, uint32_t round, uint32_t &arcs)
{
	for (uint32_t lane = threadIdx.x % 32; k < last; k += step) {
		uint32_t v[4];
		bool found[4];
		for (int i = 0; i < 4; i++)
			v[i] = __ldg(&g.targets[min(k + 32 * i + lane, last - 1)]);
		for (int i = 0; i < 4; i++)
			found[i] = k + 32 * i + lane < last && reach(s, v[i], round + 1);
		uint32_t all[4], n = 0, at = 0;
		for (int i = 0; i < 4; i++)
			n += __popc(all[i] = __ballot_sync(~0u, found[i]));
		if (n == 0)
			continue;
		if (lane == 0)
			at = atomicAdd(&s.lengths[(round + 1) % 3], n);
		at = __shfl_sync(~0u, at, 0) + ((round + 1) & 1) * s.nodes;
		for (int i = 0; i < 4; at += __popc(all[i++])) {
			if (found[i]) {
				s.list[at + __popc(all[i] & ((1u << lane) - 1))] = v[i];
				arcs += __ldg(&g.offsets[v[i] + 1]) - __ldg(&g.offsets[v[i]]);
			}
		}
	}
}

// push walks the rows of the list: short ones with one lane or a few, others with a warp, the longest with a block.
__device__ void push(Graph g, Levels s, uint32_t round, uint32_t n, uint32_t &arcs)
{
	__shared__ uint32_t hubs[threads / 32];
	uint32_t all = gridDim.x * threads, lanes = share(n, all), lane = threadIdx.x % 32, kept = none;
	for (uint32_t base = (threadIdx.x / 32 * gridDim.x + blockIdx.x) * (32 >> lanes); base < n; base += all >> lanes) {
		uint32_t i = base + (lane >> lanes), mine = lane & ((1u << lanes) - 1), v = 0, k = 0, last = 0;
		if (i < n) {
			v = s.list[(round & 1) * s.nodes + i];
			k = __ldg(&g.offsets[v]), last = __ldg(&g.offsets[v + 1]);
		}
		for (uint32_t left = __ballot_sync(~0u, mine == 0 && last - k > split); left; left &= left - 1) {
			int from = __ffs(left) - 1;
			uint32_t node = __shfl_sync(~0u, v, from), first = __shfl_sync(~0u, k, from), end = __shfl_sync(~0u, last, from);
			if (kept == none && end - first > hub)
				kept = node;
			else
				row(g, s, first, end, 4 * 32, round, arcs);
		}
		if (last - k > split)
			k = last;
		for (k += mine; __any_sync(~0u, k < last); k += 1u << lanes) {
			uint32_t to = 0;
			bool found = false;
			if (k < last) {
				to = __ldg(&g.targets[k]);
				found = reach(s, to, round + 1);
			}
			add(g, s, found, to, round, arcs);
		}
	}
	if (lane == 0)
		hubs[threadIdx.x / 32] = kept;
	__syncthreads();
	for (uint32_t w = 0; w < threads / 32; w++)
		if (uint32_t v = hubs[w]; v != none)
			row(g, s, __ldg(&g.offsets[v]) + 4 * 32 * (threadIdx.x / 32), __ldg(&g.offsets[v + 1]), 4 * threads, round, arcs);
	__syncthreads();
}

// pull looks at all nodes without a level, each with a lane, until an arc comes from the list.
__device__ void pull(Graph g, Levels s, uint32_t round, uint32_t &arcs)
{
	for (uint32_t base = (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32; base < s.nodes; base += gridDim.x * threads) {
		uint32_t v = base + threadIdx.x % 32, k = 0, last = 0;
		bool found = false;
		if (v < s.nodes && s.level[v] == none)
			k = __ldg(&g.offsets[v]), last = __ldg(&g.offsets[v + 1]);
		for (; k < last && !found; k += 4) {
			uint32_t u[4];
			for (int i = 0; i < 4; i++)
				u[i] = __ldg(&g.targets[min(k + i, last - 1)]);
			for (int i = 0; i < 4; i++)
				found |= s.level[u[i]] == round;
		}
		if (found)
			s.level[v] = round + 1;
		add(g, s, found, v, round, arcs);
	}
}

__global__ void __launch_bounds__(threads) levels(Graph g, Levels s)
{
	cg::grid_group grid = cg::this_grid();
	uint32_t round = 0, n = s.lengths[0], reached = 0, frontier = s.sums[0], open = s.arcs;
	for (; n; round++) {
		reached += n;
		open -= frontier;
		uint64_t each = frontier ? s.arcs / frontier : 0, looks = uint64_t(s.nodes - s.closed - reached) * each;
		uint32_t arcs = 0;
		if (32 * uint64_t(frontier) > 16 * (looks < open ? looks : open) + s.nodes)
			pull(g, s, round, arcs);
		else
			push(g, s, round, n, arcs);
		arcs = __reduce_add_sync(~0u, arcs);
		if (threadIdx.x % 32 == 0 && arcs)
			atomicAdd(&s.sums[(round + 1) % 3], arcs);
		if (grid.thread_rank() == 0)
			s.lengths[(round + 2) % 3] = s.sums[(round + 2) % 3] = 0;
		grid.sync();
		n = __ldcg(&s.lengths[(round + 1) % 3]), frontier = __ldcg(&s.sums[(round + 1) % 3]);
	}
	if (grid.thread_rank() == 0)
		s.out[0] = round, s.out[1] = reached;
}

__global__ void beginLevels(Graph g, Levels s, uint32_t seed)
{
	s.level[seed] = 0;
	s.list[0] = seed;
	s.lengths[0] = 1, s.lengths[1] = s.lengths[2] = 0;
	s.sums[0] = g.offsets[seed + 1] - g.offsets[seed], s.sums[1] = s.sums[2] = 0;
}

__global__ void begin(State s, uint32_t seed)
{
	s.seen[seed / 32] = 1u << (seed & 31);
	s.list[0] = seed;
	s.lengths[0] = 1, s.lengths[1] = s.lengths[2] = 0;
}

static void check(cudaError_t e)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "%s\n", cudaGetErrorString(e));
		exit(1);
	}
}

static uint32_t *words(size_t n)
{
	uint32_t *p;
	check(cudaMalloc(&p, 4 * n));
	return p;
}

__global__ void __launch_bounds__(threads) bare(int n)
{
	cg::grid_group grid = cg::this_grid();
	for (int i = 0; i < n; i++)
		grid.sync();
}

// least is the least device time of 20 launches with n barriers, in ns.
static double least(int blocks, int n)
{
	cudaEvent_t from, to;
	check(cudaEventCreate(&from));
	check(cudaEventCreate(&to));
	double best = -1;
	for (int k = 0; k < 23; k++) {
		void *args[] = {&n};
		float ms;
		check(cudaEventRecord(from));
		check(cudaLaunchCooperativeKernel((const void *)bare, dim3(blocks), dim3(threads), args));
		check(cudaEventRecord(to));
		check(cudaEventSynchronize(to));
		check(cudaEventElapsedTime(&ms, from, to));
		if (k >= 3 && (best < 0 || ms * 1e6 < best))
			best = ms * 1e6;
	}
	return best;
}

// Input is a graph on the device, and how large it is.
struct Input {
	Graph g;
	uint32_t nodes, arcs, closed;
};

static Input load(const char *name)
{
	FILE *f = fopen(name, "rb");
	uint32_t size[2];
	if (!f || fread(size, 4, 2, f) != 2) {
		fprintf(stderr, "%s: there is no graph\n", name);
		exit(2);
	}
	std::vector<uint32_t> offsets(size_t(size[0]) + 1), targets(size[1]);
	if (fread(offsets.data(), 4, offsets.size(), f) != offsets.size() || fread(targets.data(), 4, targets.size(), f) != targets.size()) {
		fprintf(stderr, "%s: the file is too short\n", name);
		exit(2);
	}
	fclose(f);
	uint32_t *o = words(offsets.size()), *t = words(targets.size() + 1);
	check(cudaMemcpy(o, offsets.data(), 4 * offsets.size(), cudaMemcpyHostToDevice));
	check(cudaMemcpy(t, targets.data(), 4 * targets.size(), cudaMemcpyHostToDevice));
	uint32_t closed = 0;
	for (uint32_t v = 0; v < size[0]; v++)
		closed += offsets[v] == offsets[v + 1];
	return {{o, t}, size[0], size[1], closed};
}

static int processors()
{
	int n;
	check(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
	return n;
}

static uint32_t *pinned(size_t n)
{
	void *p;
	check(cudaMallocHost(&p, 4 * n));
	return static_cast<uint32_t *>(p);
}

using Clock = std::chrono::steady_clock;

static void keep(long long &best, long long ns)
{
	if (best < 0 || ns < best)
		best = ns;
}

static long long since(Clock::time_point start)
{
	return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

static int searchLevels(char **argv)
{
	Input in = load(argv[2]);
	size_t n = in.nodes;
	Levels s = {words(n), words(2 * n), words(3), words(3), words(2), in.nodes, in.arcs, in.closed};
	uint32_t *out = pinned(2), *host = pinned(n);
	cudaStream_t stream;
	cudaEvent_t from, to;
	check(cudaStreamCreate(&stream));
	check(cudaEventCreate(&from));
	check(cudaEventCreate(&to));
	long long wall = -1, device = -1;
	int most, repetitions = atoi(argv[3]);
	check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, levels, threads, 0));
	// With as many blocks a multiprocessor as is fastest: more hide latency, fewer have a cheaper barrier.
	for (int k = 0; k < 4 * repetitions; k++) {
		int blocks = processors() * std::min(1 << k / repetitions, most);
		auto start = Clock::now();
		check(cudaEventRecord(from, stream));
		check(cudaMemsetAsync(s.level, 0xff, 4 * n, stream));
		beginLevels<<<1, 1, 0, stream>>>(in.g, s, strtoul(argv[4], nullptr, 10));
		void *args[] = {&in.g, &s};
		check(cudaLaunchCooperativeKernel((const void *)levels, dim3(blocks), dim3(threads), args, 0, stream));
		check(cudaEventRecord(to, stream));
		check(cudaMemcpyAsync(out, s.out, 8, cudaMemcpyDeviceToHost, stream));
		check(cudaMemcpyAsync(host, s.level, 4 * n, cudaMemcpyDeviceToHost, stream));
		check(cudaStreamSynchronize(stream));
		keep(wall, since(start));
		float ms;
		check(cudaEventElapsedTime(&ms, from, to));
		keep(device, static_cast<long long>(ms * 1e6));
	}
	FILE *f = fopen(argv[5], "wb");
	if (!f || fwrite(host, 4, n, f) != n || fclose(f) != 0) {
		fprintf(stderr, "%s: it cannot be written\n", argv[5]);
		return 1;
	}
	printf("%u %u %lld %lld\n", out[0], out[1], wall, device);
	return 0;
}

static int searchSet(char **argv)
{
	Input in = load(argv[1]);
	size_t set = (size_t(in.nodes) + 31) / 32;
	State s = {words(set), words(2 * size_t(in.nodes)), words(3), words(2), words(2), in.nodes};
	uint32_t *out = pinned(2);
	cudaStream_t stream;
	check(cudaStreamCreate(&stream));
	int blocks = processors();
	long long best = -1;
	for (int k = atoi(argv[2]); k > 0; k--) {
		auto start = Clock::now();
		check(cudaMemsetAsync(s.seen, 0, 4 * set, stream));
		begin<<<1, 1, 0, stream>>>(s, strtoul(argv[3], nullptr, 10));
		void *args[] = {&in.g, &s};
		check(cudaLaunchCooperativeKernel((const void *)search, dim3(blocks), dim3(threads), args, 0, stream));
		check(cudaMemcpyAsync(out, s.out, 8, cudaMemcpyDeviceToHost, stream));
		check(cudaStreamSynchronize(stream));
		keep(best, since(start));
	}
	printf("%u %u %lld\n", out[0], out[1], best);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "barriers")) {
		int blocks = atoi(argv[2]);
		printf("%.1f\n", (least(blocks, 1000) - least(blocks, 0)) / 1000);
		return 0;
	}
	if (argc == 6 && !strcmp(argv[1], "levels"))
		return searchLevels(argv);
	if (argc == 4)
		return searchSet(argv);
	fprintf(stderr, "usage: search GRAPH REPETITIONS SEED, search levels GRAPH REPETITIONS SEED LEVELS, or search barriers BLOCKS\n");
	return 2;
}
