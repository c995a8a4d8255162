// Package loading is what devices have in common that load kernels of bundles.
//
// In: an entry of a bundle, the options. Out: an error of kind InvalidArgument or Unsupported, which every device gives for the
// same.
package loading

import (
	"cmp"
	"errors"

	"github.com/govyre/vyre/driver"
)

// Check refuses options that were decided when the bundle was made. It returns the label of the kernel.
func Check(device string, im *driver.Image, o driver.Options) (label string, err error) {
	if im == nil {
		return o.Label, &driver.Error{Op: "load", Label: o.Label, Device: device, Kind: driver.InvalidArgument, Msg: "the image is nil", Fix: "pass one that a bundle returned"}
	}
	label = cmp.Or(o.Label, im.Label())
	decided := ""
	switch {
	case o.Optimise != "":
		decided = "Optimise"
	case o.Workgroup != [3]uint32{} && o.Workgroup != im.Workgroup:
		decided = "Workgroup"
	case o.MaxRegisters != 0:
		decided = "MaxRegisters"
	case o.LineInfo:
		decided = "LineInfo"
	case o.Entry != "":
		decided = "Entry"
	}
	if decided != "" {
		return label, &driver.Error{Op: "load", Label: label, Device: device, Kind: driver.Unsupported, Msg: "a kernel of a bundle is compiled, and takes no option " + decided,
			Fix: "leave it zero, or compile the program"}
	}
	return label, nil
}

// None is the error of a device that finds no form to take.
func None(device, label string, im *driver.Image, wants string) error {
	return &driver.Error{Op: "load", Label: label, Device: device, Kind: driver.Unsupported, Msg: wants + ", and the bundle has " + im.Listed(),
		Fix: "make the bundle with --target for this device"}
}

// Failed is a mistake in the bundle, or an error of the device.
func Failed(device, label string, err error) error {
	var e *driver.Error
	if errors.As(err, &e) {
		own := *e
		own.Op, own.Label, own.Device = "load", label, device
		return &own
	}
	return &driver.Error{Op: "load", Label: label, Device: device, Kind: driver.InvalidArgument, Msg: err.Error(), Fix: "make the bundle again", Err: err}
}

// Fits refuses a kernel that the device has too little for.
func Fits(c *driver.Caps, need driver.Requirement) error {
	d := driver.Diagnose(c, need)
	if len(d.Failures) == 0 {
		return nil
	}
	return &driver.Error{Op: "load", Label: need.Kernel, Device: c.Name, Kind: driver.Unsupported, Msg: "the device has too little for it: " + d.String(), Err: d}
}
