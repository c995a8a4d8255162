package opt

import (
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// narrow does in 32 bits what is written in 64, and drops ops that ranges show to change nothing. A device
// has no 64-bit arithmetic but adds: every such op is two or more instructions, a division a hundred.
//
// It is sound where the value is known to fit, or where only its low bits are looked at: the low 32 bits of a
// sum, difference, product or bitwise op are those of the same op on the low 32 bits. O(rows), and at most
// maxNarrowed rows for each use.
func narrow(w *work) {
	n := &narrowing{w: w, carried: make([]bool, w.Rows())}
	n.findPowers()
	w.ranges(func(g *ranges, r ir.Row) {
		n.g = g
		n.row(r)
	})
	n.halves()
}

type narrowing struct {
	w       *work
	g       *ranges
	carried []bool   // by argument: it is carried in 32 bits
	powers  []ir.Row // arguments that are powers of two, or zero
	budget  int      // rows that may still be written for this use
}

const maxNarrowed = 16

// row narrows what row r uses, or r itself.
func (n *narrowing) row(r ir.Row) {
	w := n.w
	in := w.info(r)
	n.budget = maxNarrowed
	switch {
	case in.Imm == ir.ImmObject && in.Args > 0:
		if i := w.A(r); wide(w.Type[i]) && n.fits32(i) {
			w.set(&w.Code.A[r], n.low(i, r))
			w.hit("index")
		}
		n.stored(r)
	case w.Op[r] == ir.OpArg && w.Region[r] != 0:
		n.arguments(r)
	case w.Op[r] == ir.OpContinue:
		n.carry(r)
	case in.Attr&ir.Pure == 0 || in.Args == 0:
	case n.between(r):
	case n.redundant(r):
	case w.Op[r] == ir.OpCvt && wide(w.Type[w.A(r)]):
		n.convert(r)
	case in.Args == 2 && wide(w.Type[w.A(r)]):
		n.wideOp(r)
	}
}

func wide(t ir.Type) bool { return t == ir.I64 || t == ir.U64 }

// fits32 reports whether v, as a number, is a u32; fitsSigned32 an i32.
func (n *narrowing) fits32(v ir.Row) bool {
	w := n.w
	i := n.g.at(v)
	return w.must(checkNarrow, i.Hi <= 1<<32-1 && (!w.Type[v].IsSigned() || i.SLo >= 0))
}

func (n *narrowing) fitsSigned32(v ir.Row) bool {
	i := n.g.at(v)
	if !n.w.Type[v].IsSigned() {
		return n.w.must(checkNarrow, i.Hi <= 1<<31-1)
	}
	return n.w.must(checkNarrow, i.SLo >= -1<<31 && i.SHi <= 1<<31-1)
}

// wideOp narrows a comparison, division or product of values that fit.
func (n *narrowing) wideOp(r ir.Row) {
	w := n.w
	a, b := w.A(r), w.B(r)
	if w.Type[b] != w.Type[a] {
		return
	}
	unsigned, signed := n.fits32(a) && n.fits32(b), n.fitsSigned32(a) && n.fitsSigned32(b)
	t := w.Type[r]
	switch w.Op[r] {
	case ir.OpLt, ir.OpLe, ir.OpEq, ir.OpNe:
		if unsigned {
			w.become(r, w.Op[r], 0, n.low(a, r), n.low(b, r))
			w.hit("compare")
		} else if signed {
			w.become(r, w.Op[r], 0, n.signed(a, r), n.signed(b, r))
			w.hit("compare")
		}
	case ir.OpDiv, ir.OpRem:
		// By zero, 64 bits give another number than 32.
		if unsigned && (w.Op[r] == ir.OpRem || w.must(checkDivisor, n.g.at(b).Lo > 0)) {
			q := w.before(r, w.Op[r], ir.U32, 0, n.low(a, r), n.low(b, r))
			w.become(r, ir.OpCvt, 0, q)
			w.hit("divide")
		}
	case ir.OpMin, ir.OpMax:
		if unsigned {
			w.become(r, ir.OpCvt, 0, w.before(r, w.Op[r], ir.U32, 0, n.low(a, r), n.low(b, r)))
			w.hit("min-max-narrow")
		} else if signed {
			w.become(r, ir.OpCvt, 0, w.before(r, w.Op[r], ir.I32, 0, n.signed(a, r), n.signed(b, r)))
			w.hit("min-max-narrow")
		} else if x, c, ok := n.fromZero(r); ok {
			w.become(r, ir.OpCvt, 0, n.less(x, c, r))
			w.hit("min-max-narrow")
		}
	case ir.OpMul:
		if _, ok := w.bits(b); ok && w.uses[r] == 1 {
			return // often an index scaled, which the use will narrow
		}
		switch {
		case unsigned:
			p := w.before(r, ir.OpMulWide, ir.U64, 0, n.low(a, r), n.low(b, r))
			n.reinterpret(r, p, t)
			w.hit("multiply")
		case signed:
			p := w.before(r, ir.OpMulWide, ir.I64, 0, n.signed(a, r), n.signed(b, r))
			n.reinterpret(r, p, t)
			w.hit("multiply")
		}
	}
}

// fromZero takes max(x - c, 0) apart, where x is a u32 as a number and c a constant.
func (n *narrowing) fromZero(v ir.Row) (x ir.Row, c uint64, ok bool) {
	w := n.w
	a := w.A(v)
	if w.Op[v] != ir.OpMax || !w.Type[v].IsSigned() || !w.isConst(w.B(v), 0) || w.Op[a] != ir.OpAdd && w.Op[a] != ir.OpSub {
		return 0, 0, false
	}
	if c, ok = w.bits(w.B(a)); w.Op[a] == ir.OpAdd {
		c = -c
	}
	x = w.A(a)
	return x, c, ok && w.must(checkNarrow, c <= 1<<32-1) && n.fits32(x)
}

// less is max(x, c) - c in 32 bits, by rows in front of row at.
func (n *narrowing) less(x ir.Row, c uint64, at ir.Row) ir.Row {
	w := n.w
	k := w.constant(ir.U32, c)
	return w.before(at, ir.OpSub, ir.U32, 0, w.before(at, ir.OpMax, ir.U32, 0, n.low(x, at), k), k)
}

// convert narrows what a conversion looks at.
func (n *narrowing) convert(r ir.Row) {
	w := n.w
	v, t := w.A(r), w.Type[r]
	switch {
	case t == ir.U32 && n.simple(v):
		w.rewrite(r, n.low(v, r), "truncated")
	case t == ir.I32 && n.simple(v):
		w.become(r, ir.OpCvt, 0, n.low(v, r))
		w.hit("truncated")
	case t.IsFloat() && n.fits32(v):
		w.become(r, ir.OpCvt, 0, n.low(v, r))
		w.hit("to-float")
	case t.IsFloat() && n.fitsSigned32(v):
		w.become(r, ir.OpCvt, 0, n.signed(v, r))
		w.hit("to-float")
	}
}

// reinterpret makes row r, of type t, the value p.
func (n *narrowing) reinterpret(r, p ir.Row, t ir.Type) {
	if n.w.Type[p] == t {
		n.w.replace(r, p)
		return
	}
	n.w.become(r, ir.OpCvt, 0, p)
}

// signed gives the low 32 bits of v as an i32.
func (n *narrowing) signed(v, at ir.Row) ir.Row {
	w := n.w
	if a := w.A(v); w.Op[v] == ir.OpCvt && w.Type[a] == ir.I32 && w.Type[v].IsSigned() {
		return a
	}
	low := n.low(v, at)
	if b, ok := w.bits(low); ok {
		return w.constant(ir.I32, b)
	}
	return w.before(at, ir.OpCvt, ir.I32, 0, low)
}

// simple reports whether the low bits of v are cheaper to compute than v is.
func (n *narrowing) simple(v ir.Row) bool {
	switch n.w.Op[v] {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNeg, ir.OpShl, ir.OpSelect:
		return n.w.uses[v] == 1
	}
	return false
}

// low gives the low 32 bits of the integer v as a u32, by rows in front of row at.
func (n *narrowing) low(v, at ir.Row) ir.Row {
	w := n.w
	w.visits++
	if b, ok := w.bits(v); ok {
		return w.constant(ir.U32, b)
	}
	if t := w.Type[v]; t == ir.U32 {
		return v
	} else if t == ir.I32 || t == ir.Bool {
		return w.before(at, ir.OpCvt, ir.U32, 0, v)
	}
	if n.budget--; n.budget > 0 {
		a, b := w.A(v), w.B(v)
		switch op := w.Op[v]; op {
		case ir.OpCvt:
			if from := w.Type[a]; from.IsInt() || from == ir.Bool {
				return n.low(a, at)
			}
		case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor:
			return w.before(at, op, ir.U32, 0, n.low(a, at), n.low(b, at))
		case ir.OpNot, ir.OpNeg:
			return w.before(at, op, ir.U32, 0, n.low(a, at))
		case ir.OpShl:
			if _, ok := w.bits(b); ok { // one of 32 and more gives 0 in 32 bits too
				return w.before(at, op, ir.U32, 0, n.low(a, at), b)
			}
		case ir.OpShr:
			if n.fits32(a) {
				return w.before(at, op, ir.U32, 0, n.low(a, at), b)
			}
		case ir.OpMin, ir.OpMax:
			if n.fits32(a) && n.fits32(b) {
				return w.before(at, op, ir.U32, 0, n.low(a, at), n.low(b, at))
			}
			if n.fitsSigned32(a) && n.fitsSigned32(b) {
				return w.before(at, ir.OpCvt, ir.U32, 0, w.before(at, op, ir.I32, 0, n.signed(a, at), n.signed(b, at)))
			}
			if x, c, ok := n.fromZero(v); ok {
				return n.less(x, c, at)
			}
		case ir.OpSelect:
			return w.before(at, op, ir.U32, 0, a, n.low(b, at), n.low(w.C(v), at))
		}
	}
	return w.before(at, ir.OpCvt, ir.U32, 0, v)
}

// arguments narrows those of the loop whose first r is; what is moved then lies ahead of the walk.
func (n *narrowing) arguments(r ir.Row) {
	w := n.w
	if w.prev[r] != ir.NoRow {
		return
	}
	for w.Op[r] == ir.OpArg {
		next := w.next[r]
		n.budget = maxNarrowed
		n.argument(r)
		r = next
	}
}

// argument carries a 64-bit argument that fits in 32 bits: a new argument takes its place, and what it
// was is a conversion of that.
func (n *narrowing) argument(r ir.Row) {
	w := n.w
	t := w.Type[r]
	if !wide(t) {
		return
	}
	to := ir.U32
	switch {
	case n.fits32(r):
	case n.fitsSigned32(r):
		to = ir.I32
	default:
		return
	}
	loop := w.owner(w.Region[r])
	k := w.X[r]
	arg := w.make(r, ir.OpArg, to, k, ir.NoRow, ir.NoRow, ir.NoRow)
	w.level[arg] = w.level[r]
	w.link(arg, r)
	for len(n.carried) <= int(arg) {
		n.carried = append(n.carried, false)
	}
	n.carried[arg] = true
	var is interval.Interval
	is.Convert(interval.WidthOf(to), n.g.of(r), 64, t.IsSigned())
	n.g.set(arg, &is)
	if name, ok := w.Debug.Names[r]; ok {
		w.Debug.Names[arg] = name
		delete(w.Debug.Names, r)
	}
	n.feed(loop, k, to)
	first := w.next[r]
	for w.Op[first] == ir.OpArg {
		first = w.next[first]
	}
	w.unlink(r)
	w.link(r, first)
	w.Op[r], w.X[r] = ir.OpCvt, 0
	w.set(&w.Code.A[r], arg)
	w.hit("carried")
}

// feed narrows entry k of the operand list of row r.
func (n *narrowing) feed(r ir.Row, k uint32, to ir.Type) {
	w := n.w
	v := ir.Row(w.Operands(r)[k])
	if to == ir.I32 {
		v = n.signed(v, r)
	} else {
		v = n.low(v, r)
	}
	w.setAt(w.Operands(r), int(k), v)
}

// carry gives the arguments that are carried in 32 bits their next values.
func (n *narrowing) carry(r ir.Row) {
	w := n.w
	k := uint32(0)
	for at := w.head[w.X[w.exitTarget(r)]]; w.Op[at] == ir.OpArg; at = w.next[at] {
		if int(at) < len(n.carried) && n.carried[at] {
			n.budget = maxNarrowed
			n.feed(r, k, w.Type[at])
		}
		k++
	}
}

// stored drops from a stored value what a narrow element does not keep.
func (n *narrowing) stored(r ir.Row) {
	w := n.w
	elem := w.objs[w.X[r]].Type()
	if w.Op[r] != ir.OpStore || elem == elem.Value() || !elem.Value().IsInt() {
		return
	}
	keep := elem.Mask()
	v := w.B(r)
	switch w.Op[v] {
	case ir.OpAnd:
		if m, ok := w.bits(w.B(v)); ok && w.must(checkKept, m&keep == keep) {
			w.set(&w.Code.B[r], w.A(v))
			w.hit("stored")
		}
	case ir.OpBfe:
		if w.X[v]&0xFF == 0 && w.must(checkKept, w.X[v]>>8 >= uint32(elem.Bits())) {
			w.set(&w.Code.B[r], w.A(v))
			w.hit("stored")
		}
	}
}
