package main

import (
	"go/constant"

	"golang.org/x/tools/go/ssa"
)

// letsThrough reports whether a function accepts values on a way of which all is known: each condition on it is about the value,
// and they do not make it harmless to all. Its name says nothing more then.
func (c *checker) letsThrough(of validator) bool {
	is, ok := c.lets[of]
	if !ok {
		c.lets[of] = false // where it calls itself
		is = c.letsSome(of)
		c.lets[of] = is
	}
	return is
}

func (c *checker) letsSome(of validator) bool {
	g := c.guardsOf(of.f)
	if g == nil || of.param >= len(of.f.Params) {
		return false
	}
	n := g.num.of(of.f.Params[of.param])
	for v, b := range g.accepting(of) {
		if what, all := g.along(v, of.truth, b, n); all && what != 0 && what&(isConstant|isParsed|isChecked|isAgreed) == 0 {
			return true
		}
	}
	return false
}

// along is what conditions say of a value on the way to a block and by a result, and whether each of them says
// something of it: then control comes by no other way.
func (g *guards) along(v ssa.Value, truth bool, b *ssa.BasicBlock, n int) (what fact, all bool) {
	switch v := v.(type) {
	case *ssa.Const:
	case *ssa.Phi:
		return g.alongEdges(v, truth, n)
	default:
		if isError(v.Type()) {
			return 0, false
		}
		if what = g.says(v, truth, 0)[n]; what == 0 {
			return 0, false
		}
	}
	for b.Index != 0 {
		if len(b.Preds) != 1 {
			return 0, false
		}
		from := b.Preds[0]
		if _, is := from.Instrs[len(from.Instrs)-1].(*ssa.If); is {
			one := g.arms[[2]int{from.Index, b.Index}][n]
			if one == 0 {
				return 0, false
			}
			what |= one
		}
		b = from
	}
	return what.closed(), true
}

// alongEdges is about a && b: the first edge that may accept and of which all is known.
func (g *guards) alongEdges(v *ssa.Phi, truth bool, n int) (what fact, all bool) {
	for i, e := range v.Edges {
		if c, is := e.(*ssa.Const); is && c.Value != nil && constant.BoolVal(c.Value) != truth {
			continue
		}
		if _, is := e.(*ssa.Phi); is {
			continue
		}
		if what, all = g.along(e, truth, v.Block().Preds[i], n); all {
			return what, true
		}
	}
	return 0, false
}
