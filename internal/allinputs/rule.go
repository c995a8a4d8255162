package allinputs

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Line is a rule at a type, with the assignments of its constants for which all values of the others are tried.
type Line struct {
	Rule *rules.Rule
	Pair *Pair
	Fill [][]uint64 // of the fixed leaves
}

// drawn is how many assignments a rule with constants is tried with.
const drawn = 2

// Lines are the rules at all types at which few enough bits are free, and how many pairs of a rule and a type are left out
// because there are more.
func Lines(list []*rules.Rule) (lines []Line, out int) {
	for _, r := range list {
		for t := ir.Bool; t <= ir.BF16; t++ {
			at := r.At(t)
			if at == nil {
				continue
			}
			l := Line{Rule: at, Pair: Rule(at)}
			if l.Pair == nil {
				out++
				continue
			}
			rng := rand.New(rand.NewPCG(7, uint64(t)))
			for range drawn {
				bits, ok := at.Draw(rng)
				if !ok {
					break
				}
				var fixed []uint64
				for i, v := range at.Vars {
					if v.Const {
						fixed = append(fixed, bits[i])
					}
				}
				l.Fill = append(l.Fill, fixed)
				if len(fixed) == 0 {
					break
				}
			}
			lines = append(lines, l)
		}
	}
	return lines, out
}

// Checked is what came of a line.
type Checked struct {
	Counter *rules.Counterexample // nil: there is none
	Differ  uint64                // inputs for which the sides do
	Times   []time.Duration       // device time of each sweep
}

// Check tries all inputs of a line on a device. One sweep at a time has the lock, because it takes all of the device.
func (l *Line) Check(ctx context.Context, dev driver.Device, lock sync.Locker) (c Checked, err error) {
	s, err := Compile(ctx, dev, l.Pair)
	if err != nil {
		return c, err
	}
	defer s.Close()
	for _, fixed := range l.Fill {
		lock.Lock()
		d, err := s.All(ctx, fixed...)
		lock.Unlock()
		if err != nil {
			return c, err
		}
		if c.Times = append(c.Times, s.Took()); d != nil {
			c.Counter, c.Differ = &rules.Counterexample{Rule: l.Rule, Bits: d.Values, Left: d.Left, Right: d.Right}, d.Count
			break
		}
	}
	return c, nil
}

// Rule is the pair of a rule at a type, in which the constants are fixed leaves. It is nil if more bits are free than can be
// tried, or if a condition is about a value and has no form as a term.
func Rule(r *rules.Rule) *Pair {
	p := &Pair{Name: r.Name + " " + r.Type.String()}
	terms := make([]*Term, len(r.Vars))
	for i, v := range r.Vars {
		l := Leaf{Type: v.Type, Fixed: v.Const}
		if !v.Const {
			l.Free = v.Type.Mask()
		}
		p.Leaves = append(p.Leaves, l)
		terms[i] = &Term{Type: v.Type, Leaf: i}
	}
	if p.Bits() > MaxBits {
		return nil
	}
	if len(r.Of) > 0 && !r.Vars[r.Of[0]].Const { // those about constants alone hold where Draw drew them
		h := condition(r.Cond, terms[r.Of[0]], terms[r.Of[1]])
		if h == nil {
			return nil
		}
		p.Holds = []*Term{h}
	}
	p.Left, p.Right = ruleTerm(r.Left, terms), ruleTerm(r.Right, terms)
	return p
}

// condition is one of package rules about a value and a constant.
func condition(name string, x, c *Term) *Term {
	t := x.Type
	switch name {
	case "within":
		outside := &Term{Op: ir.OpAnd, Type: t, Args: []*Term{x, {Op: ir.OpNot, Type: t, Args: []*Term{c}}}}
		return &Term{Op: ir.OpEq, Type: ir.Bool, Args: []*Term{outside, {Op: ir.OpConst, Type: t}}}
	case "below":
		if !t.IsSigned() { // raw bits are compared
			return &Term{Op: ir.OpLt, Type: ir.Bool, Args: []*Term{x, c}}
		}
	}
	return nil
}

func ruleTerm(t *rules.Term, vars []*Term) *Term {
	switch t.Kind {
	case rules.Value, rules.Constant:
		return vars[t.Var]
	case rules.Literal:
		return &Term{Op: ir.OpConst, Type: t.Type, Bits: t.Bits}
	}
	a := &Term{Op: t.Op, Type: t.Type}
	for _, x := range t.Args {
		a.Args = append(a.Args, ruleTerm(x, vars))
	}
	return a
}
