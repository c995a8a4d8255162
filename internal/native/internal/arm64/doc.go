// Package arm64 writes machine code for arm64 with NEON, out of the instructions of amd64 that the engine of device cpu is
// written in: each method of Asm does what that of amd64.Asm does, in as many instructions as it takes.
//
//	a := arm64.New(false)
//	a.V3(amd64.VPADDD, 0, 1, amd64.Y(2).RM())      // add v0.4s, v2.4s, v4.4s; add v1.4s, v3.4s, v5.4s
//	a.Jcc(amd64.AE, skip)                          // b.hs; label bound later
//	code, err := a.Bytes()
//
// A vector of 256 bits is two registers, a general register the one of the same number. Operands in memory are loaded
// into registers that the generator does not know of. Flags are those of the processor where these tell the same; what
// others set them, a test of masks or a shift, is written when a jump asks (Jcc): nothing may stand between.
//
// What differs, and what rules may therefore not rely on: an arithmetic NaN has another sign and payload; conversions to
// integers give the nearest number beyond the range, and 0 of a NaN; masks are all bits of a lane or none, but for
// blends, which go by the top bit.
//
// Instructions of arm64 are rows of a table (table.go): name, bits, and operands in a small language (operand.go). The same
// row encodes and is read, so Read knows exactly what Asm writes. The bytes of each row are held against a disassembler's
// text, which is committed (testdata). An instruction of amd64 that nobody has said how to make is an UnknownError, and
// the program runs on the interpreter, which says so.
//
// Start reading at vector.go.
package arm64
