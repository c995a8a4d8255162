package opt

import (
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// maxSteps bounds the rewrites of one row. Rules go down, so few are ever needed.
const maxSteps = 16

// algebra applies the rule table (package rules) and the rules of conversions (convert.go) to every pure row,
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
	table := tables().algebra
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

// applyFirst applies to row r the first of the rules of its op that matches, and reports whether there is one.
func (w *work) applyFirst(rules *rulesOf, r ir.Row) bool {
	if rules == nil {
		return false
	}
	var x, y ir.Op
	a, b := w.A(r), w.B(r)
	if a != ir.NoRow {
		x = w.Op[a]
	}
	if b != ir.NoRow {
		y = w.Op[b]
	}
	list := rules.like(x, y)
	w.visits += 1 + len(list)
	for _, c := range list {
		straight, swapped := c.straight, c.swapped
		if l := c.second; l != nil {
			straight, swapped = straight && w.match(l, b, nil), swapped && w.match(l, a, nil)
		}
		if (straight || swapped) && w.apply(c.rule, r, straight, swapped) {
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
	t := w.Type[r]
	if ru.Typed >= 0 {
		t = w.Type[b[ru.Typed]]
	}
	at := ru.At(t)
	if at == nil || !w.must(checkParts, w.typedAs(at.Left, r)) {
		return false
	}
	if len(ru.Of) > 0 && !w.must(checkCondition, w.holds(at, &b)) || ru.makes > 0 && w.freed(ru.left, r) < ru.makes {
		return false
	}
	keep := ir.NoRow
	before := [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	if at.Right.Kind != rules.Apply {
		if keep = w.build(at.Right, r, &b); !w.replace(r, keep) {
			return false
		}
	} else {
		args := w.buildArgs(at.Right, r, &b)
		w.become(r, at.Right.Op, 0, args[:len(at.Right.Args)]...)
	}
	for _, v := range before {
		w.drop(v, keep)
	}
	w.hit(ru.Name)
	return true
}

// freed counts the ops below the root of a pattern that row r matches, and that nothing else uses.
func (w *work) freed(p *rules.Term, r ir.Row) (n int) {
	for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
		if v == ir.NoRow || w.uses[v] != 1 || i >= len(p.Args) {
			continue
		}
		a := p.Args[i]
		if a.Kind != rules.Apply || a.Op != w.Op[v] { // the operands match in the other order
			a = p.Args[len(p.Args)-1-i]
		}
		if a.Kind == rules.Apply && a.Op == w.Op[v] {
			n += 1 + w.freed(a, v)
		}
	}
	return n
}

// drop removes row v, and what only it used, if nothing uses it any more: a rule that asks for single uses sees them at once.
// Row keep stays.
func (w *work) drop(v, keep ir.Row) {
	if v == ir.NoRow || v == keep || w.gone[v] || w.uses[v] != 0 || w.Op[v] == ir.OpConst || !w.pure(v) {
		return
	}
	operands := [3]ir.Row{w.A(v), w.B(v), w.C(v)}
	w.remove(v)
	for _, u := range operands {
		w.drop(u, keep)
	}
}

// typedAs reports whether the rows that match a pattern have the types of the rule. Those of a literal, and of what is made of it,
// may be others than the variables say: (shl 1 (ctz ?x)) of 32 bits counts the zeros of a value of 64 bits.
func (w *work) typedAs(p *rules.Term, r ir.Row) bool {
	if p.Type != w.Type[r] || p.Kind == rules.Apply && w.Op[r] != p.Op {
		return false
	}
	if p.Kind != rules.Apply {
		return true
	}
	straight, swapped := true, len(p.Args) == 2 && commutes(p.Op)
	for i, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
		if i < len(p.Args) {
			straight = straight && w.typedAs(p.Args[i], v)
			swapped = swapped && w.typedAs(p.Args[1-i], v)
		}
	}
	return straight || swapped
}

// holds reports whether the condition of a rule at a type holds.
func (w *work) holds(at *rules.Rule, b *binding) bool {
	var c [2]uint64
	for i, v := range at.Of {
		var ok bool
		if c[i], ok = w.bits(b[v]); !ok {
			return false // about a value of which only an e-graph knows bits
		}
	}
	return at.Holds(c[:len(at.Of)]...)
}

// match compares a pattern with row r.
func (w *work) match(p *rules.Term, r ir.Row, b *binding) bool {
	switch p.Kind {
	case rules.Value, rules.Constant:
		if p.Kind == rules.Constant && w.Op[r] != ir.OpConst {
			return false
		}
		if b[p.Var] == ir.NoRow {
			b[p.Var] = r
			return true
		}
		return b[p.Var] == r
	case rules.Literal:
		bits, ok := w.bits(r)
		return ok && p.Is(w.Type[r], bits)
	}
	if w.Op[r] != p.Op {
		return false
	}
	args := [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	save := *b
	if w.matchArgs(p, args, b) {
		return true
	}
	if w.info(r).Attr&ir.Commutative == 0 || len(p.Args) != 2 {
		return false
	}
	*b = save
	return w.matchArgs(p, [3]ir.Row{args[1], args[0]}, b)
}

func (w *work) matchArgs(p *rules.Term, args [3]ir.Row, b *binding) bool {
	for i, a := range p.Args {
		if !w.match(a, args[i], b) {
			return false
		}
	}
	return true
}

// build makes a row of a term of a rule at a type, in front of row at.
func (w *work) build(p *rules.Term, at ir.Row, b *binding) ir.Row {
	switch p.Kind {
	case rules.Value, rules.Constant:
		return b[p.Var]
	case rules.Literal:
		return w.constant(p.Type, p.Bits)
	}
	args := w.buildArgs(p, at, b)
	return w.simplify(w.before(at, p.Op, p.Type, 0, args[:len(p.Args)]...))
}

// buildArgs makes rows of the operands of a term.
func (w *work) buildArgs(p *rules.Term, at ir.Row, b *binding) (args [3]ir.Row) {
	for i, a := range p.Args {
		args[i] = w.build(a, at, b)
	}
	return args
}
