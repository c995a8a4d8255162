package conform

import (
	"fmt"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// valueTypes are the scalar types a value can have.
var valueTypes = []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}

// OpCase is one pure op on one choice of operand types, and of an immediate.
type OpCase struct {
	op  ir.Op
	in  []ir.Type
	out ir.Type
	imm uint32
}

// OpCases lists every legal choice of types of a pure op with an evaluation function: the op table, as it can be walked.
func OpCases(op ir.Op) []OpCase {
	if op == ir.OpCvt || op == ir.OpBitcast {
		return conversions(op)
	}
	return opCases(op)
}

// Op returns the op.
func (o OpCase) Op() ir.Op { return o.op }

// Operands returns the types of its operands.
func (o OpCase) Operands() []ir.Type { return o.in }

// Name says op, types and immediate.
func (o OpCase) Name() string {
	s := o.op.String() + "." + o.in[0].String()
	if info := o.op.Info(); info.Result.Kind == ir.ResultStated {
		s = o.op.String() + "." + o.out.String() + "." + o.in[0].String()
	} else if info.Typed > 1 {
		s = o.op.String() + "." + o.in[info.Typed-1].String()
	}
	if o.op.Info().Imm == ir.ImmField {
		s += fmt.Sprintf("#%d#%d", o.imm&0xFF, o.imm>>8)
	}
	return s
}

// typed is the type that the mnemonic of o carries.
func (o OpCase) typed() ir.Type { return o.in[max(1, o.op.Info().Typed)-1] }

// eval computes the op as the table says.
func (o OpCase) eval(v [3]uint64) uint64 {
	return exact.Eval(o.op, o.typed(), o.out, o.imm, v[0], v[1], v[2])
}

// opCases lists every legal choice of types of a pure op with an evaluation function.
// Conversions are listed apart.
func opCases(op ir.Op) []OpCase {
	info := op.Info()
	if exact.Of(op) == nil || info.Result.Kind == ir.ResultStated {
		return nil
	}
	var cases []OpCase
	for _, t := range valueTypes {
		in := make([]ir.Type, info.Args)
		legal := true
		// The typed operand ranges over its set; the others follow from it.
		lead := max(1, info.Typed) - 1
		for i := range in {
			r := info.In[i]
			switch {
			case i == lead:
				in[i], legal = t, legal && r.Set.Has(t)
			case r.Same != 0:
				in[i] = t
			default:
				in[i] = r.Set.One()
			}
		}
		if !legal {
			continue
		}
		imms := []uint32{0}
		if info.Imm == ir.ImmField {
			w := uint32(t.Bits())
			imms = []uint32{build.Field(0, 1), build.Field(0, 8), build.Field(0, w), build.Field(w-1, 1), build.Field(5, 9), build.Field(w/2, w/2)}
		}
		for _, imm := range imms {
			cases = append(cases, OpCase{op, in, info.ResultType(in...), imm})
		}
	}
	return cases
}

// conversions lists every legal pair of cvt or bitcast.
func conversions(op ir.Op) []OpCase {
	var cases []OpCase
	for _, from := range valueTypes {
		for _, to := range valueTypes {
			legal := ir.CanConvert(to, from)
			if op == ir.OpBitcast {
				legal = ir.CanBitcast(to, from)
			}
			if legal {
				cases = append(cases, OpCase{op, []ir.Type{from}, to, 0})
			}
		}
	}
	return cases
}

// apply writes the op on values.
func (o OpCase) apply(b *build.Builder, vals []build.Value) build.Value {
	switch o.op {
	case ir.OpCvt:
		return b.Cvt(o.out, vals[0])
	case ir.OpBitcast:
		return b.Bitcast(o.out, vals[0])
	}
	return b.OpImm(o.op, o.imm, vals...)
}

// program applies the op to element i of its operand buffers, for every i, or for those that a buffer chooses.
func (o OpCase) program(group uint32, chosen bool) *ir.Program {
	b := build.New("op", build.Workgroup(group))
	var bufs []ir.Object
	for i, t := range o.in {
		bufs = append(bufs, b.Buffer(fmt.Sprintf("in%d", i), t, ir.RO))
	}
	out := b.Buffer("out", o.out, ir.WO)
	i := b.Global(0)
	want := b.Lt(i, b.Len(out))
	if chosen {
		want = b.Load(b.Buffer("chosen", ir.Bool, ir.RO), i)
	}
	b.If(want, func() {
		var vals []build.Value
		for _, buf := range bufs {
			vals = append(vals, b.Load(buf, i))
		}
		b.Store(out, i, o.apply(b, vals))
	})
	return must(b.Program())
}

// on makes a case of the op over rows of operand values.
func (o OpCase) on(family, name string, rows [][3]uint64) Case {
	const group = 64
	c := Case{Family: family, Name: name, Program: o.program(group, false), Launch: Launch{Grid: grid(len(rows), group)}}
	o.fill(&c, rows, nil)
	return c
}

// Chosen makes a case of the op over those rows of operand values that are chosen, in groups of the given size: under
// masks, and in short vectors and warps. The results of other rows stay 0.
func (o OpCase) Chosen(group int, rows [][3]uint64, chosen []bool) Case {
	c := Case{Family: "op", Name: o.Name(), Program: o.program(uint32(group), true), Launch: Launch{Grid: grid(len(rows), group)}}
	o.fill(&c, rows, chosen)
	data := make([]byte, len(rows))
	for i, yes := range chosen {
		if yes {
			data[i] = 1
		}
	}
	c.Launch.Args, c.Want = append(c.Launch.Args, Arg{Data: data}), append(c.Want, nil)
	return c
}

// grid is how many groups n invocations take.
func grid(n, group int) [3]uint32 { return [3]uint32{uint32((n + group - 1) / group), 1, 1} }

// fill adds the operands, and the results of what is chosen; of all without chosen.
func (o OpCase) fill(c *Case, rows [][3]uint64, chosen []bool) {
	for i, t := range o.in {
		data := make([]byte, 0, len(rows)*t.Size())
		for _, r := range rows {
			data = t.AppendElem(data, r[i])
		}
		c.Launch.Args, c.Want = append(c.Launch.Args, Arg{Data: data}), append(c.Want, nil)
	}
	want := make([]byte, 0, len(rows)*o.out.Size())
	for i, r := range rows {
		v := uint64(0)
		if chosen == nil || chosen[i] {
			v = o.eval(r)
		}
		want = o.out.AppendElem(want, v)
	}
	c.Launch.Args, c.Want = append(c.Launch.Args, Arg{Data: make([]byte, len(want))}), append(c.Want, want)
}

// edgeRows is the product of the edge values of the operands: all pairs, and for three
// operands all triples of a thinned list.
func (o OpCase) edgeRows() [][3]uint64 {
	lists := make([][]uint64, 3)
	for i := range lists {
		lists[i] = []uint64{0}
		if i < len(o.in) {
			lists[i] = edges(o.in[i])
			if len(o.in) == 3 && len(lists[i]) > 24 {
				lists[i] = thin(lists[i], 24)
			}
		}
	}
	var rows [][3]uint64
	for _, a := range lists[0] {
		for _, b := range lists[1] {
			for _, c := range lists[2] {
				rows = append(rows, [3]uint64{a, b, c})
			}
		}
	}
	return rows
}

// thin keeps n values spread evenly over the list.
func thin(vals []uint64, n int) []uint64 {
	var out []uint64
	for i := range n {
		out = append(out, vals[i*len(vals)/n])
	}
	return out
}

// must unwraps programs that the suite itself builds.
func must(p *ir.Program, err error) *ir.Program {
	if err != nil {
		panic(fmt.Sprintf("BUG: conformance program refused: %v", err))
	}
	return p
}
