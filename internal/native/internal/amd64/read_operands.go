package amd64

import (
	"fmt"
	"strings"
)

// What operands instructions have, and how these are written. Vector instructions are the rows that they are encoded by
// (vector.go); here is only what stands where.

// operands says what an instruction on vectors is written with, in order. D is the register field, V the register in the
// prefix, O the other operand, I a constant, K a register in a constant, P a predicate. After it stands what the operand
// is: y and x vectors of 256 and 128 bits, q and d memory of 8 and 4 bytes or else the low end of a vector, h and g what
// vectors of 128 and 256 bits index in memory, of 8 and 4 bytes each, r and s general registers of 4 and 8 bytes,
// k a mask register.
func (op Op) operands() string {
	switch op {
	case VINSERTF128:
		return "Dy Vy Ox I"
	case VCMPPS, VCMPPD:
		return "Dy Vy Oy P"
	case VCVTPS2PD, VCVTDQ2PD, VPMOVZXDQ, VPMOVSXDQ, VPMOVZXWD, VPMOVSXWD, VCVTPH2PS:
		return "Dy Ox"
	case VCVTPD2PS, VCVTTPD2DQ:
		return "Dx Oy"
	case VPMOVZXBD, VPMOVSXBD, VPBROADCASTQ:
		return "Dy Oq"
	case VPBROADCASTD:
		return "Dy Od"
	case vstoreups:
		return "Oy Dy"
	case vmovd:
		return "Or Dx"
	case vmovq:
		return "Os Dx"
	case vpextrq:
		return "Os Dx I"
	case vsetd:
		return "Dx Or"
	case vsetq:
		return "Dx Os"
	case vextractf128, vcvtps2ph:
		return "Ox Dy I"
	case vmovmskps:
		return "Dr Oy"
	case vpgatherdd:
		return "Dy Og Vy"
	case vpgatherdq:
		return "Dy Oh Vy"
	case vpmaskmovd, vpmaskmovq:
		return "Oy Vy Dy"
	case vzeroupper:
		return ""
	case VCVTUDQ2PD:
		return "Dy Ox"
	case VCVTTPD2UDQ, VCVTQQ2PS, VCVTUQQ2PS:
		return "Dx Oy"
	case vptestmd:
		return "Dk Vy Oy"
	case vpmovm2d, vpmovm2q:
		return "Dy Ok"
	case vpmovd2m, vpmovq2m:
		return "Dk Oy"
	case vstoreupd:
		return "Oy Dy"
	case kmovToMask:
		return "Dk Or"
	case kmovFromMask:
		return "Dr Ok"
	case kortestb:
		return "Dk Ok"
	}
	if op > numVEX {
		switch {
		case op < VPROLVD:
			return "Dy Vy Oy I"
		case op < VPABSQ, op == vpblendmd, op == vpblendmq:
			return "Dy Vy Oy"
		case op < VPROLD:
			return "Dy Oy"
		}
		return "Vy Oy I"
	}
	switch {
	case op < VSHUFPS, op == vaddss, op == vaddsd:
		return "Dy Vy Oy"
	case op < VBLENDVPS:
		return "Dy Vy Oy I"
	case op < VMOVUPS:
		return "Dy Vy Oy Ky"
	case op < VPSHUFD, op == vmovaps:
		return "Dy Oy"
	case op < VPSLLD:
		return "Dy Oy I"
	}
	return "Vy Oy I" // a shift by a constant
}

// general is an instruction on general registers. Two names are for operands of 4 and 8 bytes, eight go by the register
// field or, with the mask 38, by the opcode; a * stands for a condition.
//
// Operands: E is that which may be memory, M the address of such, G the register field, Z a register in the opcode, I a
// constant, C the low byte of CX, J a place in the code; - is not written. After it stands the size: b, w, d and q for 1 to 8 bytes, v for that
// of the instruction, z for 4 and s for 1 that are extended to it.
type general struct {
	opcode, mask uint32 // without and of the bits that are not fixed
	names        string
	operands     string
}

const alu = "add or adc sbb and sub xor cmp"

var generals = [...]general{
	{0x00, 0x38, alu, "Eb Gb"},
	{0x01, 0x38, alu, "Ev Gv"},
	{0x02, 0x38, alu, "Gb Eb"},
	{0x03, 0x38, alu, "Gv Ev"},
	{0x63, 0, "movsxd", "Gv Ed"},
	{0x69, 0, "imul", "Gv Ev Iz"},
	{0x6B, 0, "imul", "Gv Ev Is"},
	{0x81, 0, alu, "Ev Iz"},
	{0x83, 0, alu, "Ev Is"},
	{0x85, 0, "test", "Ev Gv"},
	{0x87, 0, "xchg", "Ev Gv"},
	{0x88, 0, "mov", "Eb Gb"},
	{0x89, 0, "mov", "Ev Gv"},
	{0x8A, 0, "mov", "Gb Eb"},
	{0x8B, 0, "mov", "Gv Ev"},
	{0x8D, 0, "lea", "Gv M"},
	{0x99, 0, "cdq cqo", ""},
	{0xB8, 7, "mov movabs", "Zv Iv"},
	{0xC1, 0, "? ? ? ? shl shr ? sar", "Ev Ib"},
	{0xC3, 0, "ret", ""},
	{0xC7, 0, "mov ? ? ? ? ? ? ?", "Ev Iz"},
	{0xD3, 0, "? ? ? ? shl shr ? sar", "Ev C"},
	{0xE9, 0, "jmp", "J"},
	{0xF7, 0, "? ? ? neg mul imul div idiv", "Ev"},
	{0xFF, 0, "? ? ? ? jmp ? ? ?", "Eq"},
	{0x0F31, 0, "rdtsc", ""},
	{0x0F40, 15, "cmov*", "Gv Ev"},
	{0x0F80, 15, "j*", "J"},
	{0x0F90, 15, "set*", "Eb"},
	{0x0FAE, 0, "? ? ? ? ? ? mfence ?", "-"},
	{0x0FAF, 0, "imul", "Gv Ev"},
	{0x0FB1, 0, "cmpxchg", "Ev Gv"},
	{0x0FB6, 0, "movzx", "Gv Eb"},
	{0x0FB7, 0, "movzx", "Gv Ew"},
	{0x0FBE, 0, "movsx", "Gv Eb"},
	{0x0FBF, 0, "movsx", "Gv Ew"},
	{0x0FC1, 0, "xadd", "Ev Gv"},
	{0xF30FBC, 0, "tzcnt", "Gv Ev"},
}

var conditions = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

var predicates = [32]string{"eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false", "neq_oq", "ge", "gt", "true",
	"eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq", "nle_uq", "ord_s", "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq", "true_us"}

// generalOperand writes an operand, reading what of it has not been read.
func (r *reader) generalOperand(what string, opcode uint32) string {
	size := r.size
	if n := strings.IndexByte("bw?d???q", what[len(what)-1]); n >= 0 {
		size = Size(n + 1)
	}
	switch what[0] {
	case 'E':
		if r.operand.isMem {
			return pointers[size] + r.operand.mem.text(Reg.wide)
		}
		return Reg(r.operand.reg).name(size)
	case 'G':
		return Reg(r.reg).name(size)
	case 'Z':
		return Reg(byte(opcode)&7 | r.rex<<3&8).name(size)
	case 'M':
		if r.relative {
			return "[" + r.label(r.at+int(r.operand.mem.Disp)) + "]"
		}
		return r.operand.mem.text(Reg.wide)
	case 'C':
		return CX.name(1)
	case 'J':
		to := int(int32(r.word()))
		return r.label(r.at + to)
	}
	return fmt.Sprintf("%#x", r.constant(what[1], size))
}

// constant reads a constant.
func (r *reader) constant(kind byte, size Size) uint64 {
	switch {
	case kind == 'b':
		return uint64(r.byte())
	case kind == 's':
		return uint64(int8(r.byte())) & (1<<(8*size) - 1)
	case size == 8 && kind == 'z':
		return uint64(int32(r.word()))
	case size == 8:
		low := uint64(r.word())
		return low | uint64(r.word())<<32
	}
	return uint64(r.word())
}

// vectorOperand writes an operand, reading what of it has not been read. v is the register in the prefix.
func (r *reader) vectorOperand(what string, v Y) string {
	reg := v
	switch what[0] {
	case 'I':
		return fmt.Sprintf("%#x", r.byte())
	case 'K':
		reg = Y(r.byte() >> 4)
	case 'D':
		reg = Y(r.reg)
	case 'O':
		if r.operand.isMem {
			return r.vectorMemory(what[1])
		}
		reg = Y(r.operand.reg)
	}
	switch what[1] {
	case 'r':
		return Reg(reg).name(4)
	case 's':
		return Reg(reg).name(8)
	case 'y':
		return fmt.Sprintf("ymm%d", reg)
	case 'k':
		return fmt.Sprintf("k%d", reg)
	}
	return fmt.Sprintf("xmm%d", reg)
}

// vectorMemory writes an operand in memory.
func (r *reader) vectorMemory(kind byte) string {
	index := Reg.wide
	switch kind {
	case 'g':
		index = func(x Reg) string { return fmt.Sprintf("ymm%d", x) }
	case 'h':
		index = func(x Reg) string { return fmt.Sprintf("xmm%d", x) }
	}
	return pointers[map[byte]Size{'y': 32, 'x': 16, 'q': 8, 'h': 8, 'd': 4, 'g': 4}[kind]] + r.operand.mem.text(index)
}

// pointers says how much memory is meant.
var pointers = [33]string{1: "BYTE PTR ", 2: "WORD PTR ", 4: "DWORD PTR ", 8: "QWORD PTR ", 16: "XMMWORD PTR ", 32: "YMMWORD PTR "}

// text writes an address.
func (m Mem) text(index func(Reg) string) string {
	s := "[" + m.Base.wide()
	if m.Scale != 0 {
		s += fmt.Sprintf("+%s*%d", index(m.Index), m.Scale)
	}
	switch {
	case m.Disp < 0:
		s += fmt.Sprintf("-%#x", -int64(m.Disp))
	case m.Disp > 0 || m.Base&7 == BP: // which has no form without
		s += fmt.Sprintf("+%#x", m.Disp)
	}
	return s + "]"
}

var regNames = [8]string{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"}

// wide names all 8 bytes of a register.
func (r Reg) wide() string { return r.name(8) }

// name names the low bytes of a register.
func (r Reg) name(size Size) string {
	if r >= R8 {
		return fmt.Sprintf("r%d%s", r, [9]string{1: "b", 2: "w", 4: "d"}[size])
	}
	switch size {
	case 1:
		return strings.TrimSuffix(regNames[r], "x") + "l"
	case 2:
		return regNames[r]
	case 4:
		return "e" + regNames[r]
	}
	return "r" + regNames[r]
}
