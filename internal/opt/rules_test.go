package opt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

// counterexample looks for values for which the sides of a rule differ: all of them where
// there are few, else edges and random ones.
func counterexample(r opt.Rule, t ir.Type) error {
	vars := r.Vars(t)
	try := func(tiny uint8, bits []uint64) error {
		left, right, out, ok := r.Sides(t, tiny, vars, bits)
		if !ok || left == right || isNaN(out, left) && isNaN(out, right) {
			return nil
		}
		return fmt.Errorf("rule %s at %s (%d bits): %x gives %x on the left, %x on the right", r.Name(), t, tiny, bits, left, right)
	}
	if t.IsInt() || t == ir.Bool {
		// 8 bits are a proof at 8 bits; three variables take 2²⁴ cases there. A smaller width is a power
		// of two as well: rotates rely on that.
		tiny := uint8(8)
		if len(vars) > 2 && !long.Exhaustive() {
			tiny = 4
		}
		if err := everywhere(vars, func(t ir.Type) []uint64 { return small(t, tiny) }, func(b []uint64) error { return try(tiny, b) }); err != nil {
			return err
		}
	} else if len(vars) == 1 && t.IsHalf() {
		if err := everywhere(vars, func(t ir.Type) []uint64 { return small(t, 16) }, func(b []uint64) error { return try(0, b) }); err != nil {
			return err
		}
	}
	if err := everywhere(vars, edges, func(b []uint64) error { return try(0, b) }); err != nil {
		return err
	}
	n := long.Count(2_000, 50_000, 1_000_000)
	rng := rand.New(rand.NewPCG(3, uint64(t)))
	bits := make([]uint64, len(vars))
	for range n {
		for i, vt := range vars {
			bits[i] = random(rng, vt)
		}
		if err := try(0, bits); err != nil {
			return err
		}
	}
	return nil
}

// everywhere calls f with every tuple of values.
func everywhere(vars []ir.Type, values func(ir.Type) []uint64, f func([]uint64) error) error {
	sets := make([][]uint64, len(vars))
	at := make([]int, len(vars))
	bits := make([]uint64, len(vars))
	for i, t := range vars {
		sets[i] = values(t)
	}
	for {
		for i := range bits {
			bits[i] = sets[i][at[i]]
		}
		if err := f(bits); err != nil {
			return err
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(sets[i]) {
				break
			}
			at[i] = 0
		}
		if i == len(at) {
			return nil
		}
	}
}

func small(t ir.Type, width uint8) []uint64 {
	n := 1 << width
	if t == ir.Bool {
		n = 2
	}
	list := make([]uint64, n)
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}

// edges are the values at which arithmetic of a type changes.
func edges(t ir.Type) []uint64 {
	switch {
	case t == ir.Bool:
		return []uint64{0, 1}
	case t.IsInt():
		m, w := t.Mask(), uint64(t.Bits())
		top := m ^ m>>1
		list := []uint64{0, 1, 2, 3, w - 1, w, w + 1, m, m - 1, m - 2, top, top + 1, top - 1, 0x5555_5555_5555_5555 & m, 0xAAAA_AAAA_AAAA_AAAA & m}
		for _, k := range []uint64{7, 16, w - 2} {
			list = append(list, 1<<k, 1<<k+1, 1<<k-1)
		}
		return list
	}
	var list []uint64
	for _, f := range []float64{0, 1, 2, 3, 0.5, 0.1, 1e-3, 65504, 1e30, math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64, math.MaxFloat64,
		math.SmallestNonzeroFloat32, math.MaxFloat32, 0x1p-126, 0x1p-24, 0x1p-14, 0x1p127, 0x1p-1022, 7} {
		for _, g := range []float64{f, -f} {
			b := math.Float64bits(g)
			if t != ir.F64 {
				b = uint64(math.Float32bits(float32(g)))
			}
			if t.IsHalf() {
				b = exact.Eval(ir.OpCvt, ir.F32, t, 0, b, 0, 0)
			}
			list = append(list, b)
		}
	}
	return list
}

func random(rng *rand.Rand, t ir.Type) uint64 {
	v := rng.Uint64()
	switch rng.IntN(4) {
	case 0:
		few := rng.Uint64()
		v &= few & rng.Uint64()
	case 1:
		v >>= rng.IntN(64)
	case 2:
		list := edges(t)
		return list[rng.IntN(len(list))]
	}
	return v & t.Mask()
}

func isNaN(t ir.Type, bits uint64) bool {
	switch t {
	case ir.F32:
		return bits&0x7FFF_FFFF > 0x7F80_0000
	case ir.F64:
		return bits&^(1<<63) > 0x7FF0_0000_0000_0000
	case ir.F16:
		return bits&0x7FFF > 0x7C00
	case ir.BF16:
		return bits&0x7FFF > 0x7F80
	}
	return false
}

func TestAlgebraRulesAreTrue(t *testing.T) {
	for _, r := range opt.AllRules() {
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			if len(r.Types()) == 0 {
				t.Error("no type of its class is taken by its ops")
			}
			for _, typ := range r.Types() {
				if err := counterexample(r, typ); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A checker that cannot say no shows nothing. These look right and are not.
const refused = `
self-difference   real  (sub ?x ?x)                  => 0
times-zero        real  (mul ?x 0)                   => 0
plus-zero         real  (add ?x 0)                   => ?x
minus-neg-zero    real  (sub ?x -0)                  => ?x
neg-difference    real  (neg (sub ?x ?y))            => (sub ?y ?x)
difference-back   real  (sub (add ?x ?y) ?y)         => ?x
reassociate       real  (add (add ?x ?y) ?z)         => (add ?x (add ?y ?z))
contract          real  (add (mul ?x ?y) ?z)         => (fma ?x ?y ?z)
not-less          real  (not (lt ?x ?y))             => (le ?y ?x)
select-min        real  (select (lt ?x ?y) ?x ?y)    => (min ?x ?y)
equals-itself     real  (eq ?x ?x)                   => true
divides-itself    real  (div ?x ?x)                  => 1
third             real  (div ?x 3)                   => (mul ?x (div 1 3))
reciprocal        real  (div ?x #a)                  => (mul ?x (div 1 #a))
times-over        int   (div (mul ?x #a) #a)         => ?x
less-than-next    int   (lt ?x (add ?x 1))           => true
signed-div-pow2   sint  (div ?x #a)                  => (shr ?x (ctz #a))   when pow2 #a
signed-rem-pow2   sint  (rem ?x #a)                  => (and ?x (sub #a 1)) when pow2 #a
int-by-itself     int   (div ?x ?x)                  => 1
zero-by           uint  (div 0 ?x)                   => 0
lost-bits         int   (shr (shl ?x ?k) ?k)         => ?x
lost-low-bits     int   (shl (shr ?x ?k) ?k)         => ?x
sum-of-counts     int   (shl (shl ?x #k) #j)         => (shl ?x (add #k #j))
masked-count      int   (shl ?x (and ?k 31))         => (shl ?x ?k)
div-div-wraps     uint  (div (div ?x #a) #b)         => (div ?x (mul #a #b))
signed-neg-shift  sint  (shr ?x #k)                  => 0                   when over #k
abs-of-int        sint  (abs ?x)                     => ?x
max-of-min        any   (min ?x (max ?x ?y))         => ?x
`

func TestAlgebraRefutesRulesThatOnlyLookRight(t *testing.T) {
	for _, r := range opt.ParseRules(refused) {
		found := false
		for _, typ := range r.Types() {
			found = found || counterexample(r, typ) != nil
		}
		if !found {
			t.Errorf("no counterexample to %s", r.Name())
		}
	}
}

// Changed in one place a rule is no longer true.
func TestAlgebraRefutesChangedRules(t *testing.T) {
	for _, r := range opt.AllRules() {
		for _, m := range r.Mutants() {
			found := len(m.Types()) == 0
			for _, typ := range m.Types() {
				found = found || counterexample(m, typ) != nil
			}
			if !found {
				t.Errorf("a change of %s is not noticed", r.Name())
			}
		}
	}
}
