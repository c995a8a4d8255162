// Package conform is the suite that every device has to pass, and the generator of
// random programs that devices are compared with.
//
// A Case is one program, one launch and what must come of it; a Family is a list of cases about one
// rule of the language. Suite lists all families. Run takes a Device, which is anything that can run a
// program on given buffers: On adapts a driver.Device, Interp the interpreter with a schedule and
// detectors of choice. Every family is also shown to notice when its rule is broken: the tests run it
// on an interpreter with that rule changed.
//
// What a case expects is either stated by hand (the regressions, control flow, memory) or computed
// element by element with the op table's evaluation function. NaNs of one type are equal.
//
// Start reading in case.go.
package conform
