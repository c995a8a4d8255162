package front

import (
	"go/token"
	"go/types"
	"maps"
	"math"

	"github.com/govyre/vyre/ir"
)

// maxLocalCells bounds the scalars of one variable. It lies above what 16 KiB of
// local memory hold, so that the verifier's message names the real limit, and below what would
// take the compiler's own memory.
const maxLocalCells = 1 << 14

// isGPU reports whether t is the named type of package gpu.
func isGPU(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	o := n.Obj()
	return o.Name() == name && o.Pkg() != nil && o.Pkg().Path() == gpuPath
}

var basicTypes = map[types.BasicKind]ir.Type{
	types.Bool: ir.Bool, types.UntypedBool: ir.Bool,
	types.Int8: ir.I8, types.Int16: ir.I16, types.Int32: ir.I32, types.Int64: ir.I64, types.Int: ir.I64,
	types.Uint8: ir.U8, types.Uint16: ir.U16, types.Uint32: ir.U32, types.Uint64: ir.U64, types.Uint: ir.U64,
	types.Float32: ir.F32, types.Float64: ir.F64,
	types.UntypedInt: ir.I64, types.UntypedRune: ir.I32, types.UntypedFloat: ir.F64,
}

// scalarOf returns the memory type of a Go scalar, None for anything else. A value of
// type I8 … U16 lives in 32 bits, see val.
func scalarOf(t types.Type) ir.Type {
	switch {
	case t == nil:
		return ir.None
	case isGPU(t, "Float16"):
		return ir.F16
	case isGPU(t, "BFloat16"):
		return ir.BF16
	}
	if b, ok := t.Underlying().(*types.Basic); ok {
		return basicTypes[b.Kind()]
	}
	return ir.None
}

func isNarrow(t ir.Type) bool { return t >= ir.I8 && t <= ir.U16 }

// isThread reports whether t is gpu.Thread, which has no value: there is one invocation.
func isThread(t types.Type) bool { return isGPU(t, "Thread") }

// fieldsOf returns the fields of a struct type, and the parts of a complex one; nil for every other type and for gpu.Thread.
func fieldsOf(t types.Type) *types.Struct {
	if isThread(t) || scalarOf(t) != ir.None {
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return u
	case *types.Basic:
		return complexParts[u.Kind()]
	}
	return nil
}

// partsOf returns how many parts an aggregate has, and the type of part i.
func partsOf(t types.Type) (n int64, part func(i int) types.Type) {
	if s := fieldsOf(t); s != nil {
		return int64(s.NumFields()), func(i int) types.Type { return s.Field(i).Type() }
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return a.Len(), func(int) types.Type { return a.Elem() }
	}
	return 0, nil
}

const manyCells = math.MaxInt32

// cells counts the scalars that a value of type t is made of, up to a bound that
// nothing allowed reaches.
func cells(t types.Type) int64 {
	if scalarOf(t) != ir.None {
		return 1
	}
	n, part := partsOf(t)
	if _, ok := t.Underlying().(*types.Array); ok {
		if n == 0 {
			return 0
		}
		return min(manyCells, min(n, manyCells)*cells(part(0)))
	}
	var sum int64
	for i := range int(n) {
		sum = min(manyCells, sum+cells(part(i)))
	}
	return sum
}

// extent counts the parts that a value of type t has while compiling, those without a scalar too: at least one each.
func extent(t types.Type) int64 {
	if scalarOf(t) != ir.None {
		return 1
	}
	n, part := partsOf(t)
	if _, ok := t.Underlying().(*types.Array); ok {
		return min(manyCells, max(1, min(n, manyCells)*extent(part(0))))
	}
	var sum int64
	for i := range int(n) {
		sum = min(manyCells, sum+extent(part(i)))
	}
	return max(1, sum)
}

// elementOf splits the element type of a slice into a scalar and the length of the array around it, 1 if there is none.
func elementOf(t types.Type) (elem ir.Type, lanes int) {
	if e := scalarOf(t); e != ir.None {
		return e, 1
	}
	if a, ok := t.Underlying().(*types.Array); ok && (a.Len() == 2 || a.Len() == 4) {
		e := scalarOf(a.Elem())
		if e != ir.None && int(a.Len())*e.Value().Size() <= 16 {
			return e, int(a.Len())
		}
	}
	return ir.None, 1
}

// admit refuses, at p, a type that no value in a kernel can have, and reports whether t may stand.
// A pointer may stand where it is a value by itself.
func (l *lowering) admit(p token.Pos, t types.Type) bool {
	if isPointer(t) {
		t = pointee(t)
	}
	return l.admitUpTo(p, t, l.most())
}

// most is how many scalars a variable may have.
func (l *lowering) most() int64 {
	if l.begins != nil {
		return ir.MaxTableBytes
	}
	return maxLocalCells
}

// admitUpTo is admit for a variable that may have so many parts.
func (l *lowering) admitUpTo(p token.Pos, t types.Type, most int64) bool {
	if t == nil || t == types.Typ[types.Invalid] {
		return false
	}
	if scalarOf(t) != ir.None || isThread(t) || isComplex(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			l.refuse(p, noString)
		case u.Kind() == types.Uintptr:
			l.refuse(p, noUnsafe, "a uintptr")
		case u.Kind() == types.UnsafePointer:
			l.refuse(p, noUnsafe, "an unsafe.Pointer")
		}
	case *types.Struct, *types.Array:
		if c := extent(t); c > most {
			many := ""
			if c == manyCells {
				many = " and more"
			}
			size, instead := "16 KiB of local memory of an invocation", "keep it in a buffer or in gpu.Shared"
			if l.begins != nil {
				size, instead = "64 KiB of a table", fillAdvice
			}
			l.refuse(p, overLimit, "a variable of "+decimal(c)+many+" scalars exceeds the "+size, instead)
			return false
		}
		n, part := partsOf(t)
		if _, ok := u.(*types.Array); ok {
			n = min(n, 1)
		}
		for i := range int(n) {
			if !l.admitUpTo(p, part(i), most) {
				return false
			}
		}
		return true
	case *types.Slice:
		return l.admitElement(p, u.Elem())
	case *types.Map:
		l.refuse(p, noMap)
	case *types.Chan:
		l.refuse(p, noChannel, "a channel")
	case *types.Interface:
		if types.Identical(t, types.Universe.Lookup("error").Type()) {
			l.refuse(p, noError)
			return false
		}
		l.refuse(p, noInterface, "an interface")
	case *types.Pointer:
		l.refuse(p, noPointer, "a pointer inside a struct, an array or a slice")
	case *types.Signature:
		return true
	}
	return false
}

// admitElement refuses element types that no slice can have.
func (l *lowering) admitElement(p token.Pos, t types.Type) bool {
	if e, _ := elementOf(t); e != ir.None || isComplex(t) {
		return true
	}
	switch t.Underlying().(type) {
	case *types.Slice:
		l.refuse(p, noNested)
	case *types.Struct, *types.Array:
		return l.admitRecord(p, t, false)
	case *types.Signature:
		l.refuse(p, noFuncValue, "a slice of functions", "write an array of them, and index it")
	default:
		l.admitUpTo(p, t, l.most())
	}
	return false
}

// subst replaces the type parameters of the function being inlined by its arguments.
func (l *lowering) subst(t types.Type) types.Type {
	if t == nil || l.fr == nil || len(l.fr.env) == 0 {
		return t
	}
	return l.fr.env.subst(l.src.context, t)
}

// env maps the type parameters of one function to types.
type env map[*types.TypeParam]types.Type

func (e env) subst(in *instances, t types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if to, ok := e[t]; ok {
			return to
		}
	case *types.Alias:
		return e.subst(in, types.Unalias(t))
	case *types.Named:
		args := t.TypeArgs()
		if args.Len() == 0 {
			return e.local(in, t)
		}
		list := make([]types.Type, args.Len())
		for i := range list {
			list[i] = e.subst(in, args.At(i))
		}
		if inst, err := types.Instantiate(in.Context, t.Origin(), list, false); err == nil {
			return inst
		}
	case *types.Slice:
		return types.NewSlice(e.subst(in, t.Elem()))
	case *types.Array:
		return types.NewArray(e.subst(in, t.Elem()), t.Len())
	case *types.Pointer:
		return types.NewPointer(e.subst(in, t.Elem()))
	case *types.Struct:
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), e.subst(in, f.Type()), f.Embedded())
		}
		return types.NewStruct(fields, nil)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, e.tuple(in, t.Params()), e.tuple(in, t.Results()), t.Variadic())
	}
	return t
}

// instances makes equal instances identical.
type instances struct {
	*types.Context
	local map[*types.Named][]instance // of types that generic functions declare
}

type instance struct {
	of env
	to *types.Named
}

// local is the instance of a type that a generic function declares; any other type is its own.
func (e env) local(in *instances, t *types.Named) types.Type {
	scope := t.Obj().Parent()
	if scope == nil || t.Obj().Pkg() == nil || scope == t.Obj().Pkg().Scope() {
		return t
	}
	for _, i := range in.local[t] {
		if maps.EqualFunc(e, i.of, types.Identical) {
			return i.to
		}
	}
	to := types.NewNamed(types.NewTypeName(t.Obj().Pos(), t.Obj().Pkg(), t.Obj().Name(), nil), nil, nil)
	k := len(in.local[t])
	in.local[t] = append(in.local[t], instance{e, to})
	if u := e.subst(in, t.Underlying()); types.Identical(u, t.Underlying()) {
		in.local[t][k].to = t
	} else {
		to.SetUnderlying(u)
	}
	return in.local[t][k].to
}

func (e env) tuple(in *instances, t *types.Tuple) *types.Tuple {
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		vars[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), e.subst(in, v.Type()))
	}
	return types.NewTuple(vars...)
}

// typeName writes t as source of the kernel's package would.
func (l *lowering) typeName(t types.Type) string { return typeName(t) }

func typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p.Path() == ownPath {
			return ""
		}
		return p.Name()
	})
}
