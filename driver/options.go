package driver

import (
	"fmt"

	"github.com/govyre/vyre/internal/passes"
)

// Check returns the passes that the options choose. What it refuses is refused by every device,
// whether that makes use of the option or not; device and label are for the error.
func (o Options) Check(device, label string) (passes.Choice, error) {
	no := func(fix, format string, args ...any) *Error {
		return &Error{Op: "compile", Label: label, Device: device, Kind: InvalidArgument, Msg: fmt.Sprintf(format, args...), Fix: fix}
	}
	choice, err := passes.Parse(o.Optimise)
	if err != nil {
		return choice, no("leave Optimise empty", "%v", err)
	}
	if n := o.MaxRegisters; n != 0 && (n < 16 || n > 255) {
		return choice, no("leave MaxRegisters 0", "%d registers, a thread has 16 to 255", n)
	}
	return choice, nil
}
