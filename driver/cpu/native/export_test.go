package native

import "github.com/govyre/vyre/ir"

// Ruled reports whether the row is written as instructions, and not computed by Go.
func Ruled(p *ir.Program, r ir.Row) bool { return ruleOf(p, r) != nil }

// Code returns the machine code of a program.
func Code(p *ir.Program) ([]byte, error) {
	_, code, err := compile(p, Options{})
	return code, err
}

// Packed counts the loads and stores of a program that move records as they lie.
func Packed(p *ir.Program) (n int) {
	s := &selector{function: &function{p: p}, shapes: findShapes(newTree(p))}
	s.packs = findPacks(s.shapes, s.records)
	for r := range ir.Row(p.Rows()) {
		if s.packs.packed(r) && p.Op(r) != ir.OpVec {
			n++
		}
	}
	return n
}
