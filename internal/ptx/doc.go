// Package ptx turns sealed programs into PTX, the assembly text that NVIDIA's driver compiles.
//
//	ir.Program ── Check ──▶ opt.Run ──▶ Emit ──▶ Module
//	              target    early, loops,  text
//	                        late, lowering
//
// Compile takes programs through the whole table of package compile, and tells on request what there is after each run.
// Out comes a Module: the text, and for each entry what a launch has to know (where parameters lie, how much shared memory,
// which line stands for which row). Emit is the last group alone: in go programs whose ops with recipes the pass expand has
// replaced, and a Target that Check accepts them for.
//
//	p ── lanes ── select ── address ── predicate ── copies ── dce ── sink ── align ── print
//
// lanes finds indices that are consecutive over a warp. select chooses instructions row by row, with places in memory
// as the program names them, carried values as parallel copies and every if as a branch. address works out places,
// once for accesses that share one. predicate turns short branches into guards. copies orders moves, through a
// temporary where they go round in a circle, and takes the guards from those that need none. dce drops what is left over, sink moves what the entry computes past
// loops that do not need it, align finds barriers that all lanes of a warp reach together. An instruction is an
// opcode with typed operands all the way; only the printer knows how it is spelt.
//
// What always holds: the text is the same for the same program and target, bit for bit; the assembler takes it;
// nothing is contracted, flushed or reordered, so the results are the interpreter's bits. What a target lacks is
// for Check to say, before any pass runs, so that the passes do not decide it: it names the op, the architecture and what
// to do. A program is verified once on the way, and its ops are expanded once. Compile does not panic: its own mistakes
// are a *compile.InternalError.
//
// Nothing here allocates registers, schedules, or moves work of the program across control: the passes of opt do
// what can be done in the program, the assembler the rest. Functions keep no state; any number may run at once.
//
// Files whose names begin with errata_ avoid an error of the assembler; the number is that of its entry in
// docs/design/assembler-errors.md.
//
// Start reading in compile.go, then stages.go and select.go.
package ptx
