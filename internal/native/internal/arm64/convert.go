package arm64

import "github.com/govyre/vyre/internal/native/internal/amd64"

// Instructions of one operand: moves between lanes, conversions, rounding.

// widened makes a vector of half of one: how its low half is made, then its high one, of the same register.
type widened struct {
	low, high inst
	bytes     int32
}

var widening = [256]widened{
	amd64.VPMOVZXDQ: {uxtlD, uxtl2D, 16}, amd64.VPMOVSXDQ: {sxtlD, sxtl2D, 16}, amd64.VPMOVZXWD: {uxtlS, uxtl2S, 16}, amd64.VPMOVSXWD: {sxtlS, sxtl2S, 16},
	amd64.VCVTPS2PD: {fcvtlD, fcvtl2D, 16}, amd64.VCVTPH2PS: {fcvtlS, fcvtl2S, 16}, amd64.VCVTDQ2PD: {sxtlD, sxtl2D, 16},
	amd64.VPMOVZXBD: {uxtlS, uxtl2S, 8}, amd64.VPMOVSXBD: {sxtlS, sxtl2S, 8},
}

// V2 writes d ← op(o).
func (a *Asm) V2(op amd64.Op, d amd64.Y, o amd64.RM) {
	D := of(d)
	if in := whole[op]; in != none {
		if op == amd64.VMOVUPS && o.IsMem() {
			a.pair(ldpQ, D, o.Mem())
			return
		}
		O := a.operand(o, 32)
		for h := range 2 {
			a.i(in, D[h], O[h])
		}
		return
	}
	if w := &widening[op]; w.low != none {
		a.widen(op, w, D, a.operand(o, w.bytes)[0])
		return
	}
	switch op {
	case amd64.VPBROADCASTD, amd64.VPBROADCASTQ:
		a.broadcast(op, D, o)
	case amd64.VTESTPS:
		a.flags = flags{kind: ofMasks, x: D, o: a.operand(o, 32)}
		a.flags.at = a.Len()
	case amd64.VCVTPD2PS:
		O := a.operand(o, 32)
		a.i(fcvtnS, t0, O[0])
		a.i(fcvtn2S, t0, O[1])
		a.low(D, t0)
	case amd64.VCVTTPD2DQ:
		a.wordsOfDoubles(D, a.operand(o, 32))
	default:
		a.unknown(op)
	}
}

// low sets the low half of a vector, and the other to 0.
func (a *Asm) low(d vector, s uint32) {
	a.i(movV, d[0], s)
	a.i(movi2, d[1])
}

func (a *Asm) widen(op amd64.Op, w *widened, d vector, s uint32) {
	switch op {
	case amd64.VPMOVZXBD:
		a.i(uxtlH, t0, s)
		s = t0
	case amd64.VPMOVSXBD:
		a.i(sxtlH, t0, s)
		s = t0
	}
	a.i(w.high, d[1], s) // first: s may be d's low half, not the other
	a.i(w.low, d[0], s)
	if op == amd64.VCVTDQ2PD {
		a.i(scvtf2, d[0], d[0])
		a.i(scvtf2, d[1], d[1])
	}
}

func (a *Asm) broadcast(op amd64.Op, d vector, o amd64.RM) {
	lane, load := dup4, ld1r4
	if op == amd64.VPBROADCASTQ {
		lane, load = dup2, ld1r2
	}
	if o.IsMem() {
		a.i(load, d[0], a.address(o.Mem()))
	} else {
		a.i(lane, d[0], of(amd64.Y(o.Reg()))[0], 0)
	}
	a.i(movV, d[1], d[0])
}

// wordsOfDoubles cuts off the fraction. Rules want of −2³¹/−1 the least number, as of all that is beyond the range: so
// the lowest 32 bits of what is clamped to ±2³¹.
func (a *Asm) wordsOfDoubles(d, o vector) {
	a.i(movzX, temp0, 0x41E0, 3) // 2³¹
	a.i(dup2X, t0, temp0)
	a.i(fmin2, t1, t0, o[0])
	a.i(fmin2, firstTemp+1, t0, o[1])
	a.i(fneg2, t0, t0)
	a.i(fmax2, t1, t0, t1)
	a.i(fmax2, t0, t0, firstTemp+1)
	a.i(fcvtzs2, t1, t1)
	a.i(fcvtzs2, t0, t0)
	a.i(xtnS, t1, t1)
	a.i(xtn2S, t1, t0)
	a.low(d, t1)
}

// V2Imm writes d ← op(o, imm).
func (a *Asm) V2Imm(op amd64.Op, d amd64.Y, o amd64.RM, imm uint8) {
	D, O := of(d), a.operand(o, 32)
	switch op {
	case amd64.VPERMQ:
		a.quarters(D, O, imm)
	case amd64.VPSHUFD:
		for h := range 2 {
			if imm == 0xB1 {
				a.i(rev64, D[h], O[h])
			} else {
				a.shuffle(D[h], O[h], O[h], imm)
			}
		}
	case amd64.VROUNDPS, amd64.VROUNDPD:
		in := [4]inst{frintn4, frintm4, frintp4, frintz4}[imm&3]
		if op == amd64.VROUNDPD {
			in++
		}
		a.i(in, D[0], O[0])
		a.i(in, D[1], O[1])
	default:
		a.unknown(op)
	}
}

// quarters takes a part of 64 bits for each of the four.
func (a *Asm) quarters(d, o vector, imm uint8) {
	one := func(t uint32, bits uint8) uint32 {
		x, y := uint32(bits&3), uint32(bits>>2&3)
		from, and := o[x/2], o[y/2]
		switch {
		case x%2 == 0 && y == x+1:
			return from
		case x%2 == y%2:
			a.i([2]inst{zip1x2, zip2x2}[x%2], t, from, and)
		case x%2 == 1:
			a.i(ext, t, from, and, 8)
		default:
			a.i(movV, t, from)
			a.i(insD, t, 1, and, 1)
		}
		return t
	}
	low, high := one(t0, imm&15), one(t1, imm>>4)
	a.halves(d, [2]uint32{low, high})
}

// V2Short is V2 on the low half of the registers: of moves only.
func (a *Asm) V2Short(op amd64.Op, d amd64.Y, o amd64.RM) {
	if op != amd64.VMOVUPS {
		a.unknown(op)
		return
	}
	D := of(d)
	if o.IsMem() {
		a.move(floats[16], D[0], o.Mem())
	} else {
		a.i(movV, D[0], of(amd64.Y(o.Reg()))[0])
	}
	a.i(movi2, D[1])
}

// VLoad and VStore move a whole vector.
func (a *Asm) VLoad(d amd64.Y, m amd64.Mem)  { a.pair(ldpQ, of(d), m) }
func (a *Asm) VStore(m amd64.Mem, s amd64.Y) { a.pair(stpQ, of(s), m) }

// VStoreShort stores the low half of a vector.
func (a *Asm) VStoreShort(m amd64.Mem, s amd64.Y) { a.move(floated[16], of(s)[0], m) }

// VLow copies the lowest 4 or 8 bytes of a vector to a general register.
func (a *Asm) VLow(size amd64.Size, d amd64.Reg, s amd64.Y) {
	a.i(fmovWS+sized(size), reg(d), of(s)[0])
}

// VHigh copies bytes 8 to 15 of a vector to a general register.
func (a *Asm) VHigh(d amd64.Reg, s amd64.Y) { a.i(umovD, reg(d), of(s)[0], 1) }

// VSetLow sets the lowest 4 or 8 bytes of a vector to a general register, and the rest to 0.
func (a *Asm) VSetLow(size amd64.Size, d amd64.Y, s amd64.Reg) {
	a.i(fmovSW+sized(size), of(d)[0], reg(s))
	a.i(movi2, of(d)[1])
}

// VHalf copies half i of a vector to the low half of an operand.
func (a *Asm) VHalf(o amd64.RM, s amd64.Y, i uint8) {
	if o.IsMem() {
		a.move(floated[16], of(s)[i], o.Mem())
		return
	}
	a.low(of(amd64.Y(o.Reg())), of(s)[i])
}

// VMask gathers the top bits of the eight lanes of 4 bytes: each lane, as a byte, keeps a bit of its own, and these are
// added.
func (a *Asm) VMask(d amd64.Reg, s amd64.Y) {
	S := of(s)
	a.i(cmlt4, t0, S[0])
	a.i(cmlt4, t1, S[1])
	a.i(xtnH, t0, t0)
	a.i(xtn2H, t0, t1)
	a.i(xtnB, t0, t0)
	a.immediate(temp0, 0x8040201008040201)
	a.i(fmovDX, t1, temp0)
	a.i(and8, t0, t0, t1)
	a.i(addv8, t0, t0)
	a.i(fmovWS, reg(d), t0)
}

// VToHalf narrows eight f32 to f16, to nearest even, into the low half of an operand.
func (a *Asm) VToHalf(o amd64.RM, s amd64.Y) {
	S := of(s)
	a.i(fcvtnH, t0, S[0])
	a.i(fcvtn2H, t0, S[1])
	if o.IsMem() {
		a.move(floated[16], t0, o.Mem())
		return
	}
	a.low(of(amd64.Y(o.Reg())), t0)
}

// VGather4 loads eight elements of 4 bytes where the mask is set: d keeps its other lanes.
func (a *Asm) VGather4(d amd64.Y, base amd64.Reg, index, mask amd64.Y) {
	for l := range uint32(8) {
		a.i(umovS, temp1, of(mask)[l/4], l%4)
		a.skip(tbz, []uint32{temp1, 31}, func() {
			a.i(umovS, temp1, of(index)[l/4], l%4)
			a.i(addSxtw, temp0, reg(base), temp1, 2)
			a.i(ld1s, of(d)[l/4], l%4, temp0)
		})
	}
}

// VGather8 loads four elements of 8 bytes at the low four indices of 4 bytes, where the mask is set: d keeps its other lanes.
func (a *Asm) VGather8(d amd64.Y, base amd64.Reg, index, mask amd64.Y) {
	for l := range uint32(4) {
		a.i(umovS, temp1, of(mask)[l/2], l%2*2+1)
		a.skip(tbz, []uint32{temp1, 31}, func() {
			a.i(umovS, temp1, of(index)[0], l)
			a.i(addSxtw, temp0, reg(base), temp1, 3)
			a.i(ld1d, of(d)[l/2], l%2, temp0)
		})
	}
}

// VMaskStore stores the lanes, of 4 or 8 bytes, whose mask is set, and touches no others.
func (a *Asm) VMaskStore(size amd64.Size, m amd64.Mem, mask, s amd64.Y) {
	at := a.address(m)
	half := uint32(16 / size)
	store := st1s
	if size == 8 {
		store = st1d
	}
	for l := range uint32(32 / size) {
		a.i(umovS, temp1, of(mask)[l/half], (l%half+1)*uint32(size)/4-1) // of 8 bytes, the upper word
		a.skip(tbz, []uint32{temp1, 31}, func() {
			to := at
			if l > 0 {
				a.i(addImmX, temp1, at, l*uint32(size))
				to = temp1
			}
			a.i(store, of(s)[l/half], l%half, to)
		})
	}
}

// masks brings what a test of two masks tells into temp2: 0 or not. It returns which of these the condition is.
func (a *Asm) masks(f flags, c amd64.Cond) amd64.Cond {
	op := and16 // E, NE: lanes that both have
	switch c {
	case amd64.AE, amd64.B: // lanes of o that x lacks
		op = bic16
		c = map[amd64.Cond]amd64.Cond{amd64.AE: amd64.NE, amd64.B: amd64.E}[c]
	}
	v := f.x
	if op == bic16 || f.x != f.o {
		a.i(op, t0, f.o[0], f.x[0])
		a.i(op, t1, f.o[1], f.x[1])
		v = vector{t0, t1}
	}
	a.i(orr16, t0, v[0], v[1])
	a.i(umaxp4, t0, t0, t0)
	a.i(fmovXD, temp2, t0)
	return c
}
