package native

import "github.com/govyre/vyre/ir"

// Ruled reports whether the row is written as instructions, and not computed by Go.
func Ruled(p *ir.Program, r ir.Row) bool { return ruleOf(p, r) != nil }
