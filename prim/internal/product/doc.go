// Package product has the kernels of prim.MatMul, and their programs. The programs are in kernels_vyre.vyp; package prim
// specialises them for a size of block and for operands that lie transposed.
//
// A workgroup makes a block of the result at a time: it copies parts of both operands into shared memory, as they lie, and its
// warps multiply fragments of them. While they do, the next parts are on their way into registers.
//
// # Sizes
//
// A workgroup has eight warps. In the large block a warp makes 64 by 32 elements, in 16 accumulators, and in the small one 32 by 16. A
// step takes 64 bytes of k of each row and column. Two stages of both operands then take 40 KiB of shared memory for every element,
// and 48 KiB is what every device gives without an opt-in. Lines are 16 bytes further apart than they are long, so that eight of them
// begin in different groups of banks.
//
// Parts lie in shared memory as the operand lies in memory, and fragments are loaded by a transposed shape where they have to be. So
// one copy is right for all transposes; but four loads make a word of 8-bit integers whose lines are not along k.
//
// Start reading at multiply.go.
package product

//go:generate go run ../../../internal/gen/generate --programs .
