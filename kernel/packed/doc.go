// Package packed keeps sealed programs as text inside generated Go files.
//
//	ir.Program ──Encode──▶ wire form ──pack──▶ two fifths of it ──base64──▶ string constant
//	                        Program takes the same way back
//
// Package gen writes such constants; a generated launcher calls Program when it compiles.
//
// Equal programs give equal text, with every release of Go: a generated file never changes unless its kernels do.
// Therefore the packing is our own, because the output of compress/flate may change with Go.
//
// # Launchers that are older than their kernels
//
// A list beside the program has the declarations that it was made from, with digests of their tokens. If the binary was
// built from source on this machine, unpacking compares that source with the list. Compile then returns an error if a
// kernel was edited after its launcher was generated. A process skips this if its binary has no paths (-trimpath), or
// if the source is not there. It also skips this if the source has changed since the binary was linked.
//
// # Not here
//
// The wire form (package ir/wire), the contents of a generated file (package gen).
package packed
