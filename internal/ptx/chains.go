package ptx

import "github.com/govyre/vyre/ir"

// chains finds where chains of conversions begin. The rows of a long one are passed once, whatever number of rows ask,
// because programs at level 0 hold chains of any length.
type chains struct {
	// next returns the operand that row v is a conversion of, and whether that counts for link.marked; false for a row
	// that is not part of a chain.
	next  func(v ir.Row) (u ir.Row, mark, ok bool)
	known map[ir.Row]link // of rows in long chains that were passed
	path  []ir.Row
}

// of makes the chains those of the rows that a function accepts, each a conversion of its operand. Each look at a row counts
// as work of the selector.
func (c *chains) of(s *selector, in func(p *ir.Program, v ir.Row) bool) *chains {
	if c.next == nil {
		c.next = func(v ir.Row) (ir.Row, bool, bool) {
			s.visits++
			return s.p.A(v), false, in(s.p, v)
		}
	}
	return c
}

func isBitcast(p *ir.Program, v ir.Row) bool { return p.Op(v) == ir.OpBitcast }

func isConversion(p *ir.Program, v ir.Row) bool { return p.Op(v) == ir.OpCvt || isBitcast(p, v) }

// keepsWord reports whether row v has the bits of an integer of 32 bits that it is converted from.
func keepsWord(p *ir.Program, v ir.Row) bool {
	return isConversion(p, v) && p.Type(p.A(v)).IsInt() && p.Type(p.A(v)).Size() == 4
}

// shortChain is how many conversions are passed again and again. Passes leave shorter chains.
const shortChain = 8

// link is what a chain comes to from one row.
type link struct {
	first  ir.Row // that the chain begins with, the row itself where it is not part of one
	second ir.Row // the conversion of that, NoRow where there is none
	marked bool   // next marked a conversion from there on
}

// from follows the chain that row v is the end of.
func (c *chains) from(v ir.Row) link {
	c.path = c.path[:0]
	at := link{first: v, second: ir.NoRow}
	for {
		if known, ok := c.known[at.first]; ok {
			at = known
			break
		}
		u, _, ok := c.next(at.first)
		if !ok {
			break
		}
		c.path = append(c.path, at.first)
		at.first = u
	}
	long := len(c.path) > shortChain
	if long && c.known == nil {
		c.known = make(map[ir.Row]link)
	}
	for i := len(c.path) - 1; i >= 0; i-- {
		_, mark, _ := c.next(c.path[i])
		if at.marked = at.marked || mark; at.second == ir.NoRow {
			at.second = c.path[i]
		}
		if long {
			c.known[c.path[i]] = at
		}
	}
	return at
}
