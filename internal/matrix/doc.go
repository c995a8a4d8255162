// Package matrix computes what tensor cores compute: products of fragments that a warp holds, with the same bits, in
// integers.
//
//	g := matrix.GenerationOf(8, 6)                    // capability 8.6 computes as sm_75
//	matrix.MulAdd(matrix.BF16, g, &a, &b, &c, &d)     // d = a·b + c over 32 lanes
//
//	registers ─unpack─▶ 16 rows and 8 columns of terms ─dot, a chunk of k at a time─▶ accumulators
//
// A result depends on the operands' bits and on the generation, on nothing else. Forms whose arithmetic is exact or a
// chain of fused operations do not depend on the generation either. An accumulator goes through its own format between
// two chunks, so that a longer product is a chain of operations.
//
// Functions are pure and may be called from any goroutine. The ops in programs are those of package ir.
//
// Start reading at matrix.go, then rule.go.
package matrix
