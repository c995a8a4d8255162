// Package memcheck has programs say where they are out of bounds. It rewrites a program, before the passes:
//
//	store @y[%i], %v        becomes        %n  = len @y
//	                                       %in = lt.u32 %i, %n
//	                                       if %in {} else {
//	                                         trace #7, %i64, %n64 !checked
//	                                       }
//	                                       store @y[%i], %v
//
// for each load, store and atomic of a buffer, a shared or local array or a table, if its index is not a constant that fits.
// So every device that has the op trace checks, by the same rows, and the passes leave out what they prove. The number in
// front is that of a Site. Traces of the program itself are not touched: a check is a trace with the flag ir.Checked,
// for which devices have a room of its own, see Tally.
//
// Accesses that are meant to be checked, by gpu.At and gpu.Put, have that flag, too, and get no check.
//
// In goes a sealed program, out comes another one that gives the same results, and the sites. The package knows no device:
// what a launch left is turned into errors by package driver/internal/outside.
//
// Start reading in instrument.go. part.go is about what the source calls an element.
package memcheck
