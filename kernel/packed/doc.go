// Package packed gives generated launchers their programs.
//
//	kernels_vyre.go, generated          kernels_vyre.vyp, embedded in it
//	var … = packed.Open(…)      ──▶     table │ frame │ frame …
//	CompileSaxpy ──Program("Saxpy")──▶  *ir.Program
//
// Package gen writes both files. The data file holds all programs of the generated file, packed together: they are a
// fifteenth of what they are alone. A process that starts reads nothing. The first call of Program reads the
// table and unpacks the program's frame, at most 1 MiB, in some 3 ms. The frame then stays unpacked.
//
// Equal programs give equal data, with every release of Go: a data file never changes unless its kernels do.
// Therefore the packing is our own, because the output of compress/flate may change with Go.
//
// # Launchers that are older than their kernels
//
// The table has the declarations that each program was made from, with digests of their tokens. If the binary was
// built from source on this machine, the first use of a program compares that source with the list. Compile then returns an
// error if a kernel was edited after its launcher was generated. A process skips this if its binary has no paths
// (-trimpath), or if the source is not there. It also skips this if the source has changed since the binary was linked.
//
// # Not here
//
// The data file (package internal/vyp), the wire form in it (package ir/wire), the contents of a generated file (package
// internal/gen).
package packed
