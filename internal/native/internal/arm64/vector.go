package arm64

import "github.com/govyre/vyre/internal/native/internal/amd64"

// A vector of 256 bits, Y(n), is two registers: 2n and 2n+1. The generator leaves Y(11) and Y(12) to this package: a
// vector for an operand in memory, and registers for what takes more than one instruction.

// vector is the two registers of one, its low half first.
type vector [2]uint32

const (
	firstTemp = 22 // 22 and 23 for memory
	t0        = 24
	t1        = 25
)

// Allocatable is how many vectors, from the first on, are left to the generator beside its three scratch ones.
const Allocatable = 11

func of(y amd64.Y) vector { return vector{2 * uint32(y), 2*uint32(y) + 1} }

// operand returns a vector operand, brought into temporary registers if it is memory of n bytes.
func (a *Asm) operand(o amd64.RM, n int32) vector {
	if !o.IsMem() {
		return of(amd64.Y(o.Reg()))
	}
	v := vector{firstTemp, firstTemp + 1}
	if n == 32 {
		a.pair(ldpQ, v, o.Mem())
	} else {
		a.move(floats[amd64.Size(n)], v[0], o.Mem())
	}
	return v
}

// pair loads or stores a vector.
func (a *Asm) pair(op inst, v vector, m amd64.Mem) {
	base, disp := a.place(m)
	how := floats[16]
	if op == stpQ {
		how = floated[16]
	}
	switch {
	case disp%16 == 0 && disp >= -1024 && disp < 1024:
		a.i(op, v[0], v[1], base, uint32(disp))
	case disp%16 == 0 && disp > 0 && disp+16 < 16*4096:
		a.moveAt(how, v[0], base, disp)
		a.moveAt(how, v[1], base, disp+16)
	default:
		a.i(op, v[0], v[1], a.plus(temp0, base, disp), 0)
	}
}

// whole are the instructions that are one of NEON, a half.
var whole = [256]inst{
	amd64.VPADDD: add4, amd64.VPSUBD: sub4, amd64.VPMULLD: mul4, amd64.VPAND: and16, amd64.VPOR: orr16, amd64.VPXOR: eor16,
	amd64.VPCMPEQD: cmeq4, amd64.VPCMPGTD: cmgt4, amd64.VPCMPEQQ: cmeq2, amd64.VPCMPGTQ: cmgt2,
	amd64.VPMINSD: smin4, amd64.VPMINUD: umin4, amd64.VPMAXSD: smax4, amd64.VPMAXUD: umax4, amd64.VPADDQ: add2, amd64.VPSUBQ: sub2, amd64.VPADDB: add16,
	amd64.VADDPS: fadd4, amd64.VSUBPS: fsub4, amd64.VMULPS: fmul4, amd64.VDIVPS: fdiv4,
	amd64.VADDPD: fadd2, amd64.VSUBPD: fsub2, amd64.VMULPD: fmul2, amd64.VDIVPD: fdiv2,
	amd64.VUNPCKLPS: zip1x4, amd64.VUNPCKHPS: zip2x4, amd64.VUNPCKLPD: zip1x2, amd64.VUNPCKHPD: zip2x2,
	amd64.VMOVUPS: movV, amd64.VPABSD: abs4, amd64.VSQRTPS: fsqrt4, amd64.VSQRTPD: fsqrt2, amd64.VCVTDQ2PS: scvtf4,
	amd64.VCVTTPS2DQ: fcvtzs4, // beyond the range the nearest number and of NaN 0, which is what rules want in the end
}

// fusion is a multiplication with an addition; the order says which of d, x and o (1, 2, 3) are the factors and what is added,
// as in the names on amd64.
type fusion struct {
	op    inst
	order uint8
}

var fused = [256]fusion{
	amd64.VFMADD231PS: {fmla4, 231}, amd64.VFMADD213PS: {fmla4, 213}, amd64.VFMADD132PS: {fmla4, 132},
	amd64.VFMADD231PD: {fmla2, 231}, amd64.VFMADD213PD: {fmla2, 213}, amd64.VFMADD132PD: {fmla2, 132},
}

// V3 writes d ← op(x, o).
func (a *Asm) V3(op amd64.Op, d, x amd64.Y, o amd64.RM) {
	D, X, O := of(d), of(x), a.operand(o, 32)
	if op == amd64.VPERMD {
		a.permute(D, X, O)
		return
	}
	if f := &fused[op]; f.op != none {
		for h := range 2 {
			a.fuse(f, D[h], X[h], O[h])
		}
		return
	}
	for h := range 2 {
		if in := whole[op]; in != none {
			a.i(in, D[h], X[h], O[h])
		} else {
			a.half3(op, D[h], X[h], O[h])
		}
	}
}

// permute takes for each lane the word of o whose number x has in its lowest three bits: as four bytes of a table of 32.
func (a *Asm) permute(d, x, o vector) {
	low := d[0]
	if d == o { // then o is no memory, and needs no registers for that
		low = firstTemp
	}
	a.immediate(temp0, 0x03020100)
	a.i(dup4W, t1, temp0)
	for h, to := range [2]uint32{low, d[1]} {
		a.i(shl4, t0, x[h], 29)
		a.i(ushr4, t0, t0, 27) // of the first byte
		a.i(sli4, t0, t0, 8)
		a.i(sli4, t0, t0, 16)
		a.i(orr16, t0, t0, t1)
		a.i(tbl2, to, o[0], t0)
	}
	if low != d[0] {
		a.i(movV, d[0], low)
	}
}

// fuse multiplies and adds; the instruction adds to its destination.
func (a *Asm) fuse(f *fusion, d, x, o uint32) {
	if f.order == 231 {
		a.i(f.op, d, x, o)
		return
	}
	if f.order == 213 {
		x, o = o, x
	}
	a.i(movV, t0, x)
	a.i(f.op, t0, d, o)
	a.i(movV, d, t0)
}

// half3 writes what takes several instructions.
func (a *Asm) half3(op amd64.Op, d, x, o uint32) {
	switch op {
	case amd64.VPANDN:
		a.i(bic16, d, o, x)
	case amd64.VPMULUDQ, amd64.VPMULDQ:
		a.i(xtnS, t0, x)
		a.i(xtnS, t1, o)
		by := umull
		if op == amd64.VPMULDQ {
			by = smull
		}
		a.i(by, d, t0, t1)
	case amd64.VPSLLVD, amd64.VPSRLVD, amd64.VPSRAVD:
		a.i(movi4, t0, 32)
		a.i(umin4, t0, t0, o)
		if op != amd64.VPSLLVD {
			a.i(neg4, t0, t0)
		}
		by := ushl4
		if op == amd64.VPSRAVD {
			by = sshl4
		}
		a.i(by, d, x, t0)
	case amd64.VPSLLVQ, amd64.VPSRLVQ:
		a.i(movi4, t0, 64)
		a.i(ushr2, t0, t0, 32)
		a.i(cmhi2, t0, t0, o) // what is shifted by less
		if op == amd64.VPSRLVQ {
			a.i(neg2, t1, o)
			o = t1
		}
		a.i(ushl2, t1, x, o)
		a.i(and16, d, t1, t0)
	case amd64.VMINPS, amd64.VMAXPS, amd64.VMINPD, amd64.VMAXPD: // o where the order is not known
		greater := fcmgt4
		if op == amd64.VMINPD || op == amd64.VMAXPD {
			greater = fcmgt2
		}
		if op == amd64.VMINPS || op == amd64.VMINPD {
			a.i(greater, t0, o, x)
		} else {
			a.i(greater, t0, x, o)
		}
		a.choose(d, t0, x, o)
	case amd64.VPSADBW:
		a.i(uabd, t0, x, o)
		a.i(uaddlpH, t0, t0)
		a.i(uaddlpS, t0, t0)
		a.i(uaddlpD, d, t0)
	case amd64.VPACKUSDW:
		a.i(sqxtunH, t0, x)
		a.i(sqxtun2H, t0, o)
		a.i(movV, d, t0)
	default:
		a.unknown(op)
	}
}

func (a *Asm) unknown(op amd64.Op) {
	if a.err == nil {
		a.err = &UnknownError{op}
	}
}

// choose writes d ← yes where all bits of a lane of the mask, which is a temporary register, are set; else no.
func (a *Asm) choose(d, mask, yes, no uint32) {
	switch d {
	case no:
		a.i(bit16, d, yes, mask)
	case yes:
		a.i(bif16, d, no, mask)
	default:
		a.i(bsl16, mask, yes, no)
		a.i(movV, d, mask)
	}
}

// V3Imm writes d ← op(x, o, imm).
func (a *Asm) V3Imm(op amd64.Op, d, x amd64.Y, o amd64.RM, imm uint8) {
	D, X := of(d), of(x)
	switch op {
	case amd64.VINSERTF128:
		part := a.operand(o, 16)[0]
		a.halves(D, [2]uint32{[2]uint32{part, X[0]}[imm&1], [2]uint32{X[1], part}[imm&1]})
		return
	case amd64.VPERM2F128:
		O := a.operand(o, 32)
		from := [4]uint32{X[0], X[1], O[0], O[1]}
		if imm&0x88 != 0 {
			a.unknown(op)
		}
		a.halves(D, [2]uint32{from[imm&3], from[imm>>4&3]})
		return
	}
	O := a.operand(o, 32)
	for h := range 2 {
		switch op {
		case amd64.VPALIGNR:
			a.i(ext, D[h], O[h], X[h], uint32(imm))
		case amd64.VSHUFPS:
			a.shuffle(D[h], X[h], O[h], imm)
		case amd64.VPBLENDD:
			a.blendWords(D[h], X[h], O[h], imm>>(4*h)&15)
		case amd64.VCMPPS:
			a.compare(0, D[h], X[h], O[h], imm)
		case amd64.VCMPPD:
			a.compare(1, D[h], X[h], O[h], imm)
		default:
			a.unknown(op)
		}
	}
}

// halves moves registers to both halves of a vector at once.
func (a *Asm) halves(d vector, from [2]uint32) {
	if from[1] == d[0] {
		a.i(movV, t0, from[1])
		from[1] = t0
	}
	for h := range 2 {
		if from[h] != d[h] {
			a.i(movV, d[h], from[h])
		}
	}
}

// shuffle takes two words of x, then two of o.
func (a *Asm) shuffle(d, x, o uint32, imm uint8) {
	if op, ok := map[uint8]inst{0x88: uzp1x4, 0xDD: uzp2x4, 0x44: zip1x2, 0xEE: zip2x2}[imm]; ok {
		a.i(op, d, x, o)
		return
	}
	for k := range uint32(4) {
		a.i(insS, t0, k, [4]uint32{x, x, o, o}[k], uint32(imm>>(2*k)&3))
	}
	a.i(movV, d, t0)
}

// blendWords takes words of o where bits are set, else those of x.
func (a *Asm) blendWords(d, x, o uint32, bits uint8) {
	if d == o {
		x, o, bits = o, x, bits^15
	}
	if d != x {
		a.i(movV, d, x)
	}
	for k := range uint32(4) {
		if bits>>k&1 != 0 {
			a.i(insS, d, k, o, k)
		}
	}
}

// comparison is how a predicate is made: an instruction on operands that may change places, turned around or not.
type comparison struct {
	op            inst // on four floats; the next is on two
	swapped, turn bool
}

var comparisons = [32]comparison{
	0x00: {fcmeq4, false, false}, 0x04: {fcmeq4, false, true}, 0x11: {fcmgt4, true, false}, 0x12: {fcmge4, true, false},
	0x1D: {fcmge4, false, false}, 0x1E: {fcmgt4, false, false}, 0x15: {fcmgt4, true, true}, 0x16: {fcmge4, true, true},
}

// compare makes a mask of where a comparison holds; next is 1 on doubles.
func (a *Asm) compare(next inst, d, x, o uint32, predicate uint8) {
	switch c := &comparisons[predicate&31]; {
	case c.op != none:
		if c.swapped {
			x, o = o, x
		}
		if a.i(c.op+next, d, x, o); c.turn {
			a.i(mvn16, d, d)
		}
	case predicate == 0x03 || predicate == 0x07: // either is a NaN, or none is
		a.i(fcmeq4+next, t0, x, x)
		if x != o {
			a.i(fcmeq4+next, t1, o, o)
			a.i(and16, t0, t0, t1)
		}
		if predicate == 0x03 {
			a.i(mvn16, d, t0)
		} else {
			a.i(movV, d, t0)
		}
	default:
		a.unknown(amd64.VCMPPS)
	}
}

// V4 writes d ← op(x, o, mask), as blends have it: o where the top bit of the mask is set.
func (a *Asm) V4(op amd64.Op, d, x amd64.Y, o amd64.RM, mask amd64.Y) {
	D, X, O, M := of(d), of(x), a.operand(o, 32), of(mask)
	top := cmlt4
	if op == amd64.VBLENDVPD {
		top = cmlt2
	}
	for h := range 2 {
		a.i(top, t0, M[h])
		a.choose(D[h], t0, O[h], X[h])
	}
}

// shifts are those by a constant, of lanes of a size.
var shifts = [256]struct {
	in   inst
	left bool
	size uint8
}{amd64.VPSLLD: {shl4, true, 32}, amd64.VPSRLD: {ushr4, false, 32}, amd64.VPSRAD: {sshr4, false, 32}, amd64.VPSLLQ: {shl2, true, 64}, amd64.VPSRLQ: {ushr2, false, 64}}

// VShift writes d ← s shifted by n.
func (a *Asm) VShift(op amd64.Op, d, s amd64.Y, n uint8) {
	how := &shifts[op]
	if how.in == none {
		a.unknown(op)
		return
	}
	D, S := of(d), of(s)
	for h := range 2 {
		switch {
		case n == 0:
			a.i(movV, D[h], S[h])
		case n >= how.size && how.left:
			a.i(movi2, D[h])
		default:
			a.i(how.in, D[h], S[h], uint32(min(n, how.size)))
		}
	}
}

// VAddScalar adds one float, of 4 or 8 bytes, on the low ends of registers; the rest of d becomes 0.
func (a *Asm) VAddScalar(size amd64.Size, d, x, y amd64.Y) {
	a.i(faddS+sized(size), of(d)[0], of(x)[0], of(y)[0])
}

// VMove copies a register.
func (a *Asm) VMove(d, s amd64.Y) {
	if d != s {
		a.halves(of(d), of(s))
	}
}
