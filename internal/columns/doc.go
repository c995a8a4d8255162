// Package columns optimises many programs at once on a device: constants are folded, equal values merged, dead code
// removed, and what is left is moved together, in one sequence over columns of all programs end to end.
//
//	a := new(columns.Arena)              // the host's image: rows of 16 bytes, regions, lists
//	err := a.Add(p)                      // for each program
//	o, err := columns.Open(ctx, dev, columns.Options{})
//	r, err := o.Run(ctx, a)              // one upload, one sequence, one read
//	q, err := a.Program(r, i)            // sealed and verified again
//
// The meaning is that of passes fold, gvn and dce of package opt, which are better for a program that the host has:
// sealing costs far more than these passes. The leader of a value is the host's, but for loads in the second arm of an
// if whose first arm writes. Loops stay because they may not end, and so do stores to arrays without a read.
//
//	v, err := OpenValidator(ctx, dev, columns.Options{})
//	verdict, err := v.Run(ctx, codes)    // of Codes.Add(*ir.Code): what sealing finds in structure and types
//
// A program's result does not depend on those beside it, on the size of workgroups or on hashes: keys are compared. An
// Arena and an Optimiser are for one goroutine at a time. Start reading at kernels.go, which says what a row is, then
// arena.go and optimiser.go; fold.go writes the kernel that executes each op of constants.
package columns
