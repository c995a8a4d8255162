package opt_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/text"
)

// Every operand of every row that a random program runs is where the analysis said it would be.
func TestRangesHoldInRandomPrograms(t *testing.T) {
	n := uint64(long.Count(300, 3_000, 20_000))
	checked, said := 0, 0
	for seed := range n {
		r := conform.Random(seed)
		at := opt.OperandRanges(r.Program)
		bad := false
		hook := func(b interp.Break) {
			known := at[b.Row]
			for k, i := range known {
				if i == (opt.Interval{}) {
					continue
				}
				for lane := range 32 {
					v, ok := b.Operand(k, lane)
					if b.Mask>>lane&1 == 0 || !ok {
						continue
					}
					checked++
					if i.Says() {
						said++
					}
					if !i.Has(v) && !bad {
						bad = true
						t.Errorf("seed %d, row %d (%s), operand %d: %#x is not in %+v\n%s", seed, b.Row, r.Program.Op(b.Row), k, v, i, r.Describe())
					}
				}
			}
		}
		if _, err := conform.Interp(interp.Options{Hook: hook}).Run(context.Background(), r.Program, r.Launch); err != nil {
			t.Fatal(err)
		}
	}
	if said == 0 {
		t.Error("the analysis says nothing about anything")
	}
	t.Logf("%d operands checked, something was said about %d", checked, said)
}

// The same for values made of loops, masks and shifts, which random programs have few of.
func TestRangesHoldInCases(t *testing.T) {
	for _, c := range cases(t) {
		if c.conform == nil {
			continue
		}
		at := opt.OperandRanges(c.program)
		hook := func(b interp.Break) {
			for k, i := range at[b.Row] {
				for lane := range 32 {
					if v, ok := b.Operand(k, lane); ok && b.Mask>>lane&1 != 0 && i != (opt.Interval{}) && !i.Has(v) {
						t.Fatalf("%s: row %d (%s), operand %d: %#x is not in %+v", c.file, b.Row, c.program.Op(b.Row), k, v, i)
					}
				}
			}
		}
		var spent *interp.BudgetError
		_, err := conform.Interp(interp.Options{Hook: hook, Budget: c.endless}).Run(context.Background(), c.program, c.conform.Launch)
		if err != nil && !(c.endless > 0 && errors.As(err, &spent)) {
			t.Fatalf("%s: %v", c.file, err)
		}
	}
}

// A pass would find what was kept for it, and one that is left out would do nothing.
func TestRunGivesTheSameWithNothingKept(t *testing.T) {
	n := uint64(long.Count(60, 1_000, 20_000))
	same := func(name string, p *ir.Program) {
		kept, _, err := opt.Run(p, opt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		anew, err := opt.RunForgetting(p)
		if err != nil {
			t.Fatal(err)
		}
		if kept.Digest() != anew.Digest() {
			t.Errorf("%s: with what was kept\n%swithout\n%s", name, text.Of(kept), text.Of(anew))
		}
	}
	for seed := range n {
		same(fmt.Sprint("seed ", seed), conform.Random(seed).Program)
	}
	for _, c := range cases(t) {
		same(c.file, c.program)
	}
	for _, s := range shape.All {
		same(s.Name, program(t, s, 2000))
	}
}

// Whatever intervals the operands of an op come from, its result is in the interval made of them.
func TestRangesTransferEveryOp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	rounds := long.Count(400, 5_000, 100_000)
	ints := []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64, ir.Bool}
	for _, op := range ir.Ops() {
		info := op.Info()
		if exact.Of(op) == nil || info.Args == 0 || info.Attr&ir.Pure == 0 {
			continue
		}
		for _, typ := range ints {
			for _, out := range ints {
				for _, imm := range immediates(info) {
					check(t, rng, op, typ, out, imm, rounds)
				}
			}
		}
	}
}

func immediates(info *ir.Info) []uint32 {
	if info.Imm == ir.ImmField {
		return []uint32{0 | 8<<8, 3 | 5<<8, 31 | 1<<8, 0 | 32<<8}
	}
	return []uint32{0}
}

// check tries one op with operands of type typ, if there is such an op.
func check(t *testing.T, rng *rand.Rand, op ir.Op, typ, out ir.Type, imm uint32, rounds int) {
	info := op.Info()
	b := build.New("k", build.Workgroup(1))
	var args []build.Value
	var types []ir.Type
	for i := range info.Args {
		at := typ
		if one := info.In[i].Set.One(); one != ir.None {
			at = one
		}
		types = append(types, at)
		args = append(args, b.Scalar(string(rune('a'+i)), at))
	}
	var v build.Value
	switch op {
	case ir.OpCvt:
		if !ir.CanConvert(out, typ) {
			return
		}
		v = b.Cvt(out, args[0])
	case ir.OpBitcast:
		if !ir.CanBitcast(out, typ) {
			return
		}
		v = b.Bitcast(out, args[0])
	default:
		v = b.OpImm(op, imm, args...)
		if b.Type(v) != out {
			return
		}
	}
	y := b.Buffer("y", out, ir.WO)
	b.Store(y, b.U32(0), v)
	p, err := b.Program()
	if err != nil {
		return // no op of these types
	}
	row := ir.Row(0)
	for p.Op(row) != op {
		row++
	}
	transfer := opt.Transfers(p)
	in := typ
	if info.Typed > 0 {
		in = types[info.Typed-1]
	}
	for range rounds {
		var members [3][3]uint64
		var around [3]opt.Interval
		for k, at := range types {
			near := random(rng, at)
			for m := range members[k] {
				members[k][m] = near
				if rng.IntN(2) == 0 {
					members[k][m] = (near + uint64(rng.IntN(5))) & at.Mask()
				}
			}
			if rng.IntN(3) == 0 {
				members[k][2] = random(rng, at)
			}
			around[k] = opt.Around(at, members[k][:]...)
		}
		got := transfer(row, around)
		for range 6 {
			var bits [3]uint64
			for k := range types {
				bits[k] = members[k][rng.IntN(3)]
			}
			if v := exact.Eval(op, in, out, imm, bits[0], bits[1], bits[2]); !got.Has(v) {
				t.Fatalf("%s.%s to %s, immediate %#x: %#x of %x is not in %+v, made of %+v", op, typ, out, imm, v, bits, got, around)
			}
		}
	}
}

// random draws an integer or bool: any, one with few bits, a small one, or one near a power of two.
func random(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(4) {
	case 0:
		v &= rng.Uint64() & rng.Uint64()
	case 1:
		v >>= rng.IntN(64)
	case 2:
		v = uint64(1)<<rng.IntN(64) + rng.Uint64N(5) - 2
	}
	return v & t.Mask()
}
