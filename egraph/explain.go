package egraph

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Explain proves that the term with which a class began equals another term: one of Extract, or of Term. The proof takes
// the fewest unions within a class, and proves the children of rows that congruence joined. An error says that they are
// not known to be equal, or that the proof would have more than 65,536 steps.
func (g *Graph) Explain(c Class, to *Term) (*Proof, error) {
	if int(c) >= len(g.types) || to == nil || to.g != g {
		return nil, fmt.Errorf("egraph: no proof about class %d of %d and a term of another graph, or none", c, len(g.types))
	}
	for _, root := range to.Roots {
		if n := &to.Nodes[root]; g.sets.find(n.Class) == g.sets.find(c) {
			return prove(g, c, to, root)
		}
	}
	return nil, fmt.Errorf("egraph: class %d, %s, is not known to equal %s", c, g.term(c), to)
}

func prove(g *Graph, c Class, to *Term, root int) (*Proof, error) {
	e := newExplainer(g)
	p := e.proof
	p.from, p.to = p.terms.class(c), p.terms.nodes(to)[root]
	steps := e.walk(c, g.rowClass[to.Nodes[root].row], e.last())
	steps = append(steps, e.nodes(to, root)...)
	if e.left <= 0 {
		return nil, fmt.Errorf("egraph: the proof that %s equals %s has more than %d steps", p.terms.text(p.from), p.terms.text(p.to), maxSteps)
	}
	p.finish(steps)
	return p, nil
}

// explainer finds proofs. A place in a term is the list of child numbers that leads to it.
type explainer struct {
	*Graph
	proof *Proof
	begin []uint32 // by class id: its edges are those of arcs from here to the next
	arcs  []uint32
	from  []uint32 // by class id: 1 + the edge by which a search came
	queue []Class
	left  int // steps that the proof may have
}

// maxSteps bounds a proof: congruences within congruences can need 2ⁿ steps.
const maxSteps = 1 << 16

func newExplainer(g *Graph) *explainer {
	e := &explainer{Graph: g, left: maxSteps, proof: &Proof{g: g, known: make(map[int]Facts), terms: terms{g: g, ids: make(map[string]int), classes: make(map[Class]int)}}}
	e.begin = make([]uint32, len(g.types)+1)
	edges := &g.reasons.edges
	for i := range edges.len {
		ed := edges.at(i)
		e.begin[ed.a+1]++
		e.begin[ed.b+1]++
	}
	for i := range g.types {
		e.begin[i+1] += e.begin[i]
	}
	next := slices.Clone(e.begin)
	e.arcs, e.from = make([]uint32, 2*edges.len), make([]uint32, len(g.types))
	for i := range edges.len {
		ed := edges.at(i)
		for _, c := range [2]Class{ed.a, ed.b} {
			e.arcs[next[c]] = uint32(i)
			next[c]++
		}
	}
	return e
}

func (e *explainer) last() int { return e.reasons.edges.len }

// path finds the fewest edges between two classes, all earlier than a limit; ok is false if there is none. What made an
// edge was known before it, so that proofs of what it rests on use earlier edges only, and end.
func (e *explainer) path(a, b Class, limit int) (path []uint32, ok bool) {
	if a == b {
		return nil, true
	}
	e.search(b, limit, func(c Class) bool { return c == a })
	if ok = e.from[a] != 0; ok {
		for c := a; c != b; {
			arc := e.from[c] - 1
			path = append(path, arc)
			c = e.reasons.edges.at(int(arc)).other(c)
		}
	}
	return path, ok
}

// search goes from a class over edges earlier than a limit, nearest classes first, until one will do.
func (e *explainer) search(start Class, limit int, do func(Class) bool) {
	for _, c := range e.queue {
		e.from[c] = 0
	}
	e.queue = append(e.queue[:0], start)
	e.from[start] = noRow
	for i := 0; i < len(e.queue); i++ {
		c := e.queue[i]
		if do(c) {
			return
		}
		for _, arc := range e.arcs[e.begin[c]:e.begin[c+1]] {
			if int(arc) >= limit {
				break
			}
			if to := e.reasons.edges.at(int(arc)).other(c); e.from[to] == 0 {
				e.from[to] = arc + 1
				e.queue = append(e.queue, to)
			}
		}
	}
}

// other is the other end of an edge.
func (e *edge) other(c Class) Class { return e.a ^ e.b ^ c }

// walk proves that the terms of two classes are equal, by edges earlier than a limit.
func (e *explainer) walk(a, b Class, limit int) []step {
	if e.left <= 0 {
		return nil
	}
	path, ok := e.path(a, b, limit)
	if !ok {
		panic(fmt.Sprintf("BUG: egraph: classes %d and %d have one root and no proof", a, b))
	}
	var steps []step
	for _, arc := range path {
		e.left--
		ed := e.reasons.edges.at(int(arc))
		if ed.a == a {
			steps = append(steps, e.edge(ed, int(arc))...)
		} else {
			steps = append(steps, backwards(e.edge(ed, int(arc)))...)
		}
		a = ed.other(a)
	}
	return steps
}

// backwards is a proof read from its end.
func backwards(steps []step) []step {
	back := make([]step, len(steps))
	for i, s := range steps {
		s.before, s.after, s.back = s.after, s.before, !s.back
		back[len(steps)-1-i] = s
	}
	return back
}

// edge proves what an edge says, from its a to its b.
func (e *explainer) edge(ed *edge, limit int) []step {
	t := &e.proof.terms
	switch ed.kind {
	case congruent:
		steps := e.ofRow(ed.a, ed.x)
		steps = append(steps, e.children(ed.x, e.original(ed.y), limit)...)
		return append(steps, backwards(e.ofRow(ed.b, ed.y))...)
	case ruled:
		return e.match(ed, limit)
	case folded:
		steps := e.ofRow(ed.a, ed.x)
		var kids []Class
		for _, k := range e.original(ed.x) {
			kids = append(kids, e.constant(k, limit))
		}
		steps = append(steps, e.each(e.original(ed.x), kids, limit)...)
		before := t.apply(e.rowHead[ed.x], t.all(kids))
		return append(steps, step{kind: folded, before: before, after: t.class(ed.b)})
	}
	return []step{{kind: ed.kind, before: t.class(ed.a), after: t.class(ed.b), rule: ed.rule, edge: limit}}
}

// constant returns a class that began as a constant, to which a class was equal by edges earlier than a limit.
func (e *explainer) constant(c Class, limit int) Class {
	found := None
	e.search(c, limit, func(to Class) bool {
		if row := e.begun(to); row != noRow && e.heads.info[e.rowHead[row]].Op == ir.OpConst {
			found = to
		}
		return found != None
	})
	if found == None {
		panic(fmt.Sprintf("BUG: egraph: class %d had no constant", c))
	}
	return found
}

// ofRow proves that the term of a class id is that of a row which is in it. They differ only where Insert has put the row.
func (e *explainer) ofRow(c Class, row uint32) []step {
	if e.begun(c) == row {
		return nil
	}
	t := &e.proof.terms
	return []step{{kind: inserted, before: t.class(c), after: t.row(row), row: row}}
}

// children proves that a row's term equals its head applied to the terms of other classes, which are equal in some order
// if the head is commutative.
func (e *explainer) children(row uint32, to []Class, limit int) []step {
	from := e.original(row)
	if len(from) == 2 && e.heads.info[e.rowHead[row]].Commutative && !e.equal(from, to, limit) {
		t := &e.proof.terms
		swap := step{kind: commuted, before: t.row(row), after: t.apply(e.rowHead[row], t.all([]Class{from[1], from[0]}))}
		return append([]step{swap}, e.each([]Class{from[1], from[0]}, to, limit)...)
	}
	return e.each(from, to, limit)
}

func (e *explainer) equal(a, b []Class, limit int) bool {
	for i := range a {
		if _, ok := e.path(a[i], b[i], limit); !ok {
			return false
		}
	}
	return true
}

func (e *explainer) each(from, to []Class, limit int) (steps []step) {
	for i := range from {
		steps = append(steps, under(i, e.walk(from[i], to[i], limit))...)
	}
	return steps
}

// under moves a proof to a child.
func under(child int, steps []step) []step {
	for i := range steps {
		steps[i].place = append([]int{child}, steps[i].place...)
	}
	return steps
}

// match proves what a rule said: that the matched row is the left side, that this becomes the right side by the rule, and
// that the right side is the row that was made or found for it.
func (e *explainer) match(ed *edge, limit int) []step {
	p := e.reasons.rules[ed.rule].list[ed.y]
	vars := len(p.vars)
	m := matched{explainer: e, limit: limit, p: p, vars: make([]Class, vars)}
	bind := e.reasons.binds[ed.x:]
	for i := range m.vars {
		m.vars[i] = Class(bind[i])
	}
	m.rows, m.built = bind[vars:vars+p.ops], bind[vars+p.ops:]
	t := &e.proof.terms
	steps := e.ofRow(ed.a, m.rows[0])
	more, _ := m.left(p.left)
	steps = append(steps, more...)
	nodes := t.all(m.vars)
	left, _ := t.instance(p.left, nodes)
	right, _ := t.instance(p.right, nodes)
	steps = append(steps, step{kind: ruled, edge: limit, before: left, after: right, pattern: p, name: e.reasons.rules[ed.rule].names[p.number], vars: nodes, classes: m.vars})
	more, _ = m.right(p.right)
	return append(steps, more...)
}

// matched is a match whose proof is made.
type matched struct {
	*explainer
	limit int
	p     *pattern
	vars  []Class
	rows  []uint32 // of ops of the left side that are left
	built []uint32 // of the right side
}

// left proves that the term of the next row is a term of the pattern, and returns the class of that row.
func (m *matched) left(t *rules.Term) ([]step, Class) {
	row := m.rows[0]
	m.rows = m.rows[1:]
	var to []Class
	var inner [][]step
	for _, a := range t.Args {
		switch a.Kind {
		case rules.Apply:
			row := m.rows[0]
			steps, c := m.left(a)
			to, inner = append(to, c), append(inner, append(m.ofRow(c, row), steps...))
		case rules.Literal:
			to, inner = append(to, m.literal(a)), append(inner, nil)
		default:
			to, inner = append(to, m.vars[a.Var]), append(inner, nil)
		}
	}
	steps := m.children(row, to, m.limit)
	for i, s := range inner {
		steps = append(steps, under(i, s)...)
	}
	return steps, m.rowClass[row]
}

// literal is the class that began as a literal.
func (e *explainer) literal(t *rules.Term) Class {
	h := e.heads.ids[HeadInfo{Op: ir.OpConst, Type: t.Type, Bits: t.Bits}]
	return e.rowClass[e.lookup(h, nil)]
}

// right proves that a term of the result is that of the row which was made for it, or found, and returns its class.
func (m *matched) right(t *rules.Term) ([]step, Class) {
	switch t.Kind {
	case rules.Literal:
		return nil, m.literal(t)
	case rules.Value, rules.Constant:
		return nil, m.vars[t.Var]
	}
	if h, ok := m.proof.terms.computed(t, m.proof.terms.all(m.vars)); ok {
		return nil, m.rowClass[m.lookup(h, nil)]
	}
	var steps []step
	var from []Class
	for i, a := range t.Args {
		s, c := m.right(a)
		steps, from = append(steps, under(i, s)...), append(from, c)
	}
	row := m.built[0]
	m.built = m.built[1:]
	// The row was found by its children: from its term to the one that the rule wrote, read backwards.
	steps = append(steps, backwards(m.children(row, from, m.limit))...)
	return append(steps, backwards(m.ofRow(m.rowClass[row], row))...), m.rowClass[row]
}

// nodes proves that the term of a node's row is the node's tree.
func (e *explainer) nodes(to *Term, at int) []step {
	if e.left--; e.left <= 0 {
		return nil
	}
	n := &to.Nodes[at]
	var steps []step
	steps = append(steps, e.ofRow(e.rowClass[n.row], n.row)...)
	var kids []Class
	for _, k := range n.Kids {
		kids = append(kids, e.rowClass[to.Nodes[k].row])
	}
	steps = append(steps, e.children(n.row, kids, e.last())...)
	for i, k := range n.Kids {
		steps = append(steps, under(i, e.nodes(to, k))...)
	}
	return steps
}

// blame lists the rules and labels on which the equality of two terms rests, in the order in which they were used.
func blame(g *Graph, x, y Class) (names []string) {
	e := newExplainer(g)
	steps := e.walk(x, y, e.last())
	ordered := make([]*step, len(steps))
	for i := range steps {
		ordered[i] = &steps[i]
	}
	slices.SortStableFunc(ordered, func(a, b *step) int { return a.edge - b.edge })
	for _, s := range ordered {
		if s.kind == ruled || s.kind == given || s.kind == narrowed {
			name := e.proof.name(s)
			names = append(slices.DeleteFunc(names, func(s string) bool { return s == name }), name)
		}
	}
	return names
}
