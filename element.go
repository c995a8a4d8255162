package vyre

import (
	"cmp"
	"fmt"
	"math/bits"
	"reflect"
	"sync"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/ir"
)

// Element is a type that has the same bytes in a Go slice and in a buffer: a scalar of fixed size, a
// complex number, an array of such types, or a struct of them. The constraint leaves out what cannot be compared; a type
// with a pointer, a string, an interface, an int or a uint in it is refused with an error by whatever
// is made for it first.
type Element interface{ comparable }

// elements has the *driver.Element of every type that was asked for.
var elements sync.Map // reflect.Type -> *driver.Element

// elementOf returns what T is in a buffer.
func elementOf[T Element]() *driver.Element {
	t := reflect.TypeFor[T]()
	if e, ok := elements.Load(t); ok {
		return e.(*driver.Element)
	}
	e, _ := elements.LoadOrStore(t, describe(t))
	return e.(*driver.Element)
}

func describe(t reflect.Type) *driver.Element {
	e := &driver.Element{Name: t.String()}
	why := refused(t, "")
	switch {
	case why != "":
		e.Bad = why + "; use types of fixed size, without pointers"
	case t.Size() == 0:
		e.Bad = "an element of no bytes has no place in a buffer"
	case scalarOf(t) != ir.None:
		e.Type = scalarOf(t)
	case isVector(t):
		e.Type = scalarOf(t.Elem())
	case t.Size() > ir.MaxStride:
		e.Bad = fmt.Sprintf("an element of %d bytes has no place in a buffer; %d are possible, so split it", t.Size(), ir.MaxStride)
	default:
		e.Record, e.Bad = record(t)
	}
	return e
}

// isVector reports whether kernels take t as a vector: an array of two or four, of up to 16 bytes as values.
func isVector(t reflect.Type) bool {
	return t.Kind() == reflect.Array && (t.Len() == 2 || t.Len() == 4) && scalarOf(t.Elem()) != ir.None &&
		t.Len()*scalarOf(t.Elem()).Value().Size() <= 16
}

// record returns the scalars of a struct or an array, or why they are not where kernels look for them.
func record(t reflect.Type) (*ir.Record, string) {
	var l layout
	align := l.add(t, 0, "")
	if l.skewed != "" {
		return nil, l.skewed + " lies elsewhere on hosts of 64 bits, as kernels have it; put fields of 8 bytes first"
	}
	return &ir.Record{Stride: int(t.Size()), Align: uint8(bits.TrailingZeros(uint(align))), Fields: l.fields}, ""
}

// layout collects the scalars of a type.
type layout struct {
	fields []ir.RecordField
	skewed string // what is not aligned to its size: a host of 32 bits aligns less than kernels do
}

// add adds the scalars of t, which lies at an offset and is called path, and returns its alignment in
// kernels.
func (l *layout) add(t reflect.Type, offset int, path string) (align int) {
	switch typ := scalarOf(t); {
	case typ != ir.None:
		l.fields = append(l.fields, ir.RecordField{Type: typ, Offset: offset, Count: 1, Name: path})
		align = typ.Size()
	case t.Kind() == reflect.Struct:
		align = 1
		for i := range t.NumField() {
			f, n := t.Field(i), len(l.fields)
			align = max(align, l.add(f.Type, offset+int(f.Offset), path+"."+f.Name))
			if f.Name == "_" {
				l.fields = l.fields[:n] // kernels have no use for it
			}
		}
	case t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128:
		half, typ := int(t.Size())/2, ir.F32
		if half == 8 {
			typ = ir.F64
		}
		for i, part := range [...]string{".re", ".im"} {
			l.fields = append(l.fields, ir.RecordField{Type: typ, Offset: offset + i*half, Count: 1, Name: path + part})
		}
		align = half
	default: // an array: what refused has let pass is one of these four
		align = 1
		for i := range t.Len() {
			align = max(align, l.add(t.Elem(), offset+i*int(t.Elem().Size()), path))
		}
	}
	if offset%align != 0 || int(t.Size())%align != 0 {
		l.skewed = cmp.Or(path, t.String())
	}
	return align
}

// refused says why a part of an element, at a path within it, has no place in a buffer; "" if it has.
func refused(t reflect.Type, path string) string {
	if scalarOf(t) != ir.None {
		return ""
	}
	switch t.Kind() {
	case reflect.Complex64, reflect.Complex128:
		return ""
	case reflect.Array:
		return refused(t.Elem(), path+"[]")
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if why := refused(f.Type, path+"."+f.Name); why != "" {
				return why
			}
		}
		return ""
	}
	if path == "" {
		return fmt.Sprintf("%v has no place in a buffer", t)
	}
	return fmt.Sprintf("%s is of type %v, which has no place in a buffer", path, t)
}

// scalarOf returns the type of a Go scalar of fixed size in programs, None for anything else.
func scalarOf(t reflect.Type) ir.Type {
	switch t {
	case reflect.TypeFor[gpu.Float16]():
		return ir.F16
	case reflect.TypeFor[gpu.BFloat16]():
		return ir.BF16
	}
	switch t.Kind() {
	case reflect.Int, reflect.Uint:
		return ir.None // of another size on other hosts
	}
	return scalarTypes[t.Kind()]
}

var scalarTypes = map[reflect.Kind]ir.Type{
	reflect.Bool: ir.Bool,
	reflect.Int8: ir.I8, reflect.Int16: ir.I16, reflect.Int32: ir.I32, reflect.Int64: ir.I64, reflect.Int: ir.I64,
	reflect.Uint8: ir.U8, reflect.Uint16: ir.U16, reflect.Uint32: ir.U32, reflect.Uint64: ir.U64, reflect.Uint: ir.U64,
	reflect.Float32: ir.F32, reflect.Float64: ir.F64,
}

// Bytes returns the memory of s, for the uploads and reads of a Sequence. Of elements that have no
// place in a buffer there are none.
func Bytes[T Element](s []T) []byte {
	if len(s) == 0 || elementOf[T]().Bad != "" {
		return nil
	}
	// Elements hold no pointers, so that their memory may be seen, and written, as bytes.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(size[T]()))
}

func size[T Element]() uint64 {
	var v T
	return uint64(unsafe.Sizeof(v))
}
