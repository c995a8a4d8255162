package driver

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Resize returns the program for another workgroup size. It refuses a program that could
// tell the difference, naming the first thing that can: it has barriers, shared memory or
// subgroup ops, or looks at ids below that of the grid.
func Resize(p *ir.Program, workgroup [3]uint32) (*ir.Program, error) {
	for _, a := range p.Arrays() {
		if a.Shared {
			return nil, fmt.Errorf("program %s depends on its group size: it has the shared array %s", p.Name(), a.Name)
		}
	}
	for r := range ir.Row(p.Rows()) {
		op := p.Op(r)
		switch op {
		case ir.OpLocal, ir.OpGroup, ir.OpGroups, ir.OpLane, ir.OpWarp:
		default:
			if op.Info().Attr&(ir.Convergent|ir.Barrier) == 0 {
				continue
			}
		}
		where := fmt.Sprintf("row %d", r)
		if pos := p.Pos(r).String(); pos != "" {
			where = pos
		}
		return nil, fmt.Errorf("program %s depends on its group size: %v at %s", p.Name(), op, where)
	}
	c := p.Edit()
	c.Workgroup = workgroup
	return verify.Seal(c)
}
