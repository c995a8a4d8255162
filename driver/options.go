package driver

import (
	"fmt"

	"github.com/govyre/vyre/internal/compile"
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
		if lacks := verify.Lacks(p, verify.Target{SharedBytes: uint64(c.SharedOptin)}); lacks != nil {
			e.Pos = lacks[0].Pos.String() // of the largest array
		}
		return nil, choice, e
	}
	return p, choice, nil
}
