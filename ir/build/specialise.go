package build

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/govyre/vyre/ir"
)

// Specialisation is what is known of a program's arguments before it is compiled.
type Specialisation struct {
	Name    string            // of the result; empty is the program's own
	Scalars map[string]uint64 // the bits of scalar parameters, as a launch passes them; the result does not have these
	Align   map[string]int    // what the starts of buffers are multiples of, in bytes
	Same    map[string]string // buffers that are one with an earlier one of their type; the result has only that
}

// Specialise returns p with some scalar parameters replaced by constants, and with buffers that are aligned better than
// p asks for; the other parameters keep their order. So one kernel with a parameter that says what to do becomes a
// program for each answer, in which nothing is left of the question once it has been optimised. A kernel that reads one
// buffer and writes another becomes one that works in place: two parameters of a launch may not overlap, but be one.
//
// Errors: a name that is no scalar, or no buffer, of p; an alignment that is no power of two; two buffers that cannot be
// one, since their elements differ, or since the other is not before it.
func Specialise(p *ir.Program, s Specialisation) (*ir.Program, error) {
	if p == nil || p.GroupSize() == 0 {
		return nil, errors.New("build: specialise: the program is nil, or was not sealed")
	}
	name := s.Name
	if name == "" {
		name = p.Name()
	}
	size := p.Workgroup()
	b := New(name, Workgroup(size[:]...))
	var in Inlining
	used, where := 0, make(map[string]int)
	for i, q := range p.Params() {
		one, same := s.Same[q.Name]
		switch bits, bound := s.Scalars[q.Name]; {
		case q.IsBuffer() && same:
			used++
			k := slices.IndexFunc(p.Params()[:i], func(o ir.Param) bool { return o.Name == one && o.IsBuffer() })
			if k < 0 || p.Params()[k].Type != q.Type || !reflect.DeepEqual(p.Params()[k].Record, q.Record) {
				return nil, fmt.Errorf("build: specialise %q: %s cannot be one with %s: pass an earlier buffer of the same elements", p.Name(), q.Name, one)
			}
			fields := 1
			if q.Record != nil {
				fields = len(q.Record.Fields)
			}
			in.Objects = append(in.Objects, in.Objects[where[one]:where[one]+fields]...)
			made := b.buffer(in.Objects[where[one]])
			made.Access, made.MaxLen = ir.RW, min(made.MaxLen, q.MaxLen)
		case q.IsBuffer():
			where[q.Name] = len(in.Objects)
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
	if used != len(s.Scalars)+len(s.Align)+len(s.Same) {
		return nil, fmt.Errorf("build: specialise %q: a name is no scalar, or no buffer to align, among its parameters: %v, %v, %v", p.Name(), s.Scalars, s.Align, s.Same)
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
