package opt_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/interp"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// An inner loop goes up or down from what the loop around it has come to, by steps that may wrap or not.
func TestRangesHoldInNestsThatDrift(t *testing.T) {
	bounded := 0
	n := long.Count(300, 3_000, 100_000)
	for seed := range uint64(n) {
		source := nest(rand.New(rand.NewPCG(seed, 1)))
		all, err := text.Parse("nest.vyre", source)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
		p := all[0]
		at := opt.OperandRanges(p)
		hook := func(b interp.Break) {
			for k, i := range at[b.Row] {
				v, ok := b.Operand(k, 0)
				if !ok || i == (opt.Interval{}) {
					continue
				}
				if p.Op(b.Row) == ir.OpXor && i.Says() {
					bounded++
				}
				if !i.Has(v) {
					t.Fatalf("seed %d: row %d (%s), operand %d: %#x is not in %+v\n%s", seed, b.Row, p.Op(b.Row), k, v, i, source)
				}
			}
		}
		if _, err := conform.Interp(interp.Options{Hook: hook}).Run(context.Background(), p, conform.Launch{Grid: [3]uint32{1, 1, 1}}); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, source)
		}
	}
	if bounded < n {
		t.Errorf("of %d nests, %d values had a bound", n, bounded)
	}
}

// nest writes a kernel whose inner loop's argument a begins with the outer loop's.
func nest(rng *rand.Rand) string {
	typ := []string{"u32", "i32", "u64", "i64"}[rng.IntN(4)]
	num := func(v int) string { return fmt.Sprintf("%d_%s", v, typ) }
	pick := func(all ...string) string { return all[rng.IntN(len(all))] }
	k := num(1 + rng.IntN(3))
	less := map[string]string{"u32": "4294967294_u32", "i32": "-2_i32", "u64": "18446744073709551614_u64", "i64": "-2_i64"}[typ]
	step := func(to, from string) string {
		return "    %" + to + " = " + pick(
			"sub."+typ+" %"+from+", "+k, "add."+typ+" %"+from+", "+k, "add."+typ+" %"+from+", "+less, "min."+typ+" %"+from+", "+num(rng.IntN(9)),
			"max."+typ+" %"+from+", "+num(rng.IntN(9)), "and."+typ+" %"+from+", "+num(7), "or."+typ+" %"+from+", "+num(1),
			"shr."+typ+" %"+from+", 1_u32") + "\n"
	}
	test := func(a string) string {
		return pick("lt."+typ+" "+num(rng.IntN(3))+", "+a, "le."+typ+" "+k+", "+a, "ne."+typ+" "+a+", "+num(0), "lt."+typ+" "+a+", "+num(rng.IntN(20)))
	}
	first := num(rng.IntN(12)) // or near an end of the type
	if ends := map[string][]string{"u32": {"4294967293"}, "i32": {"-2147483645", "2147483644", "-9"}, "u64": {"18446744073709551613"},
		"i64": {"-9223372036854775805", "9223372036854775804", "-9"}}[typ]; rng.IntN(3) == 0 {
		first = ends[rng.IntN(len(ends))] + "_" + typ
	}
	var b strings.Builder
	fmt.Fprintf(&b, `vyre 1
kernel @k workgroup(1) {
  loop ^o (%%n: u32 = 0_u32, %%top: %[1]s = %[2]s) {
    %%end = le.u32 %[3]d_u32, %%n
    if %%end { break ^o }
`, typ, first, 3+rng.IntN(9))
	if rng.IntN(2) == 0 { // the outer one is bounded by a test
		fmt.Fprintf(&b, "    %%past = le.%s %s, %%top\n    if %%past { break ^o }\n", typ, num(4+rng.IntN(20)))
	}
	fmt.Fprintf(&b, "    %%t = loop ^i (%%m: u32 = 0_u32, %%a: %[1]s = %%top) -> (%[1]s) {\n    %%use = xor.%[1]s %%a, %%a\n", typ)
	fmt.Fprintf(&b, "    %%enough = le.u32 %d_u32, %%m\n    if %%enough { break ^i (%%a) }\n    %%m1 = add.u32 %%m, 1_u32\n", 1+rng.IntN(6))
	brings := "c"
	switch rng.IntN(5) {
	case 0: // as it comes
		b.WriteString(step("c", "a"))
	case 1: // where a test lets it
		fmt.Fprintf(&b, "    %%ok = %s\n    %%no = not.bool %%ok\n    if %%no { break ^i (%%a) }\n%s", test("%a"), step("c", "a"))
	case 2: // in an arm
		fmt.Fprintf(&b, "    %%ok = %s\n    %%c = if %%ok -> (%s) {\n%s    yield %%d\n    } else { yield %%a }\n", test("%a"), typ, step("d", "a"))
	case 3: // by a choice
		fmt.Fprintf(&b, "    %%ok = %s\n%s    %%c = select.%s %%ok, %%d, %%a\n", test("%a"), step("d", "a"), typ)
	default: // twice, and on one of two ways
		fmt.Fprintf(&b, "    %%ok = %s\n    if %%ok {\n%s      continue ^i (%%m1, %%e)\n    }\n%s%s", test("%a"), step("e", "a"), step("d", "a"), step("c", "d"))
	}
	fmt.Fprintf(&b, "    continue ^i (%%m1, %%%s)\n    }\n", brings)
	b.WriteString(step("up", "t"))
	fmt.Fprintf(&b, "    %%n1 = add.u32 %%n, 1_u32\n    continue ^o (%%n1, %%%s)\n  }\n}\n", pick("up", "t"))
	return b.String()
}
