// NBody sums the attraction of all bodies {x, y, z, mass} on each one, 256 at a time through shared memory.
extern "C" __global__ void __launch_bounds__(256)
NBody(float soft, const float4 *__restrict__ bodies, unsigned n, float4 *__restrict__ pull, unsigned)
{
	__shared__ float4 tile[256];
	unsigned l = threadIdx.x, i = blockIdx.x * 256 + l;
	float4 me = bodies[i];
	float ax = 0, ay = 0, az = 0;
	for (unsigned base = 0; base < n; base += 256) {
		tile[l] = bodies[base + l];
		__syncthreads();
		for (unsigned j = 0; j < 256; j++) {
			float4 b = tile[j];
			float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
			float inv = rsqrtf(fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, soft))));
			float f = b.w * inv * (inv * inv);
			ax = fmaf(f, dx, ax);
			ay = fmaf(f, dy, ay);
			az = fmaf(f, dz, az);
		}
		__syncthreads();
	}
	pull[i] = make_float4(ax, ay, az, 0);
}
