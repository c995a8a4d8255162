// Package packed keeps sealed programs as text inside generated Go files.
//
//	ir.Program ──Encode──▶ wire form ──pack──▶ two fifths of it ──base64──▶ string constant
//	                        Program takes the same way back
//
// Package gen writes such constants; a generated launcher calls Program when it compiles.
//
// # Launchers that are older than their kernels
//
// Beside the program is the list of the declarations that it was made of, with digests of their tokens. When a program is
// unpacked in a process that was built of source on this machine, this source is compared with the list: a kernel that was
// edited after its launcher was generated is an error of Compile, and not an old result. A process skips this if its
// binary has no paths (-trimpath), if the source is not there, or if the source has changed since the binary was linked.
//
// Equal programs give equal text, with every release of Go: a generated file never changes
// unless its kernels do. For that reason the packing is ours and not compress/flate, whose
// output may change when Go does.
//
// Not here: what the wire form is (package ir/wire), what a generated file looks like (package gen).
package packed
