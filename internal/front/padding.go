package front

import (
	"go/types"
	"slices"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// gap is where padding comes from: a struct in an element, and the number of its first scalar. A struct holds none of its own
// type, so no two structs have both in common.
type gap struct {
	of   types.Type
	leaf int
}

// paddingIn lists the bytes of an element of type t that belong to no scalar, as integers that have them: between the fields of
// structs, behind the last ones, and in place of blank fields.
func paddingIn(t types.Type) []field {
	var list []field
	leaf := 0
	var walk func(t types.Type, f field)
	walk = func(t types.Type, f field) {
		if scalarOf(t) != ir.None {
			leaf++
			return
		}
		if a, ok := t.Underlying().(*types.Array); ok {
			f.dims = append(slices.Clip(f.dims), a.Len())
			f.steps = append(slices.Clip(f.steps), layoutSizes.Sizeof(a.Elem()))
			if a.Len() == 0 {
				leaf += leavesOf(t)
				return
			}
			walk(a.Elem(), f)
			return
		}
		s := fieldsOf(t)
		if s == nil {
			return
		}
		vars := slices.Collect(s.Fields())
		end, owner := int64(0), &gap{t, leaf}
		for i, off := range layoutSizes.Offsetsof(vars) {
			if vars[i].Name() == "_" {
				leaf += leavesOf(vars[i].Type())
				continue
			}
			list = append(list, owner.between(f, end, off)...)
			end = off + layoutSizes.Sizeof(vars[i].Type())
			g := f
			g.off += off
			walk(vars[i].Type(), g)
		}
		list = append(list, owner.between(f, end, layoutSizes.Sizeof(t))...)
	}
	walk(t, field{})
	return list
}

// between returns the bytes from one offset in the struct to another, in the largest integers that are aligned there. f is the
// struct's place.
func (g *gap) between(f field, from, to int64) (list []field) {
	align := layoutSizes.Alignof(g.of)
	for from < to {
		n := align
		for from%n != 0 || from+n > to {
			n /= 2
		}
		p := f
		p.elem = map[int64]ir.Type{1: ir.U8, 2: ir.U16, 4: ir.U32, 8: ir.U64}[n]
		p.off += from
		p.name, p.owner = "_", g
		list = append(list, p)
		from += n
	}
	return list
}

// clearPadding writes zeros to the padding of the struct in a buffer's element that p is.
func (l *lowering) clearPadding(p place) {
	fields := p.mem.view.obj.fields
	for i := len(fields) - 1; i >= 0 && fields[i].owner != nil; i-- {
		g := fields[i].owner
		if g.leaf != p.lo || !types.Identical(g.of, p.typ) {
			continue
		}
		q := place{mem: p.mem, lo: i, hi: i + 1, idx: p.idx}
		l.access(q, false, func(id ir.Object, at build.Value) build.Value {
			l.b.Store(id, at, l.b.Const(fields[i].elem.Value(), 0))
			return l.hinted(0)
		})
	}
}
