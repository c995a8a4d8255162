// Package conform is the suite that every device has to pass, and the generator of random programs for comparing
// devices.
//
// A Case is one program, one launch and its expected results. A Family is a list of cases about one rule of the
// language. Suite lists all families, and Run tries them on a Device, which is anything that runs a program on given
// buffers. On adapts a driver.Device, Interp is the interpreter with a schedule and detectors, and Through puts a pass
// before another device.
//
//	cases/<family>/*.txtar ─┐
//	suite_*.go (products) ──┼─▶ Case ──Try──▶ Device ──▶ Outcome ──▶ buffers, trap, traces, reports compared
//	random*.go ─────────────┘      └──Host──▶ verify, text and wire of package ir
//
// # Invariants
//
// Tests show that every family notices a broken rule. Tests of package interp run it on an interpreter with that rule
// changed, and mutation_test.go on such a package ir. A device gets its buffers as parts of one allocation with guard
// bytes between them, so the suite sees every stray write. Expected results are written by hand where possible (files),
// and otherwise computed element by element with the op table's evaluation function. NaNs of one type are equal. Cases
// do not depend on the schedule.
//
// A Sweep compares a function of one f32 with the op table on ranges of all 2³² arguments. RunRandom compares random
// programs with the interpreter. RandomGo and RandomGoOrder make them as kernels written in Go, which tests also
// compile with Go itself and run natively.
//
// # For authors of devices
//
// Import this package in tests: Run(ctx, On(device), Options{}) is the suite, and RandomRun compares random programs.
// Residency and Sweep test things that need a whole launch or all arguments. Interp and InterpOf are for packages of
// this module, which have the interpreter's options.
//
// # Not here
//
// The compilation of Go kernels (package front), the text of PTX (package ptx), passes before and after (package
// opt).
//
// Start reading in case.go, then files.go.
package conform
