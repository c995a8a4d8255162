package interp_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// brokenDevice is the interpreter with a rule broken.
type brokenDevice struct {
	interp.Mutation
	o interp.Options
}

func (b brokenDevice) device() conform.Device { return conform.InterpOf(b.Prepare, b.o) }

func broken(m interp.Mutation) brokenDevice { return brokenDevice{Mutation: m} }

// eval replaces the evaluation of one op.
func eval(op ir.Op, f exact.Func) brokenDevice {
	return broken(interp.Mutation{Eval: map[ir.Op]exact.Func{op: f}})
}

// drop leaves out an op.
func drop(op ir.Op) brokenDevice { return broken(interp.Mutation{Drop: []ir.Op{op}}) }

// detecting has every detector on.
func (b brokenDevice) detecting() brokenDevice {
	b.o.Detect = interp.Everything
	return b
}

// instead evaluates an op, then spoils the result.
func instead(op ir.Op, spoil func(t exact.Types, a, b, right uint64) uint64) brokenDevice {
	right := exact.Of(op)
	return eval(op, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return spoil(t, a, b, right(t, x, a, b, c))
	})
}

// unordered leaves a barrier out, under a schedule that does not happen to keep the order.
func unordered(op ir.Op) brokenDevice {
	b := drop(op)
	b.o.Schedule = interp.Seeded(1)
	return b
}

// reassociated adds floats as another order would: with another rounding now and then.
func reassociated(t exact.Types, x uint32, a, b, c uint64) uint64 {
	sum := exact.Eval(ir.OpAdd, t.In, t.Out, x, a, b, c)
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
	b      brokenDevice
}{
	{"int-edge", "mulhi is signed on signed types", eval(ir.OpMulHi, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return exact.Eval(ir.OpMulHi, t.In.Unsigned(), t.In.Unsigned(), x, a, b, c)
	})},
	{"int-shift", "a shift saturates its count", eval(ir.OpShl, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return a << (b & uint64(t.Width-1)) & t.In.Mask()
	})},
	{"int-div", "x/0 is all ones on unsigned types", instead(ir.OpDiv, func(t exact.Types, a, b, right uint64) uint64 {
		if b == 0 {
			return 0
		}
		return right
	})},
	{"float-edge", "subnormals are kept", instead(ir.OpMul, func(t exact.Types, a, b, right uint64) uint64 {
		if t.In == ir.F32 && right&0x7F80_0000 == 0 {
			return right & 0x8000_0000
		}
		return right
	})},
	{"float-round", "fma rounds once", eval(ir.OpFma, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return exact.Eval(ir.OpAdd, t.In, t.In, 0, exact.Eval(ir.OpMul, t.In, t.In, 0, a, b, 0), c, 0)
	})},
	{"float-min", "a NaN loses in min", eval(ir.OpMin, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return exact.Eval(ir.OpMinp, t.In, t.In, x, a, b, c)
	})},
	{"convert", "a NaN becomes integer 0", instead(ir.OpCvt, func(t exact.Types, a, b, right uint64) uint64 {
		if t.In == ir.F64 && t.Out.IsInt() && math.IsNaN(math.Float64frombits(a)) {
			return 1 << (t.Out.Bits() - 1)
		}
		return right
	})},
	{"recipe-ulp", "log keeps to 1 ulp", instead(ir.OpLog, func(t exact.Types, a, b, right uint64) uint64 {
		return right + 2
	})},
	{"recipe-same", "exp has the same bits everywhere", instead(ir.OpExp, func(t exact.Types, a, b, right uint64) uint64 {
		return right ^ 1
	})},
	{"fast-tolerance", "fast_sin keeps its tolerance", instead(ir.OpFastSin, func(t exact.Types, a, b, right uint64) uint64 {
		return uint64(math.Float32bits(math.Float32frombits(uint32(right)) + 1e-4))
	})},
	{"mem-bounds", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-vector", "the bounds rule is about elements", broken(interp.Mutation{WholeVectors: true})},
	{"mem-record", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-table", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-narrow", "narrow elements extend their sign", broken(interp.Mutation{ZeroExtend: true})},
	{"mem-shared", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mem-local", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"copy-async", "a wait waits", drop(ir.OpCopyWait)},
	{"mat-form", "a step has as many products as the generation sums at once", broken(interp.Mutation{HalvedChunks: true})},
	{"mat-layout", "rows come before columns in A", broken(interp.Mutation{SwappedWords: true})},
	{"mat-bounds", "an access out of bounds does nothing", broken(interp.Mutation{WrapBounds: true})},
	{"mat-words", "narrow elements extend their sign", broken(interp.Mutation{ZeroExtend: true})},
	{"mat-tiles", "rows come before columns in A", broken(interp.Mutation{SwappedWords: true})},
	{"ctl-if", "every lane takes its own arm", broken(interp.Mutation{UniformIfs: true})},
	{"ctl-loop", "lanes leave a loop one by one", broken(interp.Mutation{NoRejoin: true})},
	{"ctl-exit", "lanes leave a loop one by one", broken(interp.Mutation{NoRejoin: true})},
	{"ctl-swap", "carried values are copied at once", broken(interp.Mutation{SequentialMoves: true})},
	{"ctl-deep", "every lane takes its own arm", broken(interp.Mutation{UniformIfs: true})},
	{"atomic-ops", "atomic_min is signed on signed types", eval(ir.OpMin, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return min(a, b)
	})},
	{"atomic-contend", "no update is lost", drop(ir.OpAtomicAdd)},
	{"atomic-litmus", "a fence orders", drop(ir.OpFence).detecting()},
	{"bar-wg", "a barrier waits for the group", unordered(ir.OpBarrierWG)},
	{"bar-grid", "a barrier waits for the grid", unordered(ir.OpBarrierGrid)},
	{"bar-vote", "all is not any", eval(ir.OpAnd, exact.Of(ir.OpOr))},
	{"sub-vote", "a ballot is taken", drop(ir.OpBallot)},
	{"sub-shuffle", "a lane that does not exist gives zero", broken(interp.Mutation{WrapShuffles: true})},
	{"sub-reduce", "the order of a float sum is fixed", eval(ir.OpAdd, reassociated)},
	{"sub-scan", "the order of a float sum is fixed", eval(ir.OpAdd, reassociated)},
	{"launch", "every invocation knows its place in the grid", drop(ir.OpGlobal)},
	{"trap", "the first trap is kept", broken(interp.Mutation{LastTrap: true})},
	{"trace", "a trace leaves a record", drop(ir.OpTrace)},
	{"race", "a barrier orders", drop(ir.OpBarrierGrid).detecting()},
	{"mismatch", "logical and is not bitwise", eval(ir.OpNe, func(t exact.Types, x uint32, a, b, c uint64) uint64 {
		return a & 1
	})},
	{"emission", "carried values are copied at once", broken(interp.Mutation{SequentialMoves: true})},
}

func TestSuiteNoticesEveryBrokenRule(t *testing.T) {
	families := map[string][]conform.Case{}
	for _, f := range conform.Suite() {
		families[f.Name] = f.Cases()
	}
	covered := map[string]bool{}
	for _, m := range mutations {
		covered[m.family] = true
		t.Run(m.family+"/"+m.rule, func(t *testing.T) {
			d := m.b.device()
			for i := range families[m.family] {
				if err := conform.Try(context.Background(), d, &families[m.family][i]); err != nil && !errors.Is(err, conform.ErrSkipped) {
					return
				}
			}
			t.Error("every case still passes")
		})
	}
	for name, cases := range families {
		if !covered[name] && cases[0].Host == nil {
			t.Errorf("no mutation shows that family %s notices anything", name)
		}
	}
}

// A generator that cannot fail shows nothing: with one rule broken it has to. One program in 3,000 notices that barriers
// do not wait: most schedules leave what they order in order.
func TestRandomProgramsNoticeABrokenRule(t *testing.T) {
	const programs = 20_000
	wrong := func(_ exact.Types, _ uint32, a, b, _ uint64) uint64 { return a }
	for name, m := range map[string]interp.Mutation{
		"mul gives its first operand": {Eval: map[ir.Op]exact.Func{ir.OpMul: wrong}},
		"no barriers":                 {Drop: []ir.Op{ir.OpBarrierWG}},
		"indices wrap":                {WrapBounds: true},
		"loops end together":          {NoRejoin: true},
	} {
		if m.Drop != nil && !long.Enabled() {
			continue // takes a minute to meet a program; the suite's families on barriers notice at once
		}
		t.Run(name, func(t *testing.T) {
			d := brokenDevice{m, interp.Options{Schedule: interp.Seeded(3)}}.device()
			for seed := range uint64(programs) {
				if conform.Random(seed).Agree(context.Background(), d) != nil {
					return
				}
			}
			t.Errorf("%d programs did not notice", programs)
		})
	}
}

func TestSweepTellsOneWrongResult(t *testing.T) {
	once := func(et exact.Types, x uint32, a, b, c uint64) uint64 {
		r := exact.Eval(ir.OpAbs, et.In, et.Out, x, a, b, c)
		if a == 0x3F80_0000 {
			r++
		}
		return r
	}
	const block = 1 << 14
	one := int(math.Float32bits(1)) / block
	s := conform.Sweep{Function: conform.Function{Op: ir.OpAbs, Out: ir.F32}, From: one - 1, To: one + 2, Block: block, Launch: 2, Workers: 2}
	out, err := s.Run(context.Background(), eval(ir.OpAbs, once).device())
	if err != nil || len(out.Wrong) != 1 || !strings.Contains(out.Wrong[0].Error(), "abs of 1 (0x3f800000) is 1.0000001") {
		t.Errorf("%+v, %v", out, err)
	}
}
