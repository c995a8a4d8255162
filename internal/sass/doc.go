// Package sass runs machine code of sm_75, sm_80 and sm_90, as nvdisasm prints it: a judge of what the assembler makes of a
// program, where there is no GPU. Tests use it alone.
//
//	code, err := sass.Parse(listing) // of nvdisasm -c -hex
//	err = code.Run(sass.Launch{Constants: bank, Memory: mem, Grid: [3]uint32{2, 1, 1}, Group: [3]uint32{64, 1, 1}})
//
// It knows the instructions on integers, bits, predicates and floats of 16, 32 and 64 bits, conversions, moves, loads,
// stores, branches and calls, a stack, votes, shuffles, barriers, shared memory and updates of memory. Run returns an
// *UnknownError for a program with an instruction that it does not know, before it has judged anything or when it gets
// there.
//
// Lanes of a warp part at branches and meet again where the machine code says so, and nowhere else (warp.go); who goes on
// when is drawn, from the launch's number. So code whose lanes do not meet where they have to, or that reads what
// another invocation may not have written, gives something else than it should. Lanes that wait for others that do not
// come are an error, as are a barrier of the group at which a part of a warp arrives, and memory that is not there.
// Registers, shared memory and a stack hold arbitrary values at first. What is written to memory is seen by all at once.
//
// What an instruction does is taken from what the machine code of programs must do that a GPU runs rightly, and of those
// in docs/design/assembler-errors.md that it does not: a ~ in LEA.X, for one, inverts after the shift. MUFU.RCP and
// MUFU.RSQ are right to the last bit here, which what divides by them does not rest on. HADD2.F32 and HMUL2.F32 round to
// 16 bits before they give an f32, as the assembler takes it that they do. A value is kept in the 32-bit registers that it
// stands in. Nothing is timed.
//
// nvdisasm 11.8 has no text for VIMNMX of sm_90, and leaves it out without a word, together with the labels that stand
// there. So its bits are decoded (decode.go).
//
// Start reading in run.go.
package sass
