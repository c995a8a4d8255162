package driver

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// Element is the type of the elements of a range or of host memory, as far as whoever passes it
// knows. Where it is known, a launch refuses it for a parameter of another type. Equal types have one
// Element.
type Element struct {
	Name string  // as Go has it: "int32", "[4]float32"
	Type ir.Type // of a scalar, or of each scalar of an array of two or four; None if it is neither
	Bad  string  // why this has no place in a buffer, "" if it has one: it is refused wherever it comes
}

// String names the type as Go has it, and where that says more as programs do.
func (e *Element) String() string {
	if e.Type == ir.None {
		return e.Name
	}
	return fmt.Sprintf("%s (%v)", e.Name, e.Type)
}

// fits reports whether a buffer parameter takes such elements.
func (e *Element) fits(p *ir.Param) bool { return e == nil || e.Type == p.Type.Elem() }

// sameAs reports whether the bytes of the two mean the same, as far as that is known.
func (e *Element) sameAs(o *Element) bool {
	return e == nil || o == nil || e == o || e.Type == o.Type && e.Type != ir.None
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
