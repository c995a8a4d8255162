package mine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// sample draws the inputs of the variables: edges, small numbers, numbers near each other or near literals, and any. The seed
// is fixed.
func (b *Bank) sample() ([][]uint64, error) {
	holds, err := b.condition()
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, uint64(b.o.Type)))
	columns := make([][]uint64, len(b.terms))
	bits := make([]uint64, len(b.terms))
	var literals []uint64
	for _, word := range b.o.Literals {
		if v, err := literal(word, b.o.Type); err == nil {
			literals = append(literals, v)
		}
	}
	for k := range inputs {
		ok := false
		if k < len(b.o.also) {
			copy(bits, b.o.also[k])
			ok = holds(bits)
		}
		for try := 0; try < 1<<16 && !ok; try++ {
			for i, t := range b.terms {
				bits[i] = draw(rng, t.typ)
				if len(literals) > 0 && t.typ == b.o.Type && rng.IntN(6) == 0 {
					bits[i] = near(rng, t.typ, literals[rng.IntN(len(literals))])
				}
				if i > 0 && b.terms[i-1].typ == t.typ && rng.IntN(6) == 0 {
					bits[i] = near(rng, t.typ, bits[i-1])
				}
			}
			ok = holds(bits)
		}
		if !ok {
			return nil, fmt.Errorf("no constants found for which %q holds; fix: choose another condition", b.o.Condition)
		}
		for i := range columns {
			columns[i] = append(columns[i], bits[i])
		}
	}
	return columns, nil
}

// condition is the one of the constants, about the bits of all variables.
func (b *Bank) condition() (func(bits []uint64) bool, error) {
	if b.o.Condition == "" {
		return func([]uint64) bool { return true }, nil
	}
	left := "?x"
	names := constantNames[:b.o.Constants]
	for _, name := range names {
		left = "(min " + left + " " + name + ")"
	}
	list, err := rules.Parse("condition any " + left + " => ?x when " + b.o.Condition)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("condition %q; fix: name a condition and constants, as in pow2 #a", b.o.Condition), err)
	}
	r := list[0].At(b.o.Type)
	if r == nil {
		return nil, fmt.Errorf("condition %q is not one of type %v; fix: choose another", b.o.Condition, b.o.Type)
	}
	return func(bits []uint64) bool {
		var of []uint64
		for _, v := range r.Of {
			for i, t := range b.terms {
				if t.word == r.Vars[v].Name {
					of = append(of, bits[i])
				}
			}
		}
		return r.Holds(of...)
	}, nil
}

// draw is a value: an edge, a small one, one with few bits, or any.
func draw(rng *rand.Rand, t ir.Type) uint64 {
	if t.IsFloat() {
		return drawFloat(rng, t)
	}
	m, w := t.Mask(), uint64(t.Bits())
	v := rng.Uint64()
	switch rng.IntN(6) {
	case 0:
		edges := [...]uint64{0, 1, m, m ^ m>>1, m >> 1, 2, 3, w, w - 1, w + 1, m - 1, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA}
		v = edges[rng.IntN(len(edges))]
	case 1:
		v = rng.Uint64N(w + 8)
	case 2:
		v = 1 << rng.Uint64N(w)
	case 3:
		v >>= rng.Uint64N(64)
	}
	return v & m
}

func drawFloat(rng *rand.Rand, t ir.Type) uint64 {
	edges := [...]float64{0, 1, math.Inf(1), math.NaN(), 3, 0.5, 2, math.SmallestNonzeroFloat32, math.MaxFloat32, 0x1p-126, 0.1}
	f := (rng.Float64() + 0.5) * math.Pow(2, float64(rng.IntN(9)-4))
	switch rng.IntN(5) {
	case 0, 1:
		f = edges[rng.IntN(len(edges))]
	case 2:
		if v := rng.Uint64(); t == ir.F32 {
			return v & t.Mask()
		} else {
			return v
		}
	}
	if rng.IntN(2) == 0 {
		f = -f
	}
	if t == ir.F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// near is a value like another: equal, a little greater or less, its opposite or its complement.
func near(rng *rand.Rand, t ir.Type, v uint64) uint64 {
	if t.IsFloat() {
		return v ^ (rng.Uint64()&3 | rng.Uint64()&1<<(t.Bits()-1))
	}
	switch rng.IntN(4) {
	case 0:
		v = -v
	case 1:
		v = ^v
	default:
		v += rng.Uint64N(5) - 2
	}
	return v & t.Mask()
}

// values are those of leaves, a column after the other.
func (b *Bank) values(leaves []term) [][]uint64 {
	columns := make([][]uint64, len(leaves))
	for i, t := range leaves {
		columns[i] = make([]uint64, inputs)
		if t.literal() {
			for k := range columns[i] {
				columns[i][k] = t.bits
			}
			continue
		}
		copy(columns[i], b.samples[b.variable(t.word)])
	}
	return columns
}

// variable is the number of a variable among the samples.
func (b *Bank) variable(word string) int {
	o := &b.o
	for i, name := range append(append(append([]string(nil), valueNames[:o.Vars]...), boolNames[:o.Bools]...), constantNames[:o.Constants]...) {
		if name == word {
			return i
		}
	}
	panic("BUG: mine: no variable " + word)
}
