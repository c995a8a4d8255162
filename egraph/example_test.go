package egraph_test

import (
	"fmt"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// An expression is simplified by the rule table, with what is known of x.
func Example() {
	g := egraph.New()
	x := g.Leaf("%x", ir.U32)
	g.Assume(x, egraph.Facts{Hi: 1<<29 - 1, SHi: 1<<29 - 1, Zeros: ^uint64(1<<29 - 1)})
	mul := g.Head(egraph.HeadInfo{Op: ir.OpMul, Type: ir.U32})
	div := g.Head(egraph.HeadInfo{Op: ir.OpDiv, Type: ir.U32})
	t := g.Add(div, g.Add(mul, x, g.Const(ir.U32, 8)), g.Const(ir.U32, 8))

	list, err := egraph.Compile(egraph.OptimiserRules())
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := g.Run(list, egraph.Limits{Rounds: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	best := g.Extract(egraph.Costs{}, t)
	proof, err := g.Explain(t, best)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d rounds, %q\n", report.Rounds, report.Stopped)
	fmt.Println(proof.Check())
	fmt.Print(proof)
	// Output:
	// 6 rounds, ""
	// <nil>
	// why  (div (mul %x 8) 8) = %x        u32, %x < 536870912
	//   1  div-pow2    (div (mul %x 8) 8) -> (shr (mul %x 8) 3)  because pow2 8
	//   2  mul-pow2    (mul %x 8)         -> (shl %x 3)  under shr  because pow2 8
	//   3  shr-shl     (shr (shl %x 3) 3) -> (and %x 536870911)
	//   4  and-within  (and %x 536870911) -> %x  because within %x 536870911
}

// Two functions of equal arguments are equal.
func ExampleGraph_Rebuild() {
	g := egraph.New()
	a, b := g.Leaf("a", ir.F32), g.Leaf("b", ir.F32)
	f := g.Head(egraph.HeadInfo{Name: "f", Type: ir.F32})
	fa, fb := g.Add(f, a), g.Add(f, b)
	if err := g.Union(a, b, "measured"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(g.Find(fa) == g.Find(fb))
	if err := g.Rebuild(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(g.Find(fa) == g.Find(fb), g.Classes(), "classes")
	proof, err := g.Explain(fb, g.Term(fa))
	fmt.Print(proof, err)
	// Output:
	// false
	// true 2 classes
	// why  (f b) = (f a)        f32
	//   1  measured  b -> a  under f
	//  <nil>
}

// Costs may depend on the op, and forbid leaves that are not there yet.
func ExampleGraph_Extract() {
	g := egraph.New()
	x, later := g.Leaf("x", ir.I64), g.Leaf("later", ir.I64)
	t := g.Add(g.Head(egraph.HeadInfo{Op: ir.OpNeg, Type: ir.I64}), x)
	if err := g.Union(t, later, "loaded"); err != nil {
		fmt.Println(err)
	}
	if err := g.Rebuild(); err != nil {
		fmt.Println(err)
	}
	fmt.Println(g.Extract(egraph.Costs{}, t))
	fmt.Println(g.Extract(egraph.Costs{Allow: func(h egraph.Head) bool { return g.Info(h).Name != "later" }}, t))
	// Output:
	// later
	// (neg x)
}
