// Hook joins the trees of both ends of each arc, Flatten points every node to the root of its tree. Other threads change
// parents meanwhile, so they are read as volatile.
static __device__ unsigned root(const volatile unsigned *parent, unsigned v)
{
	for (;;) {
		unsigned p = parent[v];
		if (p == v)
			return v;
		v = p;
	}
}

extern "C" __global__ void __launch_bounds__(256)
Hook(const uint2 *__restrict__ arcs, unsigned n, unsigned *__restrict__ parent, unsigned)
{
	unsigned i = blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	uint2 arc = arcs[i];
	unsigned a = root(parent, arc.x), b = root(parent, arc.y);
	while (a != b) {
		unsigned low = min(a, b), high = max(a, b);
		unsigned was = atomicCAS(&parent[high], high, low);
		if (was == high)
			return;
		a = root(parent, was);
		b = root(parent, low);
	}
}

extern "C" __global__ void __launch_bounds__(256) Flatten(unsigned *__restrict__ parent, unsigned n)
{
	unsigned v = blockIdx.x * 256 + threadIdx.x;
	if (v < n)
		*(volatile unsigned *)&parent[v] = root(parent, v);
}
