package front

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// layoutSizes gives structs the layout that Go has on a 64-bit host. A 32-bit host may have another.
var layoutSizes = types.SizesFor("gc", "amd64")

// field is one scalar of an object's element type, with the arrays around it inside the element. In a buffer each
// element of those arrays is a field of the record if only constants index them: then accesses to it need no
// arithmetic. Else they are one field of many elements.
type field struct {
	elem  ir.Type
	name  string  // its path inside the element, with [] for each array
	dims  []int64 // lengths of the arrays around it
	steps []int64 // bytes from one element of each to the next
	off   int64   // bytes from the start of the element
	blank bool    // called _, or in an array of none: it has no value
	owner *gap    // of padding, which is no scalar of the source

	ids   []ir.Object // one for all elements, or one for each in the order of the indices
	split bool        // one for each
}

// count returns how many elements the arrays around the field have.
func (f *field) count() int64 {
	n := int64(1)
	for _, d := range f.dims {
		n *= d
	}
	return n
}

// path is the field's path with a number for each array.
func (f *field) path(numbers []int64) string {
	path := f.name
	for _, n := range numbers {
		path = strings.Replace(path, "[]", "["+decimal(n)+"]", 1)
	}
	return path
}

// label is the field's path as it continues a name, without arrays.
func (f *field) label() string {
	if path := strings.ReplaceAll(f.name, "[]", ""); path != "" {
		return "." + strings.TrimPrefix(path, ".")
	}
	return ""
}

// dense reports whether the elements of the arrays around the field lie next to each other.
func (f *field) dense() bool {
	next := int64(f.elem.Size())
	for k := len(f.dims) - 1; k >= 0; k-- {
		if f.steps[k] != next {
			return false
		}
		next *= f.dims[k]
	}
	return true
}

// fieldsIn lists the scalars of an element of type t, in the order of leavesOf.
func fieldsIn(t types.Type) []field {
	var list []field
	var walk func(t types.Type, f field)
	walk = func(t types.Type, f field) {
		if e := scalarOf(t); e != ir.None {
			f.elem = e
			f.blank = f.blank || f.count() == 0
			list = append(list, f)
			return
		}
		if a, ok := t.Underlying().(*types.Array); ok {
			f.name += "[]"
			f.dims = append(slices.Clip(f.dims), a.Len())
			f.steps = append(slices.Clip(f.steps), layoutSizes.Sizeof(a.Elem()))
			walk(a.Elem(), f)
			return
		}
		s := fieldsOf(t)
		if s == nil {
			return
		}
		vars := make([]*types.Var, s.NumFields())
		for i := range vars {
			vars[i] = s.Field(i)
		}
		offsets := layoutSizes.Offsetsof(vars)
		for i, v := range vars {
			g := f
			g.off += offsets[i]
			g.blank = f.blank || v.Name() == "_"
			if g.name != "" {
				g.name += "."
			}
			g.name += v.Name()
			walk(v.Type(), g)
		}
	}
	walk(t, field{})
	return list
}

// Limits of the elements of buffers and shared arrays.
const (
	maxElementBytes  = ir.MaxStride
	maxSplit         = 64   // elements of an array inside that become fields of their own
	maxElementFields = 1024 // fields in all
)

// recordKey names an array inside the elements of a parameter.
type recordKey struct {
	param string
	field int
}

// recordOf makes the layout of a buffer of t for the program, and says in fields which of its fields are whose. Padding is among
// them: so the layout depends on the type and the indices alone, and kernels that share a buffer agree.
func (l *lowering) recordOf(param string, t types.Type, fields []field) ir.Record {
	type piece struct {
		ir.RecordField
		field, k int
	}
	var pieces []piece
	for i := range fields {
		f := &fields[i]
		n := f.count()
		switch {
		case f.blank:
			continue
		case l.computed.records[recordKey{param, i}] && f.dense() || n > maxSplit && f.dense():
			pieces = append(pieces, piece{ir.RecordField{Type: f.elem, Offset: int(f.off), Count: int(n), Pad: f.owner != nil, Name: f.path(f.dims)}, i, 0})
			f.ids = make([]ir.Object, 1)
			continue
		}
		f.split, f.ids = true, make([]ir.Object, n)
		for k := range n {
			at := f.off
			rest := k
			index := make([]int64, len(f.dims))
			for d := len(f.dims) - 1; d >= 0; d-- {
				index[d] = rest % f.dims[d]
				at += index[d] * f.steps[d]
				rest /= f.dims[d]
			}
			pieces = append(pieces, piece{ir.RecordField{Type: f.elem, Offset: int(at), Count: 1, Pad: f.owner != nil, Name: f.path(index)}, i, int(k)})
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.Offset - b.Offset })
	r := ir.Record{Stride: int(layoutSizes.Sizeof(t))}
	for n := layoutSizes.Alignof(t); n > 1; n >>= 1 {
		r.Align++
	}
	for i, p := range pieces {
		r.Fields = append(r.Fields, p.RecordField)
		fields[p.field].ids[p.k] = ir.Object(i) // counted from the buffer's first object
	}
	return r
}

// recordBuffer declares a buffer whose elements are structs, or arrays that are no vectors.
func (l *lowering) recordBuffer(name string, t types.Type, big bool) *object {
	o := &object{name: name, lanes: 1, buffer: true, wide: big, count: -1, fields: append(fieldsIn(t), paddingIn(t)...)}
	ids := l.b.Records(name, l.recordOf(name, t, o.fields), ir.RW)
	for i := range o.fields {
		for k, id := range o.fields[i].ids {
			o.fields[i].ids[k] = ids[id]
		}
	}
	o.id = ids[0]
	if most := maxRun(o.fields); most > 1 && !big { // the elements of its arrays are numbered in 32 bits
		l.b.SetMaxLen(o.id, uint64(math.MaxUint32/most))
	}
	return o
}

// maxRun returns the most elements that a field has in one record.
func maxRun(fields []field) (n int64) {
	for i := range fields {
		if f := &fields[i]; !f.split && len(f.ids) > 0 {
			n = max(n, f.count())
		}
	}
	return n
}

// sharedFields declares a shared array of n structs or arrays: an array for each scalar of its element, so that the
// lanes of a warp meet different banks.
func (l *lowering) sharedFields(o *object, t types.Type, n int64) {
	o.fields = fieldsIn(t)
	for i := range o.fields {
		f := &o.fields[i]
		if f.blank {
			continue
		}
		f.ids = []ir.Object{l.b.SharedArray(o.name+f.label(), f.elem, int(n*f.count()))}
	}
	for i := range o.fields {
		if len(o.fields[i].ids) > 0 {
			o.id = o.fields[i].ids[0]
			return
		}
	}
}

// loadFields reads a place in a buffer or shared array of structs: all its scalars.
func (l *lowering) loadFields(p place) val {
	if scalarOf(p.typ) == ir.None {
		n, _ := partsOf(p.typ)
		x := val{typ: p.typ, kids: make([]val, n)}
		for i := range x.kids {
			x.kids[i] = l.loadFields(l.partPlace(p, i))
		}
		return x
	}
	l.touch(p.mem.view.obj, true, false)
	v, ok := l.access(p, true, func(id ir.Object, i build.Value) build.Value { return l.hinted(l.b.Load(id, i)) })
	if !ok {
		return l.zeroLike(p.typ, false)
	}
	return scalar(p.typ, v)
}

// storeFields writes one. x may have been loaded from there: it is assigned field by field. Zeros go to the padding of structs, so
// that equal values have equal bytes.
func (l *lowering) storeFields(p place, x val) {
	if scalarOf(p.typ) == ir.None {
		n, _ := partsOf(p.typ)
		for i := range int(n) {
			l.storeFields(l.partPlace(p, i), l.part(x, i))
		}
		l.clearPadding(p)
		return
	}
	l.touch(p.mem.view.obj, false, true)
	v := l.raw(x)
	l.access(p, false, func(id ir.Object, i build.Value) build.Value {
		l.b.Store(id, i, v)
		return l.hinted(0)
	})
}

// admitRecord refuses, at p, an element type that is a struct or an array and has no layout on a device, or none that
// the host shares. Slices of memory that the host does not see may have elements that it could not exchange.
func (l *lowering) admitRecord(p token.Pos, t types.Type, host bool) bool {
	refuse := func(what, instead string) bool {
		l.refuse(p, noRecords, "a slice of "+what, instead)
		return false
	}
	whole := l.typeName(t)
	if what, instead := misfit(t, "", host); what != "" {
		return refuse(strings.TrimRight(whole+what, " "), instead)
	}
	size := cells(t)
	switch {
	case size == 0:
		return refuse(whole+", which holds nothing,", "give it a field with a value, or pass the length alone")
	case !host:
		return l.admitUpTo(p, t, l.most())
	case size > maxElementBytes || extent(t) > maxLocalCells || layoutSizes.Sizeof(t) > maxElementBytes:
		return refuse(fmt.Sprintf("%s, more than %d bytes each,", whole, maxElementBytes), "split it over several slices")
	}
	n := int64(0)
	values := false
	for _, f := range fieldsIn(t) {
		values = values || !f.blank
		if f.dense() && f.count() > maxSplit {
			n++
		} else {
			n += f.count()
		}
	}
	switch {
	case !values:
		return refuse(whole+", all of whose fields are blank,", "name the fields that hold values")
	case n > maxElementFields:
		return refuse(fmt.Sprintf("%s, which has %d scalars in arrays of structs,", whole, n), fmt.Sprintf("at most %d are possible: turn it into a struct of arrays", maxElementFields))
	}
	return true
}

// misfit says which part of a type has no place in an element, and what may stand there instead.
func misfit(t types.Type, path string, host bool) (what, instead string) {
	bad := func(kind, instead string) (string, string) {
		switch {
		case path == "":
			return " ", instead
		case strings.Trim(path, "[]") == "":
			return fmt.Sprintf(", whose elements are each %s,", kind), instead
		}
		return fmt.Sprintf(", whose field %s is %s,", path, kind), instead
	}
	if scalarOf(t) != ir.None {
		if b, ok := t.Underlying().(*types.Basic); ok && (b.Kind() == types.Int || b.Kind() == types.Uint) && path != "" && host {
			return bad("an "+b.Name(), "its size differs between hosts: use "+b.Name()+"64 or "+b.Name()+"32")
		}
		return "", ""
	}
	if isComplex(t) {
		return "", ""
	}
	if isThread(t) {
		return bad("a gpu.Thread", "pass it to helpers as it is")
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return misfit(u.Elem(), path+"[]", host)
	case *types.Struct:
		for f := range u.Fields() {
			name := f.Name()
			if path != "" {
				name = path + "." + name
			}
			if what, instead := misfit(f.Type(), name, host); what != "" {
				return what, instead
			}
		}
		return "", ""
	case *types.Pointer:
		return bad("a pointer", "hold the index of an element of another slice")
	case *types.Slice:
		return bad("a slice", "hold its offset and length in another slice, or use an array")
	case *types.Map:
		return bad("a map", "pass sorted keys and values as slices")
	case *types.Interface:
		return bad("an interface", "use a concrete type")
	case *types.Signature:
		return bad("a function", "hold a number and branch on it")
	case *types.Chan:
		return bad("a channel", "use atomics")
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return bad("a string", "hold its bytes in an array, or offset and length in a []uint8")
		}
	}
	return bad("a "+t.String(), "use numbers and bools")
}
