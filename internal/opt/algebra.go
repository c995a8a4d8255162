package opt

import "github.com/govyre/vyre/ir"

// maxSteps bounds the rewrites of one row. Rules go down, so few are ever needed.
const maxSteps = 16

// algebra applies the rule table (rules.go) and the rules of conversions (convert.go) to every pure row,
// again until none applies. One sweep: operands are simplified before what uses them.
func algebra(w *work) {
	for it := w.rows(); it.step(); {
		if it.at == atRow && w.pure(it.row) {
			w.simplify(it.row)
		}
	}
}

// simplify rewrites row r until no rule applies and returns what it became.
func (w *work) simplify(r ir.Row) ir.Row {
	table := ruleTable()
	for range maxSteps {
		if w.gone[r] || w.fold(r) {
			break
		}
		if w.info(r).Attr&ir.Commutative != 0 {
			w.orderOperands(r)
		}
		if w.convert(r) {
			continue
		}
		if !w.applyFirst(table[w.Op[r]], r) {
			break
		}
	}
	return w.find(r)
}

// applyFirst applies to row r the first of the rules that matches, and reports whether there is one. Few rules come further
// than the ops of the operands.
func (w *work) applyFirst(rules []*rule, r ir.Row) bool {
	w.visits += len(rules)
	var x, y ir.Op
	a, b := w.A(r), w.B(r)
	if a != ir.NoRow {
		x = w.Op[a]
	}
	if b != ir.NoRow {
		y = w.Op[b]
	}
	for _, ru := range rules {
		straight, swapped := ru.resembles(x, y)
		if l := ru.second; l != nil {
			straight, swapped = straight && w.match(l, b, nil), swapped && w.match(l, a, nil)
		}
		if (straight || swapped) && w.apply(ru, r, straight, swapped) {
			return true
		}
	}
	return false
}

// binding is what the variables of a rule stand for.
type binding [6]ir.Row

var unbound = binding{ir.NoRow, ir.NoRow, ir.NoRow, ir.NoRow, ir.NoRow, ir.NoRow}

// apply rewrites row r by a rule if that matches, with the operands as they stand or swapped.
func (w *work) apply(ru *rule, r ir.Row, straight, swapped bool) bool {
	b := unbound
	if straight = straight && w.matchArgs(ru.left, [3]ir.Row{w.A(r), w.B(r), w.C(r)}, &b); !straight {
		if b = unbound; !swapped || !w.matchArgs(ru.left, [3]ir.Row{w.B(r), w.A(r)}, &b) {
			return false
		}
	}
	t := w.Type[b[ru.typed]]
	if !w.must(checkClass, ru.types.Has(t)) {
		return false
	}
	width := uint64(t.Bits())
	if ru.when != "" {
		var c [2]uint64
		for i, v := range ru.of {
			c[i], _ = w.bits(b[v])
		}
		if ct := w.Type[b[ru.of[0]]]; !w.must(checkCondition, conditions[ru.when](ct, ct.Mask(), width, c[:len(ru.of)])) {
			return false
		}
	}
	if ru.right.kind != termOp {
		if !w.replace(r, w.build(ru.right, r, w.Type[r], width, &b)) {
			return false
		}
	} else {
		args := w.buildArgs(ru.right, r, w.Type[r], width, &b)
		w.become(r, ru.right.op, 0, args[:len(ru.right.args)]...)
	}
	w.hit(ru.name)
	return true
}

// resembles reports whether operands of these ops may be those of the pattern, as they stand or swapped.
func (ru *rule) resembles(x, y ir.Op) (straight, swapped bool) {
	a, b := ru.ops[0], ru.ops[1]
	return (a == 0 || a == x) && (b == 0 || b == y), ru.swaps && (a == 0 || a == y) && (b == 0 || b == x)
}

// match compares a pattern with row r.
func (w *work) match(p *term, r ir.Row, b *binding) bool {
	switch p.kind {
	case termVar, termConst:
		if p.kind == termConst && w.Op[r] != ir.OpConst {
			return false
		}
		if b[p.v] == ir.NoRow {
			b[p.v] = r
			return true
		}
		return b[p.v] == r
	case termLit:
		bits, ok := w.bits(r)
		t := w.Type[r]
		// Zero and false have equal bits.
		if !ok || (t == ir.Bool) != (p.lit == litTrue || p.lit == litFalse) {
			return false
		}
		return bits == literal(p, t, t.Mask(), uint64(t.Bits()))
	}
	if w.Op[r] != p.op {
		return false
	}
	args := [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	save := *b
	if w.matchArgs(p, args, b) {
		return true
	}
	if w.info(r).Attr&ir.Commutative == 0 || len(p.args) != 2 {
		return false
	}
	*b = save
	return w.matchArgs(p, [3]ir.Row{args[1], args[0]}, b)
}

func (w *work) matchArgs(p *term, args [3]ir.Row, b *binding) bool {
	for i, a := range p.args {
		if !w.match(a, args[i], b) {
			return false
		}
	}
	return true
}

// build makes a row of a term of type t, in front of row at.
func (w *work) build(p *term, at ir.Row, t ir.Type, width uint64, b *binding) ir.Row {
	switch p.kind {
	case termVar, termConst:
		return b[p.v]
	case termLit:
		return w.constant(t, literal(p, t, t.Mask(), width))
	}
	args := w.buildArgs(p, at, t, width, b)
	return w.simplify(w.before(at, p.op, t, 0, args[:len(p.args)]...))
}

// buildArgs makes rows of the operands of a term.
func (w *work) buildArgs(p *term, at ir.Row, t ir.Type, width uint64, b *binding) (args [3]ir.Row) {
	typeOf := func(v int) ir.Type { return w.Type[b[v]] }
	for i, a := range p.args {
		args[i] = w.build(a, at, argType(p, i, t, typeOf), width, b)
	}
	return args
}

// argType is the type that operand i of an op of result type t must have.
func argType(p *term, i int, t ir.Type, typeOf func(v int) ir.Type) ir.Type {
	in := p.op.Info()
	if one := in.In[i].Set.One(); one != ir.None {
		return one
	}
	if in.Result.Kind == ir.ResultSame {
		return t
	}
	for _, a := range p.args {
		if u := termType(a, typeOf); u != ir.None {
			return u
		}
	}
	return ir.None
}

// termType is the type of a term, None if only its place can tell.
func termType(p *term, typeOf func(v int) ir.Type) ir.Type {
	switch p.kind {
	case termVar, termConst:
		return typeOf(p.v)
	case termLit:
		return ir.None
	}
	in := p.op.Info()
	if in.Result.Kind == ir.ResultFixed {
		return in.Result.Type
	}
	for i, a := range p.args {
		if in.In[i].Set.One() != ir.None {
			continue
		}
		if u := termType(a, typeOf); u != ir.None {
			if in.Result.Kind == ir.ResultUnsigned {
				return u.Unsigned()
			}
			return u
		}
	}
	return ir.None
}
