package gen

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/ir"
)

// signature is how the methods of a launcher are declared and what they pass on.
type signature struct {
	params []param

	// Names that give way to those of the kernel's parameters.
	recv, seq, ctx, grid string
	rest                 string // length of the shared array that has none; "" without one
}

// param is a parameter of the kernel. Type is that of the scalar, or of an element.
type param struct {
	name, typ string
	parts     []front.Part // of a struct or an array by value
	buffer    bool
	access    ir.Access
}

func (f *file) signature(k *front.Kernel) (*signature, error) {
	s := new(signature)
	taken := map[string]bool{"vyre": true} // bodies use the package
	for i, p := range k.Params {
		name := p.Name
		if name == "" || name == "_" {
			name = fmt.Sprintf("p%d", i+1)
		}
		if where := f.outOfReach(p.Type); p.Parts != nil && where != "" {
			return nil, fmt.Errorf("kernel %s: a launcher passes the fields of parameter %s one by one, and cannot reach %s; export it, or pass a slice of one element",
				k.Name, name, where)
		}
		typ := p.Type
		if p.Buffer {
			typ = typ.Underlying().(*types.Slice).Elem()
			if !hasBuffer(typ) {
				return nil, fmt.Errorf("kernel %s: a buffer of %s cannot be a Go slice on every host; give parameter %s elements of a type with a fixed size",
					k.Name, types.TypeString(typ, f.qualify), name)
			}
		}
		s.params = append(s.params, param{unused(taken, name), f.typeText(typ, p.Buffer), p.Parts, p.Buffer, k.Program.Params()[p.First].Access})
	}
	s.recv, s.seq, s.ctx, s.grid = unused(taken, "k"), unused(taken, "seq"), unused(taken, "ctx"), unused(taken, "grid")
	if k.Program.Traits().SharedRest {
		s.rest = unused(taken, "sharedRest")
	}
	return s, nil
}

// types writes the parameters of a kernel's Go function without their names.
func (f *file) types(k *front.Kernel) string {
	list := []string{f.qualify(types.NewPackage(gpuPath, "gpu")) + ".Thread"}
	for _, p := range k.Params {
		list = append(list, types.TypeString(p.Type, f.qualify))
	}
	return strings.Join(list, ", ")
}

// unused returns name, with underscores if it is taken, and takes it.
func unused(taken map[string]bool, name string) string {
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// typeText writes a type. In a buffer int has 64 bits, on every host.
func (f *file) typeText(t types.Type, buffer bool) string {
	if b, ok := types.Unalias(t).(*types.Basic); ok && buffer {
		switch b.Kind() {
		case types.Int:
			return "int64"
		case types.Uint:
			return "uint64"
		}
	}
	return types.TypeString(t, f.qualify)
}

// hasBuffer reports whether vyre.Buffer takes the element type: an int within has another size on some
// hosts. As an element by itself it is passed as an int64.
func hasBuffer(t types.Type) bool {
	t = types.Unalias(t)
	b, ok := t.(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 || isFixed(t)
}

// outOfReach names a field in t that the generated file, which is of the kernels' package, cannot
// select; "" if it can select all.
func (f *file) outOfReach(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return f.outOfReach(u.Elem())
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg().Path() == gpuPath {
			return "" // a scalar
		}
		for v := range u.Fields() {
			if !v.Exported() && v.Name() != "_" && v.Pkg() != f.pkg.Types {
				return v.Name() + " of package " + v.Pkg().Path()
			}
			if where := f.outOfReach(v.Type()); where != "" {
				return where
			}
		}
	}
	return ""
}

// isFixed reports whether t has the same size on every host.
func isFixed(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Int && u.Kind() != types.Uint
	case *types.Array:
		return isFixed(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isFixed(f.Type()) {
				return false
			}
		}
	}
	return true
}

// declare writes the parameters of Launch or Run: first, the grid, then the kernel's, buffers
// as before+element+after.
func (s *signature) declare(first, before, after string) string {
	type run struct {
		names []string
		typ   string
	}
	var runs []run
	add := func(name, typ string) {
		if n := len(runs); n > 0 && runs[n-1].typ == typ {
			runs[n-1].names = append(runs[n-1].names, name)
			return
		}
		runs = append(runs, run{[]string{name}, typ})
	}
	runs = append(runs, run{[]string{first}, ""}, run{[]string{s.grid}, "vyre.Grid"})
	for _, p := range s.params {
		typ := p.typ
		if p.buffer {
			typ = before + typ + after
		}
		add(p.name, typ)
	}
	if s.rest != "" {
		add(s.rest, "int")
	}
	list := make([]string, len(runs))
	for i, r := range runs {
		list[i] = strings.TrimSpace(strings.Join(r.names, ", ") + " " + r.typ)
	}
	return strings.Join(list, ", ")
}

// pass writes the arguments that the kernel gets: the whole of each buffer, or slices.
func (s *signature) pass(slices bool) string {
	list := []string{s.recv + ".Kernel", s.grid}
	for _, p := range s.params {
		switch {
		case p.parts != nil:
			for _, part := range p.parts {
				list = append(list, "vyre.Value("+part.Of(p.name)+")")
			}
		case !p.buffer:
			list = append(list, "vyre.Value("+p.name+")")
		case !slices:
			list = append(list, p.name+".All()")
		case p.access.Writes():
			// Also where the kernel never reads: elements that it leaves alone keep their values.
			list = append(list, "vyre.InOut("+p.name+")")
		default:
			list = append(list, "vyre.In("+p.name+")")
		}
	}
	if s.rest != "" {
		list = append(list, "vyre.Rest("+s.rest+")")
	}
	return strings.Join(list, ", ")
}

// effect says in a sentence which buffers a launch reads and writes.
func (s *signature) effect() string {
	var parts []string
	for _, row := range []struct {
		verb   string
		access ir.Access
	}{{"reads", ir.RO}, {"writes", ir.WO}, {"updates", ir.RW}} {
		var names []string
		for _, p := range s.params {
			if p.buffer && p.access == row.access {
				names = append(names, p.name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, row.verb+" "+strings.Join(names, ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " It " + strings.Join(parts, "; ") + "."
}
