package driver

import (
	"fmt"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// Check returns the passes that the options choose for a program. What it refuses is refused by every device,
// whether that makes use of the option or not; device is for the error.
func (o Options) Check(p *ir.Program, device string) (compile.Choice, error) {
	no := func(fix, format string, args ...any) *Error {
		return &Error{Op: "compile", Label: LabelOf(p, o), Device: device, Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	switch {
	case p == nil:
		return compile.Choice{}, no("", "the program is nil")
	case p.GroupSize() == 0:
		return compile.Choice{}, no("pass one that was sealed", "the program holds nothing")
	}
	choice, err := compile.Parse(o.Optimise)
	if err != nil {
		return choice, no("leave Optimise empty", "%v", err)
	}
	if n := o.MaxRegisters; n != 0 && (n < 16 || n > 255) {
		return choice, no("leave MaxRegisters 0", "%d registers, a thread has 16 to 255", n)
	}
	return choice, nil
}
