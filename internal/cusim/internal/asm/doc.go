// Package asm reads PTX text: it is the front half of an assembler, for a simulator.
//
//	.version 7.8 …            Module ─┬─ Vars     .global and .const, extern .shared
//	.entry saxpy_3fa4b2c1(…)  ──────▶ └─ Kernels ─┬─ Params  with their offsets
//	{ … }                                         ├─ Regs    every register, numbered
//	                                              ├─ Vars    .shared and .local arrays
//	                                              └─ Code    instructions, labels resolved, calls inlined
//
// Parse takes what package ptx prints and what a compiler or a person would write for one kernel
// launch: entries, functions, variables with initialisers, scoped blocks, the scalar instruction set,
// branches by table, votes, shuffles, barriers and atomics. Calls are replaced by the code of the function,
// so recursion is refused like calls by address, textures, matrix instructions and debug sections
// with labels; each is an error that says so.
//
// # What holds of a Module
//
//   - Every instruction is one that the PTX version and the target have: its modifiers stand in the
//     order that the instruction asks for (forms.go lists them all), its operands have its types.
//   - Every register, symbol and label is declared. A branch's operand is the index of an
//     instruction in the kernel's code, and the code ends in an instruction that does not go on.
//
// Text that breaks a rule gives Errors: all of them, each with its line. Parse never panics, and its work
// is linear in the text.
//
// Not here: what instructions do (package machine).
//
// Start reading at module.go, then forms.go.
package asm
