package conform_test

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/ir"
)

// eval replaces the evaluation of one op.
func eval(op ir.Op, f ir.EvalFn) interp.Options {
	return interp.Options{Mutate: &interp.Mutation{Eval: map[ir.Op]ir.EvalFn{op: f}}}
}

// instead evaluates an op, then spoils the result.
func instead(op ir.Op, spoil func(t ir.EvalType, a, b, right uint64) uint64) interp.Options {
	right := op.Info().Eval
	return eval(op, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return spoil(t, a, b, right(t, x, a, b, c))
	})
}

func broken(m interp.Mutation) interp.Options { return interp.Options{Mutate: &m} }

// unordered leaves a barrier out, under a schedule that does not happen to keep the order.
func unordered(op ir.Op) interp.Options {
	return interp.Options{Schedule: interp.Seeded(1), Mutate: &interp.Mutation{Drop: []ir.Op{op}}}
}

// reassociated adds floats as another order would: with another rounding now and then.
func reassociated(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
	sum := ir.Eval(ir.OpAdd, t.In, t.Out, x, a, b, c)
	if t.In.IsFloat() && a != 0 && b != 0 && a != b && sum&7 == 7 {
		return sum + 1
	}
	return sum
}

// mutations break the rule that a family is about, in the way a device would most likely
// get it wrong.
var mutations = []struct {
	family string
	rule   string
	o      interp.Options
}{
	{"int-edge", "mulhi is signed on signed types", eval(ir.OpMulHi, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return ir.Eval(ir.OpMulHi, t.In.Unsigned(), t.In.Unsigned(), x, a, b, c)
	})},
	{"int-shift", "a shift saturates its count", eval(ir.OpShl, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return a << (b & uint64(t.Width-1)) & t.In.Mask()
	})},
	{"int-div", "x/0 is all ones on unsigned types", instead(ir.OpDiv, func(t ir.EvalType, a, b, right uint64) uint64 {
		if b == 0 {
			return 0
		}
		return right
	})},
	{"float-edge", "subnormals are kept", instead(ir.OpMul, func(t ir.EvalType, a, b, right uint64) uint64 {
		if t.In == ir.F32 && right&0x7F80_0000 == 0 {
			return right & 0x8000_0000
		}
		return right
	})},
	{"float-round", "fma rounds once", eval(ir.OpFma, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return ir.Eval(ir.OpAdd, t.In, t.In, 0, ir.Eval(ir.OpMul, t.In, t.In, 0, a, b, 0), c, 0)
	})},
	{"float-min", "a NaN loses in min", eval(ir.OpMin, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return ir.Eval(ir.OpMinp, t.In, t.In, x, a, b, c)
	})},
	{"convert", "a NaN becomes integer 0", instead(ir.OpCvt, func(t ir.EvalType, a, b, right uint64) uint64 {
		if t.In == ir.F64 && t.Out.IsInt() && math.IsNaN(math.Float64frombits(a)) {
			return 1 << (t.Out.Bits() - 1)
		}
		return right
	})},
	{"recipe-ulp", "log keeps to 1 ulp", instead(ir.OpLog, func(t ir.EvalType, a, b, right uint64) uint64 {
		return right + 2
	})},
	{"recipe-same", "exp has the same bits everywhere", instead(ir.OpExp, func(t ir.EvalType, a, b, right uint64) uint64 {
		return right ^ 1
	})},
	{"fast-tolerance", "fast_sin keeps its tolerance", instead(ir.OpFastSin, func(t ir.EvalType, a, b, right uint64) uint64 {
		return uint64(math.Float32bits(math.Float32frombits(uint32(right)) + 1e-4))
	})},
	{"mem-bounds", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-vector", "the bounds rule is about elements", broken(interp.Mutation{WholeVectors: true})},
	{"mem-narrow", "narrow elements extend their sign", broken(interp.Mutation{ZeroExtend: true})},
	{"mem-shared", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-local", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"ctl-if", "every lane takes its own arm", broken(interp.Mutation{UniformIfs: true})},
	{"ctl-loop", "lanes leave a loop one by one", broken(interp.Mutation{NoRejoin: true})},
	{"ctl-exit", "lanes leave a loop one by one", broken(interp.Mutation{NoRejoin: true})},
	{"ctl-swap", "carried values are copied at once", broken(interp.Mutation{SequentialMoves: true})},
	{"ctl-deep", "every lane takes its own arm", broken(interp.Mutation{UniformIfs: true})},
	{"atomic-ops", "atomic_min is signed on signed types", eval(ir.OpMin, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return min(a, b)
	})},
	{"atomic-contend", "no update is lost", broken(interp.Mutation{Drop: []ir.Op{ir.OpAtomicAdd}})},
	{"atomic-litmus", "a fence orders", interp.Options{Detect: interp.Everything, Mutate: &interp.Mutation{Drop: []ir.Op{ir.OpFence}}}},
	{"bar-wg", "a barrier waits for the group", unordered(ir.OpBarrierWG)},
	{"bar-grid", "a barrier waits for the grid", unordered(ir.OpBarrierGrid)},
	{"bar-vote", "all is not any", eval(ir.OpAnd, ir.OpOr.Info().Eval)},
	{"sub-vote", "a ballot is taken", broken(interp.Mutation{Drop: []ir.Op{ir.OpBallot}})},
	{"sub-shuffle", "a lane that does not exist gives zero", broken(interp.Mutation{WrapShuffles: true})},
	{"sub-reduce", "the order of a float sum is fixed", eval(ir.OpAdd, reassociated)},
	{"sub-scan", "the order of a float sum is fixed", eval(ir.OpAdd, reassociated)},
	{"launch", "every invocation knows its place in the grid", broken(interp.Mutation{Drop: []ir.Op{ir.OpGlobal}})},
	{"trap", "the first trap is kept", broken(interp.Mutation{LastTrap: true})},
	{"trace", "a trace leaves a record", broken(interp.Mutation{Drop: []ir.Op{ir.OpTrace}})},
	{"race", "a barrier orders", interp.Options{Detect: interp.Everything, Mutate: &interp.Mutation{Drop: []ir.Op{ir.OpBarrierGrid}}}},
	{"mismatch", "logical and is not bitwise", eval(ir.OpNe, func(t ir.EvalType, x uint32, a, b, c uint64) uint64 {
		return a & 1
	})},
	{"emission", "carried values are copied at once", broken(interp.Mutation{SequentialMoves: true})},
}

// fronts break package ir, for the families that need no device.
var fronts = []struct {
	family string
	rule   string
	broken func(f *conform.Front)
}{
	{"verify-neg", "a group barrier needs uniform control", func(f *conform.Front) {
		f.Findings = func(text string, target ir.Target) ir.Diags {
			return slices.DeleteFunc(conform.TheFront.Findings(text, target), func(d ir.Diag) bool { return d.Code == "VY401" })
		}
	}},
	{"text", "floats print as the shortest decimal that reads back", func(f *conform.Front) {
		f.Print = func(p *ir.Program) string { return longFloat.ReplaceAllString(p.Text(), "${1}0_f32") }
	}},
	{"wire", "the pool is part of the wire form", func(f *conform.Front) {
		f.Encode = func(p *ir.Program) ([]byte, error) {
			c := p.Edit()
			for i := range c.Pool {
				c.Pool[i] &^= 1
			}
			q, err := c.Seal()
			if err != nil {
				return nil, err
			}
			return ir.Encode(q)
		}
	}},
}

var longFloat = regexp.MustCompile(`(\d\.\d{3})\d+_f32`)

func TestEveryFamilyNoticesABrokenRule(t *testing.T) {
	covered := map[string]bool{}
	notices := func(t *testing.T, family string, try func(c *conform.Case) error) {
		covered[family] = true
		cases := suite()[family]
		for i := range cases {
			if err := try(&cases[i]); err != nil && !errors.Is(err, conform.ErrSkipped) {
				return
			}
		}
		t.Error("every case still passes")
	}
	for _, m := range mutations {
		t.Run(m.family+"/"+m.rule, func(t *testing.T) {
			d := conform.Interp(m.o)
			notices(t, m.family, func(c *conform.Case) error { return conform.Try(context.Background(), d, c) })
		})
	}
	for _, m := range fronts {
		t.Run(m.family+"/"+m.rule, func(t *testing.T) {
			f := conform.TheFront
			m.broken(&f)
			notices(t, m.family, func(c *conform.Case) error { return c.Host(f) })
		})
	}
	for _, f := range conform.Suite() {
		if !covered[f.Name] {
			t.Errorf("no mutation shows that family %s notices anything", f.Name)
		}
	}
}
