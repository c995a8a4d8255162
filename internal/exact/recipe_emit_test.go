package exact_test

import (
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// recorder is a Sink that keeps the rows of a recipe and can run them. A Ref counts rows
// from 1, so that a Ref never set is caught.
type recorder struct {
	t    *testing.T
	rows []recorded
	open []branch
	nan  uint64 // if set, the bits of every NaN of type f32 that an op makes; of f64, in the upper half too
}

// recorded is one row: an operand, a constant, an op, or the result of an if.
type recorded struct {
	op       ir.Op // 0 for operands and constants
	typ      ir.Type
	imm      uint32
	args     int
	in       [3]exact.Ref
	bits     uint64
	thn, els int // of an if: ops on its two arms
	isIf     bool
}

type branch struct {
	cond, then exact.Ref
	typ        ir.Type
	start      int
	thenOps    int
}

func record(t *testing.T, op ir.Op, typ ir.Type) (*recorder, exact.Ref) {
	r := &recorder{t: t}
	a := r.push(recorded{typ: typ})
	b := r.push(recorded{typ: typ})
	out := exact.RecipeOf(op)(exact.NewEmitter(r), typ, a, b)
	if len(r.open) != 0 {
		t.Fatalf("%v.%v: %d ifs left open", op, typ, len(r.open))
	}
	if got := r.row(out).typ; got != typ {
		t.Fatalf("%v.%v: result has type %v", op, typ, got)
	}
	return r, out
}

func (r *recorder) push(row recorded) exact.Ref {
	r.rows = append(r.rows, row)
	return exact.Ref(len(r.rows))
}

func (r *recorder) row(v exact.Ref) recorded {
	if v == 0 || int(v) > len(r.rows) {
		r.t.Fatalf("row %d uses %d, which is no row", len(r.rows)+1, v)
	}
	return r.rows[v-1]
}

func (r *recorder) Const(t ir.Type, bits uint64) exact.Ref {
	if bits&^t.Mask() != 0 {
		r.t.Errorf("constant %x does not fit %v", bits, t)
	}
	return r.push(recorded{typ: t, bits: bits})
}

// Op holds each operand and the result to the op table.
func (r *recorder) Op(op ir.Op, out ir.Type, imm uint32, args int, a, b, c exact.Ref) exact.Ref {
	in := op.Info()
	row := recorded{op: op, typ: out, imm: imm, args: args, in: [3]exact.Ref{a, b, c}}
	if in.Attr&(ir.Expanded|ir.Approximate|ir.Reads|ir.Writes|ir.Convergent) != 0 || exact.Of(op) == nil {
		r.t.Errorf("%v is not an exact basic op", op)
	}
	if args != in.Args {
		r.t.Errorf("%v has %d operands, got %d", op, in.Args, args)
	}
	var types []ir.Type
	for i := range args {
		t := r.row(row.in[i]).typ
		types = append(types, t)
		rule := in.In[i]
		if rule.Set != 0 && !rule.Set.Has(t) || rule.Same != 0 && types[rule.Same-1] != t {
			r.t.Errorf("%v: operand %d may not be %v after %v", op, i, t, types)
		}
	}
	if in.Result.Kind != ir.ResultStated && in.ResultType(types...) != out {
		r.t.Errorf("%v of %v gives %v, not %v", op, types, in.ResultType(types...), out)
	}
	return r.push(row)
}

func (r *recorder) If(c exact.Ref, t ir.Type) {
	if got := r.row(c).typ; got != ir.Bool {
		r.t.Errorf("if on a %v", got)
	}
	r.open = append(r.open, branch{cond: c, typ: t, start: len(r.rows)})
}

func (r *recorder) Else(v exact.Ref) {
	b := &r.open[len(r.open)-1]
	if got := r.row(v).typ; got != b.typ {
		r.t.Errorf("if of type %v yields a %v", b.typ, got)
	}
	b.then, b.thenOps, b.start = v, r.opsFrom(b.start), len(r.rows)
}

func (r *recorder) End(v exact.Ref) exact.Ref {
	b := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	if got := r.row(v).typ; got != b.typ {
		r.t.Errorf("if of type %v yields a %v", b.typ, got)
	}
	return r.push(recorded{typ: b.typ, isIf: true, in: [3]exact.Ref{b.cond, b.then, v}, thn: b.thenOps, els: r.opsFrom(b.start)})
}

// opsFrom counts the ops of the rows from start on, constants not among them.
func (r *recorder) opsFrom(start int) (n int) {
	for _, row := range r.rows[start:] {
		if row.op != 0 {
			n++
		}
	}
	return n
}

// run gives every row its bits; both arms of an if, since all rows are pure.
func (r *recorder) run(x, y uint64) {
	r.rows[0].bits, r.rows[1].bits = x, y
	for i := range r.rows {
		row := &r.rows[i]
		var v [3]uint64
		for k, in := range row.in {
			if in != 0 {
				v[k] = r.rows[in-1].bits
			}
		}
		switch {
		case row.isIf && v[0] != 0:
			row.bits = v[1]
		case row.isIf:
			row.bits = v[2]
		case row.op != 0:
			in := row.op.Info().Typed - 1
			row.bits = exact.Eval(row.op, r.row(row.in[max(in, 0)]).typ, row.typ, row.imm, v[0], v[1], v[2])
			if r.nan != 0 && isNaN(row.typ, row.bits) {
				row.bits = r.nan >> (64 - row.typ.Bits())
			}
		}
	}
}

// TestEmittedRecipesEqualEvaluation runs the emitted rows next to the recipe itself.
func TestEmittedRecipesEqualEvaluation(t *testing.T) {
	for _, f := range accurates {
		for _, typ := range []ir.Type{ir.F32, ir.F64} {
			prog, out := record(t, f.op, typ)
			r := rand.New(rand.NewPCG(3, uint64(f.op)))
			for range 2000 {
				x, y := f.arguments64(r)
				a, b := raw(typ, x), raw(typ, y)
				prog.run(a, b)
				got, want := prog.row(out).bits, exact.Eval(f.op, typ, typ, 0, a, b, 0)
				if got != want {
					t.Fatalf("%v.%v(%v, %v): emitted rows give %x, evaluation %x", f.op, typ, x, y, got, want)
				}
			}
		}
	}
}

// TestRecipesDoNotLookAtTheBitsOfNaNs: an H100 makes others than the op table. A recipe that adds to the bits of a
// float would show them.
func TestRecipesDoNotLookAtTheBitsOfNaNs(t *testing.T) {
	for _, f := range accurates {
		for _, typ := range []ir.Type{ir.F32, ir.F64} {
			prog, out := record(t, f.op, typ)
			r := rand.New(rand.NewPCG(5, uint64(f.op)))
			for i := range 3000 {
				x, y := f.arguments64(r)
				special := []float64{nan, inf, -inf, 0, negZero, x}
				if i%3 == 0 {
					x = special[r.IntN(6)]
				}
				if i%4 == 0 {
					y = special[r.IntN(6)]
				}
				a, b := raw(typ, x), raw(typ, y)
				prog.nan = []uint64{0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF, 0x7FF9_2345_7FC1_2345}[r.IntN(3)]
				prog.run(a, b)
				got, want := prog.row(out).bits, exact.Eval(f.op, typ, typ, 0, a, b, 0)
				if got != want && !(isNaN(typ, got) && isNaN(typ, want)) {
					t.Fatalf("%v.%v(%v, %v): %x where NaNs have the bits %x, and %x else", f.op, typ, x, y, got, prog.nan, want)
				}
			}
		}
	}
}

// TestRecipesEmitBothArms checks on sin, whose arms differ most, that what is rare
// stands in an if.
func TestRecipesEmitBothArms(t *testing.T) {
	for _, op := range []ir.Op{ir.OpSin, ir.OpCos, ir.OpTan} {
		for _, typ := range []ir.Type{ir.F32, ir.F64} {
			prog, out := record(t, op, typ)
			row := prog.row(out)
			if !row.isIf || row.thn == 0 || row.els < 2*row.thn {
				t.Errorf("%v.%v: arms of %d and %d ops, want a short and a long one", op, typ, row.thn, row.els)
			}
			prog.run(raw(typ, 1), 0)
			near := prog.row(row.in[1]).bits
			if prog.row(out).bits != near {
				t.Errorf("%v.%v(1) is not taken from the first arm", op, typ)
			}
			prog.run(raw(typ, 1e30), 0)
			if prog.row(out).bits != prog.row(row.in[2]).bits || prog.row(out).bits == prog.row(row.in[1]).bits {
				t.Errorf("%v.%v(1e30) is not taken from the second arm", op, typ)
			}
		}
	}
}

// TestSinAndCosStayShort holds the common path in f32 to its limit of 30 ops.
func TestSinAndCosStayShort(t *testing.T) {
	const limit = 30
	for _, op := range []ir.Op{ir.OpSin, ir.OpCos} {
		prog, out := record(t, op, ir.F32)
		row := prog.row(out)
		common := prog.opsFrom(0) - row.els
		t.Logf("%v: %d ops", op, common)
		if common > limit {
			t.Errorf("%v.f32 takes %d ops on its common path, more than %d", op, common, limit)
		}
	}
}

func BenchmarkRecipe(b *testing.B) {
	for _, f := range accurates {
		for _, typ := range []ir.Type{ir.F32, ir.F64} {
			b.Run(f.op.String()+"."+typ.String(), func(b *testing.B) {
				x, y := raw(typ, 0.7), raw(typ, 1.3)
				b.ReportAllocs()
				for b.Loop() {
					exact.Eval(f.op, typ, typ, 0, x, y, 0)
				}
			})
		}
	}
}
