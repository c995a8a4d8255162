package amd64

import "fmt"

// Instructions that AVX-512 has and AVX2 has not, on vectors of 256 bits.
const (
	// Three operands and a constant.
	VPTERNLOGD Op = numVEX + 1 + iota // the first operand is what the result takes the place of
	VSHUFF64X2

	// Three operands.
	VPROLVD
	VPROLVQ
	VPRORVD
	VPRORVQ
	VPSRAVQ
	VPMULLQ
	VPMINSQ
	VPMINUQ
	VPMAXSQ
	VPMAXUQ

	// Two operands.
	VPABSQ
	VPLZCNTD
	VPLZCNTQ
	VCVTUDQ2PS
	VCVTUDQ2PD
	VCVTTPS2UDQ
	VCVTTPD2UDQ
	VCVTQQ2PS
	VCVTUQQ2PS
	VCVTQQ2PD
	VCVTUQQ2PD
	VCVTTPD2QQ
	VCVTTPD2UQQ

	// Shifts by a constant.
	VPROLD
	VPROLQ
	VPSRAQ

	// Those that other methods write.
	vpblendmd
	vpblendmq
	vptestmd
	vpmovm2d
	vpmovm2q
	vpmovd2m
	vpmovq2m
	vstoreupd
	kmovToMask
	kmovFromMask
	kortestb

	numRows
)

// evexRow is how the encoding of AVX-512 differs from that of AVX.
type evexRow struct {
	has  bool  // there is one
	wide bool  // W
	mem  uint8 // bytes of an operand in memory, with a vector of 256 bits
}

var (
	words    = evexRow{true, false, 32}
	doubles  = evexRow{true, true, 32}
	narrows  = evexRow{true, false, 16} // a half of the vector
	quarters = evexRow{true, false, 8}
)

// evexRows are those of instructions that AVX has, too.
var evexRows = [numVEX]evexRow{
	VPADDD: words, VPSUBD: words, VPMULLD: words, VPMULUDQ: doubles, VPMULDQ: doubles, VPAND: words, VPANDN: words, VPOR: words, VPXOR: words,
	VPCMPEQD: words, VPCMPGTD: words, VPCMPEQQ: doubles, VPCMPGTQ: doubles, VPMINSD: words, VPMINUD: words, VPMAXSD: words, VPMAXUD: words,
	VPADDQ: doubles, VPSUBQ: doubles, VPSLLVD: words, VPSRLVD: words, VPSRAVD: words, VPSLLVQ: doubles, VPSRLVQ: doubles,
	VPSHUFB: words, VPADDB: words, VPSADBW: words, VPACKUSDW: words, VPERMD: words,
	VADDPS: words, VSUBPS: words, VMULPS: words, VDIVPS: words, VMINPS: words, VMAXPS: words,
	VADDPD: doubles, VSUBPD: doubles, VMULPD: doubles, VDIVPD: doubles, VMINPD: doubles, VMAXPD: doubles,
	VFMADD231PS: words, VFMADD231PD: doubles, VFMADD213PS: words, VFMADD213PD: doubles, VFMADD132PS: words, VFMADD132PD: doubles,
	VUNPCKLPS: words, VUNPCKHPS: words, VUNPCKLPD: doubles, VUNPCKHPD: doubles,
	VSHUFPS: words, VCMPPS: words, VCMPPD: doubles, VINSERTF128: narrows, VPALIGNR: words,
	VMOVUPS: words, VPABSD: words, VSQRTPS: words, VSQRTPD: doubles, VCVTDQ2PS: words, VCVTTPS2DQ: words,
	VCVTPS2PD: narrows, VCVTPD2PS: doubles, VCVTDQ2PD: narrows, VCVTTPD2DQ: doubles,
	VPMOVZXDQ: narrows, VPMOVSXDQ: narrows, VPMOVZXBD: quarters, VPMOVSXBD: quarters, VPMOVZXWD: narrows, VPMOVSXWD: narrows,
	VPBROADCASTD: {true, false, 4}, VPBROADCASTQ: {true, true, 8}, VCVTPH2PS: narrows,
	VPSHUFD: words, VPERMQ: doubles, VROUNDPS: words, VROUNDPD: doubles,
	VPSLLD: words, VPSRLD: words, VPSRAD: words, VPSLLQ: doubles, VPSRLQ: doubles,
	vmovaps: words, vstoreups: words, vmovd: {true, false, 4}, vmovq: {true, true, 8}, vpextrq: {true, true, 8}, vsetd: {true, false, 4}, vsetq: {true, true, 8},
	vextractf128: narrows, vcvtps2ph: narrows, vpgatherdd: {true, false, 4}, vpgatherdq: {true, true, 8},
}

// evex says how an instruction is encoded for AVX-512.
func (op Op) evex() evexRow {
	switch {
	case op < numVEX:
		return evexRows[op]
	case op >= kmovToMask:
		return evexRow{}
	}
	e := evexRow{true, rows[op].wide, 32}
	if op == VCVTUDQ2PD {
		e.mem = 16
	}
	return e
}

// compares reports whether the result of an instruction is a mask, which AVX-512 puts into a mask register.
func (op Op) compares() bool {
	return op >= VPCMPEQD && op <= VPCMPGTQ || op == VCMPPS || op == VCMPPD
}

// evex writes an instruction with the prefix that names 32 registers; k is a mask register, 0 for none.
//
//go:noinline
func (a *Asm) evex(op Op, whole bool, reg, v uint8, o RM, k uint8) {
	in, as := &rows[op], op.evex()
	if !as.has {
		panic(fmt.Sprintf("BUG: amd64: AVX-512 has no %s", in.name))
	}
	x, b, far := o.reg>>4, o.reg>>3&1, v>>4 // far is the fifth bit of v or of an index
	unit := int32(as.mem)
	if o.isMem {
		x, b = o.high()
		x, far = x&1, far|x>>1
	}
	w, l := uint8(0), uint8(0)
	if as.wide {
		w = 0x80
	}
	if whole {
		l = 0x20
	} else if unit == 32 {
		unit = 16
	}
	p := a.room()
	p[0], p[1] = 0x62, (reg>>3&1^1)<<7|(x^1)<<6|(b^1)<<5|(reg>>4^1)<<4|in.space
	p[2], p[3], p[4] = w|(^v&15)<<3|4|in.prefix, l|(far^1)<<3|k, in.opcode
	a.wrote(p.operands(5, reg, o, unit))
}
