package opt

import (
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// placing puts terms into the program: one walk, root by root. A term is planned first, with the rows that would be made and
// those that would go, and made only if that is cheaper.
type placing struct {
	*equating
	open  []bool
	seen  []bool // by row: the walk has passed it
	depth []int  // by region: how many loops it is in
	bases []bool // by row: it is a sum with a constant that only addresses use
	has   map[classOf][]ir.Row
	rows  map[rowOf][]ir.Row
	plan  plan
	looks int
}

// classOf is a class of an e-graph, rowOf what a row computes.
type classOf struct {
	part  uint32
	class egraph.Class
}

type rowOf struct {
	op      ir.Op
	t       ir.Type
	x       uint32
	a, b, c ir.Row
}

// plan is a term that may be made.
type plan struct {
	freed  map[ir.Row]int32 // by row: uses that would go, less those that would come
	made   []planned
	done   map[int]ref // by node of the term
	cost   int64       // of what would be made, less what would go
	consts int64       // the same of uses of constants
	rounds int64       // the same, each as often as loops may run it
}

// planned is a row that a plan makes.
type planned struct {
	row   rowOf // operands that are not there yet are NoRow
	args  [3]ref
	n     int
	place ir.Row // in front of which it is made
	level ir.Level
}

// ref is a row, a constant, or a row that the plan makes.
type ref struct {
	kind refKind
	row  ir.Row
	made int
	t    ir.Type
	bits uint64
}

type refKind uint8

const (
	refNone refKind = iota // cannot be had
	refRow
	refConstant
	refMade
)

func newPlacing(e *equating) *placing {
	w := e.w
	p := &placing{equating: e, open: make([]bool, len(w.Regions)), seen: make([]bool, w.Rows()), depth: make([]int, len(w.Regions)),
		has: make(map[classOf][]ir.Row), rows: make(map[rowOf][]ir.Row)}
	p.open[0] = true
	p.bases = w.offsets()
	p.plan.freed, p.plan.done = make(map[ir.Row]int32), make(map[int]ref)
	for i := range e.parts {
		p.looks += equateLooks * len(e.parts[i].rows)
	}
	return p
}

func (p *placing) walk() {
	w := p.w
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at == atRow {
			if n := p.partOf(r); n != 0 {
				p.root(n, r)
			}
			if !w.gone[r] {
				p.passed(r)
			}
		}
		if it.at != atRow || !w.gone[r] && w.structured(r) {
			w.track(p.open, &it)
			if it.at == atRow {
				d := p.depth[w.Region[r]]
				if w.info(r).Attr&ir.Repeats != 0 {
					d++
				}
				for i := range w.regions(r) {
					p.depth[w.X[r]+i] = d
				}
			}
		}
	}
}

func (p *placing) partOf(r ir.Row) uint32 {
	if int(r) < len(p.part) {
		return p.part[r]
	}
	return 0
}

// passed notes that row r is there from here on.
func (p *placing) passed(r ir.Row) {
	w := p.w
	for int(r) >= len(p.seen) {
		p.seen = append(p.seen, false)
	}
	p.seen[r] = true
	n := p.partOf(r)
	if n == 0 {
		return
	}
	part := &p.parts[n-1]
	p.note(n, part.g.Find(part.class[r]), r)
	k := rowOf{w.Op[r], w.Type[r], w.immediate(r), w.A(r), w.B(r), w.C(r)}.canonical()
	p.rows[k] = append(p.rows[k], r)
}

func (p *placing) note(n uint32, c egraph.Class, r ir.Row) {
	at := classOf{n, c}
	p.has[at] = append(p.has[at], r)
}

// canonical orders operands that commute.
func (k rowOf) canonical() rowOf {
	if infos[k.op].Attr&ir.Commutative != 0 && k.a > k.b {
		k.a, k.b = k.b, k.a
	}
	return k
}

// there reports whether row v may be used here.
func (p *placing) there(v ir.Row) bool {
	w := p.w
	if w.gone[v] || int(v) >= len(p.seen) || !p.seen[v] && !w.must(checkReach, false) {
		return false
	}
	return w.must(checkReach, p.open[w.Region[v]])
}

// first returns the last row of a list that is there and stays, those aside whose region is closed: they never are again.
func (p *placing) first(list []ir.Row, stays bool) (ir.Row, []ir.Row) {
	for i := len(list) - 1; i >= 0; i-- {
		p.w.visits++
		v := list[i]
		if !p.there(v) {
			list = append(list[:i], list[i+1:]...)
			continue
		}
		if !stays || !p.dies(v) {
			return v, list
		}
	}
	return ir.NoRow, list
}

// dies reports whether the plan leaves nothing that uses row v.
func (p *placing) dies(v ir.Row) bool { return p.plan.freed[v] >= p.w.uses[v] && p.removable(v) }

func (p *placing) removable(v ir.Row) bool { return p.w.Op[v] == ir.OpConst || p.w.pure(v) }

// root replaces row r if its term is cheaper. Of a long term only an inner part may be: that is replaced where it is, since a
// row that is made anew for the root is made in front of it, and what it uses lives until there.
func (p *placing) root(n uint32, r ir.Row) {
	w, part := p.w, &p.parts[n-1]
	if part.term == nil || w.uses[r] == 0 || p.looks <= 0 {
		return
	}
	t, root := part.term, 0
	at, ok := part.at[r]
	if ok {
		root = t.Roots[at]
	} else if root, ok = part.node(r); !ok || part.same(w, r, &t.Nodes[root]) {
		return
	} else {
		at = -1
	}
	got := p.try(n, r, t, root)
	if got.kind == refNone && at >= 0 && part.retries < maxRetries {
		part.retries++ // the term has a leaf that is not there: another one, of those that are
		t = part.extract(func(h egraph.Head) bool {
			return int(h) >= len(part.leaves) || part.leaves[h] == ir.NoRow || p.there(w.find(part.leaves[h]))
		}, r)
		w.visits += equateGrowth * len(part.rows)
		if t == nil {
			return
		}
		root = t.Roots[0]
		got = p.try(n, r, t, root)
	}
	if got.kind == refNone || !p.pays(r) {
		return
	}
	if v := p.put(n, r, got); v != ir.NoRow {
		p.settle(got)
		for _, m := range p.plan.made {
			for _, a := range m.args[:m.n] {
				p.settle(a)
			}
		}
		part.replaced = true
		p.explain(part, r, v, t, root)
		w.hit("cheaper")
	}
}

// node returns the node of the term that is equal to row r.
func (p *equatedPart) node(r ir.Row) (int, bool) {
	if p.nodes == nil {
		p.nodes = make(map[egraph.Class]int, len(p.term.Nodes))
		for i := range p.term.Nodes {
			p.nodes[p.g.Find(p.term.Nodes[i].Class)] = i
		}
	}
	i, ok := p.nodes[p.g.Find(p.class[r])]
	return i, ok
}

// same reports whether a node is what row r computes: its op, of what is equal to its operands.
func (p *equatedPart) same(w *work, r ir.Row, node *egraph.Node) bool {
	h := p.g.Info(node.Head)
	if h.Op != w.Op[r] || h.Type != w.Type[r] || h.X != w.immediate(r) {
		return false
	}
	of := [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	equal := func(k, i int) bool {
		c, ok := p.class[of[i]]
		return !ok || p.g.Find(c) == p.g.Find(p.term.Nodes[k].Class) // what is not of the graph has replaced what is
	}
	straight, swapped := true, h.Commutative && len(node.Kids) == 2
	for i, k := range node.Kids {
		straight = straight && equal(k, i)
		swapped = swapped && equal(k, 1-i)
	}
	return straight || swapped
}

// maxRetries bounds the extractions of single terms from an e-graph: each looks at all of it.
const maxRetries = 8

// pays reports whether the plan for row r costs less, and rounds of loops not more. A constant that many rows use costs nothing
// as long as one of them does. So that a bool is not made anew far below when the last goes, it is when its own use of one may.
func (p *placing) pays(r ir.Row) bool {
	if p.plan.rounds > 0 {
		return false
	}
	return p.plan.cost < 0 || p.plan.cost == 0 && p.plan.consts < 0 && p.w.Type[r] == ir.Bool
}

// try plans a term in the place of row r.
func (p *placing) try(n uint32, r ir.Row, t *egraph.Term, root int) ref {
	w := p.w
	clear(p.plan.freed)
	clear(p.plan.done)
	p.plan.made, p.plan.cost, p.plan.consts, p.plan.rounds = p.plan.made[:0], 0, 0, 0
	p.count(w.Region[r], -int64(p.rowCost(r)))
	for _, v := range [3]ir.Row{w.A(r), w.B(r), w.C(r)} {
		p.free(v)
	}
	got := p.node(n, r, t, root)
	p.uses(got)
	return got
}

func (p *placing) count(region uint32, cost int64) {
	p.plan.cost += cost
	p.plan.rounds += cost << (3 * min(p.depth[region], 5))
}

func (p *placing) rowCost(r ir.Row) uint64 {
	w := p.w
	switch {
	case w.Op[r] == ir.OpConst:
		return constantCost
	case p.base(r):
		return 0
	}
	from := w.Type[r]
	if k := w.info(r).Typed; k > 0 {
		from = w.Type[[3]ir.Row{w.A(r), w.B(r), w.C(r)}[k-1]]
	}
	return OpCost(w.Op[r], w.Type[r], from)
}

// offsets finds the sums of a value and a constant that are used as indices only: the constant is a part of the instruction that
// has the address, and the value is often the index of others.
func (w *work) offsets() []bool {
	is := make([]bool, w.Rows())
	for it := w.rows(); it.step(); {
		r := it.row
		if it.at != atRow {
			continue
		}
		if op := w.Op[r]; (op == ir.OpAdd || op == ir.OpSub) && w.Type[r].IsInt() {
			_, is[r] = w.bits(w.B(r))
		}
		index := ir.NoRow
		if in := w.info(r); in.Imm == ir.ImmObject && in.Args > 0 && in.Attr&(ir.Reads|ir.Writes) != 0 {
			index = w.A(r)
		}
		w.each(r, func(v ir.Row) {
			if v != index {
				is[v] = false
			}
		})
	}
	return is
}

// base reports whether row r is such a sum.
func (p *placing) base(r ir.Row) bool { return int(r) < len(p.bases) && p.bases[r] }

// settle notes that what is referred to is used as a value.
func (p *placing) settle(a ref) {
	if a.kind == refRow && p.base(a.row) {
		p.bases[a.row] = false
	}
}

// free takes a use of row v away in the plan, and what only v used if it was the last.
func (p *placing) free(v ir.Row) {
	w := p.w
	if v == ir.NoRow {
		return
	}
	w.visits++
	p.looks--
	p.plan.freed[v]++
	if w.Op[v] == ir.OpConst {
		p.plan.consts--
	}
	if p.plan.freed[v] != w.uses[v] || !p.removable(v) {
		return
	}
	p.count(w.Region[v], -int64(p.rowCost(v)))
	w.each(v, p.free)
}

// keep gives row v a use in the plan.
func (p *placing) keep(v ir.Row) {
	w := p.w
	p.looks--
	if w.Op[v] == ir.OpConst {
		p.plan.consts++
	}
	died := p.dies(v)
	p.plan.freed[v]--
	if died {
		p.count(w.Region[v], int64(p.rowCost(v)))
		w.each(v, p.keep)
	}
}

// node plans a node of a term in front of row r. What is there, and stays, is used; else what computes the same, or a new row.
func (p *placing) node(n uint32, r ir.Row, t *egraph.Term, at int) ref {
	if got, ok := p.plan.done[at]; ok {
		return got
	}
	p.looks--
	p.w.visits++
	got := p.plans(n, r, t, at)
	p.plan.done[at] = got
	return got
}

func (p *placing) plans(n uint32, r ir.Row, t *egraph.Term, at int) ref {
	w, part, node := p.w, &p.parts[n-1], &t.Nodes[at]
	h := part.g.Info(node.Head)
	switch h.Op {
	case 0:
		v := w.find(part.leaves[node.Head])
		if w.Op[v] == ir.OpConst {
			return p.constant(w.Type[v], w.Pool[w.X[v]])
		}
		if !p.there(v) {
			return ref{}
		}
		return ref{kind: refRow, row: v}
	case ir.OpConst:
		return p.constant(h.Type, h.Bits)
	}
	c := classOf{n, part.g.Find(node.Class)}
	v, list := p.first(p.has[c], true)
	p.has[c] = list
	if v != ir.NoRow && (h.Type != ir.Bool || w.Region[v] == w.Region[r]) { // predicates are few: none lives longer
		return ref{kind: refRow, row: v}
	}
	m := planned{row: rowOf{op: h.Op, t: h.Type, x: h.X, a: ir.NoRow, b: ir.NoRow, c: ir.NoRow}, n: len(node.Kids)}
	for i, k := range node.Kids {
		if m.args[i] = p.node(n, r, t, k); m.args[i].kind == refNone {
			return ref{}
		}
	}
	return p.row(r, m)
}

// constant refers to a constant.
func (p *placing) constant(t ir.Type, bits uint64) ref {
	return ref{kind: refConstant, t: t, bits: bits}
}

// row plans a row, unless there is one that computes the same.
func (p *placing) row(r ir.Row, m planned) ref {
	w := p.w
	all := true
	for i, at := range [3]*ir.Row{&m.row.a, &m.row.b, &m.row.c} {
		if i >= m.n {
			break
		}
		switch a := m.args[i]; a.kind {
		case refRow:
			*at = a.row
		case refConstant:
			if c := w.consts.slots[w.consts.slot(w, a.t, a.bits)]; c != ir.NoRow {
				*at = c
			} else {
				all = false
			}
		default:
			all = false
		}
	}
	if all {
		k := m.row.canonical()
		v, list := p.first(p.rows[k], false)
		if p.rows[k] = list; v != ir.NoRow {
			return ref{kind: refRow, row: v}
		}
	}
	m.place = p.place(r, &m)
	from := m.row.t
	if k := infos[m.row.op].Typed; k > 0 {
		from = p.typeOf(m.args[k-1])
	}
	p.count(w.Region[m.place], int64(OpCost(m.row.op, m.row.t, from)))
	for _, a := range m.args[:m.n] {
		m.level = max(m.level, p.levelOf(a))
		p.uses(a)
	}
	p.plan.made = append(p.plan.made, m)
	return ref{kind: refMade, made: len(p.plan.made) - 1}
}

// uses counts a use of what is referred to.
func (p *placing) uses(a ref) {
	w := p.w
	switch a.kind {
	case refRow:
		p.keep(a.row)
		if p.base(a.row) { // it is then needed as a value
			p.count(w.Region[a.row], instruction)
		}
	case refConstant:
		if c := w.consts.slots[w.consts.slot(w, a.t, a.bits)]; c != ir.NoRow && w.uses[c] > 0 {
			p.keep(c)
		} else {
			p.plan.consts++
			p.count(0, constantCost)
		}
	}
}

func (p *placing) typeOf(a ref) ir.Type {
	switch a.kind {
	case refRow:
		return p.w.Type[a.row]
	case refMade:
		return p.plan.made[a.made].row.t
	}
	return a.t
}

func (p *placing) levelOf(a ref) ir.Level {
	switch a.kind {
	case refRow:
		return p.w.level[a.row]
	case refMade:
		return p.plan.made[a.made].level
	}
	return ir.LevelGrid
}

// place returns the row in front of which a row is made for r: r, or the outermost loop around it that all operands are in
// front of. Predicates are made where they are used: there are few.
func (p *placing) place(r ir.Row, m *planned) ir.Row {
	w := p.w
	deepest := uint32(0) // region of an operand that the others are not below
	for _, a := range m.args[:m.n] {
		reg := uint32(0)
		switch a.kind {
		case refRow:
			reg = w.Region[a.row]
		case refMade:
			reg = w.Region[p.plan.made[a.made].place]
		}
		if p.within(reg, deepest) {
			deepest = reg
		}
	}
	place := r
	if m.row.t == ir.Bool {
		return r
	}
	for at := r; w.Region[at] != deepest; {
		at = w.owner(w.Region[at])
		w.visits++
		if w.info(at).Attr&ir.Repeats != 0 {
			place = at
		}
	}
	return place
}

// within reports whether a region is in another one.
func (p *placing) within(reg, other uint32) bool {
	for reg != other {
		p.w.visits++
		op := p.w.owner(reg)
		if op == ir.NoRow {
			return false
		}
		reg = p.w.Region[op]
	}
	return true
}

// put makes what the plan has and puts it in the place of row r. It returns the row with the value. There is none if
// the term is less uniform and ops rely on uniform control.
func (p *placing) put(n uint32, r ir.Row, root ref) ir.Row {
	w := p.w
	if !w.must(checkLevel, !w.convergent || p.levelOf(root) <= w.level[r]) {
		return ir.NoRow
	}
	before := [3]ir.Row{w.A(r), w.B(r), w.C(r)}
	made := make([]ir.Row, len(p.plan.made))
	get := func(a ref) ir.Row {
		switch a.kind {
		case refMade:
			return made[a.made]
		case refConstant:
			return w.constant(a.t, a.bits)
		}
		return a.row
	}
	keep := r
	for i := range p.plan.made {
		m := &p.plan.made[i]
		var args [3]ir.Row
		for k, a := range m.args[:m.n] {
			args[k] = get(a)
		}
		if root.kind == refMade && root.made == i && w.Type[r] == m.row.t {
			w.become(r, m.row.op, m.row.x, args[:m.n]...)
			made[i] = r
			continue
		}
		made[i] = w.before(m.place, m.row.op, m.row.t, m.row.x, args[:m.n]...)
		p.made(n, made[i])
	}
	if root.kind != refMade {
		if keep = get(root); !w.replace(r, keep) {
			return ir.NoRow
		}
	}
	for _, v := range before {
		w.drop(v, keep)
	}
	return keep
}

// made notes that row r is new, of an e-graph.
func (p *placing) made(n uint32, r ir.Row) {
	for int(r) >= len(p.part) {
		p.part = append(p.part, 0)
	}
	for int(r) >= len(p.seen) {
		p.seen = append(p.seen, false)
	}
	w := p.w
	p.seen[r] = true
	k := rowOf{w.Op[r], w.Type[r], w.X[r], w.A(r), w.B(r), w.C(r)}.canonical()
	p.rows[k] = append(p.rows[k], r)
}
