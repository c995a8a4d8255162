package cuda

import (
	"cmp"
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/cu"
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
	case r == 36 || r == 804:
		return meaning{kindWhen(r == 36, driver.Unsupported, driver.Unavailable), false, "update the NVIDIA driver"}, true
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
		return meaning{driver.DeviceFault, true, "the display's watchdog ended the kernel; restart the process, and use a GPU without a display, or shorter launches"}, true
	case r == 700, r == 710, r >= 714 && r <= 719, r == 721:
		return meaning{driver.DeviceFault, true, restart}, true
	case r == 214 || r == 220 || r == 226 || r == 709 || r == 810 || r == 911:
		return meaning{driver.DeviceLost, true, openAgain}, true
	case r == 909 || r == 999:
		return meaning{}, false
	}
	return meaning{driver.Internal, false, ""}, r.Known()
}

func kindWhen(first bool, a, b driver.Kind) driver.Kind {
	if first {
		return a
	}
	return b
}

// errorOf makes an error of the device from one of a call. A device that was not opened yet
// has no context to lose, so d may be nil. The caller has the context current otherwise. A driver
// of the caller's own may fail with errors of its own: nothing is known of the context then.
func (d *Device) errorOf(op, label string, err error) *driver.Error {
	var call *cu.CallError
	if !errors.As(err, &call) {
		e := &driver.Error{Op: op, Label: label, Kind: driver.Internal, Msg: "the driver answered with an error that is none of CUDA's: " + err.Error(), Err: err}
		if d != nil {
			e.Device = d.Name()
		}
		return e
	}
	e := &driver.Error{Op: op, Label: label, Code: int32(call.Result), CodeName: call.Result.String(), Call: call.Call, Msg: call.Call + " failed", Err: err}
	var fault *cu.FaultError
	if errors.As(err, &fault) {
		e.Msg += ": " + fault.Cause.Error()
	}
	m, known := meaningOf(call.Result)
	switch {
	case known:
	case d == nil:
		m = meaning{driver.Unavailable, false, ""}
	default:
		// Whether the context survived is found out by asking it something harmless.
		_, again := d.drv.StreamQuery(0)
		switch {
		case again != nil:
			m = meaning{driver.DeviceLost, true, openAgain}
		case call.Result == 909:
			m = meaning{driver.DeviceFault, false, ""}
		default:
			m = meaning{driver.Internal, false, ""}
		}
	}
	e.Kind, e.Sticky, e.Fix = m.kind, m.sticky, m.fix
	if d != nil {
		e.Device = d.Name()
		if e.Sticky {
			d.lost.CompareAndSwap(nil, e)
		}
	}
	return e
}

// lostError is what every operation on a lost device answers.
func (d *Device) lostError(op, label string, first *driver.Error) *driver.Error {
	return &driver.Error{Op: op, Label: label, Device: d.Name(), Kind: driver.DeviceLost, Msg: "an earlier error ended the device: " + first.Error(),
		Fix: cmp.Or(first.Fix, openAgain), Err: first}
}

// Err returns nil, or how the device was lost.
func (d *Device) Err() error {
	if first := d.lost.Load(); first != nil {
		return d.lostError("use", "", first)
	}
	return nil
}
