package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/govyre/vyre/bench/codegen"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// The names of the variants.
const (
	byDefault = "nvcc -O3"
	noFMad    = "nvcc -O3 -fmad=false"
	ours      = "vyre"
	unchecked = "vyre unchecked"

	split       = "vyre split by hand"
	shapePrefix = "vyre, " // and the name of the shape
)

// variant is one way to run a case.
type variant struct {
	name    string
	near    bool              // last bits differ from the reference kernel's
	split   *codegen.Split    // what its buffers are parts of; nil if they are the problem's
	buffers []*codegen.Buffer // that it reads and writes
	calls   []*call
	modules []cu.Module
	cost    Cost
}

// Cost is what the code of a variant takes, over its kernels.
type Cost struct {
	Registers int // the most of any kernel
	Spills    int // bytes of local memory beyond the arrays of the program, the most of any kernel
	Checked   int // accesses with a bounds check
	Accesses  int
}

// variants makes the variants of a problem, on buffers that are in place.
func (g *gpu) variants(c *codegen.Case, p *codegen.Problem, mem map[*codegen.Buffer]cu.Ptr, kernels map[string]*front.Kernel, o options) ([]*variant, error) {
	var all []*variant
	for _, build := range []struct{ name, dir string }{{byDefault, "default"}, {noFMad, "nofmad"}} {
		v, err := g.reference(filepath.Join(o.reference, build.dir, c.Reference+".cubin"), c.Arrays, p, mem, kernels)
		if err != nil {
			return all, err
		}
		v.name, v.buffers = build.name, p.Buffers
		all = append(all, v)
	}
	add := func(name string, steps []codegen.Step, compile compiler) (*variant, error) {
		v, err := g.own(steps, mem, kernels, compile)
		if err == nil {
			v.name, v.near, v.buffers = name, p.Library, p.Buffers
			all = append(all, v)
		}
		return v, err
	}
	if _, err := add(ours, p.Steps, codegen.Compile); err != nil {
		return all, err
	}
	if o.unchecked {
		if _, err := add(unchecked, p.Steps, codegen.Unchecked); err != nil {
			return all, err
		}
	}
	if o.shapes {
		for _, s := range p.Shapes {
			v, err := add(shapePrefix+s.Name, s.Steps, codegen.Compile)
			if err != nil {
				return all, err
			}
			v.near = v.near || s.Approximate
		}
	}
	if p.Split != nil {
		v, err := add(split, p.Split.Steps, codegen.Compile)
		if err != nil {
			return all, err
		}
		v.split, v.buffers = p.Split, p.Split.Buffers()
	}
	return all, nil
}

// compiler takes a program to PTX.
type compiler func(*ir.Program, ptx.Target) (codegen.Code, error)

// reference loads what nvcc made. A reference kernel takes a pointer and a length of 32 bits for every slice.
func (g *gpu) reference(file string, arrays int, p *codegen.Problem, mem map[*codegen.Buffer]cu.Ptr, kernels map[string]*front.Kernel) (*variant, error) {
	image, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no reference kernel: %w; run.sh builds them", err)
	} else if err != nil {
		return nil, err
	}
	m, err := g.load(image)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	v := &variant{modules: []cu.Module{m}}
	for _, s := range p.Steps {
		f, err := g.drv.ModuleGetFunction(m, s.Kernel)
		if err != nil {
			return nil, fmt.Errorf("%s in %s: %w", s.Kernel, file, err)
		}
		k := kernels[s.Kernel]
		var values []uint64
		for i, a := range s.Args {
			if a.Buffer == nil {
				values = append(values, a.Bits)
				continue
			}
			values = append(values, uint64(mem[a.Buffer]), uint64(a.Len(k, i)))
		}
		v.calls = append(v.calls, g.newCall(f, s.Grid, k.Program.Workgroup(), 0, values))
		if err := g.count(v, f, arrays); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// own compiles our kernels and lays out their launches.
func (g *gpu) own(steps []codegen.Step, mem map[*codegen.Buffer]cu.Ptr, kernels map[string]*front.Kernel, compile compiler) (*variant, error) {
	v := &variant{}
	done := make(map[string]loaded)
	for _, s := range steps {
		k := kernels[s.Kernel]
		l, ok := done[s.Kernel]
		if !ok {
			code, err := compile(k.Program, target)
			if err != nil {
				return nil, err
			}
			m, err := g.load([]byte(code.Module.Text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Kernel, err)
			}
			v.modules = append(v.modules, m)
			f, err := g.drv.ModuleGetFunction(m, code.Module.Kernels[0].Entry)
			if err != nil {
				return nil, err
			}
			l = loaded{code, f}
			done[s.Kernel] = l
			checked, all := codegen.Checks(code.Program)
			v.cost.Checked += checked
			v.cost.Accesses += all
			if err := g.count(v, f, code.Module.Kernels[0].Local); err != nil {
				return nil, err
			}
		}
		values, err := l.values(s, mem)
		if err != nil {
			return nil, err
		}
		e := &l.code.Module.Kernels[0]
		v.calls = append(v.calls, g.newCall(l.f, s.Grid, k.Program.Workgroup(), uint32(e.Dynamic), values))
	}
	return v, nil
}

// loaded is one of our kernels on the device.
type loaded struct {
	code codegen.Code
	f    cu.Function
}

// values are the arguments in the order of the entry's parameters: for each buffer an address and a count
// of elements, which are scalars or structs, but not vectors.
func (l *loaded) values(s codegen.Step, mem map[*codegen.Buffer]cu.Ptr) ([]uint64, error) {
	layout := &l.code.Module.Kernels[0].Params
	if layout.Grid >= 0 || layout.Trap >= 0 || layout.Trace >= 0 {
		return nil, fmt.Errorf("%s wants hidden arguments, which only the runtime gives", s.Kernel)
	}
	var values []uint64
	for i, q := range l.code.Program.Params() {
		a := s.Args[i]
		if !q.IsBuffer() {
			values = append(values, a.Bits)
			continue
		}
		values = append(values, uint64(mem[a.Buffer]), uint64(a.Buffer.Bytes)/uint64(q.Bytes()))
	}
	return values, nil
}

// count adds what the driver says about a function.
func (g *gpu) count(v *variant, f cu.Function, arrays int) error {
	regs, err := g.drv.FuncGetAttribute(cu.FuncRegisters, f)
	if err != nil {
		return err
	}
	local, err := g.drv.FuncGetAttribute(cu.FuncLocal, f)
	if err != nil {
		return err
	}
	v.cost.Registers = max(v.cost.Registers, regs)
	v.cost.Spills = max(v.cost.Spills, local-arrays)
	return nil
}

// unload unloads the modules.
func (g *gpu) unload(v *variant) {
	for _, m := range v.modules {
		_ = g.drv.ModuleUnload(m)
	}
}
