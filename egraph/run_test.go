package egraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

func compile(t *testing.T, text string) *egraph.Rules {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := egraph.Compile(list)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func op(g *egraph.Graph, o ir.Op, t ir.Type, kids ...egraph.Class) egraph.Class {
	return g.Add(g.Head(egraph.HeadInfo{Op: o, Type: t}), kids...)
}

func TestPrint(t *testing.T) {
	rs := compile(t, `
mul-pow2        int    (mul ?x #a)                      => (shl ?x (ctz #a))              when pow2 #a
div-pow2       uint   (div ?x #a)                      => (shr ?x (ctz #a))              when pow2 #a
shr-shl         uint   (shr (shl ?x #k) #k)             => (and ?x (shr ones #k))
`)
	fmt.Println(rs)
	g := egraph.New()
	x := g.Leaf("%x", ir.U32)
	a := op(g, ir.OpDiv, ir.U32, op(g, ir.OpMul, ir.U32, x, g.Const(ir.U32, 8)), g.Const(ir.U32, 8))
	rep, err := g.Run(rs, egraph.Limits{})
	fmt.Println(rep, err, g.Check())
	best := g.Extract(egraph.Costs{}, a)
	fmt.Println(best, best.Cost)
	p, err := g.Explain(a, best)
	fmt.Println(p, err, p.Check())
}

var _ = strings.Join
