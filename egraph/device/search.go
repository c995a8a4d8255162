package device

import (
	"fmt"

	"github.com/govyre/vyre/egraph/device/internal/saturation"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/rules"
)

// emitter writes the program of a wave that reads the lists and puts rows into the table.
type emitter struct {
	*build.Builder
	header, list, listKey, root, count, end, constant ir.Object
	keys, parent, stamp, counters, graphs             ir.Object
	several                                           bool        // graphs
	tag                                               build.Value // of the graph of the row that is looked at
	searches                                          build.Value
	made, used, full                                  *build.Var
}

// emitted are the columns of an emitter, in the order of its parameters.
var emitted = []place{headers, list, listKeys, root, count, end, constant, keys, nodes, stamp, counters, graphs}

func newEmitter(name string, several bool) *emitter {
	b := build.New(name, build.Workgroup(threads))
	e := &emitter{Builder: b, several: several}
	e.header = b.Buffer("header", ir.U32, ir.RO)
	e.list = b.Buffer("list", ir.U32, ir.RO)
	e.listKey = b.Buffer("listKey", ir.U64, ir.RO)
	e.root = b.Buffer("root", ir.U32, ir.RO)
	e.count = b.Buffer("count", ir.U32, ir.RO)
	e.end = b.Buffer("end", ir.U32, ir.RO)
	e.constant = b.Buffer("constant", ir.U32, ir.RO)
	e.keys = b.Buffer("keys", ir.U64, ir.RW)
	e.parent = b.Buffer("parent", ir.U32, ir.RW)
	e.stamp = b.Buffer("stamp", ir.U32, ir.RW)
	e.counters = b.Buffer("counters", ir.U32, ir.RW)
	e.graphs = b.Buffer("graphs", ir.U32, ir.RW)
	e.searches = b.Load(e.header, b.U32(saturation.Searches))
	e.made, e.used, e.full = b.Var(b.U32(0)), b.Var(b.U32(0)), b.Var(b.U32(0))
	return e
}

func (e *emitter) load(o ir.Object, i build.Value) build.Value {
	return e.Atomic(ir.OpAtomicLoad, o, ir.Relaxed, ir.Device, i)
}

func (e *emitter) increase(v *build.Var) { v.Set(e.Add(v.Get(), e.U32(1))) }

// counted adds what the lanes of a warp have to a counter.
func (e *emitter) counted(o ir.Object, word uint32, v *build.Var) {
	sum := e.Op(ir.OpReduceAdd, v.Get())
	e.If(e.And(e.Eq(e.Lane(), e.U32(0)), e.Ne(sum, e.U32(0))), func() {
		e.AtomicAdd(o, e.U32(word), sum, ir.Relaxed, ir.Device)
	})
}

// finish ends the program, with the rows and unions that were made in a counter.
func (e *emitter) finish(o ir.Object, word uint32) (*ir.Program, error) {
	e.counted(o, word, e.made)
	e.counted(e.counters, saturation.Used, e.used)
	e.counted(e.counters, saturation.Full, e.full)
	return e.Program()
}

// head, first and second take a key apart.
func (e *emitter) head(k build.Value) build.Value {
	return e.And(e.Cvt(ir.U32, e.Shr(k, e.U32(saturation.HeadShift))), e.U32(saturation.HeadMask))
}

func (e *emitter) first(k build.Value) build.Value {
	return e.And(e.Cvt(ir.U32, e.Shr(k, e.U32(saturation.KidBits))), e.U32(saturation.KidMask))
}

func (e *emitter) second(k build.Value) build.Value {
	return e.And(e.Cvt(ir.U32, k), e.U32(saturation.KidMask))
}

// key makes one.
func (e *emitter) key(head, a, b build.Value) build.Value {
	wide := func(v build.Value) build.Value { return e.Cvt(ir.U64, v) }
	return e.Or(e.Or(e.Shl(wide(head), e.U32(saturation.HeadShift)), e.Shl(wide(a), e.U32(saturation.KidBits))), wide(b))
}

// insert returns the class of a key, which it puts into the table if it is not there. It is saturation's insert.
func (e *emitter) insert(k build.Value) build.Value {
	h := e.Xor(k, e.Shr(k, e.U32(29)))
	h = e.Mul(h, e.U64(0xBF58476D1CE4E5B9))
	h = e.Xor(h, e.Shr(h, e.U32(32)))
	mask := e.Sub(e.Load(e.header, e.U32(saturation.Slots)), e.U32(1))
	at, left := e.Var(e.And(e.Cvt(ir.U32, h), mask)), e.Var(e.U32(saturation.Probes))
	e.Loop(nil, func(l build.Label, _ []build.Value) {
		have := e.Var(e.load(e.keys, at.Get()))
		e.If(e.Eq(have.Get(), e.U64(1<<64-1)), func() {
			have.Set(e.AtomicCas(e.keys, at.Get(), e.U64(1<<64-1), k, ir.Relaxed, ir.Device))
			e.If(e.Eq(have.Get(), e.U64(1<<64-1)), func() {
				e.Atomic(ir.OpAtomicStore, e.stamp, ir.Relaxed, ir.Device, at.Get(),
					e.Or(e.Shl(e.tag, e.U32(saturation.TagBits)), e.Add(e.searches, e.U32(1))))
				e.increase(e.made)
				e.increase(e.used)
				e.Break(l)
			})
		})
		e.If(e.Eq(have.Get(), k), func() { e.Break(l) })
		left.Set(e.Sub(left.Get(), e.U32(1)))
		e.If(e.Eq(left.Get(), e.U32(0)), func() {
			e.increase(e.full)
			e.Break(l)
		})
		at.Set(e.And(e.Add(at.Get(), e.U32(1)), mask))
	})
	return e.top(at.Get())
}

// top returns the root of a class.
func (e *emitter) top(c build.Value) build.Value {
	v := e.Var(c)
	e.Loop(nil, func(l build.Label, _ []build.Value) {
		up := e.load(e.parent, v.Get())
		e.If(e.Eq(up, v.Get()), func() { e.Break(l) })
		v.Set(up)
	})
	return v.Get()
}

// unite makes one class of two. It is closure's Join.
func (e *emitter) unite(x, y build.Value) {
	a, b := e.Var(x), e.Var(y)
	e.Loop(nil, func(l build.Label, _ []build.Value) {
		a.Set(e.top(a.Get()))
		b.Set(e.top(b.Get()))
		e.If(e.Eq(a.Get(), b.Get()), func() { e.Break(l) })
		high, low := e.Max(a.Get(), b.Get()), e.Min(a.Get(), b.Get())
		old := e.Atomic(ir.OpAtomicMin, e.parent, ir.Relaxed, ir.Device, high, low)
		e.If(e.Eq(old, high), func() {
			e.increase(e.made)
			e.Break(l)
		})
		a.Set(old)
		b.Set(low)
	})
}

// row puts a row of a head with so many children into the table, and returns its class.
func (e *emitter) row(head build.Value, swaps bool, kids []build.Value) build.Value {
	switch {
	case len(kids) == 1:
		return e.insert(e.key(head, kids[0], e.U32(0)))
	case len(kids) == 3:
		part := e.insert(e.key(e.Sub(head, e.U32(1)), kids[0], kids[1]))
		return e.insert(e.key(head, part, kids[2]))
	case swaps:
		return e.insert(e.key(head, e.Min(kids[0], kids[1]), e.Max(kids[0], kids[1])))
	}
	return e.insert(e.key(head, kids[0], kids[1]))
}

// raw is a constant as u64 bits, by the slot of its row.
func (e *emitter) raw(t ir.Type, slot build.Value) build.Value {
	k := e.load(e.keys, slot)
	if t.Bits() < 64 {
		return e.And(k, e.U64(1<<32-1))
	}
	part := func(c build.Value) build.Value {
		return e.And(e.Load(e.listKey, e.Sub(e.Load(e.end, c), e.U32(1))), e.U64(1<<32-1))
	}
	return e.Or(e.Shl(part(e.first(k)), e.U32(32)), part(e.second(k)))
}

// typed makes a value of raw bits, and untyped raw bits of a value.
func (e *emitter) typed(t ir.Type, raw build.Value) build.Value {
	switch {
	case t == ir.Bool:
		return e.Ne(raw, e.U64(0))
	case t.Bits() == 64:
		return e.Bitcast(t, raw)
	}
	return e.Bitcast(t, e.Cvt(ir.U32, raw))
}

func (e *emitter) untyped(v build.Value) build.Value {
	switch t := e.Type(v); {
	case t == ir.Bool:
		return e.Select(v, e.U64(1), e.U64(0))
	case t.IsFloat():
		v = e.CanonNaN(v)
		if t == ir.F64 {
			return e.Bitcast(ir.U64, v)
		}
		return e.Cvt(ir.U64, e.Bitcast(ir.U32, v))
	case t.Bits() == 64:
		return e.Bitcast(ir.U64, v)
	default:
		return e.Cvt(ir.U64, e.Bitcast(ir.U32, v))
	}
}

// number puts a constant into the table, and returns its class.
func (e *emitter) number(t ir.Type, raw build.Value) build.Value {
	tag := e.Shl(e.Cvt(ir.U64, e.tag), e.U32(32))
	if t.Bits() < 64 {
		return e.insert(e.Or(e.Or(raw, tag), e.U64(payload(t, 0))))
	}
	high := e.insert(e.Or(e.Shr(raw, e.U32(32)), tag))
	low := e.insert(e.Or(e.And(raw, e.U64(1<<32-1)), tag))
	return e.insert(e.key(e.U32(uint32(t)), high, low))
}

// compute emits an op of constants.
func (e *emitter) compute(op ir.Op, t ir.Type, x uint32, args ...build.Value) build.Value {
	switch op {
	case ir.OpCvt:
		return e.Cvt(t, args[0])
	case ir.OpBitcast:
		return e.Bitcast(t, args[0])
	}
	return e.OpImm(op, x, args...)
}

// search writes the search of a shape.
type search struct {
	*emitter
	rules    []*match
	rule     build.Value // index in the list of the shape
	heads    []ir.Object // tables of them
	literals []ir.Object
	at       map[*rules.Term]int // number of an op, or of a literal
	bind     []build.Value       // classes of variables
	bits     []build.Value       // raw bits of constants
	bound    []bool
	left     build.Value // class
	lanes    bool        // the first join is shared by the lanes of a warp
}

// pending is a term that a class is to match.
type pending struct {
	term  *rules.Term
	class build.Value
}

// searches writes the wave of all shapes, one after the other: what they read none writes, so no barrier is between
// them.
func searches(all []*shape, several bool) (*ir.Program, error) {
	e := newEmitter("search", several)
	e.If(e.Eq(e.Load(e.header, e.U32(saturation.Act)), e.U32(saturation.Search)), func() {
		for i, s := range all {
			s.search(e, i)
		}
	})
	return e.finish(e.graphs, saturation.Made)
}

// search writes the loop of a shape. A warp takes a row of the outermost head, and its lanes the rows of a child's
// class; where no child is an op, a lane takes a row.
func (s *shape) search(e *emitter, number int) {
	m := s.list[0]
	w := &search{emitter: e, rules: s.list, at: map[*rules.Term]int{}}
	w.tables(number)
	n := len(m.rule.Vars)
	w.bind, w.bits, w.bound = make([]build.Value, n), make([]build.Value, n), make([]bool, n)
	for _, a := range m.left.Args {
		w.lanes = w.lanes || a.Kind == rules.Apply
	}
	first, step := e.Global(0), e.Mul(e.Groups(0), e.U32(threads))
	if w.lanes {
		first, step = e.Shr(first, e.U32(5)), e.Shr(step, e.U32(5))
	}
	e.For(first, e.Load(e.header, e.U32(saturation.Listed)), step, func(i build.Value, _ build.Label) {
		k := e.Load(e.listKey, i)
		h := e.head(k)
		e.For(e.U32(0), e.U32(uint32(len(s.list))), e.U32(1), func(r build.Value, _ build.Label) {
			w.rule = r
			e.If(e.Eq(h, w.headOf(m.left)), func() {
				slot := e.Load(e.list, i)
				w.left = e.Load(e.root, slot)
				e.tag = e.Shr(e.load(e.stamp, slot), e.U32(saturation.TagBits))
				e.ofGraph(func() {
					w.kids(m.left, k, e.Ne(e.Shr(k, e.U32(63)), e.U64(0)), nil, func(fresh build.Value) {
						e.If(fresh, func() { w.apply(m) })
					})
				})
			})
		})
	})
}

// ofGraph does something for a row unless its graph has ended, and counts for the graph what that made.
func (e *emitter) ofGraph(do func()) {
	if !e.several {
		do()
		return
	}
	at := e.Mul(e.tag, e.U32(saturation.GraphWords))
	e.If(e.Eq(e.Load(e.graphs, e.Add(at, e.U32(saturation.Status))), e.U32(saturation.Running)), func() {
		do()
		e.If(e.Ne(e.made.Get(), e.U32(0)), func() {
			e.AtomicAdd(e.graphs, e.Add(at, e.U32(saturation.Made)), e.made.Get(), ir.Relaxed, ir.Device)
			e.made.Set(e.U32(0))
		})
	})
}

// tables makes a table for each op and literal of the shape, by the rule.
func (w *search) tables(number int) {
	m := w.rules[0]
	var ops, literals int
	var visit func(t *rules.Term, right bool)
	visit = func(t *rules.Term, right bool) {
		switch {
		case t.Kind == rules.Literal:
			w.at[t] = literals
			literals++
		case t.Kind == rules.Apply && !(right && computed(t)):
			w.at[t] = ops
			ops++
		}
		for _, a := range t.Args {
			visit(a, right)
		}
	}
	visit(m.left, false)
	visit(m.right, true)
	for k := range ops {
		var list []uint64
		for _, m := range w.rules {
			list = append(list, uint64(m.heads[k]))
		}
		w.heads = append(w.heads, w.Table(fmt.Sprintf("head%d.%d", number, k), ir.U32, list))
	}
	for k := range literals {
		var list []uint64
		for _, m := range w.rules {
			list = append(list, m.literals[k])
		}
		w.literals = append(w.literals, w.Table(fmt.Sprintf("literal%d.%d", number, k), ir.U64, list))
	}
}

func (w *search) headOf(t *rules.Term) build.Value { return w.Load(w.heads[w.at[t]], w.rule) }

func (w *search) literal(t *rules.Term) build.Value { return w.Load(w.literals[w.at[t]], w.rule) }

// kids goes on with the children of a row, in both orders if the head is commutative.
func (w *search) kids(t *rules.Term, k, fresh build.Value, rest []pending, then func(fresh build.Value)) {
	goOn := func(classes []build.Value, fresh build.Value) {
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
		goOn([]build.Value{a}, fresh)
	case len(t.Args) == 3:
		part := w.Load(w.listKey, w.Sub(w.Load(w.end, a), w.U32(1)))
		goOn([]build.Value{w.first(part), w.second(part), b}, w.Or(fresh, w.Ne(w.Shr(part, w.U32(63)), w.U64(0))))
	case swaps(t):
		w.For(w.U32(0), w.Select(w.Eq(a, b), w.U32(1), w.U32(2)), w.U32(1), func(order build.Value, _ build.Label) {
			swap := w.Ne(order, w.U32(0))
			goOn([]build.Value{w.Select(swap, b, a), w.Select(swap, a, b)}, fresh)
		})
	default:
		goOn([]build.Value{a, b}, fresh)
	}
}

// swaps reports whether the children of an op are tried in both orders.
func swaps(t *rules.Term) bool {
	return len(t.Args) == 2 && t.Op.Info().Attr&ir.Commutative != 0
}

// match matches the terms that wait. fresh says whether a row so far is new.
func (w *search) match(wait []pending, fresh build.Value, then func(fresh build.Value)) {
	if len(wait) == 0 {
		w.when(func() { then(fresh) })
		return
	}
	t, class, rest := wait[0].term, wait[0].class, wait[1:]
	switch t.Kind {
	case rules.Value:
		if w.bound[t.Var] {
			w.If(w.Eq(w.bind[t.Var], class), func() { w.match(rest, fresh, then) })
			return
		}
		w.bind[t.Var], w.bound[t.Var] = class, true
		w.match(rest, fresh, then)
		w.bound[t.Var] = false
	case rules.Constant:
		if w.bound[t.Var] {
			w.If(w.Eq(w.bind[t.Var], class), func() { w.match(rest, fresh, then) })
			return
		}
		w.constantOf(t.Type, class, fresh, func(raw, fresh build.Value) {
			w.bind[t.Var], w.bits[t.Var], w.bound[t.Var] = class, raw, true
			w.match(rest, fresh, then)
			w.bound[t.Var] = false
		})
	case rules.Literal:
		w.constantOf(t.Type, class, fresh, func(raw, fresh build.Value) {
			w.If(w.Eq(raw, w.literal(t)), func() { w.match(rest, fresh, then) })
		})
	default:
		w.join(t, class, rest, fresh, then)
	}
}

// constantOf goes on if a class has a constant.
func (w *search) constantOf(t ir.Type, class, fresh build.Value, then func(raw, fresh build.Value)) {
	slot := w.Load(w.constant, class)
	w.If(w.Ne(slot, w.U32(saturation.None)), func() {
		then(w.raw(t, slot), w.Or(fresh, w.Le(w.searches, w.And(w.load(w.stamp, slot), w.U32(saturation.When)))))
	})
}

// join goes on with each row of a class that has the head of a term.
func (w *search) join(t *rules.Term, class build.Value, rest []pending, fresh build.Value, then func(fresh build.Value)) {
	n := w.Load(w.count, class)
	end := w.Load(w.end, class)
	first, step := w.Sub(end, w.And(n, w.U32(saturation.Counted))), w.U32(1)
	if w.lanes {
		first, step = w.Add(first, w.Lane()), w.U32(32)
	}
	shared := w.lanes
	w.lanes = false
	rows := func() {
		w.For(first, end, step, func(j build.Value, _ build.Label) {
			k := w.Load(w.listKey, j)
			w.If(w.Eq(w.head(k), w.headOf(t)), func() {
				w.kids(t, k, w.Or(fresh, w.Ne(w.Shr(k, w.U32(63)), w.U64(0))), rest, then)
			})
		})
	}
	if plain(t, rest) { // else what comes later may be new
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
	return len(t.Args) < 3
}

// when goes on if the condition of the rule holds.
func (w *search) when(then func()) {
	r := w.rules[0].rule
	if r.Cond == "" {
		then()
		return
	}
	var c []build.Value
	for _, v := range r.Of {
		c = append(c, w.bits[v])
	}
	w.If(conditions[r.Cond](w.emitter, r.Vars[r.Of[0]].Type, uint64(r.Type.Bits()), c), then)
}

// apply makes the right side of a match.
func (w *search) apply(m *match) {
	w.unite(w.class(m.right), w.left)
}

// class returns the class of a term of the right side.
func (w *search) class(t *rules.Term) build.Value {
	switch {
	case t.Kind == rules.Value || t.Kind == rules.Constant:
		return w.bind[t.Var]
	case computed(t):
		return w.number(t.Type, w.untyped(w.value(t)))
	}
	var kids []build.Value
	for _, a := range t.Args {
		kids = append(kids, w.class(a))
	}
	return w.row(w.headOf(t), swaps(t), kids)
}

// value computes a term of constants.
func (w *search) value(t *rules.Term) build.Value {
	switch t.Kind {
	case rules.Constant:
		return w.typed(t.Type, w.bits[t.Var])
	case rules.Literal:
		return w.typed(t.Type, w.literal(t))
	}
	var args []build.Value
	for _, a := range t.Args {
		args = append(args, w.value(a))
	}
	return w.compute(t.Op, t.Type, 0, args...)
}

// conditions are those of package rules, for raw bits.
var conditions = map[string]func(e *emitter, t ir.Type, width uint64, c []build.Value) build.Value{
	"pow2": func(e *emitter, _ ir.Type, _ uint64, c []build.Value) build.Value {
		return e.And(e.Ne(c[0], e.U64(0)), e.Eq(e.And(c[0], e.Sub(c[0], e.U64(1))), e.U64(0)))
	},
	"over": func(e *emitter, _ ir.Type, width uint64, c []build.Value) build.Value {
		return e.Le(e.U64(width), c[0])
	},
	"disjoint": func(e *emitter, _ ir.Type, _ uint64, c []build.Value) build.Value {
		return e.Eq(e.And(c[0], c[1]), e.U64(0))
	},
	"differ": func(e *emitter, _ ir.Type, _ uint64, c []build.Value) build.Value { return e.Ne(c[0], c[1]) },
	"product-fits": func(e *emitter, t ir.Type, _ uint64, c []build.Value) build.Value {
		some := e.And(e.Ne(c[0], e.U64(0)), e.Ne(c[1], e.U64(0)))
		return e.And(some, e.Le(c[0], e.Div(e.U64(t.Mask()), c[1])))
	},
	"turn": func(e *emitter, _ ir.Type, width uint64, c []build.Value) build.Value {
		return e.Eq(e.Add(c[0], c[1]), e.U64(width))
	},
	"all-counts": func(e *emitter, _ ir.Type, width uint64, c []build.Value) build.Value {
		return e.Eq(e.And(c[0], e.U64(width-1)), e.U64(width-1))
	},
	"nan": func(e *emitter, t ir.Type, _ uint64, c []build.Value) build.Value {
		sign, fraction := uint64(1)<<(t.Bits()-1), mantissa(t)
		return e.Lt(e.U64(sign-1<<fraction), e.And(c[0], e.U64(sign-1)))
	},
	"reciprocal-exact": func(e *emitter, t ir.Type, width uint64, c []build.Value) build.Value {
		fraction := mantissa(t)
		top := uint64(1)<<(width-1-fraction) - 1
		exp := e.And(e.Shr(c[0], e.U32(uint32(fraction))), e.U64(top))
		normal := e.And(e.Ne(exp, e.U64(0)), e.Ne(exp, e.U64(top)))
		return e.And(e.Eq(e.And(c[0], e.U64(1<<fraction-1)), e.U64(0)), normal)
	},
}

// mantissa is the number of stored mantissa bits.
func mantissa(t ir.Type) uint64 {
	if t == ir.F64 {
		return 52
	}
	return 23
}

// fold writes the wave that computes ops of constants, once the lists are there.
func (s *symbols) fold() (*ir.Program, error) {
	e := newEmitter("fold", false)
	live := e.load(e.counters, e.U32(saturation.Total))
	closed := e.Eq(e.load(e.counters, e.U32(saturation.Changed)), e.U32(0))
	e.If(e.And(closed, e.Eq(e.Load(e.header, e.U32(saturation.Phase)), e.U32(saturation.Closing))), func() {
		e.For(e.Global(0), live, e.Mul(e.Groups(0), e.U32(threads)), func(i build.Value, _ build.Label) {
			k := e.Load(e.listKey, i)
			h := e.head(k)
			e.tag = e.Shr(e.load(e.stamp, e.Load(e.list, i)), e.U32(saturation.TagBits))
			for id, y := range s.of {
				if y.kids > 0 && folds(y.Op) && y.kids == y.Op.Info().Args {
					e.If(e.Eq(h, e.U32(uint32(id))), func() { e.folded(y, k, i) })
				}
			}
		})
	})
	return e.finish(e.counters, saturation.Changed)
}

// folded computes a row if its children are constants.
func (e *emitter) folded(y symbol, k, i build.Value) {
	kids := []build.Value{e.first(k), e.second(k)}
	if y.kids == 3 {
		part := e.Load(e.listKey, e.Sub(e.Load(e.end, kids[0]), e.U32(1)))
		kids = []build.Value{e.first(part), e.second(part), kids[1]}
	}
	kids = kids[:y.kids]
	all := e.Bool(true)
	var slots []build.Value
	for _, c := range kids {
		slot := e.Load(e.constant, c)
		all = e.And(all, e.Ne(slot, e.U32(saturation.None)))
		slots = append(slots, slot)
	}
	e.If(all, func() {
		var args []build.Value
		for n, slot := range slots {
			args = append(args, e.typed(y.from[n], e.raw(y.from[n], slot)))
		}
		value := e.untyped(e.compute(y.Op, y.Type, y.X, args...))
		class := e.Load(e.root, e.Load(e.list, i))
		has := e.Load(e.constant, class)
		known := e.Choose(e.Ne(has, e.U32(saturation.None)),
			func() []build.Value { return []build.Value{e.Eq(e.raw(y.Type, has), value)} },
			func() []build.Value { return []build.Value{e.Bool(false)} })
		e.If(e.Not(known[0]), func() { e.unite(e.number(y.Type, value), class) })
	})
}
