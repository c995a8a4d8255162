// Package sass runs machine code of sm_80, as nvdisasm prints it, one invocation after the other: a judge of what the
// assembler makes of a program, where there is no GPU. Tests use it alone.
//
//	code, err := sass.Parse(listing) // of nvdisasm -c
//	err = code.Run(sass.Launch{Constants: bank, Memory: mem, Groups: 2, Group: 32})
//
// It knows the instructions on integers, bits and predicates, moves, loads, stores and branches. Instructions on floats,
// votes, shuffles, atomics and calls are unknown: Run returns an *UnknownError for a program that gets to one, before it
// has judged anything. Invocations do not wait for each other, so barriers are unknown as well.
//
// What an instruction does is taken from what the machine code of programs must do that a GPU runs rightly, and of those
// in docs/design/assembler-errors.md that it does not: a ~ in LEA.X, for one, inverts after the shift. A value is kept in
// the 32-bit registers that it stands in. Nothing is timed.
//
// Start reading in run.go.
package sass
