package conform

import (
	"fmt"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// valueTypes are the scalar types a value can have.
var valueTypes = []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}

// opCase is one pure op on one choice of operand types.
type opCase struct {
	op  ir.Op
	in  []ir.Type
	out ir.Type
	imm uint32
}

// name says op, types and immediate.
func (o opCase) name() string {
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
func (o opCase) typed() ir.Type { return o.in[max(1, o.op.Info().Typed)-1] }

// eval computes the op as the table says.
func (o opCase) eval(v [3]uint64) uint64 {
	return exact.Eval(o.op, o.typed(), o.out, o.imm, v[0], v[1], v[2])
}

// opCases lists every legal choice of types of a pure op with an evaluation function.
// Conversions are listed apart.
func opCases(op ir.Op) []opCase {
	info := op.Info()
	if exact.Of(op) == nil || info.Result.Kind == ir.ResultStated {
		return nil
	}
	var cases []opCase
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
			cases = append(cases, opCase{op, in, info.ResultType(in...), imm})
		}
	}
	return cases
}

// conversions lists every legal pair of cvt or bitcast.
func conversions(op ir.Op) []opCase {
	var cases []opCase
	for _, from := range valueTypes {
		for _, to := range valueTypes {
			legal := ir.CanConvert(to, from)
			if op == ir.OpBitcast {
				legal = ir.CanBitcast(to, from)
			}
			if legal {
				cases = append(cases, opCase{op, []ir.Type{from}, to, 0})
			}
		}
	}
	return cases
}

// program applies the op to element i of its operand buffers, for every i.
func (o opCase) program() *ir.Program {
	b := build.New("op", build.Workgroup(64))
	var bufs []ir.Object
	for i, t := range o.in {
		bufs = append(bufs, b.Buffer(fmt.Sprintf("in%d", i), t, ir.RO))
	}
	out := b.Buffer("out", o.out, ir.WO)
	i := b.Global(0)
	b.If(b.Lt(i, b.Len(out)), func() {
		var vals []build.Value
		for _, buf := range bufs {
			vals = append(vals, b.Load(buf, i))
		}
		var v build.Value
		switch o.op {
		case ir.OpCvt:
			v = b.Cvt(o.out, vals[0])
		case ir.OpBitcast:
			v = b.Bitcast(o.out, vals[0])
		default:
			v = b.OpImm(o.op, o.imm, vals...)
		}
		b.Store(out, i, v)
	})
	return must(b.Program())
}

// on makes a case of the op over rows of operand values.
func (o opCase) on(family, name string, rows [][3]uint64) Case {
	c := Case{Family: family, Name: name, Program: o.program()}
	for i, t := range o.in {
		data := make([]byte, 0, len(rows)*t.Size())
		for _, r := range rows {
			data = t.AppendElem(data, r[i])
		}
		c.Launch.Args = append(c.Launch.Args, Arg{Data: data})
		c.Want = append(c.Want, nil)
	}
	want := make([]byte, 0, len(rows)*o.out.Size())
	for _, r := range rows {
		want = o.out.AppendElem(want, o.eval(r))
	}
	c.Launch.Args = append(c.Launch.Args, Arg{Data: make([]byte, len(want))})
	c.Want = append(c.Want, want)
	c.Launch.Grid = [3]uint32{uint32((len(rows) + 63) / 64), 1, 1}
	return c
}

// edgeRows is the product of the edge values of the operands: all pairs, and for three
// operands all triples of a thinned list.
func (o opCase) edgeRows() [][3]uint64 {
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
