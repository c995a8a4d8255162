package codegen

// Cases are the suite, in the order of the table.
var Cases = []Case{
	{Name: "saxpy", Reference: "saxpy", Bound: Memory, Make: saxpy},
	{Name: "reduce", Reference: "reduce", Bound: Memory, Make: reduce},
	{Name: "scan", Reference: "scan", Bound: Memory, Make: scan},
	{Name: "histogram", Reference: "histogram", Bound: Memory, Make: histogram},
	{Name: "transpose", Reference: "transpose", Bound: Memory, Make: transpose},
	{Name: "stencil", Reference: "stencil", Bound: Memory, Make: stencil},
	{Name: "spmv", Reference: "spmv", Bound: "gathers", Make: spmv},
	{Name: "bfs level", Reference: "bfs", Bound: "gathers", Make: bfsLevel},
	{Name: "bitonic sort", Reference: "bitonic", Make: bitonicSort},
	{Name: "sha-256", Entry: "hash compression", Reference: "sha256", Make: sha256Blocks},
	{Name: "blake3", Entry: "hash compression", Reference: "blake3", Make: blake3Blocks},
	{Name: "mandelbrot", Reference: "mandelbrot", Make: mandelbrot},
	{Name: "n-body", Reference: "nbody", Make: nbody},
	{Name: "sgemm", Reference: "sgemm", Make: sgemm},
}

// pick returns the value for a size.
func pick[T any](s Size, launch, inL2, beyond T) T {
	return [...]T{launch, inL2, beyond}[s]
}
