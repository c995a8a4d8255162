package egraph

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/ir"
)

// Facts is what is known about the value of an integer or bool class: bounds as an unsigned and as a signed number, and
// bits that are certainly 0 or 1, those above the width among the zeros. All hold together.
type Facts = interval.Interval

// maxNarrowed bounds how often the facts of a class get narrower: a cycle such as x = x >> 1 narrows at each look.
const maxNarrowed = 40

// analysis has the facts and the constant of each class. It begins when somebody asks: a graph that is only closed has none.
type analysis struct {
	*rows
	on       bool
	tracking bool      // learned is kept
	facts    []Facts   // by class, right for roots
	constant []uint32  // by class, right for roots: 1 + its constant's row
	times    []uint8   // by class: how often its facts got narrower
	said     []fact    // by the caller
	queue    []Class   // classes of which more is known: rows that use them may know more
	folds    []uint32  // rows whose children are constants
	single   []Class   // classes whose facts leave one number
	learned  []Class   // classes whose facts got narrower, for a run
	clash    [2]uint32 // 1 + rows of two constants that became equal
}

// fact is what a caller has said of a class.
type fact struct {
	class Class
	facts Facts
}

// start begins the analysis with all rows.
func (a *analysis) start() {
	if a.on {
		return
	}
	a.on = true
	for _, t := range a.types {
		a.grow(t)
	}
	for row := range a.rowHead {
		a.made(uint32(row))
	}
}

// grow makes room for a class.
func (a *analysis) grow(t ir.Type) {
	if !a.on {
		return
	}
	var f Facts
	if known(t) {
		f.Full(interval.WidthOf(t))
	}
	if n := len(a.facts); n == cap(a.facts) {
		a.facts, a.constant, a.times = slices.Grow(a.facts, n+8), slices.Grow(a.constant, n+8), slices.Grow(a.times, n+8)
	}
	a.facts, a.constant, a.times = append(a.facts, f), append(a.constant, 0), append(a.times, 0)
}

// known reports whether values of a type have facts.
func known(t ir.Type) bool { return t.IsInt() || t == ir.Bool }

// made looks at a row that is new, or that has new children.
func (a *analysis) made(row uint32) {
	if !a.on || a.isDead(row) {
		return
	}
	h, c := &a.heads.info[a.rowHead[row]], a.sets.find(a.rowClass[row])
	if h.Op == ir.OpConst {
		a.isConstant(c, row)
		return
	}
	if bits, ok := a.fold(h, a.children(row)); ok && !a.has(c, bits) {
		a.folds = append(a.folds, row)
	}
	var f Facts
	if a.transfer(h, a.children(row), &f) {
		a.meet(c, &f)
	}
}

// isConstant notes the constant of a class.
func (a *analysis) isConstant(c Class, row uint32) {
	h := &a.heads.info[a.rowHead[row]]
	if was := a.constant[c]; was != 0 {
		if !a.equal(was-1, row) && a.clash == [2]uint32{} {
			a.clash = [2]uint32{min(was-1, row) + 1, max(was-1, row) + 1}
		}
		return
	}
	a.constant[c] = row + 1
	a.queue = append(a.queue, c)
	if known(h.Type) {
		a.facts[c].Exact(interval.WidthOf(h.Type), h.Bits)
	}
}

// equal reports whether the constants of two rows may be in one class: NaNs of any bits are equal.
func (a *analysis) equal(x, y uint32) bool {
	p, q := &a.heads.info[a.rowHead[x]], &a.heads.info[a.rowHead[y]]
	return p.Bits == q.Bits || isNaN(p) && isNaN(q)
}

// isNaN reports whether a constant is a NaN: it is not equal to itself.
func isNaN(h *HeadInfo) bool {
	return (h.Type.IsFloat() || h.Type.IsHalf()) && exact.Eval(ir.OpNe, h.Type, ir.Bool, 0, h.Bits, h.Bits, 0) != 0
}

// transfer finds the facts of an op by those of its operands, and reports whether there are any.
func (a *analysis) transfer(h *HeadInfo, kids []Class, out *Facts) bool {
	in := h.Op.Info()
	if in == nil || in.Args == 0 || in.Attr&ir.Pure == 0 || !known(h.Type) {
		return false
	}
	from := a.types[kids[0]]
	if !known(from) {
		return false
	}
	of := [3]*Facts{{}, {}, {}}
	for i, k := range kids {
		of[i] = &a.facts[a.sets.find(k)]
	}
	out.Apply(h.Op, h.Type, from, h.X, of[0], of[1], of[2])
	return true
}

// meet adds facts to those of a class. Facts that contradict each other are about a place where control does not come:
// then the first stay.
func (a *analysis) meet(c Class, f *Facts) {
	now := &a.facts[c]
	if now.Within(f) || a.times[c] >= maxNarrowed {
		return
	}
	var both Facts
	both.Meet(interval.WidthOf(a.types[c]), now, f)
	if !both.Within(now) || both.Same(now) {
		return
	}
	now.Set(&both)
	a.times[c]++
	if a.tracking {
		a.learned = append(a.learned, c)
	}
	a.queue = append(a.queue, c)
	if _, one := now.Constant(); one && a.constant[c] == 0 {
		a.single = append(a.single, c)
	}
}

// join takes the facts of a class that stopped being a root to the one that it joined. Rows that use the former are made
// anew; those that use the latter have to be looked at only if more is known of it now.
func (a *analysis) join(lo, hi Class) {
	if !a.on {
		return
	}
	if row := a.constant[hi]; row != 0 {
		a.isConstant(lo, row-1)
	}
	if known(a.types[lo]) {
		a.meet(lo, &a.facts[hi])
	}
}

// rejoin is join for all classes, when somebody else has united them.
func (a *analysis) rejoin() {
	if !a.on {
		return
	}
	for c, root := range a.sets.parent {
		if root != Class(c) {
			a.join(root, Class(c))
		}
	}
	for row := range a.rowHead {
		a.made(uint32(row))
	}
}

// has reports whether the constant of a class has these bits, or is a NaN.
func (a *analysis) has(c Class, bits uint64) bool {
	if a.constant[c] == 0 {
		return false
	}
	h := &a.heads.info[a.rowHead[a.constant[c]-1]]
	return h.Bits == bits || isNaN(h) && isNaN(&HeadInfo{Type: h.Type, Bits: bits})
}

// fold computes an op of constants.
func (a *analysis) fold(h *HeadInfo, kids []Class) (bits uint64, ok bool) {
	if len(kids) == 0 || len(kids) > 3 {
		return 0, false
	}
	var of [3]*HeadInfo
	for i, k := range kids {
		row := a.constant[a.sets.find(k)]
		if row == 0 {
			return 0, false
		}
		of[i] = &a.heads.info[a.rowHead[row-1]]
	}
	return evaluate(h, of[:len(kids)])
}

// evaluate computes an op of constants with the function of the op table. All NaNs of a type are equal here, so that an op
// which tells them apart has no value.
func evaluate(h *HeadInfo, of []*HeadInfo) (bits uint64, ok bool) {
	in := h.Op.Info()
	if in == nil || len(of) != in.Args || in.Attr&ir.Pure == 0 || in.Attr&(ir.Approximate|ir.Convergent) != 0 || exact.Of(h.Op) == nil {
		return 0, false
	}
	var arg [3]uint64
	for i, c := range of {
		if arg[i] = c.Bits; isNaN(c) && (h.Op == ir.OpBitcast || h.Op == ir.OpCopysign) {
			return 0, false
		}
	}
	t := ir.None
	if in.Typed > 0 {
		t = of[in.Typed-1].Type
	}
	return exact.Eval(h.Op, t, h.Type, h.X, arg[0], arg[1], arg[2]), true
}

// check verifies that a class knows what each of its rows does.
func (a *analysis) check() error {
	if !a.on {
		return nil
	}
	for r := range a.rowHead {
		row := uint32(r)
		c := a.sets.find(a.rowClass[row])
		h := &a.heads.info[a.rowHead[row]]
		if a.isDead(row) {
			continue
		}
		if h.Op == ir.OpConst && (a.constant[c] == 0 || !a.equal(a.constant[c]-1, row)) {
			return fmt.Errorf("egraph: class %d has the constant %s, its analysis says row %d", c, a.heads.name(a.rowHead[row]), int(a.constant[c])-1)
		}
		if bits, ok := a.fold(h, a.children(row)); ok && !a.has(c, bits) {
			return fmt.Errorf("egraph: row %d is the constant %s, and class %d is not", row, constant(h.Type, bits), c)
		}
		if err := a.checkFacts(c, h, row); err != nil {
			return err
		}
	}
	return nil
}

func (a *analysis) checkFacts(c Class, h *HeadInfo, row uint32) error {
	var f, both Facts
	if !a.transfer(h, a.children(row), &f) || a.times[c] >= maxNarrowed {
		return nil
	}
	if both.Meet(interval.WidthOf(h.Type), &a.facts[c], &f); both.Within(&a.facts[c]) && !both.Same(&a.facts[c]) {
		return fmt.Errorf("egraph: row %d says more than its class %d: %+v, %+v", row, c, f, a.facts[c])
	}
	return nil
}
