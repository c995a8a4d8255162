// Package compile is the compiler on one page: every pass between a verified program and the printed text, the runs of
// each in their order, the constraints on that order, and how a choice among them is written.
//
//	early ──▶ loops ──▶ late ──▶ lowering ──▶ text
//	└──────── package opt ────────────────┘   └ package ptx
//
// A pass is a function of package opt over a program, or of package ptx over instructions. A run is one place of the
// table at which a pass is called, and has a name of its own: gvn.early and gvn.lowered are two runs of the pass gvn. A
// choice, reports, dumps and errors use these names.
//
// In goes a Choice, out comes the list of runs that it leaves. The package calls no pass: opt and ptx bind the names to
// functions, opt.Run takes a program through the first four groups, and ptx.Compile through all of them. So package
// driver reads a choice, and a program that only imports driver does not link the passes.
//
// Invariants, because a program that links a broken table does not start: names are unique, groups are in order,
// every constraint names two runs and the first is before the second, and every run whose pass leaves something for
// another to clean up has such a constraint.
//
// Start reading in table.go, then order.go.
package compile
