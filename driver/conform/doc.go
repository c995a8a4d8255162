// Package conform is the suite that every device has to pass, and the generator of
// random programs that devices are compared with.
//
// A Case is one program, one launch and what must come of it; a Family is a list of cases about one
// rule of the language. Suite lists all families, Run tries them on a Device, which is anything that can
// run a program on given buffers: On adapts a driver.Device, Interp the interpreter with a schedule and
// detectors of choice, Through puts a pass in front of another.
//
//	cases/<family>/*.txtar ─┐
//	suite_*.go (products) ──┼─▶ Case ──Try──▶ Device ──▶ Outcome ──▶ buffers, trap, traces, reports compared
//	random*.go ─────────────┘      └──Host──▶ verify, text and wire of package ir
//
// What always holds: every family is shown to notice when its rule is broken (tests of package interp run it on
// an interpreter with that rule changed, mutation_test.go on such a package ir). A device gets its buffers as parts of one
// allocation with guard bytes between them, so a stray write is seen wherever it lands. What a case
// expects is stated by hand where a person can (files), and else computed element by element with the op
// table's evaluation function. NaNs of one type are equal. Cases do not depend on the schedule.
//
// Beside the cases, a Sweep compares a function of one f32 with the op table on ranges of all 2³² arguments, and
// RunRandom random programs with the interpreter; RandomGo and RandomGoOrder make them as kernels written in Go, which
// tests also compile with Go itself and run natively.
//
// Authors of devices import this package from tests of their own: Run(ctx, On(device), Options{}) is the suite, RandomRun
// compares random programs, Residency and Sweep look at what needs a whole launch or all arguments. Interp and
// InterpOf are for packages of this module, whose interpreter has its options there.
//
// Not here: what Go kernels compile to (package kernel), the text of PTX (package ptx), passes before and
// after (package opt).
//
// Start reading in case.go, then files.go.
package conform
