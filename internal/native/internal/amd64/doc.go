// Package amd64 writes machine code: the AVX2, AVX-512 and general instructions that the engine of device
// cpu needs, and no others.
//
//	a := amd64.New()
//	a.V3(amd64.VPADDD, 0, 1, amd64.Y(2).RM())      // vpaddd ymm0, ymm1, ymm2
//	a.Jcc(amd64.AE, skip)                          // label bound later
//	code, err := a.Bytes()
//
// Vector instructions are rows of a table (vector.go): prefix, map, opcode, form. The methods encode
// a form each. With New512 there are 32
// registers and the instructions of AVX-512 (evex.go, upper.go). Jumps are always of 32 bits; Bytes fills them in.
//
// Read turns the bytes back into text, of these instructions and no others.
//
// The bytes are held against a disassembler's text of them, which is committed (testdata); so is what Read says.
package amd64
