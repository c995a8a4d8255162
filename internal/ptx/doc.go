// Package ptx turns sealed programs into PTX, the assembly text that NVIDIA's driver compiles.
//
// In goes an ir.Program and a Target, out comes a Module: the text, and for each entry what a launch has to
// know (where parameters lie, how much shared memory, which line stands for which row).
//
//	p ── opt.Expand ── select ── address ── predicate ── copies ── tidy ── delay ── align ── print
//
// select chooses instructions row by row, with places in memory as the program names them, carried values as
// parallel copies and every if as a branch. address works out places, once for accesses that share one.
// predicate turns short branches into guards. copies orders moves, through a temporary where they go round in
// a circle. tidy drops what is left over, delay moves what the entry computes behind loops that do not need it,
// align finds barriers that all lanes of a warp reach together. An instruction is an opcode with typed operands
// all the way; only the printer knows how it is spelt.
//
// What always holds: the text is the same for the same program and target, bit for bit; the assembler takes it;
// nothing is contracted, flushed or reordered, so the results are the interpreter's bits. What a target lacks is
// an error before any text is made, from the program's own verifier: it names the op, the architecture and
// what to do.
//
// Nothing here allocates registers, schedules, or moves work of the program across control: the passes of opt do
// what can be done in the program, the assembler the rest. Functions keep no state; any number may run at once.
//
// Start reading in function.go (compile), then select.go.
package ptx
