package exact_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

var (
	intTypes   = []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64}
	floatTypes = []ir.Type{ir.F32, ir.F64, ir.F16, ir.BF16}
)

// at evaluates op at an integer width that need not be that of its type.
func at(op ir.Op, in, out ir.Type, width uint, x uint32, a, b, c uint64) uint64 {
	return exact.Of(op)(exact.Types{In: in, Out: out, Width: uint8(width)}, x, a, b, c)
}

// edges are raw values of type t at which something may go wrong.
func edges(t ir.Type) []uint64 {
	switch {
	case t == ir.Bool:
		return []uint64{0, 1}
	case t.IsInt():
		return intEdges(t.Bits())
	}
	return floatEdges(t)
}

// basic lists the pure ops that have a function of their own, not a recipe.
func basic() []ir.Op {
	var ops []ir.Op
	for _, op := range ir.Ops() {
		if in := op.Info(); exact.Of(op) != nil && in.Attr&(ir.Expanded|ir.Approximate) == 0 {
			ops = append(ops, op)
		}
	}
	return ops
}

// carried calls f for every type the op's mnemonic may carry, with a result type for it.
func carried(op ir.Op, f func(in, out ir.Type)) {
	info := op.Info()
	for t := ir.Bool; t <= ir.BF16; t++ {
		typed := max(info.Typed-1, 0)
		if !info.In[typed].Set.Has(t) {
			continue
		}
		switch {
		case op == ir.OpCvt:
			for out := ir.I32; out <= ir.BF16; out++ {
				if mayConvert(t, out) {
					f(t, out)
				}
			}
		case op == ir.OpBitcast:
			for out := ir.I32; out <= ir.BF16; out++ {
				if mayCast(t, out) {
					f(t, out)
				}
			}
		default:
			f(t, info.ResultType(t, t, t))
		}
	}
}

// operands gives the types of an op's operands when its mnemonic carries t.
func operands(op ir.Op, t ir.Type) []ir.Type {
	info := op.Info()
	types := make([]ir.Type, info.Args)
	for i := range types {
		switch one := info.In[i].Set.One(); {
		case i == info.Typed-1:
			types[i] = t
		case one != ir.None:
			types[i] = one
		default:
			types[i] = t
		}
	}
	return types
}

// sample calls f with all edge operands of an op, or, of three operands, a random part.
func sample(types []ir.Type, f func(a, b, c uint64)) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(e []uint64) uint64 { return e[rng.IntN(len(e))] }
	switch len(types) {
	case 1:
		for _, a := range edges(types[0]) {
			f(a, 0, 0)
		}
	case 2:
		for _, a := range edges(types[0]) {
			for _, b := range edges(types[1]) {
				f(a, b, 0)
			}
		}
	case 3:
		e0, e1, e2 := edges(types[0]), edges(types[1]), edges(types[2])
		for range 4000 {
			f(pick(e0), pick(e1), pick(e2))
		}
	}
}

// Fields beyond the width are refused before anything runs; even so they spoil no invariant.
func TestEvalResultsAreZeroExtended(t *testing.T) {
	for _, op := range basic() {
		fields := []uint32{0}
		if op.Info().Imm == ir.ImmField {
			fields = []uint32{0, 3 | 20<<8, 20 | 60<<8, 255 | 255<<8}
		}
		carried(op, func(in, out ir.Type) {
			sample(operands(op, in), func(a, b, c uint64) {
				for _, x := range fields {
					if r := exact.Eval(op, in, out, x, a, b, c); r&^out.Mask() != 0 {
						t.Fatalf("%v.%v.%v%s with immediate %#x = %#x has bits above the type", op, in, out, hexes(a, b, c), x, r)
					}
				}
			})
		})
	}
}

func TestCommutativeOpsCommute(t *testing.T) {
	for _, op := range basic() {
		if op.Info().Attr&ir.Commutative == 0 {
			continue
		}
		carried(op, func(in, out ir.Type) {
			sample([]ir.Type{in, in}, func(a, b, _ uint64) {
				if r, s := exact.Eval(op, in, out, 0, a, b, 0), exact.Eval(op, in, out, 0, b, a, 0); r != s {
					t.Fatalf("%v.%v(%#x, %#x) = %#x, swapped %#x", op, in, a, b, r, s)
				}
			})
		})
	}
}

// Which NaN an operation gives differs between machines, so arithmetic gives one for all.
func TestArithmeticNaNIsCanonical(t *testing.T) {
	moves := map[ir.Op]bool{ir.OpNeg: true, ir.OpAbs: true, ir.OpCopysign: true, ir.OpSelect: true, ir.OpBitcast: true}
	for _, op := range basic() {
		if moves[op] {
			continue
		}
		carried(op, func(in, out ir.Type) {
			if !out.IsFloat() && !out.IsHalf() {
				return
			}
			f := formatOf(out)
			sample(operands(op, in), func(a, b, c uint64) {
				if r := exact.Eval(op, in, out, 0, a, b, c); f.isNaN(r) && r != f.nan() {
					t.Fatalf("%v.%v.%v(%#x, %#x, %#x) = %#x, want the NaN %#x", op, in, out, a, b, c, r, f.nan())
				}
			})
		})
	}
}

// hexes prints operands for a failure.
func hexes(v ...uint64) string { return fmt.Sprintf("%#x", v) }
