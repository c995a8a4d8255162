// Gravity finds the pull of all bodies on each through a tree of cells, a body a thread.
#include "twin.h"

struct Point {
	float x, y, z;
};
struct Cell {
	Point centre;
	float mass, width;
	unsigned first, parts;
};

static __device__ Point pulled(float angle, float soft, const Cell *__restrict__ cells, Point at)
{
	Point pull = {0, 0, 0};
	unsigned stack[64];
	stack[0] = 0;
	for (int depth = 1; depth > 0;) {
		Cell c = cells[stack[--depth]];
		float dx = c.centre.x - at.x, dy = c.centre.y - at.y, dz = c.centre.z - at.z;
		float square = soft + dx * dx + dy * dy + dz * dz;
		if (c.parts == 0 || c.width * c.width < angle * angle * square) {
			float force = c.mass / (square * sqrtf(square));
			pull.x += force * dx;
			pull.y += force * dy;
			pull.z += force * dz;
			continue;
		}
		for (unsigned p = 0; p < c.parts; p++)
			stack[depth++] = c.first + p;
	}
	return pull;
}

#ifdef CUDA
extern "C" __global__ void __launch_bounds__(128)
Gravity(float angle, float soft, const Cell *__restrict__ cells, unsigned, const Point *__restrict__ bodies, unsigned n, Point *__restrict__ pulls, unsigned)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		pulls[i] = pulled(angle, soft, cells, bodies[i]);
}
#else
static void twin(const Arg *a)
{
	const float *angle = a[0], *soft = a[1];
	const Point *bodies = a[3];
	Point *pulls = a[4];
	for (u64 i = 0; i < a[3].n; i++)
		pulls[i] = pulled(*angle, *soft, a[2], bodies[i]);
}
#endif
