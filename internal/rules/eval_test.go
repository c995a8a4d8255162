package rules_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Refute evaluates many assignments at once, some ops without their function: it has to be as if each was evaluated alone.
func TestAssignmentsTogetherAreAsOneByOne(t *testing.T) {
	for _, r := range rules.Table() {
		for typ := ir.Bool; typ <= ir.BF16; typ++ {
			if r.At(typ) == nil {
				continue
			}
			if err := rules.Compare(r, typ, 100); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestRuleAtATypeHasTypesAndBits(t *testing.T) {
	list := parse(t, "a int (mulhi ?x #a) => (shr ?x (sub width (ctz #a))) when pow2 #a\nb int (shl 0 ?k) => 0\nc int (rotl ?x (and ?k #m)) => (rotl ?x ?k)")
	a := list[0].At(ir.I64)
	if count := a.Right.Args[1]; count.Type != ir.U32 || count.Args[0].Bits != 64 || a.Vars[1].Type != ir.I64 {
		t.Errorf("%+v, count %v, width %v", a.Vars, count.Type, count.Args[0].Bits)
	}
	if !a.Holds(8) || a.Holds(9) {
		t.Error("8 is a power of two, and 9 is not")
	}
	if b := list[1].At(ir.I64); b.Typed != -1 || b.Right.Type != ir.I64 || b.Vars[0].Type != ir.U32 {
		t.Errorf("%+v", b)
	}
	if c := list[2].At(ir.U64); c.Vars[1].Type != ir.U32 || c.Vars[2].Type != ir.U32 {
		t.Errorf("counts of a rotation are u32: %+v", c.Vars)
	}
	if list[0].At(ir.F32) != nil {
		t.Error("f32 is not of class int")
	}
}

func TestSmallFloatsRoundToTheNearest(t *testing.T) {
	for c := range 256 {
		f := rules.SmallFloat(uint8(c))
		if got := rules.RoundSmall(f); f == f && got != uint64(c) {
			t.Errorf("%#x is %v, which is %#x", c, f, got)
		}
		next := rules.SmallFloat(uint8(c + 1))
		if c&0x7F >= 0x78 || math.IsInf(next, 0) {
			continue
		}
		even := uint64(c + c&1)
		if got := rules.RoundSmall((f + next) / 2); got != even {
			t.Errorf("between %v and %v: %#x, not %#x", f, next, got, even)
		}
		if got := rules.RoundSmall(f + (next-f)*0.49); got != uint64(c) {
			t.Errorf("near %v: %#x, not %#x", f, got, c)
		}
	}
	for f, want := range map[float64]uint64{247: 0x77, 248: 0x78, 1e300: 0x78, math.Inf(-1): 0xF8, 0x1p-10: 0, 0x1.8p-10: 1, -0x1p-20: 0x80} {
		if got := rules.RoundSmall(f); got != want {
			t.Errorf("%v: %#x, not %#x", f, got, want)
		}
	}
	if got := rules.RoundSmall(math.NaN()); got&0x78 != 0x78 || got&7 == 0 {
		t.Errorf("NaN: %#x", got)
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		rules.ParseTable(b)
	}
}
