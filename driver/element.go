package driver

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// Element is the type of the elements of a range or of host memory, as far as whoever passes it
// knows. Where it is known, a launch refuses it for a parameter of another type. Equal types have one
// Element.
type Element struct {
	Name   string     // as Go has it: "int32", "[4]float32"
	Type   ir.Type    // of a scalar, or of each scalar of a vector; None if it is neither
	Record *ir.Record // of what is neither: its scalars
	Bad    string     // why this has no place in a buffer, "" if it has one: it is refused wherever it comes
}

// String names the type as Go has it, and where that says more as programs do.
func (e *Element) String() string {
	if e.Type == ir.None {
		return e.Name
	}
	return fmt.Sprintf("%s (%v)", e.Name, e.Type)
}

// fits reports whether a buffer parameter takes such elements.
func (e *Element) fits(p *ir.Param) bool {
	if e == nil {
		return true
	}
	if e.Record == nil || p.Record == nil {
		return e.Record == nil && p.Record == nil && e.Type == p.Type.Elem()
	}
	return sameScalars(e.Record, p.Record)
}

// sameScalars reports whether two records have the same scalars in the same places, however arrays and
// nested structs group them, and whether or not they list their padding.
func sameScalars(a, b *ir.Record) bool {
	if a.Stride != b.Stride {
		return false
	}
	x, y := scalars{of: a.Fields}, scalars{of: b.Fields}
	for {
		f, more := x.next()
		g, too := y.next()
		if f != g || more != too {
			return false
		}
		if !more {
			return true
		}
	}
}

// scalars goes through the scalars of a record.
type scalars struct {
	of    []ir.RecordField
	field int
	elem  int
}

// scalar is one of them.
type scalar struct {
	typ    ir.Type
	offset int
}

func (s *scalars) next() (scalar, bool) {
	for s.field < len(s.of) && s.of[s.field].Pad {
		s.field++
	}
	if s.field == len(s.of) {
		return scalar{}, false
	}
	f := &s.of[s.field]
	at := scalar{f.Type, f.Offset + s.elem*f.Type.Size()}
	if s.elem++; s.elem == f.Count {
		s.field, s.elem = s.field+1, 0
	}
	return at, true
}

// sameAs reports whether the bytes of the two mean the same, as far as that is known.
func (e *Element) sameAs(o *Element) bool {
	switch {
	case e == nil || o == nil || e == o:
		return true
	case e.Record == nil || o.Record == nil:
		return e.Record == o.Record && e.Type == o.Type
	}
	return sameScalars(e.Record, o.Record)
}

// Of returns the range as one of such elements; nil makes it one of bytes, which every parameter takes.
func (r Range) Of(e *Element) Range {
	r.Elem = e
	return r
}

// Of returns the host memory as one of such elements.
func (h Host) Of(e *Element) Host {
	h.elem = e
	return h
}
