package primary

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
)

// meaning is what a result says about a call.
type meaning struct {
	kind   driver.Kind
	sticky bool // the context does not survive it
	fix    string
}

// What helps where a context did not survive. After a fault of a kernel CUDA refuses the process any other
// context of that GPU, whatever is reset or destroyed.
const (
	restart   = "restart the process"
	openAgain = "close the device and open it again"
)

const updateDriver = "update the NVIDIA driver"

// launchTimeout is CUDA_ERROR_TIMEOUT: a fault where the context survived it.
const launchTimeout = 909

// meaningOf classifies the results that the driver's header defines.
func meaningOf(r cu.Result) (m meaning, known bool) {
	switch {
	case r == 2:
		return meaning{driver.OutOfMemory, false, "close buffers or split the work"}, true
	case r == 3 || r == 4:
		return meaning{driver.Closed, false, ""}, true
	case r == 34:
		return meaning{driver.Unavailable, false, "the library is the toolkit's stub; put the driver's own first on the library path"}, true
	case r == 46:
		return meaning{driver.Unavailable, false, "another process has the GPU for itself, or it needs a reset; see nvidia-smi"}, true
	case r == 100:
		return meaning{driver.Unavailable, false, "check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it"}, true
	case r == 802:
		return meaning{driver.Unavailable, false, "start the fabric manager, or wait until it has set the system up"}, true
	case r == 803:
		return meaning{driver.Unavailable, false, "the driver library and the kernel module are of different versions; reboot, or reinstall the driver"}, true
	case r == 36:
		return meaning{driver.Unsupported, false, updateDriver}, true
	case r == 804:
		return meaning{driver.Unavailable, false, updateDriver}, true
	case r >= 5 && r <= 8, r == 101 || r == 102 || r == 221 || r == 223 || r == 302 || r == 303, r == 800, r >= 805 && r <= 809:
		return meaning{driver.Unavailable, false, ""}, true
	case r == 215 || r == 217 || r == 224 || r == 225, r >= 703 && r <= 705, r == 711, r == 801 || r == 811 || r == 812, r == 916 || r == 917:
		return meaning{driver.Unsupported, false, ""}, true
	case r == 222:
		return meaning{driver.Compile, false, "update the NVIDIA driver: it is older than the text that it was given"}, true
	case r == 200 || r == 209 || r == 218:
		return meaning{driver.Compile, false, ""}, true
	case r == 701:
		return meaning{driver.InvalidArgument, false, "use a smaller workgroup, or less shared memory"}, true
	case r == 720:
		return meaning{driver.InvalidArgument, false, "launch fewer groups and loop over the domain"}, true
	case r == 912:
		return meaning{driver.InvalidArgument, false, ""}, true
	case r == 702:
		return meaning{driver.DeviceFault, true, "the watchdog of a display, or a simulated GPU's limit of instructions, ended the kernel; restart the process, and use a GPU without a display, or shorter launches"}, true
	case r == 700, r == 710, r >= 714 && r <= 719, r == 721:
		return meaning{driver.DeviceFault, true, restart}, true
	case r == 214 || r == 220 || r == 226 || r == 709 || r == 810 || r == 911:
		return meaning{driver.DeviceLost, true, openAgain}, true
	case r == 909 || r == 999:
		return meaning{}, false
	}
	return meaning{driver.Internal, false, ""}, r.Known()
}

// ErrorOf makes an error of one from a call without a context: before one is retained, or after it was
// given back. A driver of the caller's own may fail with errors of its own: nothing is known of them.
func ErrorOf(op, label string, err error) *driver.Error {
	e, _ := classify(op, label, err)
	return e
}

// classify also reports whether the result is one that the header defines.
func classify(op, label string, err error) (e *driver.Error, known bool) {
	var call *cu.CallError
	if !errors.As(err, &call) {
		return &driver.Error{Op: op, Label: label, Kind: driver.Internal, Msg: "the driver answered with an error that is none of CUDA's: " + err.Error(), Err: err}, true
	}
	e = &driver.Error{Op: op, Label: label, Code: int32(call.Result), CodeName: call.Result.String(), Call: call.Call, Msg: call.Call + " failed", Err: err}
	var fault *cu.FaultError
	if errors.As(err, &fault) {
		e.Msg += ": " + fault.Cause.Error()
	}
	m, known := meaningOf(call.Result)
	if !known {
		m.kind = driver.Unavailable
	}
	e.Kind, e.Sticky, e.Fix = m.kind, m.sticky, m.fix
	return e, known
}

// ErrorOf makes an error of the device from one of a call, and marks the context lost if it does not
// survive that. The caller has the context current.
func (c *Context) ErrorOf(op, label string, err error) *driver.Error {
	e, known := classify(op, label, err)
	e.Device = c.Name()
	if !known {
		// Whether the context survived is found out by asking it something harmless.
		_, again := c.Driver.StreamQuery(0)
		switch {
		case again != nil:
			e.Kind, e.Sticky, e.Fix = driver.DeviceLost, true, openAgain
		case e.Code == launchTimeout:
			e.Kind = driver.DeviceFault
		default:
			e.Kind = driver.Internal
		}
	}
	if e.Sticky {
		c.lost.CompareAndSwap(nil, e)
	}
	return e
}

// Complete gives an error of a part of the device what only the caller knows; what is no error of the
// device yet becomes one, as by ErrorOf.
func (c *Context) Complete(op, label string, err error) *driver.Error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return c.ErrorOf(op, label, err)
	}
	if e.Op == "" {
		e.Op, e.Label, e.Device = op, label, c.Name()
	}
	return e
}

// Lost reports whether the context is lost.
func (c *Context) Lost() bool { return c.lost.Load() != nil }

// Lose marks the context lost, unless it is already.
func (c *Context) Lose(e *driver.Error) bool { return c.lost.CompareAndSwap(nil, e) }

// LostError is nil, or what every operation answers once the context is lost.
func (c *Context) LostError(op, label string) *driver.Error {
	first := c.lost.Load()
	if first == nil {
		return nil
	}
	return &driver.Error{Op: op, Label: label, Device: c.Name(), Kind: driver.DeviceLost, Msg: "an earlier error ended the device: " + first.Error(),
		Fix: cmp.Or(first.Fix, openAgain), Err: first}
}

// Caught makes an error of what a goroutine that the device started panicked with. The process is not the
// device's to end.
func Caught(op, label string, v any) *driver.Error {
	return &driver.Error{Op: op, Label: label, Kind: driver.Internal, Msg: fmt.Sprintf("a mistake of this package: %v", v), Log: string(debug.Stack()),
		Fix: "report it with the error's log"}
}
