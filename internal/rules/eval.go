package rules

import (
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// block is how many assignments a program evaluates at once: its columns stay in the first cache.
const block = 256

type column = [block]uint64

// program evaluates both sides of a rule at a type, equal terms once. Columns begin with those of the variables.
type program struct {
	columns     []column
	steps       []step
	left, right int
}

// step computes a column from others.
type step struct {
	op       ir.Op
	fn       exact.Func
	types    exact.Types
	args     [3]int
	out      int
	literal  uint64
	constant bool // a literal, which is there from the start
}

// compile returns the program of a rule at a type.
func (r *Rule) compile() *program {
	p := &program{columns: make([]column, len(r.Vars))}
	p.left, p.right = p.term(r, r.Left), p.term(r, r.Right)
	p.columns = append(p.columns, make([]column, len(p.steps))...)
	for _, s := range p.steps {
		if s.constant {
			for i := range p.columns[s.out] {
				p.columns[s.out][i] = s.literal
			}
		}
	}
	p.steps = slices.DeleteFunc(p.steps, func(s step) bool { return s.constant })
	return p
}

// term returns the column of a term.
func (p *program) term(r *Rule, t *Term) int {
	s := step{op: t.Op, literal: t.Bits, constant: t.Kind == Literal}
	s.types = exact.Types{Out: t.Type}
	switch t.Kind {
	case Value, Constant:
		return t.Var
	case Apply:
		for i, a := range t.Args {
			s.args[i] = p.term(r, a)
		}
		if k := t.Op.Info().Typed; k > 0 {
			s.types.In = t.Args[k-1].Type
			s.types.Width = uint8(r.form.width(s.types.In))
		}
	}
	for _, o := range p.steps {
		if o.op == s.op && o.types == s.types && o.args == s.args && o.literal == s.literal && o.constant == s.constant {
			return o.out
		}
	}
	if t.Kind == Apply {
		s.fn = exact.Of(t.Op)
		if r.form.small {
			s.fn = smallFunc(t.Op, s.types.In, t.Type)
		}
	}
	s.out = len(r.Vars) + len(p.steps)
	p.steps = append(p.steps, s)
	return s.out
}

// run computes all columns.
func (p *program) run() {
	for i := range p.steps {
		s := &p.steps[i]
		out, a, b, c := &p.columns[s.out], &p.columns[s.args[0]], &p.columns[s.args[1]], &p.columns[s.args[2]]
		if s.direct(out, a, b) {
			continue
		}
		for k := range out {
			out[k] = s.fn(s.types, 0, a[k], b[k], c[k])
		}
	}
}

// equal reports whether the columns of both sides are, bit by bit.
func (p *program) equal() bool {
	left, right := &p.columns[p.left], &p.columns[p.right]
	differ := uint64(0)
	for k := range left {
		differ |= left[k] ^ right[k]
	}
	return differ == 0
}

// direct computes the commonest integer ops without a call for each value. A test compares it with the op table's functions.
func (s *step) direct(out, a, b *column) bool {
	if !s.types.In.IsInt() {
		return false
	}
	m := ^uint64(0) >> (64 - s.types.Width)
	switch s.op {
	case ir.OpAdd:
		for k := range out {
			out[k] = (a[k] + b[k]) & m
		}
	case ir.OpSub:
		for k := range out {
			out[k] = (a[k] - b[k]) & m
		}
	case ir.OpMul:
		for k := range out {
			out[k] = a[k] * b[k] & m
		}
	case ir.OpNeg:
		for k := range out {
			out[k] = -a[k] & m
		}
	case ir.OpNot:
		for k := range out {
			out[k] = a[k] ^ m
		}
	case ir.OpAnd:
		for k := range out {
			out[k] = a[k] & b[k]
		}
	case ir.OpOr:
		for k := range out {
			out[k] = a[k] | b[k]
		}
	case ir.OpXor:
		for k := range out {
			out[k] = a[k] ^ b[k]
		}
	case ir.OpShl:
		for k := range out {
			out[k] = a[k] << b[k] & m
		}
	default:
		return false
	}
	return true
}

// Sides evaluates both sides of a rule at a type for raw bits of its variables, by the functions of the op table; false if
// the condition does not hold. To search for a difference, call Refute.
func (r *Rule) Sides(bits []uint64) (left, right uint64, ok bool) {
	c := make([]uint64, len(r.Of))
	for i, v := range r.Of {
		c[i] = bits[v]
	}
	if !r.Holds(c...) {
		return 0, 0, false
	}
	return r.eval(r.Left, bits), r.eval(r.Right, bits), true
}

func (r *Rule) eval(t *Term, bits []uint64) uint64 {
	switch t.Kind {
	case Value, Constant:
		return bits[t.Var]
	case Literal:
		return t.Bits
	}
	var args [3]uint64
	for i, a := range t.Args {
		args[i] = r.eval(a, bits)
	}
	types := exact.Types{Out: t.Type}
	if k := t.Op.Info().Typed; k > 0 {
		types.In = t.Args[k-1].Type
		types.Width = uint8(r.form.width(types.In))
	}
	if r.form.small {
		return smallFunc(t.Op, types.In, t.Type)(types, 0, args[0], args[1], args[2])
	}
	return exact.Of(t.Op)(types, 0, args[0], args[1], args[2])
}
