package egraph_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/egraphs"
	"github.com/govyre/vyre/ir"
)

// naive says what the sides of a rule are in a graph.
type naive struct {
	egraphs.Plain
	t *testing.T
	r *rules.Rule // at a type
}

// class returns the class of a term, None if the graph does not have it, and its bits if it is computed from constants.
func (n *naive) class(t *rules.Term, bind []egraph.Class) (c egraph.Class, bits uint64, computed bool) {
	switch t.Kind {
	case rules.Value:
		return bind[t.Var], 0, false
	case rules.Constant:
		bits, _ = n.Constant(bind[t.Var])
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
	head := n.Head(h)
	for row := range n.Columns.Head {
		if n.Columns.Head[row] == head && slices.Equal(n.Kids(uint32(row)), kids) {
			return n.Find(n.Columns.Class[row])
		}
	}
	return egraph.None
}

// closed reports how many matches a rule has, all of which must have been applied.
func (n *naive) closed(left, right *rules.Term) (matches int) {
	n.Matches(n.r, left, func(class egraph.Class, bind []egraph.Class) {
		if !n.Holds(n.r, bind) {
			return
		}
		matches++
		if c, _, _ := n.class(right, bind); c != class {
			n.t.Errorf("%v at %v: class %d matches with %d, and the other side is class %d", n.r, n.r.Type, class, bind, int32(c))
		}
	})
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
				n := &naive{t: t, r: at, Plain: egraphs.Plain{Graph: g}}
				n.Look()
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
