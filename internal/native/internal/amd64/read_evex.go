package amd64

import (
	"fmt"
	"strings"
)

// evex reads an instruction with the prefix of AVX-512.
func (r *reader) evex() (name string, args []string) {
	first, second, third, opcode := r.byte(), r.byte(), r.byte(), r.byte()
	space, prefix, wide, long := first&7, second&3, second&0x80 != 0, third&0x20 != 0
	r.rex = ^first>>5&7 | ^first&16
	v := Y(^second>>3&15 | ^third<<1&16)
	if first&8 != 0 || second&4 == 0 || third&0xD0 != 0 {
		return "", nil
	}
	digit := byte(0)
	if r.at < len(r.code) {
		digit = r.code[r.at] >> 3 & 7
	}
	for op := range numRows {
		in, as := &rows[op], op.evex()
		if !as.has || in.prefix != prefix || in.space != space || in.opcode != opcode || as.wide != wide || in.digit != 0 && in.digit != digit {
			continue
		}
		if r.unit = int32(as.mem); !long && r.unit == 32 {
			r.unit = 16
		}
		return r.masked(op, long, v, third&7)
	}
	return "", nil
}

// masked reads the operands of an instruction, the first of which has a mask if k is not 0.
func (r *reader) masked(op Op, long bool, v Y, k byte) (name string, args []string) {
	gathers := op == vpgatherdd || op == vpgatherdq
	if gathers { // the fifth bit of v is that of the index
		r.rex |= byte(v & 16 << 1)
	}
	if r.modrm(gathers); !r.operand.isMem {
		r.operand.reg |= r.rex << 3 & 16 // there X is of the register
	}
	operands := op.operands()
	if op.compares() {
		operands = "Dk" + operands[2:]
	}
	if gathers {
		operands = strings.TrimSuffix(operands, " Vy")
	}
	name, args = r.written(operands, op.named512(), long, v)
	if k != 0 {
		args[0] += fmt.Sprintf("{k%d}", k)
	}
	return name, args
}

// named512 is what an instruction is called in AVX-512.
func (op Op) named512() string {
	switch op {
	case VPAND, VPANDN, VPOR, VPXOR:
		return rows[op].name + "d"
	case VROUNDPS:
		return "vrndscaleps"
	case VROUNDPD:
		return "vrndscalepd"
	case VINSERTF128:
		return "vinsertf32x4"
	case vextractf128:
		return "vextractf32x4"
	}
	return rows[op].name
}
