package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// Every function here runs one instruction for the lanes in m. The loops have two forms: over all lanes,
// and over the bits of m.

const all = ^uint32(0)

// values are the 32 values of a slot.
type values [32]uint64

// defined notes that the lanes m of slot d were written from sources that are defined in the lanes def.
func (w *warp) defined(d int32, m, def uint32) { w.def[d] = w.def[d]&^m | m&def }

func (w *warp) definedPred(d int32, m, def uint32) { w.predDef[d] = w.predDef[d]&^m | m&def }

func run1(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, f := w.at(in.d), w.at(in.a), in.f1
	if m == all {
		for l := range d {
			d[l] = f(a[l])
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = f(a[l])
		}
	}
	w.defined(in.d, m, w.def[in.a])
}

func run2(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b, f := w.at(in.d), w.at(in.a), w.at(in.b), in.f2
	if m == all {
		for l := range d {
			d[l] = f(a[l], b[l])
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = f(a[l], b[l])
		}
	}
	w.defined(in.d, m, w.def[in.a]&w.def[in.b])
}

func run3(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b, c, f := w.at(in.d), w.at(in.a), w.at(in.b), w.at(in.c), in.f3
	if m == all {
		for l := range d {
			d[l] = f(a[l], b[l], c[l])
		}
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = f(a[l], b[l], c[l])
		}
	}
	w.defined(in.d, m, w.def[in.a]&w.def[in.b]&w.def[in.c])
}

func run4(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b, c, e := w.at(in.d), w.at(in.a), w.at(in.b), w.at(in.c), w.at(in.e)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		d[l] = in.f4(a[l], b[l], c[l], e[l])
	}
	w.defined(in.d, m, w.def[in.a]&w.def[in.b]&w.def[in.c]&w.def[in.e])
}

func runMov(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a := w.at(in.d), w.at(in.a)
	if m == all {
		*d = *a
	} else {
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = a[l]
		}
	}
	w.defined(in.d, m, w.def[in.a])
}

// runSelect: what is not chosen need not be defined.
func runSelect(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, a, b, p := w.at(in.d), w.at(in.a), w.at(in.b), w.preds[in.c]
	def := (p&w.def[in.a] | ^p&w.def[in.b]) & w.predDef[in.c]
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		if p>>l&1 != 0 {
			d[l] = a[l]
		} else {
			d[l] = b[l]
		}
	}
	w.defined(in.d, m, def)
}

// split is a value of several parts.
type split struct {
	slots []int32
	width int
}

func runUnpack(w *warp, in *inst, m uint32) {
	x, a, def := in.x.(*split), *w.at(in.a), w.def[in.a]
	mask := maskOf(x.width)
	for i, s := range x.slots {
		if s < 0 {
			continue
		}
		d, shift := w.at(s), i*x.width
		for rest := m; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros32(rest) & 31
			d[l] = a[l] >> shift & mask
		}
		w.defined(s, m, def)
	}
}

func runPack(w *warp, in *inst, m uint32) {
	x := in.x.(*split)
	var v values
	def := uint32(all)
	for i, s := range x.slots {
		a, shift := w.at(s), i*x.width
		def &= w.def[s]
		for l := range v {
			v[l] |= a[l] << shift
		}
	}
	if in.d < 0 {
		return
	}
	d := w.at(in.d)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		d[l] = v[l]
	}
	w.defined(in.d, m, def)
}

func runSpecial(w *warp, in *inst, m uint32) {
	if in.d < 0 {
		return
	}
	d, s := w.at(in.d), in.x.(asm.Special)
	mask := maskOf(in.src.Type.Bits())
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		d[l] = w.special(s, l) & mask
	}
	w.defined(in.d, m, all)
}

// combining is the second part of a setp.
type combining struct {
	with int32 // a predicate, or −1
	not  bool
	op   string
}

func runSetp(w *warp, in *inst, m uint32) {
	a, b := w.at(in.a), w.at(in.b)
	r := uint32(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		if in.cmp(a[l], b[l]) {
			r |= 1 << l
		}
	}
	def := w.def[in.a] & w.def[in.b]
	x := in.x.(*combining)
	p, q := r, ^r
	if x.with >= 0 {
		c, cdef := w.preds[x.with], w.predDef[x.with]
		if x.not {
			c = ^c
		}
		switch x.op {
		case "and":
			// False and anything is false, whatever the other is.
			both := def & cdef
			def = both | def&^r | cdef&^c
			p, q = p&c, q&c
		case "or":
			p, q, def = p|c, q|c, def&cdef
		default:
			p, q, def = p^c, q^c, def&cdef
		}
	}
	if in.d >= 0 {
		w.preds[in.d] = w.preds[in.d]&^m | p&m
		w.definedPred(in.d, m, def)
	}
	if in.e >= 0 {
		w.preds[in.e] = w.preds[in.e]&^m | q&m
		w.definedPred(in.e, m, def)
	}
}

func runTest(w *warp, in *inst, m uint32) {
	a, r := w.at(in.a), uint32(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		if in.test(a[l]) {
			r |= 1 << l
		}
	}
	w.setPred(in.d, m, r, w.def[in.a])
}

func (w *warp) setPred(d int32, m, r, def uint32) {
	if d < 0 {
		return
	}
	w.preds[d] = w.preds[d]&^m | r&m
	w.definedPred(d, m, def)
}

func runPredMov(w *warp, in *inst, m uint32) { w.setPred(in.d, m, w.preds[in.a], w.predDef[in.a]) }
func runPredNot(w *warp, in *inst, m uint32) { w.setPred(in.d, m, ^w.preds[in.a], w.predDef[in.a]) }

func runPredAnd(w *warp, in *inst, m uint32) {
	a, b, da, db := w.preds[in.a], w.preds[in.b], w.predDef[in.a], w.predDef[in.b]
	w.setPred(in.d, m, a&b, da&db|da&^a|db&^b)
}

func runPredOr(w *warp, in *inst, m uint32) {
	a, b, da, db := w.preds[in.a], w.preds[in.b], w.predDef[in.a], w.predDef[in.b]
	w.setPred(in.d, m, a|b, da&db|da&a|db&b)
}

func runPredXor(w *warp, in *inst, m uint32) {
	w.setPred(in.d, m, w.preds[in.a]^w.preds[in.b], w.predDef[in.a]&w.predDef[in.b])
}

// carry is an addition that takes or leaves a carry.
type carry struct {
	product     bool // the first two operands are multiplied first
	high        bool
	minus       bool
	takes       bool
	leavesCarry bool
}

func newCarry(src *asm.Inst) *carry {
	return &carry{product: src.Op == "mad" || src.Op == "madc", high: src.Has("hi"), minus: src.Op == "sub" || src.Op == "subc",
		takes: src.Op == "addc" || src.Op == "subc" || src.Op == "madc", leavesCarry: src.Has("cc")}
}

// runCarry does wide arithmetic in steps. The carry of a subtraction is its borrow.
func runCarry(w *warp, in *inst, m uint32) {
	x, t := in.x.(*carry), in.src.Type
	width := t.Bits()
	mask := maskOf(width)
	for rest := m; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest) & 31
		a, b := w.at(in.a)[l], w.at(in.b)[l]
		if x.product {
			if x.high {
				a = mulHigh(t, a, b)
			} else {
				a = a * b & mask
			}
			b = w.at(in.c)[l]
		}
		in64 := uint64(0)
		if x.takes {
			in64 = uint64(w.carry >> l & 1)
		}
		var r, out uint64
		switch {
		case x.minus:
			r, out = bits.Sub64(a, b, in64)
			if width < 64 {
				out = r >> width & 1
			}
		default:
			r, out = bits.Add64(a, b, in64)
			if width < 64 {
				out = r >> width & 1
			}
		}
		if in.d >= 0 {
			w.at(in.d)[l] = r & mask
		}
		if x.leavesCarry {
			w.carry = w.carry&^(1<<l) | uint32(out)<<l
		}
	}
	if in.d >= 0 {
		def := w.def[in.a] & w.def[in.b]
		if x.product {
			def &= w.def[in.c]
		}
		w.defined(in.d, m, def)
	}
}
