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

	{Group: Unseen, Name: "biquad", Reference: "biquad", Make: biquad},
	{Group: Unseen, Name: "edit distance", Reference: "editdistance", Make: editDistance},
	{Group: Unseen, Name: "convolution", Reference: "convolve", Make: convolve},
	{Group: Unseen, Name: "queens", Reference: "queens", Arrays: 20 * 16, Make: queens},
	{Group: Unseen, Name: "crc-32", Reference: "crc32", Make: crc32Packets},
	{Group: Unseen, Name: "rays", Reference: "rays", Make: rays},
	{Group: Unseen, Name: "black-scholes", Reference: "blackscholes", Make: blackScholes},
	{Group: Unseen, Name: "softmax", Reference: "softmax", Make: softmax},
	{Group: Unseen, Name: "planes", Reference: "planes", Bound: Memory, Make: planes},
	{Group: Unseen, Name: "power mod m", Reference: "powmod", Make: powMod},
	{Group: Unseen, Name: "hash lookup", Reference: "lookup", Bound: "gathers", Make: lookup},
	{Group: Unseen, Name: "components", Reference: "components", Bound: "gathers", Make: components},
	{Group: Unseen, Name: "bit distance", Reference: "bitdistance", Make: bitDistance},
	{Group: Unseen, Name: "newton", Reference: "newton", Make: newtonRoots},
	{Group: Unseen, Name: "xxhash", Reference: "xxhash", Make: xxHash},

	{Group: Second, Name: "life", Reference: "life", Bound: Memory, Make: life},
	{Group: Second, Name: "floyd-warshall", Reference: "floyd", Make: floydWarshall},
	{Group: Second, Name: "utf-8", Reference: "utf8", Make: utf8Texts},
	{Group: Second, Name: "huffman", Reference: "huffman", Make: huffman},
	{Group: Second, Name: "fir", Reference: "fir", Make: fir},
	{Group: Second, Name: "running median", Reference: "median", Arrays: 40, Make: runningMedian},
	{Group: Second, Name: "moments", Reference: "moments", Make: momentsOfSegments},
	{Group: Second, Name: "linear systems", Reference: "system", Arrays: 8 * 9 * 8, Make: linearSystems},
	{Group: Second, Name: "skeleton", Reference: "skeleton", Make: skeleton},
	{Group: Second, Name: "kd-tree", Reference: "kdtree", Arrays: 320, Make: kdTree},

	{Group: Third, Name: "log match", Reference: "logmatch", Make: logMatch},
	{Group: Third, Name: "align", Reference: "align", Arrays: 2 * 4 * 64, Make: align},
	{Group: Third, Name: "lz4", Reference: "lz4", Make: lz4},
	{Group: Third, Name: "idct", Reference: "idct", Arrays: 4 * 64, Make: idct},
	{Group: Third, Name: "gravity", Reference: "gravity", Arrays: 4 * 64, Make: gravity},
	{Group: Third, Name: "spline", Reference: "spline", Make: spline},
	{Group: Third, Name: "flow", Reference: "flow", Bound: Memory, Make: flow},
	{Group: Third, Name: "reed-solomon", Reference: "reedsolomon", Make: reedSolomon},
	{Group: Third, Name: "ledger", Reference: "ledger", Make: ledger},
	{Group: Third, Name: "viterbi", Reference: "viterbi", Make: viterbi},
	{Group: Third, Name: "ntt", Reference: "ntt", Make: ntt},
	{Group: Third, Name: "k-means", Reference: "kmeans", Make: kMeans},

	{Group: Structs, Name: "bodies", Reference: "bodies", Make: bodies},
	{Group: Structs, Name: "particles", Reference: "particles", Bound: Memory, Make: particles},
}

// pick returns the value for a size.
func pick[T any](s Size, launch, inL2, beyond T) T {
	return [...]T{launch, inL2, beyond}[s]
}
