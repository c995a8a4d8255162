package device

import (
	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// operands are the heads and the literals of the rules of a shape, in tables that all shapes share, by rule.
type operands struct {
	*build.Builder
	heads, literals ir.Object
	at              map[*rules.Term]uint32 // where the heads of an op begin, or the literals
	rule            build.Value            // index in the shape
}

// operandsOf makes the tables.
func operandsOf(b *build.Builder, all []*shape) (list []*operands) {
	var heads, literals []uint64
	for _, s := range all {
		o := &operands{Builder: b, at: map[*rules.Term]uint32{}}
		ops, numbers := 0, 0
		var visit func(t *rules.Term, right bool)
		visit = func(t *rules.Term, right bool) {
			switch {
			case t.Kind == rules.Literal:
				o.at[t] = uint32(len(literals))
				for _, m := range s.list {
					literals = append(literals, m.literals[numbers])
				}
				numbers++
			case t.Kind == rules.Apply && !(right && computed(t)):
				o.at[t] = uint32(len(heads))
				for _, m := range s.list {
					heads = append(heads, uint64(m.heads[ops]))
				}
				ops++
			}
			for _, a := range t.Args {
				visit(a, right)
			}
		}
		visit(s.list[0].left, false)
		visit(s.list[0].right, true)
		list = append(list, o)
	}
	headTable := b.Table("heads", ir.U32, append(heads, 0))
	literalTable := b.Table("literals", ir.U64, append(literals, 0))
	for _, o := range list {
		o.heads, o.literals = headTable, literalTable
	}
	return list
}

func (o *operands) head(t *rules.Term) build.Value    { return o.load(o.heads, t) }
func (o *operands) literal(t *rules.Term) build.Value { return o.load(o.literals, t) }

func (o *operands) load(table ir.Object, t *rules.Term) build.Value {
	return o.Load(table, o.Add(o.rule, o.U32(o.at[t])))
}

// binding is a variable of a rule where the program is written.
type binding struct {
	bound bool
	class build.Value
	bits  build.Value // of a constant, raw
}

// search writes the search of a shape.
type search struct {
	*emitter
	of    *match // the first of the rules, for all that they have in common
	given *operands
	vars  []binding
	left  build.Value // class of the row that the left side begins with
	lanes bool        // the next join is shared by the lanes of a warp
}

// pending is a term that a class is to match.
type pending struct {
	term  *rules.Term
	class build.Value
}

// searchProgram writes the wave of all shapes, one after the other: what they read none writes, so no barrier is
// between them. With several graphs, each is searched until it ends.
func searchProgram(all []*shape, several bool) (*ir.Program, error) {
	e := newEmitter("search")
	e.If(e.Eq(e.Load(e.table.header, e.U32(saturation.Act)), e.U32(saturation.Search)), func() {
		for i, o := range operandsOf(e.Builder, all) {
			all[i].search(e, o, several)
		}
	})
	return e.finish(e.graphs, saturation.Made)
}

// search writes the loop of a shape. A warp takes a row of the outermost head, and its lanes the rows of a child's
// class; where no child is an op, a lane takes a row.
func (s *shape) search(e *emitter, given *operands, several bool) {
	m := s.list[0]
	w := &search{emitter: e, of: m, given: given, vars: make([]binding, len(m.rule.Vars))}
	for _, a := range m.left.Args {
		w.lanes = w.lanes || a.Kind == rules.Apply
	}
	within := func(do func()) { do() }
	if several {
		within = e.inGraph
	}
	first, step := e.Global(0), e.Mul(e.Groups(0), e.U32(threads))
	if w.lanes {
		first, step = e.Shr(first, e.U32(5)), e.Shr(step, e.U32(5))
	}
	e.For(first, e.Load(e.table.header, e.U32(saturation.Listed)), step, func(i build.Value, _ build.Label) {
		k := e.Load(e.lists.key, i)
		h := e.head(k)
		e.For(e.U32(0), e.U32(uint32(len(s.list))), e.U32(1), func(r build.Value, _ build.Label) {
			w.given.rule = r
			e.If(e.Eq(h, w.given.head(m.left)), func() {
				slot := e.Load(e.lists.slot, i)
				w.left = e.Load(e.lists.root, slot)
				e.table.graph = e.ofStamp(e.load(e.table.stamp, slot))
				within(func() {
					w.kids(m.left, k, e.isNew(k), nil, func(fresh build.Value) {
						e.If(fresh, func() { e.table.unite(w.made(m.right), w.left) })
					})
				})
			})
		})
	})
}

// inGraph does something for a row unless its graph has ended, and counts for the graph what that made.
func (e *emitter) inGraph(do func()) {
	t := &e.table
	at := e.Mul(t.graph, e.U32(saturation.GraphWords))
	e.If(e.Eq(e.Load(e.graphs, e.Add(at, e.U32(saturation.Status))), e.U32(saturation.Running)), func() {
		do()
		e.If(e.Ne(t.made.Get(), e.U32(0)), func() {
			e.AtomicAdd(e.graphs, e.Add(at, e.U32(saturation.Made)), t.made.Get(), ir.Relaxed, ir.Device)
			t.made.Set(e.U32(0))
		})
	})
}

// kids goes on with the children of a row, in both orders if the head is commutative. fresh says whether a row so far
// is new. What needs no join comes first.
func (w *search) kids(t *rules.Term, k, fresh build.Value, rest []pending, then func(fresh build.Value)) {
	goOn := func(fresh build.Value, classes ...build.Value) {
		var next, ops []pending
		for i, a := range t.Args {
			if a.Kind == rules.Apply {
				ops = append(ops, pending{a, classes[i]})
			} else {
				next = append(next, pending{a, classes[i]})
			}
		}
		w.match(append(append(next, rest...), ops...), fresh, then)
	}
	a, b := w.first(k), w.second(k)
	switch {
	case len(t.Args) == 1:
		goOn(fresh, a)
	case len(t.Args) == 3:
		part := w.lists.last(a)
		goOn(w.Or(fresh, w.isNew(part)), w.first(part), w.second(part), b)
	case swaps(t):
		w.For(w.U32(0), w.Select(w.Eq(a, b), w.U32(1), w.U32(2)), w.U32(1), func(order build.Value, _ build.Label) {
			swap := w.Ne(order, w.U32(0))
			goOn(fresh, w.Select(swap, b, a), w.Select(swap, a, b))
		})
	default:
		goOn(fresh, a, b)
	}
}

// swaps reports whether the children of an op are tried in both orders.
func swaps(t *rules.Term) bool {
	return len(t.Args) == 2 && t.Op.Info().Attr&ir.Commutative != 0 && fault != faultOrder
}

// match matches the terms that wait, and then does something where the condition holds.
func (w *search) match(wait []pending, fresh build.Value, then func(fresh build.Value)) {
	if len(wait) == 0 {
		w.when(fresh, then)
		return
	}
	t, class, rest := wait[0].term, wait[0].class, wait[1:]
	switch t.Kind {
	case rules.Value, rules.Constant:
		v := &w.vars[t.Var]
		if v.bound {
			w.If(w.Eq(v.class, class), func() { w.match(rest, fresh, then) })
			return
		}
		bind := func(bits, fresh build.Value) {
			*v = binding{true, class, bits}
			w.match(rest, fresh, then)
			v.bound = false
		}
		if t.Kind == rules.Value {
			bind(0, fresh)
		} else {
			w.constantOf(t.Type, class, fresh, bind)
		}
	case rules.Literal:
		w.constantOf(t.Type, class, fresh, func(raw, fresh build.Value) {
			w.If(w.Eq(raw, w.given.literal(t)), func() { w.match(rest, fresh, then) })
		})
	default:
		w.join(t, class, rest, fresh, then)
	}
}

// constantOf goes on if a class has a constant.
func (w *search) constantOf(t ir.Type, class, fresh build.Value, then func(raw, fresh build.Value)) {
	slot := w.Load(w.lists.constant, class)
	w.If(w.Ne(slot, w.U32(saturation.None)), func() {
		seen := w.And(w.load(w.table.stamp, slot), w.U32(saturation.When))
		then(w.raw(t, slot), w.Or(fresh, w.Le(w.table.searches, seen)))
	})
}

// join goes on with each row of a class that has the head of a term.
func (w *search) join(t *rules.Term, class build.Value, rest []pending, fresh build.Value,
	then func(fresh build.Value)) {
	n := w.Load(w.lists.count, class)
	end := w.Load(w.lists.end, class)
	first, step := w.Sub(end, w.And(n, w.U32(saturation.Counted))), w.U32(1)
	if w.lanes {
		first, step = w.Add(first, w.Lane()), w.U32(32)
	}
	shared := w.lanes
	w.lanes = false
	rows := func() {
		w.For(first, end, step, func(j build.Value, _ build.Label) {
			k := w.Load(w.lists.key, j)
			either := w.Or(fresh, w.isNew(k))
			if fault == faultJoin {
				either = fresh
			}
			w.If(w.Eq(w.head(k), w.given.head(t)), func() { w.kids(t, k, either, rest, then) })
		})
	}
	if plain(t, rest) && !asks(w.of.rule) { // else what comes later may be new
		w.If(w.Or(fresh, w.Ne(w.And(n, w.U32(saturation.Fresh)), w.U32(0))), rows)
	} else {
		rows()
	}
	w.lanes = shared
}

// plain reports whether the rows of a term are the last ones that are looked at.
func plain(t *rules.Term, rest []pending) bool {
	for _, a := range t.Args {
		if a.Kind != rules.Value {
			return false
		}
	}
	for _, p := range rest {
		if p.term.Kind != rules.Value {
			return false
		}
	}
	return len(t.Args) < 3 // a part is a row as well
}

// when goes on if the condition of the rule holds.
func (w *search) when(fresh build.Value, then func(fresh build.Value)) {
	r := w.of.rule
	if r.Cond == "" {
		then(fresh)
		return
	}
	var c []build.Value
	for _, v := range r.Of {
		if at := &w.vars[v]; r.Vars[v].Const {
			c = append(c, at.bits)
		} else {
			c = append(c, w.And(w.Not(w.load(w.zeros, at.class)), w.U64(r.Vars[v].Type.Mask())))
			fresh = w.Or(fresh, w.Le(w.table.searches, w.load(w.learned, at.class)))
		}
	}
	w.If(conditions[r.Cond](w.Builder, r.Vars[r.Of[0]].Type, uint64(r.Type.Bits()), c), func() { then(fresh) })
}

// made returns the class of a term of the right side, whose rows it puts into the table.
func (w *search) made(t *rules.Term) build.Value {
	switch {
	case t.Kind == rules.Value || t.Kind == rules.Constant:
		return w.vars[t.Var].class
	case computed(t):
		return w.table.number(t.Type, w.untyped(w.value(t)))
	}
	var kids []build.Value
	for _, a := range t.Args {
		kids = append(kids, w.made(a))
	}
	return w.table.row(w.given.head(t), swaps(t), kids)
}

// value computes a term of constants.
func (w *search) value(t *rules.Term) build.Value {
	switch t.Kind {
	case rules.Constant:
		return w.typed(t.Type, w.vars[t.Var].bits)
	case rules.Literal:
		return w.typed(t.Type, w.given.literal(t))
	}
	var args []build.Value
	for _, a := range t.Args {
		args = append(args, w.value(a))
	}
	return w.compute(t.Op, t.Type, 0, args...)
}
