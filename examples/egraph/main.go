// Command egraph simplifies an expression with an e-graph: it applies the optimiser's rules in both directions until they
// find nothing new or the graph is large, takes the cheapest term, and prints why that is equal. A device computes both terms, for comparison.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

func main() {
	log.SetFlags(0)
	device := flag.String("device", "auto", "device to run on")
	flag.Parse()
	if err := run(context.Background(), *device); err != nil {
		log.Fatal(err)
	}
}

// n is the number of values of x, which are below it: the rules may use that.
const n = 1 << 16

func run(ctx context.Context, device string) error {
	g := egraph.New()
	x := g.Leaf("x", ir.U32)
	g.Assume(x, egraph.Facts{Hi: n - 1, SHi: n - 1, Zeros: ^uint64(n - 1)})
	eight := g.Const(ir.U32, 8)
	t := apply(g, ir.OpDiv, apply(g, ir.OpMul, x, eight), eight)
	t = apply(g, ir.OpNeg, apply(g, ir.OpNeg, apply(g, ir.OpNot, t))) // -(-^(x * 8 / 8))

	list, err := egraph.Compile(egraph.OptimiserRules())
	if err != nil {
		return err
	}
	if _, err := g.Run(list, egraph.Limits{Rows: 2000, Rounds: 8}); err != nil {
		return err
	}
	best := g.Extract(egraph.Costs{}, t)
	fmt.Printf("%d ops became %d\n", g.Term(t).Cost, best.Cost)
	proof, err := g.Explain(t, best)
	if err != nil {
		return err
	}
	fmt.Print(proof)
	if err := proof.Check(); err != nil {
		return err
	}
	return compare(ctx, device, g, g.Term(t), best)
}

// apply adds an op of which all operands have one type.
func apply(g *egraph.Graph, op ir.Op, kids ...egraph.Class) egraph.Class {
	return g.Add(g.Head(egraph.HeadInfo{Op: op, Type: g.Type(kids[0])}), kids...)
}

// compare computes two terms on a device for all values of x.
func compare(ctx context.Context, device string, g *egraph.Graph, a, b *egraph.Term) error {
	dev, err := vyre.Open(device)
	if err != nil {
		return err
	}
	defer dev.Close()
	p := build.New("compare", build.Workgroup(256))
	differ := p.Buffer("differ", ir.U32, ir.RW)
	x := p.Global(0)
	p.If(p.Ne(emit(p, g, a, x), emit(p, g, b, x)), func() {
		p.AtomicAdd(differ, p.U32(0), p.U32(1), ir.Relaxed, ir.Device)
	})
	prog, err := p.Program()
	if err != nil {
		return err
	}
	k, err := dev.Compile(ctx, prog, vyre.CompileOptions{})
	if err != nil {
		return err
	}
	defer k.Close()
	count := []uint32{0}
	if _, err := vyre.Run(ctx, k, vyre.Cover(k, n), vyre.InOut(count)); err != nil {
		return err
	}
	fmt.Printf("%d values of x, %d differ\n", n, count[0])
	return nil
}

// emit adds the rows of a term to a program. Its only leaf is x.
func emit(p *build.Builder, g *egraph.Graph, t *egraph.Term, x build.Value) build.Value {
	values := make([]build.Value, len(t.Nodes))
	for i, node := range t.Nodes {
		var operands []build.Value
		for _, k := range node.Kids {
			operands = append(operands, values[k])
		}
		switch h := g.Info(node.Head); h.Op {
		case 0:
			values[i] = x
		case ir.OpConst:
			values[i] = p.Const(h.Type, h.Bits)
		default:
			values[i] = p.OpImm(h.Op, h.X, operands...)
		}
	}
	return values[t.Roots[0]]
}
