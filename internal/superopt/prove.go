package superopt

import (
	"fmt"
	"strings"
	"sync"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/allinputs"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// outcome says what is known of a candidate.
type outcome uint8

const (
	refuted outcome = iota
	unknown
	proved
)

// verdict is what is known of a candidate, and how, or why it is not known.
type verdict struct {
	outcome
	how    string
	values []uint64 // of the leaves, where it is refuted
}

// prove decides a candidate, unless it did before: a program may be compiled several times.
func (f *Finder) prove(r *root, b *table, k int32) verdict {
	p := r.pair(b, k)
	for _, values := range r.counter {
		if _, _, ok := p.Differ(values); ok {
			return verdict{}
		}
	}
	key := r.key(p)
	f.mu.Lock()
	v, ok := f.known[key]
	f.mu.Unlock()
	if !ok {
		v = f.decide(r, b, k, p)
		f.mu.Lock()
		f.known[key] = v
		f.mu.Unlock()
	}
	if v.values != nil {
		r.counter = append(r.counter, v.values)
		r.swept++
	}
	return v
}

// key tells candidates apart, or roots if there is none, whatever their leaves are called.
func (r *root) key(p *allinputs.Pair) string {
	names := make(map[*allinputs.Term]string)
	var write func(t *allinputs.Term) string
	write = func(t *allinputs.Term) string {
		switch {
		case t.Op == 0:
			return fmt.Sprint("?", t.Leaf)
		case t.Op == ir.OpConst:
			return fmt.Sprint(t.Type, t.Bits)
		case names[t] != "":
			return names[t]
		}
		text := fmt.Sprint("(", t.Op, t.Type, t.X)
		for _, a := range t.Args {
			text += " " + write(a)
		}
		names[t] = fmt.Sprint("=", len(names))
		return text + names[t] + ")"
	}
	text := fmt.Sprint(p.Leaves, write(p.Left))
	if p.Right != nil {
		text += write(p.Right)
	}
	for _, h := range p.Holds {
		text += write(h)
	}
	return text
}

// decide looks for a proof by rules, then by all inputs.
func (f *Finder) decide(r *root, b *table, k int32, p *allinputs.Pair) verdict {
	if r.byRules(b, k) {
		return verdict{proved, "rules", nil}
	}
	n := p.Bits()
	if n > allinputs.MaxBits {
		return verdict{unknown, fmt.Sprintf("%d inputs are equal, but no proof is found by rules, and %d bits of inputs are more than the %d that can be tried",
			lanes, n, allinputs.MaxBits), nil}
	}
	s, err := allinputs.Compile(f.ctx, f.dev, p)
	if err != nil {
		return verdict{unknown, err.Error(), nil}
	}
	defer s.Close()
	switch d, err := s.All(f.ctx); {
	case err != nil:
		return verdict{unknown, err.Error(), nil}
	case d != nil:
		return verdict{refuted, "", d.Values}
	}
	return verdict{proved, fmt.Sprintf("all 2^%d inputs", n), nil}
}

// pair is the root and a candidate, or none if k is negative, over leaves with the facts that are known of them.
func (r *root) pair(b *table, k int32) *allinputs.Pair {
	p := &allinputs.Pair{Name: "search in " + r.kernel}
	for i := range r.leaves {
		l := &r.leaves[i]
		if l.info.Op == ir.OpConst {
			continue
		}
		t := l.info.Type
		of := allinputs.Leaf{Type: t, Free: t.Mask()}
		if l.known {
			of.Ones = l.facts.Ones & t.Mask()
			of.Free = t.Mask() &^ l.facts.Zeros &^ of.Ones
			p.Holds = append(p.Holds, l.bounds(of)...)
		}
		p.Leaves = append(p.Leaves, of)
	}
	terms := make(map[int]*allinputs.Term)
	for i := range r.leaves {
		terms[r.leaves[i].node] = r.leaves[i].term
	}
	for _, n := range r.nodes {
		if terms[n] != nil {
			continue
		}
		node := &r.t.Nodes[n]
		info := r.g.Info(node.Head)
		t := &allinputs.Term{Op: info.Op, Type: info.Type, X: info.X}
		for _, kid := range node.Kids {
			t.Args = append(t.Args, terms[kid])
		}
		terms[n] = t
	}
	p.Left = terms[r.t.Roots[0]]
	rows := make(map[int32]*allinputs.Term)
	var term func(k int32) *allinputs.Term
	term = func(k int32) *allinputs.Term {
		if rows[k] != nil {
			return rows[k]
		}
		row := &b.rows[k]
		t := &allinputs.Term{Op: row.op, Type: row.typ, Bits: row.bits}
		switch row.op {
		case 0:
			t = r.bound[row.leaf].term
		case ir.OpConst:
		default:
			for _, kid := range row.kids[:row.op.Info().Args] {
				t.Args = append(t.Args, term(kid))
			}
		}
		rows[k] = t
		return t
	}
	if k >= 0 {
		p.Right = term(k)
	}
	return p
}

// bounds are the bounds of a leaf that its free bits do not say.
func (l *leafOf) bounds(of allinputs.Leaf) (list []*allinputs.Term) {
	t := l.info.Type
	if t == ir.Bool {
		return nil
	}
	atMost := func(x, y *allinputs.Term) {
		list = append(list, &allinputs.Term{Op: ir.OpLe, Type: ir.Bool, Args: []*allinputs.Term{x, y}})
	}
	between := func(t ir.Type, lo, hi uint64) {
		x := l.term
		if x.Type != t {
			x = &allinputs.Term{Op: ir.OpCvt, Type: t, Args: []*allinputs.Term{x}}
		}
		atMost(&allinputs.Term{Op: ir.OpConst, Type: t, Bits: lo & t.Mask()}, x)
		atMost(x, &allinputs.Term{Op: ir.OpConst, Type: t, Bits: hi & t.Mask()})
	}
	if f := &l.facts; f.Lo > of.Ones || f.Hi < of.Ones|of.Free {
		between(t.Unsigned(), f.Lo, f.Hi)
	}
	if f := &l.facts; t.IsSigned() {
		between(t, uint64(f.SLo), uint64(f.SHi))
	}
	return list
}

var tableRules = sync.OnceValue(func() *egraph.Rules {
	rs, err := egraph.Compile(rules.Table())
	if err != nil {
		panic("BUG: superopt: " + err.Error())
	}
	return rs
})

// byRules looks for a proof in an e-graph of the two terms alone, which has more room for each than that of the program. It
// is one only once it was replayed.
func (r *root) byRules(b *table, k int32) bool {
	g := egraph.New()
	classes := make(map[int]egraph.Class)
	for _, n := range r.nodes {
		node := &r.t.Nodes[n]
		kids := make([]egraph.Class, len(node.Kids))
		for i, kid := range node.Kids {
			kids[i] = classes[kid]
		}
		classes[n] = g.Add(g.Head(r.g.Info(node.Head)), kids...)
	}
	for i := range r.leaves {
		if l := &r.leaves[i]; l.known && l.info.Op == 0 {
			g.Assume(classes[l.node], l.facts)
		}
	}
	from := classes[r.t.Roots[0]]
	to := r.add(g, b, k, func(l *leafOf) egraph.Class { return classes[l.node] })
	limits := egraph.Limits{Rows: 2000, Rounds: 8, Matches: 20_000, Goal: [2]egraph.Class{from, to}}
	if _, err := g.Run(tableRules(), limits); err != nil || g.Find(from) != g.Find(to) {
		return false
	}
	proof, err := g.Explain(from, g.Term(to))
	return err == nil && proof.Check() == nil
}

// text is the root as it is.
func (r *root) text() string {
	texts := make(map[int]string)
	for _, n := range r.nodes {
		node := &r.t.Nodes[n]
		info := r.g.Info(node.Head)
		switch info.Op {
		case 0:
			texts[n] = info.Name
		case ir.OpConst:
			texts[n] = literal(info.Type, info.Bits)
		default:
			args := []string{info.Op.String()}
			for _, kid := range node.Kids {
				args = append(args, texts[kid])
			}
			texts[n] = "(" + strings.Join(args, " ") + ")"
		}
	}
	return texts[r.t.Roots[0]]
}

// write is a row with the root's leaves.
func (r *root) write(b *table, k int32) string {
	row := &b.rows[k]
	if bits, ok := r.folded(b, k); ok {
		return literal(row.typ, bits)
	}
	if row.op == 0 {
		return r.bound[row.leaf].info.Name
	}
	args := []string{row.op.String()}
	for _, kid := range row.kids[:row.op.Info().Args] {
		args = append(args, r.write(b, kid))
	}
	return "(" + strings.Join(args, " ") + ")"
}

func literal(t ir.Type, bits uint64) string {
	if t == ir.Bool {
		return fmt.Sprint(bits == 1)
	}
	if t.IsInt() {
		return fmt.Sprint(bits)
	}
	return fmt.Sprintf("%#x", bits)
}
