// Tables in constant and global memory, parameters by value that are indexed, and bytes.
__constant__ unsigned short weights[8] = {1, 10, 100, 1000, 5, 50, 500, 5000};
__device__ int total = 7;
__device__ const char word[] = "vyre";

struct shape {
	int size[3];
	signed char step;
};

extern "C" __global__ void constants(shape s, const signed char *in, int *out, unsigned n) {
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int v = weights[in[i] & 7] * s.size[i % 3] + s.step;
	v += word[i & 3];
	atomicMax(&total, v);
	out[i] = v + (in[i] < 0 ? -in[i] : 2 * in[i]);
}
