package rules

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/govyre/vyre/ir"
)

// Effort says how long Refute looks.
type Effort uint8

// The efforts, with the time that a rule takes at a type on one core.
const (
	Quick Effort = iota // at most milliseconds: 8 bits for two variables, 4 for more
	Full                // seconds: 8 bits for three variables, 6 for four, and 10⁶ random assignments
)

// Counterexample is an assignment for which the sides of a rule differ.
type Counterexample struct {
	Rule        *Rule    // at a type
	Bits        []uint64 // of each variable
	Left, Right uint64   // values of the sides, of the type of Rule.Left
}

// String says the rule, its type, the assignment and both values, in hexadecimal.
func (c *Counterexample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %v", c.Rule.Name, c.Rule.Type)
	if f := c.Rule.form; f.bits != 0 {
		fmt.Fprintf(&b, " cut to %d bits", f.bits)
	} else if f.small {
		b.WriteString(" cut to 8 bits (1 of sign, 4 of exponent)")
	}
	b.WriteString(":")
	for i, v := range c.Rule.Vars {
		fmt.Fprintf(&b, " %s = %#x,", v.Name, c.Bits[i])
	}
	fmt.Fprintf(&b, " %v = %#x, %v = %#x", c.Rule.Left, c.Left, c.Rule.Right, c.Right)
	return b.String()
}

// Refute searches for values for which the sides of a rule differ at type t, by evaluating both. NaNs are equal. It returns
// nil if it finds none, or if the rule is not true or false at t because Rule.Types lacks that. Integers and bools are
// searched exhaustively at a width that has few values, floats in a format of 8 bits, and then at their own width. One
// goroutine; an error is that of the context.
func Refute(ctx context.Context, r *Rule, t ir.Type, effort Effort) (*Counterexample, error) {
	if r.At(t) == nil {
		return nil, nil
	}
	for _, f := range r.narrow(t, effort) {
		s := search{ctx: ctx, rule: r.instance(t, f)}
		if found, err := s.all(s.values(f.smallest)); found != nil || err != nil {
			return found, err
		}
	}
	s := search{ctx: ctx, rule: r.At(t)}
	for _, look := range []func(Effort) (*Counterexample, error){s.halves, s.edges, s.random} {
		if found, err := look(effort); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// narrow are the forms in which all assignments are tried.
func (r *Rule) narrow(t ir.Type, effort Effort) []form {
	n := len(r.Vars)
	if isReal(t) {
		if n > 2 && effort == Quick || n > 3 {
			return nil
		}
		return []form{{small: true}}
	}
	switch {
	case n <= 2:
		return []form{{bits: 8}} // a power of two, like every width: rotates rely on that
	case effort == Quick && n == 3, n > 4:
		return []form{{bits: 4}}
	case effort == Quick:
		return []form{{bits: 3}}
	case n == 3:
		return []form{{bits: 8}}
	}
	return []form{{bits: 4}, {bits: 6}}
}

// smallest are all values of a type of a form.
func (f form) smallest(t ir.Type) []uint64 {
	list := make([]uint64, 1<<f.width(t))
	for i := range list {
		list[i] = uint64(i)
	}
	return list
}

// search looks for a counterexample to a rule at a type.
type search struct {
	ctx  context.Context
	rule *Rule
	prog *program
	n    int // assignments that wait in the program's first columns
}

// values are a list for each variable.
func (s *search) values(of func(ir.Type) []uint64) [][]uint64 {
	sets := make([][]uint64, len(s.rule.Vars))
	for i, v := range s.rule.Vars {
		sets[i] = of(v.Type)
	}
	return sets
}

// all tries every assignment of a product.
func (s *search) all(sets [][]uint64) (*Counterexample, error) {
	at := make([]int, len(sets))
	bits := make([]uint64, len(sets))
	for i, set := range sets {
		bits[i] = set[0]
	}
	for {
		if found, err := s.try(bits); found != nil || err != nil {
			return found, err
		}
		i := 0
		for ; i < len(at); i++ {
			if at[i]++; at[i] < len(sets[i]) {
				bits[i] = sets[i][at[i]]
				break
			}
			at[i], bits[i] = 0, sets[i][0]
		}
		if i == len(at) {
			return s.flush()
		}
	}
}

// try adds an assignment to those that are looked at together.
func (s *search) try(bits []uint64) (*Counterexample, error) {
	if s.rule.cond != nil {
		var c [2]uint64
		for i, v := range s.rule.Of {
			c[i] = bits[v]
		}
		if !s.rule.Holds(c[:len(s.rule.Of)]...) {
			return nil, nil
		}
	}
	if s.prog == nil {
		s.prog = s.rule.compile()
	}
	for i, b := range bits {
		s.prog.columns[i][s.n] = b
	}
	if s.n++; s.n < block {
		return nil, nil
	}
	return s.flush()
}

// flush looks at the assignments that wait.
func (s *search) flush() (*Counterexample, error) {
	if s.n == 0 {
		return nil, s.ctx.Err()
	}
	n := s.n
	s.n = 0
	if s.prog.run(); s.prog.equal() {
		return nil, s.ctx.Err()
	}
	left, right := s.prog.columns[s.prog.left][:n], s.prog.columns[s.prog.right][:n]
	t := s.rule.Left.Type
	for k, l := range left {
		if l != right[k] && !(s.rule.form.isNaN(t, l) && s.rule.form.isNaN(t, right[k])) {
			c := &Counterexample{Rule: s.rule, Left: l, Right: right[k]}
			for i := range s.rule.Vars {
				c.Bits = append(c.Bits, s.prog.columns[i][k])
			}
			return c, nil
		}
	}
	return nil, s.ctx.Err()
}

// halves tries all values of the one variable of a rule over floats of 16 bits.
func (s *search) halves(Effort) (*Counterexample, error) {
	if len(s.rule.Vars) != 1 || !s.rule.Vars[0].Type.IsHalf() {
		return nil, nil
	}
	return s.all(s.values(form{}.smallest))
}

// edges tries the product of the values at which arithmetic changes. With four variables and more these are the edges among
// edges, so that it stays a product of thousands.
func (s *search) edges(effort Effort) (*Counterexample, error) {
	sets := s.values(edges)
	most := 4_000
	if effort != Quick {
		most = 2_000_000
	}
	for product(sets) > most {
		longest := 0
		for i, set := range sets {
			if len(set) > len(sets[longest]) {
				longest = i
			}
		}
		sets[longest] = sets[longest][:len(sets[longest])-1]
	}
	return s.all(sets)
}

func product(sets [][]uint64) int {
	n := 1
	for _, set := range sets {
		n *= len(set)
	}
	return n
}

// random tries assignments that are drawn.
func (s *search) random(effort Effort) (*Counterexample, error) {
	n := 2_000
	if effort != Quick {
		n = 1_000_000
	}
	rng := rand.New(rand.NewPCG(3, uint64(s.rule.Type)))
	bits := make([]uint64, len(s.rule.Vars))
	for range n {
		s.draw(rng, bits)
		if found, err := s.try(bits); found != nil || err != nil {
			return found, err
		}
	}
	return s.flush()
}

// draw makes up an assignment: each value by itself, or, in one of four, near the one before.
func (s *search) draw(rng *rand.Rand, bits []uint64) {
	for i, v := range s.rule.Vars {
		bits[i] = random(rng, v.Type)
		if i > 0 && v.Type == s.rule.Vars[i-1].Type && rng.IntN(4) == 0 {
			bits[i] = near(rng, v.Type, bits[i-1])
		}
	}
}

// Draw draws raw bits for the variables of a rule at a type, for which the condition holds. It reports whether it found any.
func (r *Rule) Draw(rng *rand.Rand) ([]uint64, bool) {
	s := search{rule: r}
	bits, c := make([]uint64, len(r.Vars)), make([]uint64, len(r.Of))
	for range 1 << 16 {
		s.draw(rng, bits)
		for i, v := range r.Of {
			c[i] = bits[v]
		}
		if r.Holds(c...) {
			return bits, true
		}
	}
	return nil, false
}

var edgeLists [numTypes]struct {
	once sync.Once
	list []uint64
}
