package egraph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

// naive matches rules by looking at every row of every class. It shares nothing with the engine but the columns.
type naive struct {
	t *testing.T
	g *egraph.Graph
	c egraph.Columns
	r *rules.Rule // at a type
}

func (n *naive) rows(class egraph.Class) (rows []uint32) {
	for row, c := range n.c.Class {
		if n.g.Find(c) == class {
			rows = append(rows, uint32(row))
		}
	}
	return rows
}

func (n *naive) kids(row uint32) []egraph.Class { return n.c.Kids[n.c.First[row]:][:n.c.Len[row]] }

// constant is the constant of a class.
func (n *naive) constant(class egraph.Class) (bits uint64, ok bool) {
	for _, row := range n.rows(class) {
		if h := n.g.Info(n.c.Head[row]); h.Op == ir.OpConst {
			return h.Bits, true
		}
	}
	return 0, false
}

// match calls do for each way in which a class matches a term.
func (n *naive) match(t *rules.Term, class egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	switch t.Kind {
	case rules.Literal:
		if bits, ok := n.constant(class); ok && bits == t.Bits && n.g.Type(class) == t.Type {
			do(bind)
		}
	case rules.Value, rules.Constant:
		if _, ok := n.constant(class); !ok && t.Kind == rules.Constant || n.g.Type(class) != t.Type {
			return
		}
		if was := bind[t.Var]; was == egraph.None || was == class {
			bind = slices.Clone(bind)
			bind[t.Var] = class
			do(bind)
		}
	default:
		for _, row := range n.rows(class) {
			if h := n.g.Info(n.c.Head[row]); h.Op != t.Op || h.Type != t.Type {
				continue
			}
			kids := n.kids(row)
			n.matchAll(t.Args, kids, bind, do)
			if len(kids) == 2 && t.Op.Info().Attr&ir.Commutative != 0 {
				n.matchAll(t.Args, []egraph.Class{kids[1], kids[0]}, bind, do)
			}
		}
	}
}

func (n *naive) matchAll(args []*rules.Term, kids []egraph.Class, bind []egraph.Class, do func([]egraph.Class)) {
	if len(args) == 0 {
		do(bind)
		return
	}
	n.match(args[0], kids[0], bind, func(bind []egraph.Class) { n.matchAll(args[1:], kids[1:], bind, do) })
}

// holds asks the condition of the rule.
func (n *naive) holds(bind []egraph.Class) bool {
	var c []uint64
	for _, v := range n.r.Of {
		bits, ok := n.constant(bind[v])
		if !ok {
			f, _ := n.g.Facts(bind[v])
			bits = ^f.Zeros
		}
		c = append(c, bits)
	}
	return n.r.Holds(c...)
}

// class returns the class of a term, None if the graph does not have it, and its bits if it is computed from constants.
func (n *naive) class(t *rules.Term, bind []egraph.Class) (c egraph.Class, bits uint64, computed bool) {
	switch t.Kind {
	case rules.Value:
		return bind[t.Var], 0, false
	case rules.Constant:
		bits, _ = n.constant(bind[t.Var])
		return bind[t.Var], bits, true
	case rules.Literal:
		return n.find(egraph.HeadInfo{Op: ir.OpConst, Type: t.Type, Bits: t.Bits}, nil), t.Bits, true
	}
	var kids []egraph.Class
	var arg [3]uint64
	whole := true
	for i, a := range t.Args {
		k, v, ok := n.class(a, bind)
		kids, arg[i], whole = append(kids, k), v, whole && ok
	}
	if whole {
		from := ir.None
		if k := t.Op.Info().Typed; k > 0 {
			from = t.Args[k-1].Type
		}
		bits = exact.Eval(t.Op, from, t.Type, 0, arg[0], arg[1], arg[2])
		return n.find(egraph.HeadInfo{Op: ir.OpConst, Type: t.Type, Bits: bits}, nil), bits, true
	}
	return n.find(egraph.HeadInfo{Op: t.Op, Type: t.Type}, kids), 0, false
}

func (n *naive) find(h egraph.HeadInfo, kids []egraph.Class) egraph.Class {
	if h.Op.Info().Attr&ir.Commutative != 0 {
		slices.Sort(kids)
	}
	head := n.g.Head(h)
	for row := range n.c.Head {
		if n.c.Head[row] == head && slices.Equal(n.kids(uint32(row)), kids) {
			return n.g.Find(n.c.Class[row])
		}
	}
	return egraph.None
}

// closed reports how many matches a rule has, all of which must have been applied.
func (n *naive) closed(left, right *rules.Term) (matches int) {
	unbound := slices.Repeat([]egraph.Class{egraph.None}, len(n.r.Vars))
	for c, class := range n.c.Parent {
		if egraph.Class(c) != class {
			continue
		}
		n.match(left, class, unbound, func(bind []egraph.Class) {
			if !n.holds(bind) {
				return
			}
			matches++
			if c, _, _ := n.class(right, bind); c != class {
				n.t.Errorf("%v at %v: class %d matches with %d, and the other side is class %d", n.r, n.r.Type, class, bind, int32(c))
			}
		})
	}
	return matches
}

// TestSaturatedGraphsAreClosed runs random rules over random terms until nothing is new. Then a plain search must find no
// match that has not been applied, and a second run has nothing to do.
func TestSaturatedGraphsAreClosed(t *testing.T) {
	all := rules.Table()
	saturated, matches := 0, 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 4))
		var some []*rules.Rule
		for range 45 {
			some = append(some, all[r.IntN(len(all))])
		}
		rs, err := egraph.Compile(some)
		if err != nil {
			t.Fatal(err)
		}
		g := egraph.New()
		typ := []ir.Type{ir.U32, ir.I32, ir.F32}[seed%3]
		drawTerms(g, r, typ, 14)
		if typ == ir.U32 {
			g.Assume(g.Leaf("x", typ), egraph.Facts{Hi: 7, SHi: 7, Zeros: ^uint64(7)})
		}
		rep, err := g.Run(rs, egraph.Limits{Rows: 250, Rounds: 60})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Stopped != "" {
			continue
		}
		saturated++
		digest, rows := g.Digest(), g.Rows()
		if rep, err := g.Run(rs, egraph.Limits{}); err != nil || rep.Unions != 0 || g.Digest() != digest || g.Rows() != rows {
			t.Errorf("seed %d: a second run: %+v, %v", seed, rep, err)
		}
		for _, rule := range some {
			if at := rule.At(typ); at != nil {
				n := &naive{t, g, g.Columns(), at}
				matches += n.closed(at.Left, at.Right)
				if at.Both {
					matches += n.closed(at.Right, at.Left)
				}
			}
		}
		replay(t, g)
	}
	if saturated < 20 || matches < 200 {
		t.Errorf("%d graphs were saturated, with %d matches: the test does not reach what it is for", saturated, matches)
	}
}
