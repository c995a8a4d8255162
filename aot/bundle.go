package aot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/bundle"
)

// Bundle is an open bundle. All its methods may be called at the same time.
type Bundle struct {
	kernels   []*driver.Image
	sequences []*driver.SequenceImage
}

// Open reads the index of a bundle. A file that is damaged, or not a bundle, gives an error of kind InvalidArgument.
func Open(data string) (*Bundle, error) {
	kernels, sequences, err := bundle.Read(data)
	if err != nil {
		return nil, &driver.Error{Op: "open", Label: "bundle", Kind: driver.InvalidArgument, Msg: strings.TrimPrefix(err.Error(), "bundle: "), Fix: "make it again with vyre bundle", Err: err}
	}
	return &Bundle{kernels, sequences}, nil
}

// Kernels returns the kernels by ascending label.
func (b *Bundle) Kernels() []*driver.Image { return slices.Clone(b.kernels) }

// Load makes a kernel of the one that has the label, on a device.
func (b *Bundle) Load(ctx context.Context, dev driver.Device, label string, o driver.Options) (driver.Kernel, error) {
	no := func(msg, fix string) (driver.Kernel, error) {
		return nil, &driver.Error{Op: "load", Label: label, Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
	}
	if dev == nil {
		return no("the device is nil", "open one, and look at the error of Open")
	}
	i, ok := slices.BinarySearchFunc(b.kernels, label, func(k *driver.Image, label string) int { return strings.Compare(k.Label(), label) })
	if !ok {
		var all []string
		for _, k := range b.kernels {
			all = append(all, k.Label())
		}
		return no(fmt.Sprintf("the bundle has no such kernel; it has %q", all), "")
	}
	return dev.Load(ctx, b.kernels[i], o)
}
