// Package packed keeps sealed programs as text inside generated Go files.
//
//	ir.Program ──Encode──▶ wire form ──pack──▶ a quarter of it ──base64──▶ string constant
//	                        Program takes the same way back
//
// Package gen writes such constants; a generated launcher calls Program when it compiles.
// The package stands alone, so that a binary with launchers holds no Go compiler.
//
// Equal programs give equal text, with every release of Go: a generated file never changes
// unless its kernels do. For that reason the packing is ours and not compress/flate, whose
// output may change when Go does.
//
// Not here: what the wire form is (package ir), what a generated file looks like (package gen).
package packed
