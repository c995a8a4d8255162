// Solve solves systems of eight linear equations by elimination with the largest pivot, a system a thread.
static __device__ bool solve(double s[8][9], double x[8])
{
	for (int k = 0; k < 8; k++) {
		int pivot = k;
		for (int r = k + 1; r < 8; r++)
			if (fabs(s[r][k]) > fabs(s[pivot][k]))
				pivot = r;
		if (s[pivot][k] == 0)
			return false;
		for (int c = 0; c < 9; c++) {
			double v = s[k][c];
			s[k][c] = s[pivot][c];
			s[pivot][c] = v;
		}
		for (int r = k + 1; r < 8; r++) {
			double factor = s[r][k] / s[k][k];
			for (int c = k + 1; c < 9; c++)
				s[r][c] = fma(-factor, s[k][c], s[r][c]);
		}
	}
	for (int k = 7; k >= 0; k--) {
		double rest = s[k][8];
		for (int c = k + 1; c < 8; c++)
			rest = fma(-s[k][c], x[c], rest);
		x[k] = rest / s[k][k];
	}
	return true;
}

extern "C" __global__ void __launch_bounds__(128)
Solve(const double *__restrict__ systems, unsigned, double *__restrict__ solutions, unsigned, unsigned *__restrict__ singular, unsigned n)
{
	unsigned i = blockIdx.x * 128 + threadIdx.x;
	if (i >= n)
		return;
	double s[8][9], x[8];
	for (unsigned r = 0; r < 8; r++)
		for (unsigned c = 0; c < 9; c++)
			s[r][c] = systems[(9 * r + c) * n + i];
	bool ok = solve(s, x);
	for (unsigned k = 0; k < 8; k++)
		solutions[k * n + i] = ok ? x[k] : 0;
	singular[i] = ok ? 0 : 1;
}
