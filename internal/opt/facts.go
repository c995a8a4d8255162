package opt

import "github.com/govyre/vyre/ir"

// facts are values that are constants in the regions that a walk is in, because of a condition
// that control has passed: inside an arm its condition, and after an if with an arm that leaves, the
// opposite of that arm's. A fact holds until its region ends.
type facts struct {
	w     *work
	open  []bool
	in    []uint32 // by row: 1 + region in which the fact about it holds
	value []ir.Row // by row: the constant that it is there
	pairs map[equality]equalFact
}

// equality is whether two values are equal. The opposite comparison is another row, of which as much is known.
type equality struct{ a, b ir.Row }

type equalFact struct {
	in    uint32 // as in facts
	equal bool
}

func newFacts(w *work) *facts {
	f := &facts{w: w, pairs: make(map[equality]equalFact), open: make([]bool, len(w.Regions)), in: lend(&w.scratch.in, w.Rows()), value: lend(&w.scratch.value, w.Rows())}
	f.open[0] = true
	return f
}

// of returns what v is known to be here: a constant, or v itself.
func (f *facts) of(v ir.Row) ir.Row {
	w := f.w
	if v == ir.NoRow {
		return v
	}
	if int(v) < len(f.in) && f.in[v] != 0 && w.must(checkArm, f.open[f.in[v]-1]) {
		return f.value[v]
	}
	switch w.Op[v] {
	case ir.OpEq, ir.OpNe:
		if p := f.pairs[equality{w.A(v), w.B(v)}]; p.in != 0 && w.must(checkArm, f.open[p.in-1]) {
			return w.constant(ir.Bool, bit(p.equal == (w.Op[v] == ir.OpEq)))
		}
	case ir.OpSelect: // where its condition is known it is what that chose
		if c, ok := w.bits(f.of(w.A(v))); ok {
			if c != 0 {
				return w.B(v)
			}
			return w.C(v)
		}
	}
	return v
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// apply puts what is known in the place of the operands of row r.
func (f *facts) apply(r ir.Row) {
	w := f.w
	for _, at := range [3]*ir.Row{&w.Code.A[r], &w.Code.B[r], &w.Code.C[r]} {
		v := w.operand(at)
		if u := f.of(v); u != v {
			w.set(at, u)
			w.hit("implied")
		}
	}
	list := w.Operands(r)
	for i := range list {
		w.visits++
		if v := ir.Row(list[i]); f.of(v) != v {
			w.setAt(list, i, f.of(v))
			w.hit("implied")
		}
	}
}

// follow takes note of what the walk has come to.
func (f *facts) follow(it *walk) {
	w, r := f.w, it.row
	f.w.track(f.open, it)
	if w.gone[r] || w.Op[r] != ir.OpIf {
		return
	}
	x := w.X[r]
	switch it.at {
	case atRow:
		f.learn(w.A(r), true, x, 4)
	case atElse:
		f.learn(w.A(r), false, x+1, 4)
	case atEnd:
		// Where one arm leaves, what follows is the other arm's.
		then, els := w.Op[w.tail[x]] == ir.OpYield, w.Op[w.tail[x+1]] == ir.OpYield
		if then != els {
			f.learn(w.A(r), then, w.Region[r], 4)
		}
	}
}

// learn notes that condition c is val in region reg, and what that says about its operands.
func (f *facts) learn(c ir.Row, val bool, reg uint32, depth int) {
	w := f.w
	w.visits++
	if _, ok := w.bits(c); ok || depth == 0 {
		return
	}
	f.note(c, w.constant(ir.Bool, bit(val)), reg)
	switch w.Op[c] {
	case ir.OpNot:
		f.learn(w.A(c), !val, reg, depth-1)
	case ir.OpAnd:
		if val {
			f.learn(w.A(c), true, reg, depth-1)
			f.learn(w.B(c), true, reg, depth-1)
		}
	case ir.OpOr:
		if !val {
			f.learn(w.A(c), false, reg, depth-1)
			f.learn(w.B(c), false, reg, depth-1)
		}
	case ir.OpEq, ir.OpNe:
		key := equality{w.A(c), w.B(c)}
		if p := f.pairs[key]; p.in == 0 || !f.open[p.in-1] {
			f.pairs[key] = equalFact{reg + 1, val == (w.Op[c] == ir.OpEq)}
		}
		// Floats that are equal need not be the same: the zeros are not.
		b := w.B(c)
		if _, ok := w.bits(b); ok && val == (w.Op[c] == ir.OpEq) && w.must(checkEqualFloats, !isReal(w.Type[b])) {
			f.note(w.A(c), b, reg)
		}
	}
}

func isReal(t ir.Type) bool { return t.IsFloat() || t.IsHalf() }

// note sets a fact, unless one that holds for longer is there.
func (f *facts) note(v, value ir.Row, reg uint32) {
	if f.of(v) == v && f.w.Op[v] != ir.OpConst {
		for int(v) >= len(f.in) { // rows that the pass has made
			f.in, f.value = append(f.in, 0), append(f.value, 0)
		}
		f.in[v], f.value[v] = reg+1, value
	}
}
