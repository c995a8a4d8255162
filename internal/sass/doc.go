// Package sass runs machine code of sm_75, sm_80 and sm_90, as nvdisasm prints it, one invocation after the other: a judge
// of what the assembler makes of a program, where there is no GPU. Tests use it alone.
//
//	code, err := sass.Parse(listing) // of nvdisasm -c -hex
//	err = code.Run(sass.Launch{Constants: bank, Memory: mem, Groups: 2, Group: 32})
//
// It knows the instructions on integers, bits, predicates and floats of 16, 32 and 64 bits, conversions, moves, loads,
// stores, branches and calls, and a stack. Votes, shuffles, atomics and barriers between invocations are unknown, since
// none waits for another, and so are directed roundings of f64: Run returns an *UnknownError for a program that gets to
// one, before it has judged anything or when it gets there.
//
// What an instruction does is taken from what the machine code of programs must do that a GPU runs rightly, and of those
// in docs/design/assembler-errors.md that it does not: a ~ in LEA.X, for one, inverts after the shift. MUFU.RCP and
// MUFU.RSQ are right to the last bit here, which what divides by them does not rest on. A value is kept in the 32-bit
// registers that it stands in. Nothing is timed.
//
// nvdisasm 11.8 has no text for VIMNMX of sm_90, and leaves it out without a word, together with the labels that stand
// there. So its bits are decoded (decode.go).
//
// Start reading in run.go.
package sass
