package codegen

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

//go:embed kernels/*.go
var sources embed.FS

// References are the reference kernels, in a folder reference.
//
//go:embed reference/*.cu reference/*.h
var References embed.FS

// Kernels compiles the kernels of the suite, by name. Their source is in the binary, so this works on
// machines without Go.
func Kernels() (map[string]*front.Kernel, error) {
	names, err := fs.Glob(sources, "kernels/*.go")
	if err != nil {
		return nil, err
	}
	var files []front.File
	for _, name := range names {
		src, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, front.File{Name: path.Base(name), Src: src})
	}
	pkg, err := front.Parse(context.Background(), files, front.Options{})
	if err != nil {
		return nil, err
	}
	out := make(map[string]*front.Kernel)
	for _, k := range pkg.Kernels() {
		out[k.Name] = k
	}
	return out, nil
}

// Code is a program on its way to the device.
type Code struct {
	Program *ir.Program // optimised
	Module  *ptx.Module
}

// Compile takes a program the way that every device takes it: through the default passes to PTX.
func Compile(p *ir.Program, t ptx.Target) (Code, error) {
	m, err := ptx.Compile(p, t, ptx.Options{})
	if err != nil {
		return Code{}, err
	}
	return Code{m.Kernels[0].Program, m}, nil
}

// Unchecked is Compile of a program whose accesses all claim to be in bounds. It does not keep the
// program's meaning: it is there to see what the checks cost, with launches that stay in bounds. The claim is
// made before the passes run, so that a load that they move to where it may be out of bounds loses it again.
func Unchecked(p *ir.Program, t ptx.Target) (Code, error) {
	c := p.Edit()
	for r := range c.Flags {
		if access(c.Op[r]) {
			c.Flags[r] |= ir.InBounds
		}
	}
	q, err := verify.Seal(c)
	if err != nil {
		return Code{}, fmt.Errorf("take the checks out of %s: %w", p.Name(), err)
	}
	return Compile(q, t)
}

// Checks counts the accesses of a program, and those among them whose bounds are checked.
func Checks(p *ir.Program) (checked, all int) {
	for r := range ir.Row(p.Rows()) {
		if access(p.Op(r)) {
			all++
			if !p.Flags(r).InBounds() {
				checked++
			}
		}
	}
	return checked, all
}

// access reports whether the op has a place that may be out of bounds.
func access(op ir.Op) bool { return op.Info().Attr&(ir.Hinted|ir.Atomic) != 0 }
