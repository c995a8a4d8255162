package conform

import (
	"fmt"
	"reflect"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// recordTypes are Go structs whose layouts differ in every way that a layout can: order of sizes, padding inside and at
// the end, arrays, nested structs, a stride that is a power of two or not, elements longer than an access.
var recordTypes = []any{
	struct{ A, B float32 }{},
	struct {
		A uint8
		B uint64
		C uint8
	}{},
	struct {
		A uint16
		B [3]uint8
	}{},
	struct {
		A, B, C float32
		D       uint32
		E       [2]float64
		F       int16
	}{},
	struct {
		A struct {
			X bool
			Y int32
		}
		B [3]int16
		C struct{ X, Y, Z int64 }
		D int8
	}{},
	struct {
		A [5]float64
		B uint8
		C [7]uint8
	}{},
	struct{ A [3]float32 }{},
	struct {
		A uint8
		B [1000]uint32
		C uint8
	}{},
}

// recordOf is the layout that Go has given to t on this host.
func recordOf(t reflect.Type) ir.Record {
	r := ir.Record{Stride: int(t.Size())}
	for n := t.Align(); n > 1; n >>= 1 {
		r.Align++
	}
	scalars := map[reflect.Kind]ir.Type{reflect.Bool: ir.Bool, reflect.Int8: ir.I8, reflect.Uint8: ir.U8, reflect.Int16: ir.I16, reflect.Uint16: ir.U16,
		reflect.Int32: ir.I32, reflect.Uint32: ir.U32, reflect.Int64: ir.I64, reflect.Uint64: ir.U64, reflect.Float32: ir.F32, reflect.Float64: ir.F64}
	var walk func(t reflect.Type, off int)
	walk = func(t reflect.Type, off int) {
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				walk(t.Field(i).Type, off+int(t.Field(i).Offset))
			}
		case reflect.Array:
			r.Fields = append(r.Fields, ir.RecordField{Type: scalars[t.Elem().Kind()], Offset: off, Count: t.Len()})
		default:
			r.Fields = append(r.Fields, ir.RecordField{Type: scalars[t.Kind()], Offset: off, Count: 1})
		}
	}
	walk(t, 0)
	return r
}

// recordCases copy fields out of records and into others, at indices in and out of bounds. What lies between fields
// stays as it is.
func recordCases() []Case {
	var cases []Case
	for k, v := range recordTypes {
		r := recordOf(reflect.TypeOf(v))
		for _, it := range indexTypes {
			for f := range r.Fields {
				for _, load := range []bool{true, false} {
					c := copyField(k, r, f, it, load)
					c.Family = "mem-record"
					cases = append(cases, c)
				}
			}
		}
	}
	return cases
}

// copyField copies element idx[g] of field f to element g of another buffer of records, or the other way round.
func copyField(k int, r ir.Record, f int, it ir.Type, load bool) Case {
	const records = 5
	field := r.Fields[f]
	n := records * uint64(field.Count)
	idx := indices(it, n, uint64(r.Stride))
	b := build.New("fields", build.Workgroup(uint32(len(idx))))
	index := b.Buffer("index", it, ir.RO)
	in, out := b.Records("in", r, ir.RO), b.Records("out", r, ir.RW)
	g := b.Local(0)
	from, to := b.Load(index, g), g
	if !load {
		from, to = to, from
	}
	b.Store(out[f], to, b.Load(in[f], from))
	verb := map[bool]string{true: "load", false: "store"}[load]
	c := Case{Name: fmt.Sprintf("%s.%d.%d.%s[%s]", verb, k, f, field.Type, it), Program: must(b.Program())}

	// The side that idx names has five records, the other one enough for every invocation.
	many := uint64((len(idx)+field.Count-1)/field.Count) + 1
	sizes := [2]uint64{records, many}
	if !load {
		sizes = [2]uint64{many, records}
	}
	at := func(e uint64) int {
		return int(e/uint64(field.Count))*r.Stride + field.Offset + int(e%uint64(field.Count))*field.Type.Size()
	}
	source, want := filled(int(sizes[0])*r.Stride), filled(int(sizes[1])*r.Stride)
	for e := range sizes[0] * uint64(field.Count) {
		copy(source[at(e):], field.Type.AppendElem(nil, pattern(field.Type, e)))
	}
	for j, i := range idx {
		e, inside := element(it, i, n)
		switch {
		case load && inside:
			copy(want[at(uint64(j)):], field.Type.AppendElem(nil, pattern(field.Type, e)))
		case load:
			copy(want[at(uint64(j)):], field.Type.AppendElem(nil, 0))
		case inside:
			copy(want[at(e):], field.Type.AppendElem(nil, pattern(field.Type, uint64(j))))
		}
	}
	c.Launch = Launch{Grid: [3]uint32{1, 1, 1},
		Args: []Arg{{Data: pack(it, idx...)}, {Data: source}, {Data: filled(len(want))}}}
	c.Want = [][]byte{nil, nil, want}
	return c
}
