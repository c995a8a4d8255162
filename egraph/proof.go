package egraph

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/interval"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Proof is a list of steps from one term to an equal one. Each rewrites one place of the term. It is about its graph as that
// was, and stays right when that grows.
type Proof struct {
	g        *Graph
	terms    terms
	from, to int // terms
	steps    []step
	known    map[int]Facts // of terms, by facts
}

// step rewrites a part of a term.
type step struct {
	kind          kind
	back          bool  // the reason is read from its end
	place         []int // child numbers, from the root
	before, after int   // terms
	rule          uint32
	edge          int // of given, narrowed and ruled
	row           uint32
	pattern       *pattern // of ruled
	name          string   // of the rule
	vars          []int    // terms of the rule's variables
	classes       []Class  // theirs
}

// terms gives equal terms one number.
type terms struct {
	g       *Graph
	list    []written
	ids     map[string]int
	classes map[Class]int
	key     []byte
}

// written is a term: a head applied to terms, or a class that has none.
type written struct {
	head  Head
	kids  []int
	class Class // or None
}

func (t *terms) id(w written) int {
	t.key = binary.AppendUvarint(binary.AppendUvarint(t.key[:0], uint64(w.head)), uint64(w.class))
	for _, k := range w.kids {
		t.key = binary.AppendUvarint(t.key, uint64(k))
	}
	id, ok := t.ids[string(t.key)]
	if !ok {
		id = len(t.list)
		t.list, t.ids[string(t.key)] = append(t.list, w), id
	}
	return id
}

func (t *terms) apply(h Head, kids []int) int { return t.id(written{head: h, kids: kids, class: None}) }

// class returns the term with which a class id began.
func (t *terms) class(c Class) int {
	id, ok := t.classes[c]
	if ok {
		return id
	}
	if row := t.g.begun(c); row != noRow {
		id = t.row(row)
	} else {
		id = t.id(written{class: c})
	}
	t.classes[c] = id
	return id
}

// row returns the term of a row as it was given.
func (t *terms) row(row uint32) int { return t.apply(t.g.rowHead[row], t.all(t.g.original(row))) }

func (t *terms) all(classes []Class) []int {
	list := make([]int, len(classes))
	for i, c := range classes {
		list[i] = t.class(c)
	}
	return list
}

// nodes returns the terms of all nodes.
func (t *terms) nodes(of *Term) []int {
	ids := make([]int, len(of.Nodes))
	for i := range of.Nodes {
		n := &of.Nodes[i]
		kids := make([]int, len(n.Kids))
		for j, k := range n.Kids {
			kids[j] = ids[k]
		}
		ids[i] = t.apply(n.Head, kids)
	}
	return ids
}

// info is the head of a term, nil for a class that has no term.
func (t *terms) info(id int) *HeadInfo {
	if t.list[id].class != None {
		return nil
	}
	return &t.g.heads.info[t.list[id].head]
}

func (t *terms) typ(id int) ir.Type {
	if h := t.info(id); h != nil {
		return h.Type
	}
	return t.g.types[t.list[id].class]
}

// instance returns a term of a rule with terms in the place of variables, and its constant if it is computed from ones.
func (t *terms) instance(r *rules.Term, vars []int) (id int, c *HeadInfo) {
	switch r.Kind {
	case rules.Value:
		return vars[r.Var], nil
	case rules.Constant:
		return vars[r.Var], t.info(vars[r.Var])
	case rules.Literal:
		h := HeadInfo{Op: ir.OpConst, Type: r.Type, Bits: r.Bits}
		return t.apply(t.g.heads.intern(h), nil), &h
	}
	kids, of := make([]int, len(r.Args)), make([]*HeadInfo, len(r.Args))
	for i, a := range r.Args {
		kids[i], of[i] = t.instance(a, vars)
	}
	h := HeadInfo{Op: r.Op, Type: r.Type, Commutative: r.Op.Info().Attr&ir.Commutative != 0}
	if !slices.Contains(of, nil) {
		if bits, ok := evaluate(&h, of); ok {
			h = HeadInfo{Op: ir.OpConst, Type: r.Type, Bits: bits}
			return t.apply(t.g.heads.intern(h), nil), &h
		}
	}
	return t.apply(t.g.heads.intern(h), kids), nil
}

// computed returns the head of a term of a rule that is computed from constants.
func (t *terms) computed(r *rules.Term, vars []int) (Head, bool) {
	if _, c := t.instance(r, vars); c != nil {
		return t.g.heads.intern(*c), true
	}
	return 0, false
}

// at returns the part of a term at a place.
func (t *terms) at(id int, place []int) (int, bool) {
	for _, child := range place {
		if kids := t.list[id].kids; child < len(kids) {
			id = kids[child]
			continue
		}
		return 0, false
	}
	return id, true
}

// replace returns a term with another part at a place.
func (t *terms) replace(id int, place []int, part int) int {
	if len(place) == 0 {
		return part
	}
	w := t.list[id]
	w.kids = slices.Clone(w.kids)
	w.kids[place[0]] = t.replace(w.kids[place[0]], place[1:], part)
	return t.id(w)
}

// finish keeps the steps, less those that lead back to a term that was there before.
func (p *Proof) finish(steps []step) {
	was := []int{p.from}
	seen := map[int]int{p.from: 0} // where a term is in was, or was before steps went
	for _, s := range steps {
		now := p.terms.replace(was[len(was)-1], s.place, s.after)
		if n, again := seen[now]; again && n < len(was) && was[n] == now {
			p.steps, was = p.steps[:n], was[:n+1]
			continue
		}
		p.steps, was = append(p.steps, s), append(was, now)
		seen[now] = len(p.steps)
	}
}

// Check replays the proof: from the first term, every step must be about the part at its place, and hold there. A rule is
// matched anew and its condition asked, a constant computed anew. For what facts decide, those of the term's parts are
// computed anew, or else the graph has to know as much. An error names the step.
func (p *Proof) Check() error {
	now := p.from
	for i := range p.steps {
		s := &p.steps[i]
		part, ok := p.terms.at(now, s.place)
		if !ok || part != s.before {
			return p.wrong(i, "is not about the part at its place")
		}
		if what := p.holds(s); what != "" {
			return p.wrong(i, what)
		}
		now = p.terms.replace(now, s.place, s.after)
	}
	if now != p.to {
		return fmt.Errorf("egraph: the proof ends at %s, not at %s", p.terms.text(now), p.terms.text(p.to))
	}
	return nil
}

func (p *Proof) wrong(i int, what string) error {
	s := &p.steps[i]
	return fmt.Errorf("egraph: step %d, %s from %s to %s, %s", i+1, p.name(s), p.terms.text(s.before), p.terms.text(s.after), what)
}

// holds says what is wrong with a step.
func (p *Proof) holds(s *step) string {
	a, b := s.before, s.after
	if s.back {
		a, b = b, a
	}
	t := &p.terms
	if t.typ(a) != t.typ(b) {
		return "changes the type"
	}
	switch x, y := &t.list[a], &t.list[b]; s.kind {
	case ruled:
		return p.ruleHolds(s, a, b)
	case folded:
		return p.foldHolds(a, b)
	case commuted:
		if h := t.info(a); h == nil || !h.Commutative || x.head != y.head || len(x.kids) != 2 || len(y.kids) != 2 ||
			x.kids[0] != y.kids[1] || x.kids[1] != y.kids[0] {
			return "does not swap the children of a commutative head"
		}
	case inserted:
		if a != t.class(p.g.rowClass[s.row]) || b != t.row(s.row) {
			return "is not about a row of its class"
		}
	case given, narrowed:
		e := p.g.reasons.edges.at(s.edge)
		if e.kind != s.kind || a != t.class(e.a) || b != t.class(e.b) {
			return "is not a union of the graph"
		}
		if s.kind == narrowed {
			return p.factsHold(e.a, a, b)
		}
	}
	return ""
}

func (p *Proof) ruleHolds(s *step, a, b int) string {
	t, r := &p.terms, s.pattern.rule
	for i, v := range s.vars {
		h := t.info(v)
		if t.typ(v) != r.Vars[i].Type || r.Vars[i].Const && (h == nil || h.Op != ir.OpConst) {
			return "binds " + r.Vars[i].Name + " to " + t.text(v)
		}
	}
	// A value's bits are those of its term or, where that says too little, of its class.
	if !p.conditionHolds(s, func(v int) Facts { return p.facts(s.vars[v]) }) &&
		!p.conditionHolds(s, func(v int) Facts { return p.g.known.facts[p.g.sets.find(s.classes[v])] }) {
		return "needs " + r.Cond
	}
	if left, _ := t.instance(s.pattern.left, s.vars); left != a {
		return "matches " + t.text(left)
	}
	if right, _ := t.instance(s.pattern.right, s.vars); right != b {
		return "gives " + t.text(right)
	}
	return ""
}

// conditionHolds asks the condition of a rule about its constants, and all bits that its values may have.
func (p *Proof) conditionHolds(s *step, facts func(v int) Facts) bool {
	r := s.pattern.rule
	var c [2]uint64
	for i, v := range r.Of {
		if h := p.terms.info(s.vars[v]); h != nil && h.Op == ir.OpConst {
			c[i] = h.Bits
		} else if !known(r.Vars[v].Type) {
			return false
		} else {
			f := facts(v)
			c[i] = ^f.Zeros
		}
	}
	return r.Holds(c[:len(r.Of)]...)
}

func (p *Proof) foldHolds(a, b int) string {
	t := &p.terms
	var of []*HeadInfo
	for _, k := range t.list[a].kids {
		h := t.info(k)
		if h == nil || h.Op != ir.OpConst {
			return "is not about constants"
		}
		of = append(of, h)
	}
	h, c := t.info(a), t.info(b)
	if h == nil || c == nil || c.Op != ir.OpConst {
		return "is not a constant"
	}
	if bits, ok := evaluate(h, of); !ok || bits != c.Bits {
		return fmt.Sprintf("is %s", constant(h.Type, bits))
	}
	return ""
}

// factsHold looks whether facts leave one number of a term.
func (p *Proof) factsHold(c Class, a, b int) string {
	f, h := p.facts(a), p.terms.info(b)
	if h == nil || h.Op != ir.OpConst {
		return "is not a constant"
	}
	if bits, one := f.Constant(); one && bits == h.Bits {
		return ""
	}
	if bits, one := p.g.known.facts[p.g.sets.find(c)].Constant(); !one || bits != h.Bits {
		return "does not follow from what is known"
	}
	return ""
}

// facts computes what is known of a term, from what the caller has said.
func (p *Proof) facts(id int) (f Facts) {
	if f, ok := p.known[id]; ok {
		return f
	}
	defer func() { p.known[id] = f }()
	t := &p.terms
	typ, h := t.typ(id), t.info(id)
	n := interval.WidthOf(typ)
	f.Full(n)
	if h != nil && h.Op == ir.OpConst {
		f.Exact(n, h.Bits)
	} else if h != nil && h.Op.Info() != nil && known(typ) && len(t.list[id].kids) > 0 {
		var of [3]Facts
		for i, k := range t.list[id].kids {
			of[i] = p.facts(k)
		}
		if from := t.typ(t.list[id].kids[0]); known(from) {
			f.Apply(h.Op, typ, from, h.X, &of[0], &of[1], &of[2])
		}
	}
	for i := range p.g.known.said {
		if s := &p.g.known.said[i]; t.class(s.class) == id {
			was := f
			f.Meet(n, &was, &s.facts)
		}
	}
	return f
}

// name is that of the rule, or says what the step is.
func (p *Proof) name(s *step) string {
	switch s.kind {
	case given:
		return p.g.reasons.labels[s.rule]
	case ruled:
		return s.name
	case folded:
		return "constant"
	case narrowed:
		return "facts"
	case inserted:
		return "row"
	}
	return "order"
}

// maxText bounds the heads that are printed of a term, which can be a tree of 2ⁿ.
const maxText = 100

// text prints a term.
func (t *terms) text(id int) string {
	var b strings.Builder
	left := maxText
	t.print(&b, id, &left)
	return b.String()
}

func (t *terms) print(b *strings.Builder, id int, left *int) {
	w := &t.list[id]
	*left--
	switch {
	case *left < 0:
		b.WriteString("…")
		return
	case w.class != None:
		fmt.Fprintf(b, "class-%d", w.class)
		return
	case len(w.kids) == 0:
		b.WriteString(t.g.heads.name(w.head))
		return
	}
	b.WriteString("(" + t.g.heads.name(w.head))
	for _, k := range w.kids {
		b.WriteByte(' ')
		t.print(b, k, left)
	}
	b.WriteByte(')')
}

// String prints the proof: the two terms, their type and what was said of leaves in them, and a line for each step.
func (p *Proof) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "why  %s = %s        %s%s\n", p.terms.text(p.from), p.terms.text(p.to), p.terms.typ(p.from), p.given())
	names, befores := make([]string, len(p.steps)), make([]string, len(p.steps))
	wide, long := 0, 0
	for i := range p.steps {
		s := &p.steps[i]
		if names[i] = p.name(s); s.back && s.kind != given {
			names[i] += " back"
		}
		befores[i] = p.terms.text(s.before)
		wide, long = max(wide, len(names[i])), max(long, len(befores[i]))
	}
	now := p.from
	for i := range p.steps {
		s := &p.steps[i]
		line := fmt.Sprintf("%3d  %-*s  %-*s -> %s", i+1, wide, names[i], long, befores[i], p.terms.text(s.after))
		if n := len(s.place); n > 0 {
			parent, _ := p.terms.at(now, s.place[:n-1])
			line += "  under " + p.g.heads.name(p.terms.list[parent].head)
		}
		now = p.terms.replace(now, s.place, s.after)
		b.WriteString(line + p.because(s) + "\n")
	}
	return b.String()
}

// because is the condition of a rule.
func (p *Proof) because(s *step) string {
	if s.kind != ruled || len(s.pattern.rule.Of) == 0 {
		return ""
	}
	text := "  because " + s.pattern.rule.Cond
	for _, v := range s.pattern.rule.Of {
		text += " " + p.terms.text(s.vars[v])
	}
	return text
}

// given says what the caller has said of terms in the proof.
func (p *Proof) given() (text string) {
	in := make(map[int]bool)
	for _, s := range p.steps {
		p.terms.parts(s.before, in)
	}
	p.terms.parts(p.from, in)
	for i := range p.g.known.said {
		s := &p.g.known.said[i]
		if id := p.terms.class(s.class); in[id] {
			text += ", " + p.terms.text(id) + " " + factText(p.g.types[s.class], &s.facts)
		}
	}
	return text
}

func (t *terms) parts(id int, in map[int]bool) {
	if in[id] {
		return
	}
	in[id] = true
	for _, k := range t.list[id].kids {
		t.parts(k, in)
	}
}

// factText prints the bounds of facts, or their bits if bounds say nothing.
func factText(t ir.Type, f *Facts) string {
	w := interval.WidthOf(t)
	switch {
	case t.IsSigned() && (f.SLo > w.Min() || f.SHi < w.Max()):
		return fmt.Sprintf("in %d … %d", f.SLo, f.SHi)
	case f.Lo == 0 && f.Hi < w.Mask() && f.Hi&(f.Hi+1) == 0:
		return fmt.Sprintf("< %d", f.Hi+1)
	case f.Lo > 0 || f.Hi < w.Mask():
		return fmt.Sprintf("in %d … %d", f.Lo, f.Hi)
	}
	return fmt.Sprintf("has zeros %#x, ones %#x", f.Zeros&w.Mask(), f.Ones)
}

// String prints the terms, one after the other.
func (t *Term) String() string {
	ts := terms{g: t.g, ids: make(map[string]int), classes: make(map[Class]int)}
	var list []string
	ids := ts.nodes(t)
	for _, root := range t.Roots {
		list = append(list, ts.text(ids[root]))
	}
	return strings.Join(list, ", ")
}
