package native

import "github.com/govyre/vyre/ir"

// Ruled reports whether the row is written as instructions, and not computed by Go.
func Ruled(p *ir.Program, r ir.Row) bool { return ruleOf(p, r) != nil }

// Code returns the machine code of a program.
func Code(p *ir.Program) ([]byte, error) {
	_, code, err := compile(p, Options{})
	return code, err
}
