package amd64

import "fmt"

// Registers above the first 16, for which an instruction has the longer prefix of AVX-512. Some have no form with it, and are
// put together here. Where AVX has all registers, instructions are as for AVX: that is shorter, and a comparison is one.

// New512 returns an empty assembler that has the instructions of AVX-512, too, and 32 registers.
func New512() *Asm {
	a := New()
	a.masks = true
	return a
}

// mask1 is the mask register that instructions are put together with; they leave nothing in it.
const mask1 = 1

// upper reports whether an operand has a register that AVX has not.
func (o RM) upper() bool {
	if o.isMem {
		return o.mem.Scale != 0 && o.mem.Index > 15
	}
	return o.reg > 15
}

// long reports whether an instruction needs the longer prefix.
func long(op Op, reg, v uint8, o RM) bool {
	return op < kmovToMask && (op > numVEX || reg > 15 || v > 15 || o.upper())
}

// compareUpper writes a comparison whose result, a mask register, is then made a vector; imm is -1 if there is none.
func (a *Asm) compareUpper(op Op, d, x Y, o RM, imm int) {
	a.evex(op, true, mask1, uint8(x), o, 0)
	if imm >= 0 {
		a.emit(uint8(imm))
	}
	to := vpmovm2d
	if op.evex().wide {
		to = vpmovm2q
	}
	a.evex(to, true, uint8(d), 0, RM{reg: mask1}, 0)
}

// selectUpper is V3Imm of instructions that have no form with the longer prefix.
func (a *Asm) selectUpper(op Op, d, x Y, o RM, imm uint8) {
	switch {
	case op == VPERM2F128 && imm == 0x21: // the upper half of one, the lower half of the other
		a.V3Imm(VSHUFF64X2, d, x, o, 1)
	case op == VPBLENDD:
		a.Imm32(CX, uint32(imm)) // in which nothing is kept from one instruction to the next
		a.vex(kmovToMask, false, mask1, 0, CX.RM())
		a.evex(vpblendmd, true, uint8(d), uint8(x), o, mask1)
	default:
		panic(fmt.Sprintf("BUG: amd64: AVX-512 has no %s with %#x", op, imm))
	}
}

// blendUpper is V4.
func (a *Asm) blendUpper(op Op, d, x Y, o RM, mask Y) {
	size, blend := Size(4), vpblendmd
	if op == VBLENDVPD {
		size, blend = 8, vpblendmq
	}
	a.toMask(size, mask)
	a.evex(blend, true, uint8(d), uint8(x), o, mask1)
}

// toMask gathers the top bits of lanes in the mask register.
func (a *Asm) toMask(size Size, mask Y) { a.evex(vpmovd2m.sized(size), true, mask1, 0, mask.RM(), 0) }

// testUpper is VTESTPS of lanes of which all bits are set or none: the carry is right where those of o are all.
func (a *Asm) testUpper(d Y, o RM) {
	a.evex(vptestmd, true, mask1, uint8(d), o, 0)
	a.vex(kortestb, false, mask1, 0, RM{reg: mask1})
}
