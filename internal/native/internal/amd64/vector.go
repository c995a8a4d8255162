package amd64

// Op is a vector instruction: a row of the table.
type Op uint8

// row is how an instruction is encoded.
type row struct {
	name   string
	prefix uint8 // 0, 1 for 66, 2 for F3, 3 for F2
	space  uint8 // opcode map: 1 is 0F, 2 is 0F38, 3 is 0F3A
	opcode uint8
	wide   bool  // W
	digit  uint8 // of a shift by a constant: what stands in the register field
}

// The instructions: three operands.
const (
	VPADDD Op = iota
	VPSUBD
	VPMULLD
	VPMULUDQ
	VPMULDQ
	VPAND
	VPANDN
	VPOR
	VPXOR
	VPCMPEQD
	VPCMPGTD
	VPCMPEQQ
	VPCMPGTQ
	VPMINSD
	VPMINUD
	VPMAXSD
	VPMAXUD
	VPADDQ
	VPSUBQ
	VPSLLVD
	VPSRLVD
	VPSRAVD
	VPSLLVQ
	VPSRLVQ
	VPSHUFB
	VPADDB
	VPSADBW
	VPACKUSDW
	VPERMD
	VADDPS
	VSUBPS
	VMULPS
	VDIVPS
	VMINPS
	VMAXPS
	VADDPD
	VSUBPD
	VMULPD
	VDIVPD
	VMINPD
	VMAXPD
	VFMADD231PS
	VFMADD231PD
	VFMADD213PS
	VFMADD213PD
	VFMADD132PS
	VFMADD132PD
	VUNPCKLPS
	VUNPCKHPS
	VUNPCKLPD
	VUNPCKHPD

	// Three operands and a constant.
	VSHUFPS
	VCMPPS
	VCMPPD
	VPERM2F128
	VINSERTF128
	VPBLENDD
	VPALIGNR

	// Three operands and a mask register.
	VBLENDVPS
	VBLENDVPD

	// Two operands.
	VMOVUPS
	VPABSD
	VSQRTPS
	VSQRTPD
	VCVTDQ2PS
	VCVTTPS2DQ
	VCVTPS2PD
	VCVTPD2PS
	VCVTDQ2PD
	VCVTTPD2DQ
	VPMOVZXDQ
	VPMOVSXDQ
	VPMOVZXBD
	VPMOVSXBD
	VPMOVZXWD
	VPMOVSXWD
	VPBROADCASTD
	VPBROADCASTQ
	VTESTPS
	VCVTPH2PS

	// Two operands and a constant.
	VPSHUFD
	VPERMQ
	VROUNDPS
	VROUNDPD

	// Shifts by a constant.
	VPSLLD
	VPSRLD
	VPSRAD
	VPSLLQ
	VPSRLQ

	numOps

	// Those that a method of their own writes; the first has the number of numOps.
	vmovaps Op = iota - 1
	vstoreups
	vaddss
	vaddsd
	vmovd
	vmovq
	vpextrq
	vsetd
	vsetq
	vextractf128
	vmovmskps
	vcvtps2ph
	vpgatherdd
	vpgatherdq
	vpmaskmovd
	vpmaskmovq
	vzeroupper

	numVEX // all before it have the encoding of AVX; those after it that of AVX-512 alone (evex.go)
)

var rows = [numRows]row{
	VPADDD:      {"vpaddd", 1, 1, 0xFE, false, 0},
	VPSUBD:      {"vpsubd", 1, 1, 0xFA, false, 0},
	VPMULLD:     {"vpmulld", 1, 2, 0x40, false, 0},
	VPMULUDQ:    {"vpmuludq", 1, 1, 0xF4, false, 0},
	VPMULDQ:     {"vpmuldq", 1, 2, 0x28, false, 0},
	VPAND:       {"vpand", 1, 1, 0xDB, false, 0},
	VPANDN:      {"vpandn", 1, 1, 0xDF, false, 0},
	VPOR:        {"vpor", 1, 1, 0xEB, false, 0},
	VPXOR:       {"vpxor", 1, 1, 0xEF, false, 0},
	VPCMPEQD:    {"vpcmpeqd", 1, 1, 0x76, false, 0},
	VPCMPGTD:    {"vpcmpgtd", 1, 1, 0x66, false, 0},
	VPCMPEQQ:    {"vpcmpeqq", 1, 2, 0x29, false, 0},
	VPCMPGTQ:    {"vpcmpgtq", 1, 2, 0x37, false, 0},
	VPMINSD:     {"vpminsd", 1, 2, 0x39, false, 0},
	VPMINUD:     {"vpminud", 1, 2, 0x3B, false, 0},
	VPMAXSD:     {"vpmaxsd", 1, 2, 0x3D, false, 0},
	VPMAXUD:     {"vpmaxud", 1, 2, 0x3F, false, 0},
	VPADDQ:      {"vpaddq", 1, 1, 0xD4, false, 0},
	VPSUBQ:      {"vpsubq", 1, 1, 0xFB, false, 0},
	VPSLLVD:     {"vpsllvd", 1, 2, 0x47, false, 0},
	VPSRLVD:     {"vpsrlvd", 1, 2, 0x45, false, 0},
	VPSRAVD:     {"vpsravd", 1, 2, 0x46, false, 0},
	VPSLLVQ:     {"vpsllvq", 1, 2, 0x47, true, 0},
	VPSRLVQ:     {"vpsrlvq", 1, 2, 0x45, true, 0},
	VPSHUFB:     {"vpshufb", 1, 2, 0x00, false, 0},
	VPADDB:      {"vpaddb", 1, 1, 0xFC, false, 0},
	VPSADBW:     {"vpsadbw", 1, 1, 0xF6, false, 0},
	VPACKUSDW:   {"vpackusdw", 1, 2, 0x2B, false, 0},
	VPERMD:      {"vpermd", 1, 2, 0x36, false, 0},
	VADDPS:      {"vaddps", 0, 1, 0x58, false, 0},
	VSUBPS:      {"vsubps", 0, 1, 0x5C, false, 0},
	VMULPS:      {"vmulps", 0, 1, 0x59, false, 0},
	VDIVPS:      {"vdivps", 0, 1, 0x5E, false, 0},
	VMINPS:      {"vminps", 0, 1, 0x5D, false, 0},
	VMAXPS:      {"vmaxps", 0, 1, 0x5F, false, 0},
	VADDPD:      {"vaddpd", 1, 1, 0x58, false, 0},
	VSUBPD:      {"vsubpd", 1, 1, 0x5C, false, 0},
	VMULPD:      {"vmulpd", 1, 1, 0x59, false, 0},
	VDIVPD:      {"vdivpd", 1, 1, 0x5E, false, 0},
	VMINPD:      {"vminpd", 1, 1, 0x5D, false, 0},
	VMAXPD:      {"vmaxpd", 1, 1, 0x5F, false, 0},
	VFMADD231PS: {"vfmadd231ps", 1, 2, 0xB8, false, 0},
	VFMADD231PD: {"vfmadd231pd", 1, 2, 0xB8, true, 0},
	VFMADD213PS: {"vfmadd213ps", 1, 2, 0xA8, false, 0},
	VFMADD213PD: {"vfmadd213pd", 1, 2, 0xA8, true, 0},
	VFMADD132PS: {"vfmadd132ps", 1, 2, 0x98, false, 0},
	VFMADD132PD: {"vfmadd132pd", 1, 2, 0x98, true, 0},
	VUNPCKLPS:   {"vunpcklps", 0, 1, 0x14, false, 0},
	VUNPCKHPS:   {"vunpckhps", 0, 1, 0x15, false, 0},
	VUNPCKLPD:   {"vunpcklpd", 1, 1, 0x14, false, 0},
	VUNPCKHPD:   {"vunpckhpd", 1, 1, 0x15, false, 0},

	VSHUFPS:     {"vshufps", 0, 1, 0xC6, false, 0},
	VCMPPS:      {"vcmpps", 0, 1, 0xC2, false, 0},
	VCMPPD:      {"vcmppd", 1, 1, 0xC2, false, 0},
	VPERM2F128:  {"vperm2f128", 1, 3, 0x06, false, 0},
	VINSERTF128: {"vinsertf128", 1, 3, 0x18, false, 0},
	VPBLENDD:    {"vpblendd", 1, 3, 0x02, false, 0},
	VPALIGNR:    {"vpalignr", 1, 3, 0x0F, false, 0},

	VBLENDVPS: {"vblendvps", 1, 3, 0x4A, false, 0},
	VBLENDVPD: {"vblendvpd", 1, 3, 0x4B, false, 0},

	VMOVUPS:      {"vmovups", 0, 1, 0x10, false, 0},
	VPABSD:       {"vpabsd", 1, 2, 0x1E, false, 0},
	VSQRTPS:      {"vsqrtps", 0, 1, 0x51, false, 0},
	VSQRTPD:      {"vsqrtpd", 1, 1, 0x51, false, 0},
	VCVTDQ2PS:    {"vcvtdq2ps", 0, 1, 0x5B, false, 0},
	VCVTTPS2DQ:   {"vcvttps2dq", 2, 1, 0x5B, false, 0},
	VCVTPS2PD:    {"vcvtps2pd", 0, 1, 0x5A, false, 0},
	VCVTPD2PS:    {"vcvtpd2ps", 1, 1, 0x5A, false, 0},
	VCVTDQ2PD:    {"vcvtdq2pd", 2, 1, 0xE6, false, 0},
	VCVTTPD2DQ:   {"vcvttpd2dq", 1, 1, 0xE6, false, 0},
	VPMOVZXDQ:    {"vpmovzxdq", 1, 2, 0x35, false, 0},
	VPMOVSXDQ:    {"vpmovsxdq", 1, 2, 0x25, false, 0},
	VPMOVZXBD:    {"vpmovzxbd", 1, 2, 0x31, false, 0},
	VPMOVSXBD:    {"vpmovsxbd", 1, 2, 0x21, false, 0},
	VPMOVZXWD:    {"vpmovzxwd", 1, 2, 0x33, false, 0},
	VPMOVSXWD:    {"vpmovsxwd", 1, 2, 0x23, false, 0},
	VPBROADCASTD: {"vpbroadcastd", 1, 2, 0x58, false, 0},
	VPBROADCASTQ: {"vpbroadcastq", 1, 2, 0x59, false, 0},
	VTESTPS:      {"vtestps", 1, 2, 0x0E, false, 0},
	VCVTPH2PS:    {"vcvtph2ps", 1, 2, 0x13, false, 0},

	VPSHUFD:  {"vpshufd", 1, 1, 0x70, false, 0},
	VPERMQ:   {"vpermq", 1, 3, 0x00, true, 0},
	VROUNDPS: {"vroundps", 1, 3, 0x08, false, 0},
	VROUNDPD: {"vroundpd", 1, 3, 0x09, false, 0},

	VPSLLD: {"vpslld", 1, 1, 0x72, false, 6},
	VPSRLD: {"vpsrld", 1, 1, 0x72, false, 2},
	VPSRAD: {"vpsrad", 1, 1, 0x72, false, 4},
	VPSLLQ: {"vpsllq", 1, 1, 0x73, false, 6},
	VPSRLQ: {"vpsrlq", 1, 1, 0x73, false, 2},

	vmovaps:      {"vmovaps", 0, 1, 0x28, false, 0},
	vstoreups:    {"vmovups", 0, 1, 0x11, false, 0},
	vaddss:       {"vaddss", 2, 1, 0x58, false, 0},
	vaddsd:       {"vaddsd", 3, 1, 0x58, false, 0},
	vmovd:        {"vmovd", 1, 1, 0x7E, false, 0},
	vmovq:        {"vmovq", 1, 1, 0x7E, true, 0},
	vpextrq:      {"vpextrq", 1, 3, 0x16, true, 0},
	vsetd:        {"vmovd", 1, 1, 0x6E, false, 0},
	vsetq:        {"vmovq", 1, 1, 0x6E, true, 0},
	vextractf128: {"vextractf128", 1, 3, 0x19, false, 0},
	vmovmskps:    {"vmovmskps", 0, 1, 0x50, false, 0},
	vcvtps2ph:    {"vcvtps2ph", 1, 3, 0x1D, false, 0},
	vpgatherdd:   {"vpgatherdd", 1, 2, 0x90, false, 0},
	vpgatherdq:   {"vpgatherdq", 1, 2, 0x90, true, 0},
	vpmaskmovd:   {"vpmaskmovd", 1, 2, 0x8E, false, 0},
	vpmaskmovq:   {"vpmaskmovq", 1, 2, 0x8E, true, 0},
	vzeroupper:   {"vzeroupper", 0, 1, 0x77, false, 0},

	VPTERNLOGD:   {"vpternlogd", 1, 3, 0x25, false, 0},
	VSHUFF64X2:   {"vshuff64x2", 1, 3, 0x23, true, 0},
	VPROLVD:      {"vprolvd", 1, 2, 0x15, false, 0},
	VPROLVQ:      {"vprolvq", 1, 2, 0x15, true, 0},
	VPRORVD:      {"vprorvd", 1, 2, 0x14, false, 0},
	VPRORVQ:      {"vprorvq", 1, 2, 0x14, true, 0},
	VPSRAVQ:      {"vpsravq", 1, 2, 0x46, true, 0},
	VPMULLQ:      {"vpmullq", 1, 2, 0x40, true, 0},
	VPMINSQ:      {"vpminsq", 1, 2, 0x39, true, 0},
	VPMINUQ:      {"vpminuq", 1, 2, 0x3B, true, 0},
	VPMAXSQ:      {"vpmaxsq", 1, 2, 0x3D, true, 0},
	VPMAXUQ:      {"vpmaxuq", 1, 2, 0x3F, true, 0},
	VPABSQ:       {"vpabsq", 1, 2, 0x1F, true, 0},
	VPLZCNTD:     {"vplzcntd", 1, 2, 0x44, false, 0},
	VPLZCNTQ:     {"vplzcntq", 1, 2, 0x44, true, 0},
	VCVTUDQ2PS:   {"vcvtudq2ps", 3, 1, 0x7A, false, 0},
	VCVTUDQ2PD:   {"vcvtudq2pd", 2, 1, 0x7A, false, 0},
	VCVTTPS2UDQ:  {"vcvttps2udq", 0, 1, 0x78, false, 0},
	VCVTTPD2UDQ:  {"vcvttpd2udq", 0, 1, 0x78, true, 0},
	VCVTQQ2PS:    {"vcvtqq2ps", 0, 1, 0x5B, true, 0},
	VCVTUQQ2PS:   {"vcvtuqq2ps", 3, 1, 0x7A, true, 0},
	VCVTQQ2PD:    {"vcvtqq2pd", 2, 1, 0xE6, true, 0},
	VCVTUQQ2PD:   {"vcvtuqq2pd", 2, 1, 0x7A, true, 0},
	VCVTTPD2QQ:   {"vcvttpd2qq", 1, 1, 0x7A, true, 0},
	VCVTTPD2UQQ:  {"vcvttpd2uqq", 1, 1, 0x78, true, 0},
	VPROLD:       {"vprold", 1, 1, 0x72, false, 1},
	VPROLQ:       {"vprolq", 1, 1, 0x72, true, 1},
	VPSRAQ:       {"vpsraq", 1, 1, 0x72, true, 4},
	vpblendmd:    {"vpblendmd", 1, 2, 0x64, false, 0},
	vpblendmq:    {"vpblendmq", 1, 2, 0x64, true, 0},
	vptestmd:     {"vptestmd", 1, 2, 0x27, false, 0},
	vpmovm2d:     {"vpmovm2d", 2, 2, 0x38, false, 0},
	vpmovm2q:     {"vpmovm2q", 2, 2, 0x38, true, 0},
	vpmovd2m:     {"vpmovd2m", 2, 2, 0x39, false, 0},
	vpmovq2m:     {"vpmovq2m", 2, 2, 0x39, true, 0},
	vstoreupd:    {"vmovupd", 1, 1, 0x11, true, 0},
	kmovToMask:   {"kmovb", 1, 1, 0x92, false, 0},
	kmovFromMask: {"kmovb", 1, 1, 0x93, false, 0},
	kortestb:     {"kortestb", 1, 1, 0x98, false, 0},
}

// String returns the mnemonic.
func (op Op) String() string { return rows[op].name }

// vex writes prefix and operands of a vector instruction: reg in the register field, v in the prefix (0 if
// there is none), o the other operand. whole is 256 bits.
//
//go:noinline
func (a *Asm) vex(op Op, whole bool, reg, v uint8, o RM) {
	if long(op, reg, v, o) {
		a.evex(op, whole, reg, v, o, 0)
		return
	}
	in := &rows[op]
	x, b := o.high()
	l := uint8(0)
	if whole {
		l = 4
	}
	last := ^v&15<<3 | l | in.prefix
	p, n := a.room(), 2
	if x == 0 && b == 0 && in.space == 1 && !in.wide {
		p[0], p[1] = 0xC5, (reg>>3^1)<<7|last
	} else {
		w := uint8(0)
		if in.wide {
			w = 0x80
		}
		p[0], p[1], p[2] = 0xC4, (reg>>3^1)<<7|(x^1)<<6|(b^1)<<5|in.space, w|last
		n = 3
	}
	p[n] = in.opcode
	a.wrote(p.operands(n+1, reg, o, 1))
}

// V3 writes d ← op(x, o).
func (a *Asm) V3(op Op, d, x Y, o RM) {
	if op.compares() && long(op, uint8(d), uint8(x), o) {
		a.compareUpper(op, d, x, o, -1)
		return
	}
	a.vex(op, true, uint8(d), uint8(x), o)
}

// V3Imm writes d ← op(x, o, imm).
func (a *Asm) V3Imm(op Op, d, x Y, o RM, imm uint8) {
	if long(op, uint8(d), uint8(x), o) {
		switch {
		case op.compares():
			a.compareUpper(op, d, x, o, int(imm))
			return
		case !op.evex().has:
			a.selectUpper(op, d, x, o, imm)
			return
		}
	}
	a.vex(op, true, uint8(d), uint8(x), o)
	a.emit(imm)
}

// V4 writes d ← op(x, o, mask), as blends have it: o where the mask is set.
func (a *Asm) V4(op Op, d, x Y, o RM, mask Y) {
	if mask > 15 || long(op, uint8(d), uint8(x), o) {
		a.blendUpper(op, d, x, o, mask)
		return
	}
	a.vex(op, true, uint8(d), uint8(x), o)
	a.emit(uint8(mask) << 4)
}

// V2 writes d ← op(o).
func (a *Asm) V2(op Op, d Y, o RM) {
	if op == VTESTPS && long(op, uint8(d), 0, o) {
		a.testUpper(d, o)
		return
	}
	a.vex(op, true, uint8(d), 0, o)
}

// V2Imm writes d ← op(o, imm).
func (a *Asm) V2Imm(op Op, d Y, o RM, imm uint8) {
	a.V2(op, d, o)
	a.emit(imm)
}

// VShift writes d ← s shifted by n.
func (a *Asm) VShift(op Op, d, s Y, n uint8) {
	a.vex(op, true, rows[op].digit, uint8(d), s.RM())
	a.emit(n)
}

// V2Short is V2 on the low half of the registers.
func (a *Asm) V2Short(op Op, d Y, o RM) { a.vex(op, false, uint8(d), 0, o) }

// VAddScalar adds one float, of 4 or 8 bytes, on the low ends of registers.
func (a *Asm) VAddScalar(size Size, d, x, y Y) {
	a.vex(vaddss.sized(size), false, uint8(d), uint8(x), y.RM())
}

// sized is the instruction for 4 bytes, or the next, which is that for 8.
func (op Op) sized(size Size) Op {
	if size == 8 {
		op++
	}
	return op
}

// VMove copies a register.
func (a *Asm) VMove(d, s Y) {
	if d != s {
		a.V2(vmovaps, d, s.RM())
	}
}

// VLoad and VStore move a whole vector.
func (a *Asm) VLoad(d Y, m Mem)  { a.V2(VMOVUPS, d, m.RM()) }
func (a *Asm) VStore(m Mem, s Y) { a.V2(vstoreups, s, m.RM()) }

// VStoreShort stores the low half of a vector.
func (a *Asm) VStoreShort(m Mem, s Y) { a.V2Short(vstoreups, s, m.RM()) }

// VLow copies the lowest 4 or 8 bytes of a vector to a general register.
func (a *Asm) VLow(size Size, d Reg, s Y) { a.V2Short(vmovd.sized(size), s, d.RM()) }

// VHigh copies bytes 8 to 15 of a vector to a general register.
func (a *Asm) VHigh(d Reg, s Y) {
	a.V2Short(vpextrq, s, d.RM())
	a.emit(1)
}

// VSetLow sets the lowest 4 or 8 bytes of a vector to a general register, and the rest to 0.
func (a *Asm) VSetLow(size Size, d Y, s Reg) { a.V2Short(vsetd.sized(size), d, s.RM()) }

// VHalf copies half i of a vector, 128 bits, to the low half of an operand.
func (a *Asm) VHalf(o RM, s Y, i uint8) { a.V2Imm(vextractf128, s, o, i) }

// VMask gathers the top bits of the eight lanes of 4 bytes.
func (a *Asm) VMask(d Reg, s Y) {
	if s > 15 {
		a.toMask(4, s)
		a.vex(kmovFromMask, false, uint8(d), 0, RM{reg: mask1})
		return
	}
	a.V2(vmovmskps, Y(d), s.RM())
}

// VToHalf narrows eight f32 to f16, to nearest even, into the low half of an operand.
func (a *Asm) VToHalf(o RM, s Y) { a.V2Imm(vcvtps2ph, s, o, 0) }

// VGather4 loads eight elements of 4 bytes where the mask is set, which may be lost: d keeps its other lanes.
func (a *Asm) VGather4(d Y, base Reg, index Y, mask Y) {
	a.gather(4, d, Mem{Base: base, Index: Reg(index), Scale: 4}.RM(), mask)
}

// VGather8 loads four elements of 8 bytes at the low four indices of 4 bytes.
func (a *Asm) VGather8(d Y, base Reg, index Y, mask Y) {
	a.gather(8, d, Mem{Base: base, Index: Reg(index), Scale: 8}.RM(), mask)
}

func (a *Asm) gather(size Size, d Y, o RM, mask Y) {
	op := vpgatherdd.sized(size)
	if !long(op, uint8(d), uint8(mask), o) {
		a.vex(op, true, uint8(d), uint8(mask), o)
		return
	}
	a.toMask(size, mask)
	a.evex(op, true, uint8(d), 0, o, mask1)
}

// VMaskStore stores the lanes, of 4 or 8 bytes, whose mask is set, and touches no others.
func (a *Asm) VMaskStore(size Size, m Mem, mask, s Y) {
	if !a.masks {
		a.V3(vpmaskmovd.sized(size), s, mask, m.RM())
		return
	}
	a.toMask(size, mask)
	store := vstoreups
	if size == 8 {
		store = vstoreupd
	}
	a.evex(store, true, uint8(s), 0, m.RM(), mask1)
}

// VZeroUpper ends the use of 256 bits.
func (a *Asm) VZeroUpper() { a.emit(0xC5, 0xF8, rows[vzeroupper].opcode) }
