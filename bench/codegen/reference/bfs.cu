// BFSLevel marks the successors of the frontier that were not visited before. Sets of nodes are bitmaps.
extern "C" __global__ void __launch_bounds__(256)
BFSLevel(const unsigned *__restrict__ rows, unsigned, const unsigned *__restrict__ arcs, unsigned,
         const unsigned *__restrict__ frontier, unsigned, const unsigned *__restrict__ visited, unsigned,
         unsigned *__restrict__ next, unsigned)
{
	unsigned v = blockIdx.x * 256 + threadIdx.x;
	if ((frontier[v / 32] >> v % 32 & 1) == 0)
		return;
	unsigned end = rows[v + 1];
	for (unsigned j = rows[v]; j < end; j++) {
		unsigned w = arcs[j], bit = 1u << w % 32;
		if ((visited[w / 32] & bit) == 0)
			atomicOr(&next[w / 32], bit);
	}
}
