package build

import (
	"fmt"

	"github.com/govyre/vyre/ir"
)

// Specialisation is what is known of a program's arguments before it is compiled.
type Specialisation struct {
	Name    string            // of the result; empty is the program's own
	Scalars map[string]uint64 // the bits of scalar parameters, as a launch passes them; the result does not have these
	Align   map[string]int    // what the starts of buffers are multiples of, in bytes
}

// Specialise returns p with some scalar parameters replaced by constants, and with buffers that are aligned better than
// p asks for; the other parameters keep their order. So one kernel with a parameter that says what to do becomes a
// program for each answer, in which nothing is left of the question once it has been optimised.
//
// Errors: a name that is no scalar, or no buffer, of p; an alignment that is no power of two.
func Specialise(p *ir.Program, s Specialisation) (*ir.Program, error) {
	name := s.Name
	if name == "" {
		name = p.Name()
	}
	size := p.Workgroup()
	b := New(name, Workgroup(size[:]...))
	var in Inlining
	used := 0
	for _, q := range p.Params() {
		switch bits, bound := s.Scalars[q.Name]; {
		case q.IsBuffer():
			first := len(in.Objects)
			if q.Record != nil {
				in.Objects = append(in.Objects, b.Records(q.Name, *q.Record, q.Access)...)
			} else {
				in.Objects = append(in.Objects, b.Buffer(q.Name, q.Type, q.Access))
			}
			made := b.buffer(in.Objects[first])
			made.Align, made.MaxLen = q.Align, q.MaxLen
			if align, ok := s.Align[q.Name]; ok {
				used++
				b.SetAlign(in.Objects[first], align)
			}
		case bound:
			used++
			in.Scalars = append(in.Scalars, b.Const(q.Type.Value(), q.Type.Extend(bits&q.Type.Mask())))
		default:
			in.Scalars = append(in.Scalars, b.Scalar(q.Name, q.Type))
		}
	}
	if used != len(s.Scalars)+len(s.Align) {
		return nil, fmt.Errorf("build: specialise %q: a name is no scalar, or no buffer to align, among its parameters: %v, %v", p.Name(), s.Scalars, s.Align)
	}
	for _, a := range p.Arrays() {
		if a.Table != "" {
			break // tables come along
		}
		in.Objects = append(in.Objects, b.array(a))
	}
	b.Inline(p, in)
	return b.Program()
}
