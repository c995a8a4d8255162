// Package memcheck has programs say where they are out of bounds. It rewrites a program, before the passes:
//
//	store @y[%i], %v        becomes        %n  = len @y
//	                                       %in = lt.u32 %i, %n
//	                                       if %in {} else {
//	                                         trace #7, %i64, %n64 !checked
//	                                       }
//	                                       store @y[%i], %v
//
// It does so for each load, store and atomic of a buffer, a shared or local array or a table, unless the index is a constant
// that fits. So every device that has the op trace checks accesses, and the passes remove the checks that they prove. The
// tag of the trace is the number of a Site. A check is a trace with the flag ir.Checked: devices keep these apart from the
// program's own traces, see Tally.
//
// A load or store with that flag may be out of bounds, because the source calls gpu.At or gpu.Put. It gets no check.
//
// In goes a sealed program; out come another one that gives the same results, and the sites. The package knows no device:
// package driver/internal/outside turns the notes of a launch into errors.
//
// Start reading in instrument.go. part.go is about what the source calls an element.
package memcheck
