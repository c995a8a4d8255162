package native

import (
	"slices"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Reductions and prefixes of a warp, in the order of lanes that gives floats their bits.

// combine writes a reduction or a prefix.
func (s *selector) combine(r ir.Row) {
	op, t := s.p.Op(r), s.p.Type(r)
	with, _ := exact.Combining(op)
	c := &combining{meeting: s.meet(r, s.vals[s.p.A(r)]), t: t, do: pairOf(with, t), none: exact.Identity(with, t)}
	switch {
	case op <= ir.OpReduceXor:
		c.reduce()
	case op <= ir.OpScanXor:
		c.part(c.byVector(c.scan()))
	default:
		first := c.none
		if with == ir.OpAdd {
			first = 0 // +0 also of floats
		}
		v := c.scan()
		before := s.literal(t, first)
		for j, now := range v {
			v[j], before = s.moveUp(before, now, parts(t)), now
		}
		c.part(c.byVector(v))
	}
}

// combining is a reduction or a prefix. The lanes of a warp are registers one after the other: four, or eight of 64 bits.
type combining struct {
	*meeting
	t    ir.Type
	do   func(s *selector, a, b vreg) vreg
	none uint64 // what a lane contributes that does not exist
}

// perVector is how many registers of the warp a vector has.
func (c *combining) perVector() int { return parts(c.t) }

func (c *combining) vector(k int) []vreg { return c.filled(k, 0, c.t, c.none) }

// byVector divides the registers of the warp among its vectors.
func (c *combining) byVector(v []vreg) [][]vreg {
	return slices.Collect(slices.Chunk(v, c.perVector()))
}

// reduce goes down by halves: first register by register, then in one.
func (c *combining) reduce() {
	s := c.s
	var v []vreg
	for k := range warpVectors / 2 {
		low, high := c.vector(k), c.vector(k+warpVectors/2)
		for i := range low {
			v = append(v, c.do(s, low[i], high[i]))
		}
	}
	for n := len(v) / 2; n > 0; n /= 2 {
		for i := range n {
			v[i] = c.do(s, v[i], v[i+n])
		}
	}
	all := v[0]
	for words := lanes / 2; words >= parts(c.t); words /= 2 {
		all = c.do(s, all, s.exchanged(all, words))
	}
	if c.t.IsFloat() { // lanes may have different NaNs
		all = s.v2([]amd64.Op{amd64.VPBROADCASTD, amd64.VPBROADCASTQ}[parts(c.t)-1], all)
	}
	c.part([][]vreg{slices.Repeat([]vreg{all}, c.perVector())})
}

// exchanged takes for each word the one whose number differs in one bit: 1, 2 or 4.
func (s *selector) exchanged(v vreg, bit int) vreg {
	switch bit {
	case 1:
		return s.v2imm(amd64.VPSHUFD, v, 0xB1)
	case 2:
		return s.v2imm(amd64.VPSHUFD, v, 0x4E)
	}
	return s.v2imm(amd64.VPERMQ, v, 0x4E)
}

// scan goes up by doubling.
func (c *combining) scan() []vreg {
	s := c.s
	var v []vreg
	for k := range warpVectors {
		v = append(v, c.vector(k)...)
	}
	for words := parts(c.t); words < warpVectors*lanes*parts(c.t); words *= 2 {
		old := slices.Clone(v)
		for j := range v {
			switch by := words / lanes; {
			case by == 0 && j == 0:
				v[0] = c.do(s, s.moveUp(s.literal(c.t, c.none), old[0], words), old[0])
			case by == 0:
				v[j] = c.do(s, s.moveUp(old[j-1], old[j], words), old[j])
			case j >= by:
				v[j] = c.do(s, old[j-by], old[j])
			}
		}
	}
	return v
}

// moveUp is the last words of before, 1 to 7, followed by the first ones of now.
func (s *selector) moveUp(before, now vreg, words int) vreg {
	middle := s.v3imm(amd64.VPERM2F128, before, now, 0x21)
	switch {
	case words < 4:
		return s.v3imm(amd64.VPALIGNR, now, middle, uint8(16-4*words))
	case words > 4:
		return s.v3imm(amd64.VPALIGNR, middle, before, uint8(32-4*words))
	}
	return middle
}
