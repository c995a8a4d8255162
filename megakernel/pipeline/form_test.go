package pipeline_test

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// TestFormsAreWhatProgramsCompute compares what is worked out of random expressions with what they come to.
func TestFormsAreWhatProgramsCompute(t *testing.T) {
	var numbers, conditions [2]int
	for seed := range long.Seeds(t, 2000, 15_000, 1_000_000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		const length = 40
		items := 1 + rng.Uint32N(32)
		b := build.New("forms", build.Workgroup(32))
		out := b.Buffer("out", ir.U64, ir.RW)
		e := &expression{Rand: rng, Builder: b, out: out, scalar: b.Scalar("k", ir.I32), bits: uint64(rng.Uint32N(12) - 6)} // -6 to 5
		v := e.value(4)
		c := e.condition(3)
		b.Store(out, b.Global(0), b.Cvt(ir.U64, b.Cvt(ir.I64, v)))
		b.IfElse(c, func() { b.Store(out, b.U32(32), b.U64(1)) }, func() { b.Store(out, b.U32(33), b.U64(1)) })
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		k, err := interp.Prepare(p)
		if err != nil {
			t.Fatal(err)
		}
		step, base, known := pipeline.FormOf(p, items, []uint64{e.bits}, length)
		truth := -1
		for r := range ir.Row(p.Rows()) {
			if p.Op(r) == ir.OpIf {
				truth = pipeline.TruthOf(p, items, []uint64{e.bits}, length)
				break
			}
		}
		mem := make([]byte, 8*length)
		if _, err := k.Run(context.Background(), launch.Launch{Grid: [3]uint32{1, 1, 1}, Args: []launch.Arg{{Mem: mem}, {Bits: e.bits}}}, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		got := func(i uint32) int64 { return int64(binary.LittleEndian.Uint64(mem[8*i:])) }
		count(&numbers, known)
		count(&conditions, truth >= 0)
		for i := range items {
			if known && got(i) != step*int64(i)+base {
				t.Fatalf("seed %d: item %d has %d, want %d·%d + %d\n%s", seed, i, got(i), step, i, base, text.Of(p))
			}
		}
		if items == 32 && (truth == 1 && got(33) != 0 || truth == 0 && got(32) != 0) {
			t.Fatalf("seed %d: the condition is said to be %d\n%s", seed, truth, text.Of(p))
		}
	}
	if numbers[0] == 0 || numbers[1] == 0 || conditions[0] == 0 || conditions[1] == 0 {
		t.Errorf("of numbers %v and of conditions %v are unknown and known, which tests one of the two only", numbers, conditions)
	}
}

func count(n *[2]int, known bool) {
	if known {
		n[1]++
	} else {
		n[0]++
	}
}

// expression makes random values of integers.
type expression struct {
	*rand.Rand
	*build.Builder
	out    ir.Object
	scalar build.Value
	bits   uint64
}

var integers = []ir.Type{ir.U32, ir.I32, ir.U64, ir.I64}

func (e *expression) value(depth int) build.Value {
	if depth == 0 || e.IntN(6) == 0 {
		switch e.IntN(5) {
		case 0:
			return e.scalar
		case 1:
			return e.Len(e.out)
		case 2:
			return e.Const(integers[e.IntN(4)], uint64(e.IntN(9)))
		case 3: // near the bounds of 32 bits
			return e.Const(ir.U32, uint64(1<<31-3+e.IntN(6))<<e.IntN(2)&0xffffffff)
		}
		return e.Global(0)
	}
	x := e.value(depth - 1)
	switch e.IntN(7) {
	case 0:
		return e.Cvt(integers[e.IntN(4)], x)
	case 1:
		return e.Bitcast(map[ir.Type]ir.Type{ir.U32: ir.I32, ir.I32: ir.U32, ir.U64: ir.I64, ir.I64: ir.U64}[e.Type(x)], x)
	case 2:
		return e.Shl(x, e.U32(e.Uint32N(34)))
	case 3:
		return e.Rem(x, e.Const(e.Type(x), 7)) // no form
	}
	y := e.Cvt(e.Type(x), e.value(depth-1))
	return []func(x, y build.Value) build.Value{e.Add, e.Sub, e.Mul}[e.IntN(3)](x, y)
}

func (e *expression) condition(depth int) build.Value {
	if depth == 0 || e.IntN(2) == 0 {
		x := e.value(2)
		y := e.Cvt(e.Type(x), e.value(2))
		return []func(x, y build.Value) build.Value{e.Lt, e.Le, e.Eq, e.Ne}[e.IntN(4)](x, y)
	}
	x := e.condition(depth - 1)
	switch e.IntN(3) {
	case 0:
		return e.Not(x)
	case 1:
		return e.And(x, e.condition(depth-1))
	}
	return e.Or(x, e.condition(depth-1))
}
