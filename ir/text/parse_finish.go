package text

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// finish puts the constants after the parameters, where sealed programs have them, and
// gives every value its row.
func (p *parser) finish() {
	c := p.code
	if literal.AllDigits(c.Name) {
		c.Name = "" // the printer's number for a kernel without a name
	}
	first := ir.Row(0) // row of the first constant
	for int(first) < len(c.Op) && c.Region[first] == 0 && c.Op[first] == ir.OpArg {
		first++
	}
	n := len(p.consts)
	if rows := len(c.Op) + n; rows > limits.Rows {
		p.limit("rows", rows, limits.Rows)
		return
	}
	c.Op = insert(c.Op, first, n, ir.OpConst)
	c.Type = insert(c.Type, first, n, ir.None)
	c.Flags = insert(c.Flags, first, n, 0)
	c.Region = insert(c.Region, first, n, 0)
	c.A = insert(c.A, first, n, ir.NoRow)
	c.B = insert(c.B, first, n, ir.NoRow)
	c.C = insert(c.C, first, n, ir.NoRow)
	c.X = insert(c.X, first, n, 0)
	c.Args = insert(c.Args, first, n, ir.NoArgs)
	c.Debug.PosOf = insert(c.Debug.PosOf, first, n, 0)
	for k, l := range p.consts {
		c.Type[int(first)+k] = l.Type
		c.X[int(first)+k] = uint32(k)
		c.Pool = append(c.Pool, l.Bits)
	}
	moved := func(v ir.Row) ir.Row {
		switch {
		case v == ir.NoRow || v < first:
			return v
		case v >= firstConst:
			return first + v - firstConst
		}
		return v + ir.Row(n)
	}
	for r := int(first) + n; r < len(c.Op); r++ {
		c.A[r], c.B[r], c.C[r] = moved(c.A[r]), moved(c.B[r]), moved(c.C[r])
		if c.Op[r].Info().Imm == ir.ImmLabel {
			c.X[r] = uint32(moved(ir.Row(c.X[r])))
		}
	}
	for s := 0; s < len(c.Extra); {
		end := s + 1 + int(c.Extra[s])
		for s++; s < end; s++ {
			c.Extra[s] = uint32(moved(ir.Row(c.Extra[s])))
		}
	}
	for i := range c.Regions {
		g := &c.Regions[i]
		if i > 0 {
			g.Op, g.First = moved(g.Op), moved(g.First)
		}
		g.End += ir.Row(n)
	}
	named := 0
	for _, s := range p.names {
		if s != "" {
			named++
		}
	}
	c.Debug.Names = make(map[ir.Row]string, named)
	for r, s := range p.names {
		if s != "" {
			c.Debug.Names[moved(ir.Row(r))] = s
		}
	}
	if p.explicit {
		p.mergePositions()
	}
}

// insert makes room for n elements in front of element at, and fills it with v.
func insert[T any](s []T, at ir.Row, n int, v T) []T {
	old := len(s)
	for range n {
		s = append(s, v)
	}
	copy(s[int(at)+n:], s[at:old])
	for i := range s[at : int(at)+n] {
		s[int(at)+i] = v
	}
	return s
}

// mergePositions makes the positions distinct again: those of the text itself are, but
// several statements may state the same one.
func (p *parser) mergePositions() {
	d := &p.code.Debug
	index := make(map[ir.Pos]uint32, len(d.Positions))
	to := make([]uint32, len(d.Positions)+1)
	kept := d.Positions[:0]
	for i, pos := range d.Positions {
		k, ok := index[pos]
		if !ok {
			kept = append(kept, pos)
			k = uint32(len(kept))
			index[pos] = k
		}
		to[i+1] = k
	}
	d.Positions = kept
	for r, k := range d.PosOf {
		d.PosOf[r] = to[k]
	}
}
