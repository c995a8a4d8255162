// Package toolkit runs the parts of nvcc one by one, from the folder that .ci/ptxas fills. It has nvcc's compiler and
// assembler but no headers, so the reference kernels are compiled after reference/prelude.h, and gcc must be there for its
// preprocessor.
//
//	reference/*.cu ── gcc -E ── cicc ── text ── ptxas ── cuobjdump ── disassembly
//
// Not here: what the disassembly says, which is in the command sass.
package toolkit
