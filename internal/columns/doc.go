// Package columns optimises many programs at once on a device: constants are folded, equal values merged, dead code
// removed, and what is left is moved together. Beside that it checks programs, as sealing does.
//
//	a := new(columns.Arena)              // the host's image: rows of 16 bytes, regions, lists
//	err := a.Add(p)                      // for each program
//	err = a.Ask(0, 2)                    // whose columns come back; without it, all
//	c, err := columns.Open(ctx, dev, columns.Options{})
//	r, err := c.Run(ctx, columns.Batch{Arena: a, Codes: codes}) // of Codes.Add(*ir.Code)
//	q, err := a.Program(&r.Output, 0)    // sealed and verified again
//	found := r.Verdict.First             // what is wrong with the codes, in structure and types
//
// A run is one sequence, of as few layers as the work has. Package frontiers makes one launch of them:
//
//	upload, fill ─┬▶ Passes: fold, epochs, number, live ─▶ Place ─▶ Compact ─┬▶ read: heads, programs asked for,
//	              └▶ Tree ──────────────────────────────▶ Rows ──▶ Types ────┘  first findings, more if asked for
//
// A warp has a program in Passes. It goes on with a pass while that changes any of 32 rows, and waits for no other
// program. So one way through is all: a second run changes nothing.
//
// The meaning is that of passes fold, gvn and dce of package opt, which are better for a program that the host has:
// sealing costs far more than these passes. The leader of a value is the host's, but for loads in the second arm of an
// if whose first arm writes. Loops stay because they may not end, and so do stores to arrays without a read.
//
// A program's result does not depend on those beside it, on the size of workgroups or on hashes: keys are compared. An
// Arena and Passes are for one goroutine at a time. Start reading at kernels.go, which says what a row is, then arena.go
// and passes.go; fold.go writes the kernel that executes each op of constants.
package columns
