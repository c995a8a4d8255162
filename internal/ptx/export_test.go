package ptx

import "github.com/govyre/vyre/ir"

// Visits compiles p for sm_90 and returns how many instructions the stages looked at, and how many are left.
func Visits(p *ir.Program) (visits, insts int) {
	f := compile(p, Target{SM: 90}, "k")
	return f.visits, len(f.insts)
}
