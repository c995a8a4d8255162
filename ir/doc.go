// Package ir is the one form that a kernel takes between its source and a device.
//
// A [Program] is structured SSA in columns. Row r of every column describes one operation, and r is also the name of
// the value that the row defines. Saxpy, as package ir/text prints it:
//
//	kernel @saxpy workgroup(256) {
//	  param %a: f32
//	  param @x: buf<f32> ro
//	  param @y: buf<f32> rw
//	  %0 = global.x
//	  %1 = len @y
//	  %2 = le.u32 %1, %0
//	  if %2 { return }
//	  %3 = load @x[%0]
//	  %4 = mul.f32 %a, %3
//	  %5 = load @y[%0]
//	  %6 = add.f32 %4, %5
//	  store @y[%0], %6
//	}
//
// # Flow
//
//	build ──┐
//	text  ──┼─▶ Code ──verify.Seal──▶ Program ─▶ interp, ptx, driver (through the accessors of Program)
//	wire  ──┘    ▲                       └─▶ text, wire
//	             └──── a pass ◀──Edit───────┘
//
// [Code] is the columns while they can still change; it promises nothing. Sealing (package ir/verify) checks its
// structure, brings it into canonical form, and verifies types, access rights, uniformity and limits. Then it takes the
// digest and hands out an immutable [Program]. Everything wrong with a program is reported at once, as [Diags] with
// stable codes, source positions and advice.
//
// # The packages
//
//   - ir: the form itself. Types, ops and their table, code, programs, findings.
//   - ir/build: writes programs op by op. ir/text: as text and back. ir/wire: as bytes and back.
//   - ir/verify: seals code, and judges a program for a target.
//   - ir/internal: what those share. The columns as bytes and their digest, canonical form, the dataflow analyses
//     (uniformity, barrier intervals), the words of findings, literals, limits.
//   - internal/exact: what every op computes, on bits.
//
// # The meaning of a row
//
// The op table (table.go) has one [Info] an op: operand and result rules, and properties. Verifier, interpreter,
// folder, printer, parser and decoder read that table; none has a switch over opcodes. A pure op computes its function
// in the table of internal/exact. Every op is total. Integer division by zero, shifts by too much and accesses out of
// bounds have defined results, and every float op rounds on its own. Accurate functions (exp, sin, pow, …) have a
// recipe in terms of other ops, so that their bits are the same everywhere.
//
// # Invariants
//
//   - Canonical: const rows stand directly after the arguments of region 0, unique and in order of first use; no
//     argument or result is trivial; pool, operand lists, regions and arrays are numbered in program order.
//     So equal structure has an equal digest, whether it was built, parsed or decoded.
//   - Dominance is one comparison: d may be used at u if d < u < End(Region(d)).
//   - Control is structured: regions are intervals of rows, nested, each ending in a terminator. Both regions of an
//     if have consecutive numbers.
//   - A barrier, a vote or a subgroup op is reached by all invocations of its scope or by none; [Uniformity] is
//     the proof.
//   - Names, positions and messages are not part of the digest. The wire form keeps all of them, the text names and, if
//     asked to, the positions of statements.
//
// Values narrower than 64 bits are kept as raw bits, zero-extended, wherever bits appear: in the pool, in
// evaluation functions, in interpreters.
//
// # Not here
//
// Reading Go (kernel), running (interp), changing programs for speed (opt). Package ir and those under it import
// nothing else of vyre's.
//
// Start reading at code.go and info.go, then table.go; ir/build and ir/verify/seal.go show how a program comes to be.
package ir
