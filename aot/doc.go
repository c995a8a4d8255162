// Package aot makes and reads bundles: files of kernels that ship compiled. A program that loads its kernels from a bundle
// compiles nothing on a GPU. It needs neither the kernel's source nor a toolkit nor a cache.
//
//	*ir.Program ──Build──▶ FILE.vyk ──Open──▶ *Bundle ──Load──▶ driver.Kernel
//
// For each kernel a bundle has PTX for some targets, machine code for these if an assembler made it, all that a launch needs,
// and the program itself, which device cpu takes. A GPU takes machine code of exactly its architecture, else of the highest
// below it of the same generation, else the highest PTX that its driver takes. Kernel.Artifact says which.
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
// Start reading at bundle.go, then build.go.
package aot
