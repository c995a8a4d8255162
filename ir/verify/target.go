package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/inner"
)

// Target is what a device offers, as far as it decides whether a program can run there.
// The zero Target offers everything.
type Target struct {
	SM          int    // architecture, such as 90; 0 for any, and then Cooperative is taken as true
	SharedBytes uint64 // shared memory a workgroup can have, with the opt-in; 0 for any amount
	Cooperative bool   // can launch grids with a grid barrier
}

// Program reports what keeps the program from running on the target, and warns about what
// is legal but hardly meant. A sealed program has no other findings.
func Program(p *ir.Program, t Target) ir.Diags {
	a := newAdvice(p)
	a.all(t)
	return a.Sorted()
}

// Lacks returns what keeps the sealed program from running on the target: what Program reports, but for the warnings.
func Lacks(p *ir.Program, t Target) ir.Diags {
	a := &advice{Report: finding.Report{Code: p.Code(inner.Key{})}, p: p}
	a.target(t)
	return a.Sorted()
}

func (a *advice) all(t Target) {
	a.target(t)
	a.rows()
	a.loops()
	a.unused()
	a.mixed()
	a.unwritten()
	a.early()
}

// target checks the limits of the device.
func (a *advice) target(t Target) {
	if n := a.p.SharedBytes(); t.SharedBytes != 0 && n > t.SharedBytes {
		a.Add("VY504", ir.NoRow, n, t.SharedBytes).Pos = largest(a.Code, ir.OnShared)
	}
	if t.SM == 0 {
		return
	}
	said := map[ir.Op]bool{}
	cooperative := t.Cooperative
	for r, op := range a.Code.Op {
		in := op.Info()
		if in.MinSM > t.SM && !said[op] {
			said[op] = true
			a.Add("VY506", ir.Row(r), a.Op(ir.Row(r)), in.MinSM, t.SM)
		}
		if why := noUnits(op, t.SM); why != "" && !said[op] {
			said[op] = true
			a.Add("VY508", ir.Row(r), a.Op(ir.Row(r)), t.SM, why)
		}
		if in.Attr&ir.Convergent != 0 && in.Level <= ir.LevelFirst && !cooperative {
			cooperative = true // said once
			a.Add("VY507", ir.Row(r), a.Op(ir.Row(r)))
		}
	}
}

// noUnits says why an architecture cannot run a matrix product, "" if it can. Exact ones are made of other instructions
// where there are no units for them; of float ones nothing else gives the same bits.
func noUnits(op ir.Op, sm int) string {
	const f16, f16f16, bf16, tf32 = ir.OpMma, ir.OpMma + 1, ir.OpMma + 2, ir.OpMma + 3
	switch {
	case (op == f16 || op == f16f16) && sm < 75:
		return "it exists from sm_75 on, and sm_70 has other fragments"
	case (op == bf16 || op == tf32) && sm < 80:
		return "it exists from sm_80 on, and earlier units have no bf16 and tf32"
	}
	return ""
}
