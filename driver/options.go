package driver

import (
	"cmp"
	"fmt"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Check returns the program with the group size of the options, its own in place of AutoWorkgroup, and the passes that they choose for it. Every device
// refuses what it refuses, whether that makes use of the option or not: what is wrong anywhere, and what a device
// has too little for that has these capabilities.
func (o Options) Check(p *ir.Program, c *Caps) (*ir.Program, compile.Choice, error) {
	no := func(kind Kind, fix, format string, args ...any) (*ir.Program, compile.Choice, error) {
		return nil, compile.Choice{}, &Error{Op: "compile", Label: LabelOf(p, o), Device: c.Name, Kind: kind, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	switch {
	case p == nil:
		return no(InvalidArgument, "", "the program is nil")
	case p.GroupSize() == 0:
		return no(InvalidArgument, "pass one that was sealed", "the program holds nothing")
	}
	choice, err := compile.Parse(o.Optimise)
	if err != nil {
		return no(InvalidArgument, "leave Optimise empty", "%v", err)
	}
	if n := o.MaxRegisters; n != 0 && (n < 16 || n > 255) {
		return no(InvalidArgument, "leave MaxRegisters 0", "%d registers, a thread has 16 to 255", n)
	}
	if w := o.Workgroup; w != [3]uint32{} && w != AutoWorkgroup && w != p.Workgroup() {
		if p, err = Resize(p, o.Workgroup); err != nil {
			return no(Unsupported, "write the program for that size", "%v", err)
		}
	}
	if e := Diagnose(c, o.Requirement(p)).refusal("compile", "", Unsupported); e != nil {
		if lacks := verify.Lacks(p, verify.Target{SM: 10*c.Major + c.Minor, SharedBytes: uint64(c.SharedOptin), Cooperative: true}); lacks != nil {
			e.Pos = lacks[0].Pos.String() // of the largest array, or of a product
			if lacks[0].Code == "VY508" {
				e.Msg = lacks[0].Msg + " [VY508]"
			}
		}
		return nil, choice, e
	}
	if _, err := o.Generation(p, c); err != nil {
		return no(Unsupported, "use device cpu, which computes as any generation", "%v", err)
	}
	return p, choice, nil
}

// Generation is that of hardware by which the program's products of float matrices are computed under the options; "" if it
// has none. A GPU computes by its own, and text for less than sm_80 asks it for products in other steps.
func (o Options) Generation(p *ir.Program, c *Caps) (string, error) {
	if !p.Traits().Generational {
		return "", nil
	}
	g, err := matrix.Resolve(p, cmp.Or(o.Matrix, c.Matrix.Generation))
	if err != nil {
		return "", err
	}
	if have := c.Matrix.Generation; c.Major > 0 && g.String() != have {
		return "", fmt.Errorf("float products as %s computes them, and the device computes as %s", g, have)
	}
	if sm := cmp.Or(o.Target, c.Target); c.Major >= 9 && (sm == "sm_70" || sm == "sm_72" || sm == "sm_75") {
		return "", fmt.Errorf("float products for target %s, which would not be those of %s", sm, g)
	}
	return g.String(), nil
}
