package allinputs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/internal/allinputs"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// TestMain puts a false rule into the optimiser's table: all tests here run beside it.
func TestMain(m *testing.M) {
	list, err := rules.Parse(planted)
	if err != nil {
		panic(err)
	}
	*rules.Table()[0] = *list[0]
	os.Exit(m.Run())
}

const planted = "planted int (add ?x 1) => ?x"

func parse(t testing.TB, text string) []*rules.Rule {
	t.Helper()
	list, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func open(t testing.TB, name string) driver.Device {
	t.Helper()
	var dev driver.Device
	var err error
	if name == "interp" {
		dev, err = cpu.Open(cpu.Options{Engine: "interp"})
	} else {
		dev, err = vyre.Open(long.Device(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

func compile(t testing.TB, dev driver.Device, p *allinputs.Pair) *allinputs.Sweep {
	t.Helper()
	s, err := allinputs.Compile(t.Context(), dev, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestAFalseRuleOfTheOptimiserIsRefuted: at level 2 the planted rule makes x+1 and x one value, so a comparison that went
// through the passes would prove it.
func TestAFalseRuleOfTheOptimiserIsRefuted(t *testing.T) {
	ps, err := text.Parse("k", "vyre 1\nkernel @k workgroup(32) {\nparam @x: buf<u32> rw\n%i = global.x\n%v = load @x[%i]\n"+
		"%w = add.u32 %v, 1_u32\nstore @x[%i], %w\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cpu", "cuda-sim", "interp"} {
		dev := open(t, name)
		for level, want := range map[string]uint32{"2": 7, "0": 8} {
			k, err := dev.Compile(t.Context(), ps[0], driver.Options{Optimise: level})
			if err != nil {
				t.Fatal(err)
			}
			x := []uint32{7}
			if _, err := vyre.Run(t.Context(), k, vyre.Grid{1}, vyre.InOut(x)); err != nil {
				t.Fatal(err)
			}
			if x[0] != want && name != "interp" { // that runs programs as they are written
				t.Errorf("%s: 7 + 1 at level %s is %d; this test wants %d", name, level, x[0], want)
			}
			k.Close()
		}
		for _, typ := range []ir.Type{ir.U32, ir.I32} {
			s := compile(t, dev, allinputs.Rule(rules.Table()[0].At(typ)))
			d, err := s.Some(t.Context(), 1000, 512)
			if err != nil || d == nil || d.Count != 512 || d.Values[0] != 1000 || d.Left != 1001 || d.Right != 1000 {
				t.Errorf("%s: %v: %+v, %v", name, typ, d, err)
			}
		}
	}
}

// some are rules of which many inputs are counterexamples, few, or none, of every kind of type and condition.
const some = `
a int   (add ?x ?x)             => (shl ?x 1)
b int   (div (mul ?x 3) 3)      => ?x
c real  (mul ?x 2)              => (add ?x ?x)
d real  (add ?x 0)              => ?x
e real  (sub ?x ?x)             => 0
f sint  (div ?x #a)             => (shr ?x (ctz #a)) when pow2 #a
g uint  (div ?x #a)             => (shr ?x (ctz #a)) when pow2 #a
h uint  (rem ?x #a)             => (and ?x 7)        when below ?x #a
i int   (and ?x #a)             => ?x                when within ?x #a
j bool  (and ?x ?y)             => (or ?x ?y)
r int   (and ?x #a)             => #a                when within ?x #a
k real  (min ?x ?y)             => (select (lt ?x ?y) ?x ?y)
l any   (select ?c ?x ?x)       => ?x
m real  (div ?x #a)             => (mul ?x (div 1 #a))
n int   (rotl ?x 3)             => (shl ?x 3)
o int   (absdiff ?x 9)          => (sub ?x 9)
p real  (eq ?x ?x)              => true
q int   (popc ?x)               => (popc (brev ?x))
`

// TestDevicesFindWhatTheHostFinds counts counterexamples in ranges of inputs by the functions of the op table too.
func TestDevicesFindWhatTheHostFinds(t *testing.T) {
	lines, out := allinputs.Lines(parse(t, some))
	if len(lines) < 35 || out == 0 {
		t.Fatalf("%d lines, and %d with more bits", len(lines), out)
	}
	found := 0
	for turn, name := range []string{"cpu", "cuda-sim", "interp", "cpu", "cuda-sim", "interp"} { // each with ranges of its own
		dev := open(t, name)
		rng := rand.New(rand.NewPCG(uint64(turn), long.Seed(t, 1)))
		for _, l := range lines {
			s := compile(t, dev, l.Pair)
			for _, fixed := range l.Fill {
				inputs := uint64(1) << l.Pair.Bits()
				n := min(inputs, uint64(long.Count(300, 3000, 30_000)))
				first := rng.Uint64N(inputs - n + 1)
				switch rng.IntN(3) {
				case 0:
					first = 0
				case 1:
					first = inputs - n
				}
				want, least := uint64(0), []uint64(nil)
				for x := first; x < first+n; x++ {
					values := l.Pair.Values(fixed, x)
					left, right, ok := l.Rule.Sides(values)
					if differ := ok && left != right && !nans(l.Rule.Left.Type, left, right); differ != differs(l.Pair, values) {
						t.Fatalf("%v for %#x: the rule says %v, the pair not", l.Rule, values, differ)
					} else if differ {
						if want++; least == nil {
							least = values
						}
					}
				}
				d, err := s.Some(t.Context(), first, n, fixed...)
				if err != nil {
					t.Fatal(err)
				}
				if d == nil {
					d = &allinputs.Difference{}
				}
				if d.Count != want || !slices.Equal(d.Values, least) {
					t.Errorf("%s: %v at %v, %#x, from %#x: %d differ, first %#x, want %d, %#x", name, l.Rule, l.Rule.Type, fixed, first, d.Count, d.Values, want, least)
				}
				if want > 0 {
					found++
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d ranges have counterexamples", found)
	}
}

func differs(p *allinputs.Pair, values []uint64) bool { _, _, ok := p.Differ(values); return ok }

func nans(t ir.Type, a, b uint64) bool {
	infinity := map[ir.Type]uint64{ir.F16: 0x7c00, ir.BF16: 0x7f80, ir.F32: 0x7f80_0000}[t]
	return infinity != 0 && a&(t.Mask()>>1) > infinity && b&(t.Mask()>>1) > infinity
}

// TestFreeBitsTakeAllValues: bits of leaves lie in several pieces, in words of 64 bits and beside ones.
func TestFreeBitsTakeAllValues(t *testing.T) {
	leaf := func(i int, typ ir.Type) *allinputs.Term { return &allinputs.Term{Type: typ, Leaf: i} }
	op := func(op ir.Op, typ ir.Type, args ...*allinputs.Term) *allinputs.Term {
		return &allinputs.Term{Op: op, Type: typ, Args: args}
	}
	wide := op(ir.OpXor, ir.U64, leaf(0, ir.U64), op(ir.OpCvt, ir.U64, leaf(1, ir.U32)))
	half := op(ir.OpCvt, ir.U64, op(ir.OpCvt, ir.F32, leaf(2, ir.F16)))
	left := op(ir.OpAdd, ir.U64, wide, op(ir.OpSelect, ir.U64, leaf(3, ir.Bool), half, leaf(0, ir.U64)))
	p := &allinputs.Pair{
		Name: "bits",
		Leaves: []allinputs.Leaf{{Type: ir.U64, Free: 0x8000_0100_0000_0001, Ones: 0x10_0000_0040}, {Type: ir.U32, Free: 0xf00f, Ones: 0x110},
			{Type: ir.F16, Free: 0x0300, Ones: 0x4000}, {Type: ir.Bool, Free: 1}},
		Left: left, Right: &allinputs.Term{Op: ir.OpConst, Type: ir.U64, Bits: 0x10_0000_0040 ^ 0x110 + 2},
		Holds: []*allinputs.Term{op(ir.OpLt, ir.Bool, leaf(1, ir.U32), &allinputs.Term{Op: ir.OpConst, Type: ir.U32, Bits: 0xe000})},
	}
	if p.Bits() != 14 {
		t.Fatalf("%d bits", p.Bits())
	}
	seen := make(map[[4]uint64]bool)
	want := uint64(0)
	for x := range uint64(1 << 14) {
		v := p.Values(nil, x)
		seen[[4]uint64(v)] = true
		if differs(p, v) {
			want++
		}
	}
	if len(seen) != 1<<14 || want == 0 || want == 1<<14 {
		t.Fatalf("%d assignments, %d differ", len(seen), want)
	}
	for _, name := range []string{"cpu", "cuda-sim"} {
		d, err := compile(t, open(t, name), p).All(t.Context())
		if err != nil || d == nil || d.Count != want {
			t.Errorf("%s: %+v, %v; want %d", name, d, err, want)
		}
	}
}

// TestAllInputsHasTheLast: of 2³² inputs only the last is a counterexample.
func TestAllInputsHasTheLast(t *testing.T) {
	lines, _ := allinputs.Lines(parse(t, "last uint (lt ?x ones) => true\nnone real (neg (neg ?x)) => ?x"))
	dev := open(t, "cpu")
	var lock sync.Mutex
	c, err := lines[0].Check(t.Context(), dev, &lock)
	if err != nil || c.Differ != 1 || c.Counter == nil || c.Counter.Bits[0] != 1<<32-1 || !strings.Contains(c.Counter.String(), "last at u32: ?x = 0xffffffff,") || c.Times[0] <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	for _, l := range lines[2:] { // at f16 and bf16
		if c, err := l.Check(t.Context(), dev, &lock); c.Counter != nil || c.Differ != 0 || err != nil {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

func TestPairsThatCannotBeTriedAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	x := &allinputs.Term{Type: ir.U32}
	u32, bit := allinputs.Leaf{Type: ir.U32, Free: 1<<32 - 1}, allinputs.Leaf{Type: ir.Bool, Free: 1}
	for _, c := range []struct {
		says string
		pair allinputs.Pair
	}{
		{"33 bits are free; at most 32", allinputs.Pair{Leaves: []allinputs.Leaf{u32, bit}, Left: x, Right: x}},
		{"types u32 and bool", allinputs.Pair{Leaves: []allinputs.Leaf{u32}, Left: x, Right: &allinputs.Term{Op: ir.OpConst, Type: ir.Bool}}},
		{"free bits 0x2", allinputs.Pair{Leaves: []allinputs.Leaf{{Type: ir.Bool, Free: 2}}, Left: x, Right: x}},
		{"ones 0x1", allinputs.Pair{Leaves: []allinputs.Leaf{{Type: ir.U32, Free: 3, Ones: 1}}, Left: x, Right: x}},
		{"VY101", allinputs.Pair{Leaves: []allinputs.Leaf{u32}, Left: x, Right: &allinputs.Term{Op: ir.OpSqrt, Type: ir.U32, Args: []*allinputs.Term{x}}}},
	} {
		c.pair.Name = "p"
		if _, err := allinputs.Compile(t.Context(), dev, &c.pair); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", err, c.says)
		}
	}
	half := allinputs.Leaf{Type: ir.U32, Free: 1<<20 - 1}
	s := compile(t, dev, &allinputs.Pair{Name: "p", Leaves: []allinputs.Leaf{half, bit}, Left: x, Right: &allinputs.Term{Op: ir.OpSelect, Type: ir.U32, Args: []*allinputs.Term{{Type: ir.Bool, Leaf: 1}, x, x}}})
	for _, at := range [][2]uint64{{0, 0}, {1<<21 - 1, 2}, {0, 1<<18 + 1}} {
		if _, err := s.Some(t.Context(), at[0], at[1]); err == nil {
			t.Errorf("inputs %v are not refused", at)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.All(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if d, err := s.All(t.Context()); d != nil || err != nil { // the same sweep again
		t.Errorf("%v, %v", d, err)
	}
}

func BenchmarkSweep(b *testing.B) {
	for _, rule := range []string{"add-from int (add (sub #a ?x) #b) => (sub (add #a #b) ?x)", "rem-rem uint (rem (rem ?x #a) #a) => (rem ?x #a)",
		"fdiv-one real (div ?x 1) => ?x", "max-self any (max ?x ?x) => ?x"} {
		list := parse(b, rule)
		b.Run(list[0].Name, func(b *testing.B) {
			lines, _ := allinputs.Lines(list)
			dev := open(b, "cpu")
			s := compile(b, dev, lines[0].Pair)
			b.SetBytes(1 << 32)
			for b.Loop() {
				if d, err := s.All(b.Context(), lines[0].Fill[0]...); d != nil || err != nil {
					b.Fatal(d, err)
				}
			}
		})
	}
}
