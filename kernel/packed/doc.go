// Package packed keeps sealed programs as text inside generated Go files.
//
//	ir.Program ──Encode──▶ wire form ──pack──▶ two fifths of it ──base64──▶ string constant
//	                        Program takes the same way back
//
// Package gen writes such constants; a generated launcher calls Program when it compiles.
//
// Equal programs give equal text, with every release of Go: a generated file never changes
// unless its kernels do. For that reason the packing is ours and not compress/flate, whose
// output may change when Go does.
//
// Not here: what the wire form is (package ir/wire), what a generated file looks like (package gen).
package packed
