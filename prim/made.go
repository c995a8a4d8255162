package prim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// made is what all primitives have: their kernels, and what they were made for.
type made struct {
	dev     vyre.Device
	what    string // such as "prim.Reduce[float32]"
	label   string // such as "prim.Reduce[float32] of at most 4096"
	max     uint64
	kernels []vyre.Kernel
	// registers bounds those of a thread in the kernels that are compiled next, if it is not 0: where an assembler takes a few more
	// than let another workgroup run beside, that group is worth more.
	registers int
	matrix    string // the generation by which products of float matrices are computed; "" is that of the device
}

// Primitive is what the functions New… of this package return.
type Primitive interface {
	io.Closer
	scratchBytes() int64
}

// Bytes returns how much scratch memory a step of a primitive takes for its work.
func Bytes(p Primitive) int64 { return p.scratchBytes() }

// make begins a primitive for at most max elements.
func begin(dev vyre.Device, what string, max int) (*made, error) {
	m := &made{dev: dev, what: "prim." + what, label: fmt.Sprintf("prim.%s of at most %d", what, max), max: uint64(max)}
	switch {
	case dev == nil:
		return nil, &vyre.Error{Op: "make", Label: what, Kind: vyre.InvalidArgument, Msg: "the device is nil"}
	case max < 0:
		return nil, m.refuse(fmt.Sprintf("at most %d elements", max), "a primitive is made for as many elements as there can be")
	case uint64(max) > mostElements:
		return nil, m.refuse(fmt.Sprintf("at most %d elements", max), fmt.Sprintf("kernels take ranges of up to %d", uint64(mostElements)))
	}
	return m, nil
}

// mostElements is how many elements a range of a kernel has at most. With so many no number of bytes overflows.
const mostElements = 1 << 40

func (m *made) refuse(msg, fix string) *vyre.Error {
	return &vyre.Error{Op: "record", Label: m.label, Device: m.dev.Name(), Kind: vyre.InvalidArgument, Msg: msg, Fix: fix}
}

// unsupported is the error of a primitive that there is not for a type.
func unsupported(what, msg string) error {
	return &vyre.Error{Op: "make", Label: "prim." + what, Kind: vyre.Unsupported, Msg: msg}
}

// kernel is a program compiled for any ranges, and for ranges that begin at a multiple of 16 bytes, whose elements are loaded
// four at a time.
type kernel struct {
	any, aligned vyre.Kernel
	wide         []string // the buffers that have to be aligned
}

// compile specialises a program and compiles it. What was compiled before an error is closed with m.
func (m *made) compile(ctx context.Context, p *ir.Program, err error, scalars map[string]uint64, wide ...string) (k kernel, _ error) {
	return m.compileAs(ctx, p, err, build.Specialisation{Scalars: scalars}, wide...)
}

// compileAs is compile of any specialisation, such as one that makes buffers one.
func (m *made) compileAs(ctx context.Context, p *ir.Program, err error, as build.Specialisation, wide ...string) (k kernel, _ error) {
	k.wide = wide
	one := func(align map[string]int) (vyre.Kernel, error) {
		as.Align = align
		if _, ok := as.Scalars[staged]; ok {
			as.Scalars[staged] = bit(align != nil && m.dev.Caps().Major >= 8)
			if align == nil { // copies, which are not in this one, ask for more
				as.Align = elementAlign(p, wide)
			}
		}
		special, err := build.Specialise(p, as)
		if err != nil {
			return nil, err
		}
		made, err := m.dev.Compile(ctx, special, vyre.CompileOptions{Label: m.label, Entry: m.what, MaxRegisters: m.registers, Matrix: m.matrix})
		if err == nil {
			m.kernels = append(m.kernels, made)
		}
		return made, err
	}
	if err == nil {
		k.any, err = one(nil)
	}
	if k.aligned = k.any; err == nil && len(wide) > 0 {
		align := make(map[string]int)
		for _, name := range wide {
			align[name] = vectorBytes
		}
		k.aligned, err = one(align)
	}
	return k, err
}

// staged is the parameter of kernels that copy parts of their buffers asynchronously, if these are aligned.
const staged = "staged"

// elementAlign aligns buffers to their elements.
func elementAlign(p *ir.Program, buffers []string) map[string]int {
	align := make(map[string]int)
	for _, q := range p.Params() {
		if slices.Contains(buffers, q.Name) {
			align[q.Name] = q.Type.Size()
		}
	}
	return align
}

// vectorBytes is how many bytes an invocation loads or stores at once, at most.
const vectorBytes = 16

// launch records a launch over so many tiles at most, of the form that the ranges allow. Its arguments are those of the
// kernel but for the scalars that were bound.
func (m *made) launch(seq *vyre.Sequence, k kernel, tiles uint64, args ...vyre.Arg) *driver.Step {
	of := k.aligned
	for i, p := range k.any.Signature() {
		if r, ok := args[i].(vyre.Range); ok && r.Off%vectorBytes != 0 && slices.Contains(k.wide, p.Name) {
			of = k.any
		}
	}
	return seq.Launch(of, vyre.Grid{m.groups(of, tiles)}, args...)
}

// forcedGroups, if not 0, is how many workgroups every launch has: tests set it, since no result depends on it.
var forcedGroups uint32

// groups is how many workgroups share the tiles: as many as run at once, at most one a tile.
func (m *made) groups(k vyre.Kernel, tiles uint64) uint32 {
	if forcedGroups != 0 {
		return forcedGroups
	}
	return uint32(max(1, min(tiles, uint64(k.Occupancy(0).Cooperative))))
}

// alone reports whether a launch over so many tiles has one workgroup, which needs no tickets and waits for nobody.
func alone(tiles uint64) bool { return tiles <= 1 && forcedGroups <= 1 }

// Close gives the kernels up. It answers Busy while a prepared sequence has a step of the primitive; closing twice is
// harmless.
func (m *made) Close() error {
	if m == nil {
		return nil // a zero value has none
	}
	var err error
	for _, k := range m.kernels {
		err = errors.Join(err, k.Close())
	}
	return err
}

// typeName is T as Go writes it, and as programs of instances are called.
func typeName[T any]() string { return reflect.TypeFor[T]().String() }

func sizeOf[T any]() uintptr { return reflect.TypeFor[T]().Size() }
