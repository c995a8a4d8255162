package codegen

// Cases are the suite, in the order of the table.
var Cases = []Case{
	{Name: "saxpy", Twin: "saxpy", Bound: Memory, Make: saxpy},
	{Name: "reduce", Twin: "reduce", Bound: Memory, Make: reduce},
	{Name: "scan", Twin: "scan", Bound: Memory, Make: scan},
	{Name: "histogram", Twin: "histogram", Bound: Memory, Make: histogram},
	{Name: "transpose", Twin: "transpose", Bound: Memory, Make: transpose},
	{Name: "stencil", Twin: "stencil", Bound: Memory, Make: stencil},
	{Name: "spmv", Twin: "spmv", Bound: "gathers", Make: spmv},
	{Name: "bfs level", Twin: "bfs", Bound: "gathers", Make: bfsLevel},
	{Name: "bitonic sort", Twin: "bitonic", Make: bitonicSort},
	{Name: "sha-256", Entry: "hash compression", Twin: "sha256", Make: sha256Blocks},
	{Name: "blake3", Entry: "hash compression", Twin: "blake3", Make: blake3Blocks},
	{Name: "mandelbrot", Twin: "mandelbrot", Make: mandelbrot},
	{Name: "n-body", Twin: "nbody", Make: nbody},
	{Name: "sgemm", Twin: "sgemm", Make: sgemm},
}

// pick returns the value for a size.
func pick[T any](s Size, launch, inL2, beyond T) T {
	return [...]T{launch, inL2, beyond}[s]
}
