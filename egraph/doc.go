// Package egraph holds many equal terms at once, and finds the cheapest, without depending on the order of its rules.
//
// A term is an op applied to terms, down to constants and leaves. A row of the graph is a head, which is an op with its
// type and immediate, and classes as children. A class is a set of equal rows; its root is the smallest of its ids.
//
//	g := egraph.New()
//	x := g.Leaf("x", ir.U32)
//	mul := g.Head(egraph.HeadInfo{Op: ir.OpMul, Type: ir.U32})
//	t := g.Add(mul, x, g.Const(ir.U32, 8))
//	report, err := g.Run(rules, egraph.Limits{})     // rules from Compile
//	best := g.Extract(egraph.Costs{}, t)             // (shl x 3)
//	proof, err := g.Explain(t, best)
//
// In: terms by Add, equalities by Union, facts by Assume, rules by Compile. Out: Extract, Explain, Facts, and the rows
// themselves by Columns, which the device form takes. Union only records; Rebuild makes the graph closed under congruence,
// and Run rebuilds after each round. Ids stay valid for ever, and an id of Add stands for the term that was added.
//
// Check verifies what holds after Rebuild:
//   - children are roots;
//   - the table has each live row once, and no two live rows have one head and equal children;
//   - a class knows at least what each of its rows does.
//
// Nothing here depends on time, on addresses or on the order of a map: equal calls give equal ids, reports, terms and
// proofs. Ops are computed by the functions of the op table, which the interpreter runs too. A graph is for one goroutine at
// a time; Rules are immutable.
//
// Facts are the range analysis's bounds and bits. Two classes that became equal have those of both. A proof's step that
// rests on facts is replayed from the facts that Assume was given, or else from the graph's, which Check recomputes.
//
// Not here: the rules and the search for counterexamples to them (package rules), and closing large graphs on a device.
//
// Start reading in graph.go, then rebuild.go, match.go and explain.go.
package egraph
