// Package allinputs compares two terms on all values of their leaves, on a device.
//
//	s, err := allinputs.Compile(ctx, dev, pair) // both terms and the comparison, as one program
//	d, err := s.All(ctx, fixed)                 // nil: they are equal, for these values of the fixed leaves
//
// The bits of the leaves that are free are at most 32 together, so 2³² inputs are the most. The program runs at level 0: the
// passes that rewrite by rules do not see it, because a wrong rule would make the sides of its own line alike. Levels aside,
// what turns a row into machine code knows no rules.
//
// A difference that the device reports is evaluated again by the functions of the op table. If these find none, the device
// is wrong, and the error says so.
//
// Start reading in pair.go, then program.go and sweep.go; rule.go makes pairs of the lines of a rule table.
package allinputs

import (
	"fmt"
	"math/bits"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// MaxBits bounds the free bits of a pair.
const MaxBits = 32

// Pair is two terms of one type over leaves.
type Pair struct {
	Name        string // of the program
	Leaves      []Leaf
	Left, Right *Term
	Holds       []*Term // bools: inputs for which one is false are left out
}

// Leaf is an operand that terms are given.
type Leaf struct {
	Type  ir.Type
	Fixed bool   // one value for each sweep
	Free  uint64 // of one that is not fixed: bits that take all values
	Ones  uint64 // and bits that are 1; all others are 0
}

// Term is an op of terms, a constant (ir.OpConst), or a leaf (no op). Terms may share parts.
type Term struct {
	Op   ir.Op
	Type ir.Type
	X    uint32 // immediate of the op
	Bits uint64 // of a constant
	Leaf int
	Args []*Term
}

// Bits is how many bits of the leaves are free.
func (p *Pair) Bits() int {
	n := 0
	for _, l := range p.Leaves {
		if !l.Fixed {
			n += bits.OnesCount64(l.Free)
		}
	}
	return n
}

// values are those of the leaves for an input: the free bits of the leaves, those of the first leaf lowest.
func (p *Pair) values(fixed []uint64, input uint64) []uint64 {
	list := make([]uint64, len(p.Leaves))
	for i, l := range p.Leaves {
		if l.Fixed {
			list[i], fixed = fixed[0], fixed[1:]
			continue
		}
		list[i] = l.Ones
		for at := l.Free; at != 0; at &= at - 1 {
			list[i] |= input & 1 << bits.TrailingZeros64(at)
			input >>= 1
		}
	}
	return list
}

// Differ evaluates both terms by the functions of the op table, for values of the leaves in their order, and reports whether
// they differ. They do not where a condition does not hold.
func (p *Pair) Differ(values []uint64) (left, right uint64, ok bool) {
	seen := make(map[*Term]uint64)
	for _, h := range p.Holds {
		if h.eval(values, seen) == 0 {
			return 0, 0, false
		}
	}
	left, right = p.Left.eval(values, seen), p.Right.eval(values, seen)
	t := p.Left.Type
	return left, right, left != right && !(isNaN(t, left) && isNaN(t, right))
}

func (t *Term) eval(values []uint64, seen map[*Term]uint64) uint64 {
	switch t.Op {
	case 0:
		return values[t.Leaf]
	case ir.OpConst:
		return t.Bits
	}
	if v, ok := seen[t]; ok {
		return v
	}
	var args [3]uint64
	for i, a := range t.Args {
		args[i] = a.eval(values, seen)
	}
	in := ir.None
	if k := t.Op.Info().Typed; k > 0 {
		in = t.Args[k-1].Type
	}
	v := exact.Eval(t.Op, in, t.Type, t.X, args[0], args[1], args[2])
	seen[t] = v
	return v
}

// infinity is the raw bits of a float type's infinity: above it, the sign aside, are the NaNs. It is 0 for other types.
func infinity(t ir.Type) uint64 {
	switch t {
	case ir.F16:
		return 0x7c00
	case ir.BF16:
		return 0x7f80
	case ir.F32:
		return 0x7f80_0000
	case ir.F64:
		return 0x7ff0_0000_0000_0000
	}
	return 0
}

func isNaN(t ir.Type, v uint64) bool {
	inf := infinity(t)
	return inf != 0 && v&(t.Mask()>>1) > inf
}

// Difference is an input for which the terms of a pair differ.
type Difference struct {
	Count       uint64 // of such inputs, among those that were tried; this is the first
	Values      []uint64
	Left, Right uint64
}

// check refuses pairs that no program can be made of. What ops take, the builder checks.
func (p *Pair) check() error {
	if n := p.Bits(); n > MaxBits {
		return fmt.Errorf("%s: %d bits are free; at most %d can be tried", p.Name, n, MaxBits)
	}
	for i, l := range p.Leaves {
		if !l.Fixed && (l.Free|l.Ones)&^l.Type.Mask() != 0 || l.Free&l.Ones != 0 {
			return fmt.Errorf("%s: leaf %d of type %v has free bits %#x and ones %#x", p.Name, i, l.Type, l.Free, l.Ones)
		}
	}
	if p.Left.Type != p.Right.Type {
		return fmt.Errorf("%s: the terms are of types %v and %v", p.Name, p.Left.Type, p.Right.Type)
	}
	return nil
}
