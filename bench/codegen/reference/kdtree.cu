// Nearest finds the nearest point of a k-d tree to each query, a query a thread.
struct Point {
	float at[3];
};
struct __align__(8) Neighbour {
	unsigned point;
	float distance;
};
struct Branch {
	unsigned root, axis;
	float gap;
};

static __device__ float distance(Point a, Point b)
{
	float sum = 0;
	for (int k = 0; k < 3; k++) {
		float d = a.at[k] - b.at[k];
		sum = fmaf(d, d, sum);
	}
	return sum;
}

extern "C" __global__ void __launch_bounds__(128)
Nearest(const Point *__restrict__ tree, unsigned n, const Point *__restrict__ queries, unsigned length,
        Neighbour *__restrict__ nearest, unsigned)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= length)
		return;
	Point q = queries[i];
	Neighbour best = {0, 3.40282347e38f};
	Branch stack[24];
	stack[0] = {0, 0, 0};
	int depth = 1;
	while (depth > 0) {
		Branch b = stack[--depth];
		if (b.gap >= best.distance)
			continue;
		while (b.root < n) {
			Point p = tree[b.root];
			float d = distance(p, q);
			if (d < best.distance)
				best = {b.root, d};
			unsigned near = 2 * b.root + 1, far = 2 * b.root + 2;
			float away = q.at[b.axis] - p.at[b.axis];
			if (away > 0) {
				unsigned other = near;
				near = far;
				far = other;
			}
			b.root = near;
			b.axis = (b.axis + 1) % 3;
			float gap = away * away;
			if (gap < best.distance && far < n)
				stack[depth++] = {far, b.axis, gap};
		}
	}
	nearest[i] = best;
}
