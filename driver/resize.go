package driver

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Resize returns the program for another workgroup size. It refuses a program that could
// tell the difference, naming the first thing that can: it has barriers, shared memory, subgroup ops, or atomics and
// fences among the invocations of a group, or looks at ids below that of the grid.
func Resize(p *ir.Program, workgroup [3]uint32) (*ir.Program, error) {
	if err := dependsOnGroup(p); err != nil {
		return nil, err
	}
	c := p.Edit()
	c.Workgroup = workgroup
	return verify.Seal(c)
}

// dependsOnGroup returns nil for a program that cannot tell which invocations are in a group, or says by what it can.
func dependsOnGroup(p *ir.Program) error {
	for _, a := range p.Arrays() {
		if a.Shared {
			return fmt.Errorf("program %s depends on its group size: it has the shared array %s", p.Name(), a.Name)
		}
	}
	for r := range ir.Row(p.Rows()) {
		if !tellsGroup(p, r) {
			continue
		}
		where := fmt.Sprintf("row %d", r)
		if pos := p.Pos(r).String(); pos != "" {
			where = pos
		}
		return fmt.Errorf("program %s depends on its group size: %v at %s", p.Name(), p.Op(r), where)
	}
	return nil
}

// tellsGroup reports whether what a row does depends on which invocations are in a group.
func tellsGroup(p *ir.Program, r ir.Row) bool {
	switch p.Op(r) {
	case ir.OpLocal, ir.OpGroup, ir.OpGroups, ir.OpLane, ir.OpWarp:
		return true
	}
	attr := p.Op(r).Info().Attr
	return attr&(ir.Convergent|ir.Barrier) != 0 || attr&(ir.Atomic|ir.Fence) != 0 && p.Flags(r).Scope() == ir.Group
}
