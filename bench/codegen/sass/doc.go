// Command sass sets the machine code of the suite's kernels beside that of the reference kernels, without a GPU.
//
//	sass [-toolkit DIR] [-sm 90] [-only REGEXP] [-out DIR]
//
// DIR is the folder that .ci/ptxas fills; package toolkit runs what is in it.
//
//	reference/*.cu ── gcc -E ── cicc ──┐
//	                                   ├── ptxas ── cuobjdump ── Function ── table
//	kernels/*.go ── Compile ───────────┘
//
// The table has a line for each kernel, ours / nvcc's. It has instructions and memory instructions of the hot loop for
// one unit of work (see units), those of the whole kernel, registers, spilled bytes. It counts code, not time: a guard
// that is rarely true counts like any other instruction. Of the reference kernels' two builds, with and without
// contraction, the one with the shorter hot loop counts. With -out, PTX and machine code of both sides are kept there.
//
// Start reading in main.go.
package main
