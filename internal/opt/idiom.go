package opt

import (
	"github.com/govyre/vyre/ir"
)

// idiom finds what an instruction does that the program spells out: counts of bits (count_bits.go, count_loop.go),
// rotations, permutations of bytes (bytes.go), bit fields, upper halves of products, minima and absolute values,
// tables that are a word (table.go), and atomics that the lanes of a warp can leave to one of them (aggregate.go).
// But for tables, integers only. O(rows): a row is looked at with what it is computed from, a bounded number of rows
// deep.
//
// Not looked for: unsigned fields without a base, and signed ones that do not start at bit 0; a device has no
// instruction for them, and takes a shift and a mask, or two shifts, as well.
func idiom(w *work) {
	w.countingLoops()
	w.spelledOut()
	w.aggregate()
}

// spelledOut recognises what rows are together. Only shifts, bytes that are put together and tables take ranges.
func (w *work) spelledOut() {
	w.sums = 4*w.linked() + 256
	for r := range ir.Row(w.Rows()) { // in any order
		if !w.gone[r] && w.takesRanges(r) {
			w.ranges(w.idiomAt)
			return
		}
	}
	for it := w.rows(); it.step(); {
		if it.at == atRow {
			w.idiomAt(nil, it.row)
		}
	}
}

// takesRanges reports whether row r may be a part of an idiom that ranges decide about.
func (w *work) takesRanges(r ir.Row) bool {
	switch w.Op[r] {
	case ir.OpShl, ir.OpShr, ir.OpRotl, ir.OpBfe, ir.OpPrmt:
		return true
	case ir.OpLoad:
		return w.objs[w.X[r]].Table()
	}
	return bytewise(w, r, maxBytesDeep) >= minBytewise
}

func (w *work) idiomAt(g *ranges, r ir.Row) {
	switch {
	case w.pure(r) && w.info(r).Args > 0:
		w.recognise(g, r)
	case w.Op[r] == ir.OpLoad && w.objs[w.X[r]].Table():
		w.lookUp(g, r)
	}
}

// recognise rewrites row r if it is the last of an idiom.
func (w *work) recognise(g *ranges, r ir.Row) {
	if w.applyFirst(tables().idiom[w.Op[r]], r) && w.gone[r] {
		return
	}
	switch w.Op[r] {
	case ir.OpOr, ir.OpXor:
		_ = w.rotation(g, r) || w.permutation(g, r) || w.field(r)
	case ir.OpAdd:
		_ = w.rotation(g, r) || w.permutation(g, r) || w.countChain(r)
	case ir.OpSelect:
		w.countChain(r)
	case ir.OpShr:
		w.signedField(r)
	case ir.OpCvt:
		w.upperHalf(r)
	}
}

// rotation makes a rotation of two shifts in opposite directions that are put together. The counts have to make a whole
// turn: a shift by more than the width gives 0, where a rotation goes on turning.
func (w *work) rotation(g *ranges, r ir.Row) bool {
	l, s := w.A(r), w.B(r)
	if w.Op[l] != ir.OpShl {
		l, s = s, l
	}
	if w.Op[l] != ir.OpShl || w.Op[s] != ir.OpShr || w.Type[r].IsSigned() || w.A(l) != w.A(s) {
		return false
	}
	x, left, right := w.A(l), w.B(l), w.B(s)
	switch {
	case w.wholeTurn(g, r, left, right):
		w.become(r, ir.OpRotl, 0, x, left)
	case w.wholeTurn(g, r, right, left):
		w.become(r, ir.OpRotr, 0, x, right)
	default:
		return false
	}
	w.hit("rotate")
	return true
}

// wholeTurn reports whether a shift by n in one direction and one by rest in the other make a rotation by n.
func (w *work) wholeTurn(g *ranges, r, n, rest ir.Row) bool {
	width := uint64(w.Type[r].Bits())
	if w.Op[rest] == ir.OpSub && w.isConst(w.A(rest), width) && w.B(rest) == n {
		return w.must(checkTurn, g.at(n).Hi <= width)
	}
	// Counts modulo the width: where both are 0, each side is all of x, and only an or leaves that as it is.
	k, ok := w.modulo(n, width)
	m, ok2 := w.modulo(rest, width)
	if !ok || !ok2 || w.Op[r] != ir.OpOr {
		return false
	}
	if w.Op[m] == ir.OpNeg {
		return w.A(m) == k
	}
	c, isConst := w.bits(w.A(m))
	return w.Op[m] == ir.OpSub && isConst && c%width == 0 && w.B(m) == k
}

// modulo returns what v is the low bits of, if it is a number modulo the width.
func (w *work) modulo(v ir.Row, width uint64) (ir.Row, bool) {
	return w.A(v), w.Op[v] == ir.OpAnd && w.isConst(w.B(v), width-1)
}

// upperHalf takes the upper half of a product of 32-bit numbers, which is one op, where all of it is computed.
func (w *work) upperHalf(r ir.Row) bool {
	s := w.A(r)
	to := w.Type[r]
	n, ok := w.bits(w.B(s))
	if !to.IsInt() || to.Bits() != 32 || w.Op[s] != ir.OpShr || !ok || n < 32 || n >= 64 || w.uses[s] != 1 {
		return false
	}
	p := w.A(s)
	t := ir.U32
	if w.Type[p].IsSigned() {
		t = ir.I32
	}
	a, b, ok := w.factors(p, t)
	if !ok || w.uses[p] != 1 {
		return false
	}
	h := w.before(r, ir.OpMulHi, t, 0, a, b)
	if n > 32 {
		h = w.before(r, ir.OpShr, t, 0, h, w.constant(ir.U32, n-32))
	}
	w.hit("mulhi")
	if t == to {
		return w.replace(r, h)
	}
	w.become(r, ir.OpCvt, 0, h)
	return true
}

// factors returns the 32-bit numbers of type t that p is the product of.
func (w *work) factors(p ir.Row, t ir.Type) (a, b ir.Row, ok bool) {
	switch a, b = w.A(p), w.B(p); w.Op[p] {
	case ir.OpMulWide:
		return a, b, true
	case ir.OpMul:
		a, ok = w.widened(a, t)
		if ok {
			b, ok = w.widened(b, t)
		}
		return a, b, ok
	}
	return a, b, false
}

// widened returns the number of type t that v was, before it was made one of 64 bits of that sign.
func (w *work) widened(v ir.Row, t ir.Type) (ir.Row, bool) {
	if c, ok := w.bits(v); ok {
		fits := c <= t.Mask()
		if t.IsSigned() {
			fits = uint64(int64(int32(c))) == c
		}
		return w.constant(t, c), fits
	}
	return w.A(v), w.Op[v] == ir.OpCvt && w.Type[w.A(v)] == t
}

// signedField makes one op of the two shifts that spread the top bit of a field at the low end.
func (w *work) signedField(r ir.Row) {
	l := w.A(r)
	n, ok := w.bits(w.B(r))
	if w.Type[r] != ir.I32 || w.Op[l] != ir.OpShl || !ok || !w.isConst(w.B(l), n) || n == 0 || n > 31 {
		return
	}
	w.become(r, ir.OpBfe, uint32(32-n)<<8, w.A(l))
	w.hit("field-signed")
}

// field makes one op of what puts a field, shifted to its place, between the bits of a number.
func (w *work) field(r ir.Row) bool {
	if w.Type[r].Bits() != 32 {
		return false
	}
	for _, o := range [2][2]ir.Row{{w.A(r), w.B(r)}, {w.B(r), w.A(r)}} {
		base, f := o[0], o[1]
		keep, ok := w.bits(w.B(base))
		v, pos, length, ok2 := w.placed(f)
		if !ok || !ok2 || w.Op[base] != ir.OpAnd || w.uses[base] != 1 || w.uses[f] != 1 {
			continue
		}
		if field := (uint64(1)<<length - 1) << pos; w.must(checkField, keep == ^field&w.Type[r].Mask()) {
			w.become(r, ir.OpBfi, pos|length<<8, w.A(base), v)
			w.hit("field")
			return true
		}
	}
	return false
}

// placed reports that f is the low bits of v, so many, moved up to a place.
func (w *work) placed(f ir.Row) (v ir.Row, pos, length uint32, ok bool) {
	a := w.A(f)
	switch w.Op[f] {
	case ir.OpAnd: // (v << pos) & field
		m, ok := w.bits(w.B(f))
		n, ok2 := w.bits(w.B(a))
		if !ok || !ok2 || w.Op[a] != ir.OpShl || n == 0 || n > 31 {
			return 0, 0, 0, false
		}
		length, ok = lowOnes(m >> n)
		return w.A(a), uint32(n), length, ok && m&(1<<n-1) == 0
	case ir.OpShl: // (v & ones) << pos
		n, ok := w.bits(w.B(f))
		m, ok2 := w.bits(w.B(a))
		if !ok || !ok2 || w.Op[a] != ir.OpAnd || n == 0 || n > 31 {
			return 0, 0, 0, false
		}
		length, ok = lowOnes(m)
		return w.A(a), uint32(n), length, ok && uint32(n)+length <= 32
	}
	return 0, 0, 0, false
}
