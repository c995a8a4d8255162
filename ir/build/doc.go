// Package build writes programs op by op.
//
//	b := build.New("scale", build.Workgroup(64))
//	x := b.Buffer("x", ir.F32, ir.RW)
//	i := b.Global(0)
//	b.If(b.Lt(i, b.Len(x)), func() { b.Store(x, i, b.Mul(b.Load(x, i), b.F32(2))) })
//	p, err := b.Program()
//
// Control is written with functions (If, Loop, For, Block), and a variable (Var) may be set anywhere. The builder finds
// the loop arguments and results that it needs. Its algorithm (var.go) is after Braun and others, "Simple and Efficient
// Construction of Static Single Assignment Form", 2013.
//
// Inline replays a sealed program at the current point, with objects, scalars and ids of the caller: that is how
// several programs become one.
//
// Methods return no errors. Misuse is kept with the caller's line, the builder goes on, and Program returns every
// finding as ir.Diags: first the builder's, else the verifier's. A Builder is for one goroutine.
//
// Start reading at builder.go; ops.go, memory.go, control.go and inline.go are the vocabulary,
// program.go brings rows into order.
package build
