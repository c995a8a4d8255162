package native_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/driver/cpu/native"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// computedByGo are the ops, with the type of their operand, that have no rule: right, and slow.
var computedByGo = strings.Fields(`
div.i64 div.u64 fast_cos.f32 fast_exp2.f32 fast_log2.f32 fast_sin.f32 fast_tanh.f32 rem.i64 rem.u64
`)

var valueTypes = []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16}

// opCase is a pure op for one choice of types.
type opCase struct {
	op  ir.Op
	in  []ir.Type
	out ir.Type
	imm uint32
}

func (o opCase) typed() ir.Type { return o.in[max(1, o.op.Info().Typed)-1] }

func (o opCase) String() string {
	if o.op.Info().Result.Kind == ir.ResultStated {
		return fmt.Sprintf("%s.%s.%s", o.op, o.out, o.typed())
	}
	return fmt.Sprintf("%s.%s", o.op, o.typed())
}

// opCases walks the op table.
func opCases() (cases []opCase) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if exact.Of(op) == nil {
			continue
		}
		for _, t := range valueTypes {
			if info.Result.Kind == ir.ResultStated {
				for _, to := range valueTypes {
					if op == ir.OpCvt && ir.CanConvert(to, t) || op == ir.OpBitcast && ir.CanBitcast(to, t) {
						cases = append(cases, opCase{op, []ir.Type{t}, to, 0})
					}
				}
				continue
			}
			in, lead := make([]ir.Type, info.Args), max(1, info.Typed)-1
			if !info.In[lead].Set.Has(t) {
				continue
			}
			for i := range in {
				if in[i] = info.In[i].Set.One(); i == lead || info.In[i].Same != 0 {
					in[i] = t
				}
			}
			imms := []uint32{0}
			if w := uint32(t.Bits()); info.Imm == ir.ImmField {
				imms = []uint32{build.Field(0, 1), build.Field(0, 8), build.Field(0, w), build.Field(w-1, 1), build.Field(5, 9), build.Field(w/2, w/2)}
			}
			for _, imm := range imms {
				cases = append(cases, opCase{op, in, info.ResultType(in...), imm})
			}
		}
	}
	return cases
}

// program applies the op where a buffer says so, in groups that end in a short vector.
func (o opCase) program(t *testing.T) *ir.Program {
	b := build.New("op", build.Workgroup(13))
	chosen := b.Buffer("chosen", ir.Bool, ir.RO)
	var bufs []ir.Object
	for i, t := range o.in {
		bufs = append(bufs, b.Buffer(fmt.Sprintf("in%d", i), t, ir.RO))
	}
	out := b.Buffer("out", o.out, ir.WO)
	i := b.Global(0)
	b.If(b.Load(chosen, i), func() {
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
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// draw makes a value: any bits, or few of them, or nearly all.
func draw(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(6) {
	case 0:
		v >>= rng.UintN(64)
	case 1:
		v = -(v >> rng.UintN(64))
	case 2:
		v = 1<<rng.UintN(64) - uint64(rng.UintN(3))
	case 3:
		v = uint64(rng.UintN(70))
	}
	if t.IsFloat() && rng.IntN(2) == 0 { // near numbers that are integers
		v = exact.Eval(ir.OpCvt, ir.I64, t, 0, uint64(int64(v)>>rng.UintN(64)), 0, 0) + uint64(rng.IntN(3)-1)
	}
	return v & t.Mask()
}

// Every op gives what its function in the op table gives, on random values, in whole and short vectors and under masks; and
// it is known which ops Go computes. Edge values are the conformance suite's.
func TestEveryOp(t *testing.T) {
	d := open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var missing []string
	for _, o := range opCases() {
		p := o.program(t)
		if q, _, err := opt.Run(p, opt.Options{}); err != nil {
			t.Fatal(err)
		} else {
			for r := range ir.Row(q.Rows()) {
				if op := q.Op(r); exact.Of(op) != nil && !native.Ruled(q, r) && op == o.op {
					missing = append(missing, o.String())
				}
			}
		}
		const n = 13 * 41
		c := conform.Case{Family: "op", Name: o.String(), Program: p, Launch: conform.Launch{Grid: [3]uint32{41, 1, 1}}}
		columns := make([][]byte, len(o.in)+2)
		for range n {
			chosen := uint64(rng.IntN(4)+1) / 2 & 1
			var v [3]uint64
			for i, t := range o.in {
				v[i] = draw(rng, t)
				columns[i+1] = t.AppendElem(columns[i+1], v[i])
			}
			columns[0] = ir.Bool.AppendElem(columns[0], chosen)
			want := uint64(0)
			if chosen == 1 {
				want = exact.Eval(o.op, o.typed(), o.out, o.imm, v[0], v[1], v[2])
			}
			columns[len(columns)-1] = o.out.AppendElem(columns[len(columns)-1], want)
		}
		for _, data := range columns[:len(columns)-1] {
			c.Launch.Args, c.Want = append(c.Launch.Args, conform.Arg{Data: data}), append(c.Want, nil)
		}
		c.Launch.Args = append(c.Launch.Args, conform.Arg{Data: make([]byte, len(columns[len(columns)-1]))})
		c.Want = append(c.Want, columns[len(columns)-1])
		if err := conform.Try(context.Background(), conform.On(d), &c); err != nil {
			t.Errorf("%s: %v", &c, err)
		}
	}
	slices.Sort(missing)
	if missing = slices.Compact(missing); !slices.Equal(missing, computedByGo) {
		t.Errorf("Go computes\n%s\nand the list in this file is\n%s", strings.Join(missing, "\n"), strings.Join(computedByGo, "\n"))
	}
	if d.Stats().Get(driver.InterpLaunches) > 0 {
		t.Error("the interpreter ran some")
	}
}
