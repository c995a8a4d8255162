package verify

import "github.com/govyre/vyre/ir"

// constancy finds rows that no control comes to, as far as comparisons of constants say: a helper that guards against an argument
// of zero is inlined into calls that pass one.
type constancy struct {
	c     *ir.Code
	dead  []bool
	known []decision // by row with a bool
	ends  []bool     // by region: no control comes to what follows in it
	last  []ir.Row   // by region: the structured op that came last
}

// decision is what is known of a bool.
type decision uint8

const (
	open decision = iota
	decidedFalse
	decidedTrue
)

// reached reports whether control may come to row r of a program whose structure is sound. The first call looks at all rows, which
// visits counts.
func (k *constancy) reached(c *ir.Code, r ir.Row, visits *int) bool {
	if k.c == nil {
		*k = constancy{c, make([]bool, c.Rows()), make([]decision, c.Rows()), make([]bool, len(c.Regions)), make([]ir.Row, len(c.Regions))}
		for r := range c.Op {
			k.row(ir.Row(r))
		}
		*visits += c.Rows()
	}
	return !k.dead[r]
}

// row looks at row r, after all rows before it.
func (k *constancy) row(r ir.Row) {
	c := k.c
	reg, owns := c.Region[r], uint32(c.Op[r].Info().Owns)
	k.dead[r] = k.ends[reg]
	for i := range owns {
		k.ends[c.X[r]+i] = k.dead[r]
	}
	if owns > 0 {
		k.last[reg] = r
	}
	if c.Type[r] == ir.Bool {
		k.known[r] = k.decide(r)
	}
	if arm, ok := k.taken(r); ok {
		k.ends[2*c.X[r]+1-arm] = true // the other one
		if in := c.Regions[arm]; in.First < in.End && c.Op[in.End-1].Info().Attr&ir.Terminator != 0 && c.Op[in.End-1] != ir.OpYield {
			k.ends[reg] = true
		}
	}
}

// taken is the region that row r, an if, is known to take.
func (k *constancy) taken(r ir.Row) (arm uint32, ok bool) {
	if k.c.Op[r] != ir.OpIf {
		return 0, false
	}
	switch k.known[k.c.A[r]] {
	case decidedTrue:
		return k.c.X[r], true
	case decidedFalse:
		return k.c.X[r] + 1, true
	}
	return 0, false
}

// decide is what is known of row r, a bool.
func (k *constancy) decide(r ir.Row) decision {
	c := k.c
	a, b := c.A[r], c.B[r]
	switch c.Op[r] {
	case ir.OpConst:
		return decided(c.Pool[c.X[r]] != 0)
	case ir.OpNot:
		return [...]decision{open, decidedTrue, decidedFalse}[k.known[a]]
	case ir.OpRes:
		if arm, ok := k.taken(k.last[c.Region[r]]); ok {
			if end := ir.Row(c.Regions[arm].End - 1); c.Op[end] == ir.OpYield {
				return k.known[c.List(end)[c.X[r]]]
			}
		}
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe:
		if c.Op[a] == ir.OpConst && c.Op[b] == ir.OpConst && c.Type[a].IsInt() {
			return compare(c.Op[r], c.Type[a], c.Pool[c.X[a]], c.Pool[c.X[b]])
		}
	}
	return open
}

// compare compares integers.
func compare(op ir.Op, t ir.Type, x, y uint64) decision {
	if t.IsSigned() { // in the order of numbers without a sign
		x, y = x^1<<(t.Bits()-1), y^1<<(t.Bits()-1)
	}
	switch op {
	case ir.OpEq:
		return decided(x == y)
	case ir.OpNe:
		return decided(x != y)
	case ir.OpLt:
		return decided(x < y)
	}
	return decided(x <= y)
}

func decided(b bool) decision {
	if b {
		return decidedTrue
	}
	return decidedFalse
}
