// Package aot makes and reads bundles: files of kernels that ship compiled. A program that loads its kernels from a bundle
// compiles nothing on a GPU. It needs neither the kernel's source nor a toolkit nor a cache.
//
//	*ir.Program ──Build──▶ FILE.vyk ──Open──▶ *Bundle ──Load──▶ driver.Kernel
//
// For each kernel a bundle has all that a launch needs, and PTX for some targets. An assembler adds machine code. The
// program itself is for device cpu. A GPU takes machine code of exactly its architecture, else of the highest below it of
// the same generation. Without any it takes the highest PTX that its driver compiles. Kernel.Artifact says which.
//
// A bundle may also have sequences of these kernels, with loops. Record records one again on any device. The example heat
// ships one.
//
// # Invariants
//
// Equal programs, options and assemblers give equal files. Open finds all damage but that of payloads, and Load the rest before
// a driver sees a byte of it. A loaded kernel answers as the one that Compile makes of its program.
//
// # Not here
//
// The file form (internal/bundle), which form a GPU takes (driver/cuda), the commands vyre bundle and vyre gen --bundle.
//
// Start reading at bundle.go, then build.go and sequence.go.
package aot
