// Mandelbrot counts rounds until a point leaves the circle of radius 2, at most so many.
extern "C" __global__ void __launch_bounds__(256)
Mandelbrot(unsigned w, unsigned most, float x0, float y0, float step, unsigned *__restrict__ rounds, unsigned)
{
	unsigned px = blockIdx.x * 16 + threadIdx.x, py = blockIdx.y * 16 + threadIdx.y;
	float cx = fmaf((float)px, step, x0), cy = fmaf((float)py, step, y0);
	float x = 0, y = 0;
	unsigned n = 0;
	while (n < most) {
		float y2 = y * y;
		if (fmaf(x, x, y2) > 4)
			break;
		float next = fmaf(x, x, cx - y2);
		y = fmaf(x + x, y, cy);
		x = next;
		n++;
	}
	rounds[py * w + px] = n;
}
