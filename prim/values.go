package prim

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/prim/internal/kernels"
)

// meaning has a byte for each of a value of type t: all ones where the byte belongs to a field, and 0 in padding and blank
// fields, which Go's == leaves out.
func meaning(t reflect.Type) []byte {
	mask := make([]byte, t.Size())
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			copy(mask[uintptr(i)*t.Elem().Size():], meaning(t.Elem()))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				copy(mask[f.Offset:], meaning(f.Type))
			}
		}
	default:
		for i := range mask {
			mask[i] = 0xFF
		}
	}
	return mask
}

// sameBits reports whether two values have the same bits in the bytes that have a meaning.
func sameBits(a, b, meaning []byte) bool {
	for i, m := range meaning {
		if (a[i]^b[i])&m != 0 {
			return false
		}
	}
	return true
}

// values makes records comparable by their bytes, of which kernels compare and copy all. Records with padding or blank fields are
// first copied with zeros there; other elements stay where they are.
type values struct {
	kernel kernel
	size   int64 // of a copied element; 0 if nothing is copied
}

// valuesOf compiles the copy of elements of type T, if there has to be one.
func valuesOf[T vyre.Element](ctx context.Context, m *made, what string) (v values, err error) {
	mask := meaning(reflect.TypeFor[T]())
	if !slices.Contains(mask, 0) {
		return v, nil
	}
	if _, err := payloadOf[T](what); err != nil {
		return v, err
	}
	of, n := words(sizeOf[T]())
	scalars := map[string]uint64{"words": uint64(n)}
	for k := range 4 {
		bits := uint64(0)
		for i := range len(mask) / int(n) {
			if at := k*len(mask)/int(n) + i; at < len(mask) {
				bits |= uint64(mask[at]) << (8 * i)
			}
		}
		scalars[fmt.Sprint("m", k)] = bits
	}
	p, failed := kernels.MaskedProgram(of)
	v.kernel, err = m.compile(ctx, p, failed, scalars)
	v.size = int64(len(mask))
	return v, err
}

// bytes is how much memory the copies of at most max elements take.
func (v *values) bytes(max uint64) int64 { return v.size * int64(max) }

// comparable appends the copy of x, if there has to be one, and returns what to read in place of x. The launches that follow do not
// see x, so it is refused here if it meets a range that they write.
func (v *values) comparable(seq *vyre.Sequence, m *made, st *Step, n Length, x vyre.Range, written ...vyre.Range) vyre.Range {
	if v.size == 0 {
		return x
	}
	st.apart(seq, written, x)
	out := driver.All(seq.Scratch(max(v.size, v.bytes(m.max))))
	st.launched(m.launch(seq, v.kernel, groupsOf(m.max*uint64(v.size)), driver.U64(st.room), driver.U64(n.n), st.where(n), x, out), 1)
	return out
}
