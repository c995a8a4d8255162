// Package carry finds the sums and differences of a program whose carries hand on to each other, for targets that have a
// carry flag.
//
// A link is a row of carry or borrow and the row that adds or subtracts the same numbers, wherever that stands in the region. The
// next link takes its carry. The last one may be a sum alone, which adds a carry to up to two numbers.
//
//	%s0 = add %x0, %y0         %c0 = carry %x0, %y0, 0
//	%s1 = add %x1, %y1 + %c0   %c1 = carry %x1, %y1, %c0
//	%h  = add %z, %c1
//
// Sums are compared as sums of rows and a constant, so the passes may have added in another order. What is found says that values
// are equal, and nothing of where they can be computed: that a target decides, which writes nothing else to its flag between
// two links.
package carry

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// Term is a row's value, or with NoRow a constant.
type Term struct {
	Row  ir.Row
	Bits uint64
}

// Link is X + Y + In, or X − Y − In, of an unsigned type.
type Link struct {
	Carry, Sum ir.Row // NoRow for the one that there is not
	Minus      bool
	Type       ir.Type
	X, Y, In   Term
	Next       int32 // the link that takes its carry, -1 for none
}

// Chains are the links of a program.
type Chains struct {
	Links []Link
	Uses  []uint32 // by row: how often rows that are used ask for it; nil without links
	of    map[ir.Row]int32
	inner map[ir.Row]bool // what sums of links are made of
}

// Of returns the number of the link that row r is of, -1 if it is of none.
func (c *Chains) Of(r ir.Row) int32 {
	if c == nil || len(c.Links) == 0 {
		return -1
	}
	if i, ok := c.of[r]; ok {
		return i
	}
	return -1
}

// count counts uses, going up. An access by the sum of a number and a constant may ask for the number: that is one use more.
func (c *Chains) count(p *ir.Program) {
	c.Uses = make([]uint32, p.Rows())
	index := make(map[ir.Row]bool)
	for i := p.Rows() - 1; i >= 0; i-- {
		r := ir.Row(i)
		if c.Uses[r] == 0 && p.Op(r).Info().Attr&ir.Pure != 0 {
			continue
		}
		for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if v != ir.NoRow {
				c.Uses[v]++
			}
		}
		for _, v := range p.List(r) {
			c.Uses[v]++
		}
		switch op := p.Op(r); {
		case op.Info().Imm == ir.ImmObject && op.Info().Args > 0:
			index[p.A(r)] = true
		case !index[r] || op.Info().Args == 0 || op.Info().Attr&ir.Pure == 0:
		default:
			index[p.A(r)] = true
			c.Uses[p.A(r)]++
		}
	}
}

// sum is a sum of at most three rows, less at most two, and a constant. Absent rows are NoRow.
type sum struct {
	region uint32
	typ    ir.Type
	plus   [3]ir.Row
	less   [2]ir.Row
	bits   uint64
}

// put adds a row; false if there are too many.
func (s *sum) put(p *ir.Program, r ir.Row, minus bool) bool {
	list := s.plus[:]
	if minus {
		list = s.less[:]
	}
	if p.Op(r) == ir.OpConst {
		if b := p.Const(r); minus {
			s.bits -= b
		} else {
			s.bits += b
		}
		s.bits &= s.typ.Mask()
		return true
	}
	if list[len(list)-1] != ir.NoRow {
		return false
	}
	list[len(list)-1] = r
	slices.Sort(list)
	return true
}

// ending is a row and what it sums up.
type ending struct {
	row ir.Row
	sum sum
}

// finder looks at each row twice.
type finder struct {
	*Chains
	p    *ir.Program
	sums map[sum]ir.Row
}

// Find returns the chains of a program. O(rows).
func Find(p *ir.Program) *Chains {
	f := &finder{Chains: &Chains{of: make(map[ir.Row]int32), inner: make(map[ir.Row]bool)}, p: p}
	var carries []ir.Row
	for r := range ir.Row(p.Rows()) {
		if op := p.Op(r); op == ir.OpCarry || op == ir.OpBorrow {
			carries = append(carries, r)
		}
	}
	if len(carries) == 0 {
		return f.Chains
	}
	f.sums = make(map[sum]ir.Row, 4*len(carries))
	f.count(p)
	ends := make(map[ir.Row][]ending) // by carry: the sums that add it to others, each with the one before in it
	for r := range ir.Row(p.Rows()) {
		f.apart(r, func(s sum) {
			if _, ok := f.sums[s]; !ok {
				f.sums[s] = r
			}
			for _, c := range [...]ir.Row{s.plus[0], s.plus[1], s.plus[2], s.less[0], s.less[1]} {
				if c == ir.NoRow || p.Op(c) != ir.OpCarry && p.Op(c) != ir.OpBorrow || p.Region(c) != s.region || !s.endsWith(p, c) {
					continue
				}
				of := ends[c]
				if n := len(of); n == 0 || n == 1 && f.Uses[of[0].row] == 1 && (p.A(r) == of[0].row || p.B(r) == of[0].row) {
					ends[c] = append(of, ending{r, s})
				}
			}
		})
	}
	for _, r := range carries {
		f.link(r)
	}
	for i := len(f.Links) - 1; i >= 0; i-- { // a sum of two carries ends the chain that is still under way there
		for _, e := range slices.Backward(ends[f.Links[i].Carry]) {
			if f.Links[i].Next < 0 && f.Of(e.row) < 0 && !f.inner[e.row] {
				f.end(int32(i), e.row, e.sum)
			}
		}
	}
	for i := range f.Links {
		for _, v := range [...]ir.Row{f.Links[i].X.Row, f.Links[i].Y.Row, f.Links[i].In.Row} {
			delete(f.inner, v)
		}
	}
	return f.Chains
}

// apart tells the sums that row r is, with its operands as they are or taken apart.
func (f *finder) apart(r ir.Row, do func(sum)) {
	p := f.p
	op, t := p.Op(r), p.Type(r)
	if op != ir.OpAdd && op != ir.OpSub && op != ir.OpNeg || t != ir.U32 && t != ir.U64 {
		return
	}
	a, b := p.A(r), p.B(r)
	deep := func(v ir.Row) bool {
		return v != ir.NoRow && (p.Op(v) == ir.OpAdd || p.Op(v) == ir.OpSub) && p.Region(v) == p.Region(r)
	}
	for k := range 4 {
		if k&1 != 0 && !deep(a) || k&2 != 0 && !deep(b) {
			continue
		}
		s := sum{region: p.Region(r), typ: t, plus: [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}, less: [2]ir.Row{ir.NoRow, ir.NoRow}}
		ok := true
		put := func(v ir.Row, minus, open bool) {
			if open {
				ok = ok && s.put(p, p.A(v), minus) && s.put(p, p.B(v), minus != (p.Op(v) == ir.OpSub))
			} else {
				ok = ok && s.put(p, v, minus)
			}
		}
		put(a, op == ir.OpNeg, k&1 != 0)
		if b != ir.NoRow {
			put(b, op == ir.OpSub, k&2 != 0)
		}
		if ok {
			do(s)
		}
	}
}

// endsWith reports whether s is what the last link of c's chain can be.
func (s *sum) endsWith(p *ir.Program, c ir.Row) bool {
	plus, less := 0, 0
	for _, v := range s.plus {
		if v != ir.NoRow {
			plus++
		}
	}
	for _, v := range s.less {
		if v != ir.NoRow {
			less++
		}
	}
	if s.bits != 0 {
		plus++
	}
	if p.Op(c) == ir.OpCarry {
		return plus <= 3 && less == 0 && slices.Contains(s.plus[:], c)
	}
	return plus <= 1 && slices.Contains(s.less[:], c)
}

// link makes a link of a carry.
func (f *finder) link(r ir.Row) {
	p := f.p
	l := Link{Carry: r, Sum: ir.NoRow, Minus: p.Op(r) == ir.OpBorrow, Type: p.Type(r), Next: -1}
	l.X, l.Y, l.In = f.term(p.A(r)), f.term(p.B(r)), f.term(p.C(r))
	s := sum{region: p.Region(r), typ: l.Type, plus: [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}, less: [2]ir.Row{ir.NoRow, ir.NoRow}}
	s.put(p, p.A(r), false)
	s.put(p, p.B(r), l.Minus)
	s.put(p, p.C(r), l.Minus)
	if x, ok := f.sums[s]; ok && f.Of(x) < 0 {
		f.take(&l, x)
	}
	n := int32(len(f.Links))
	f.of[r] = n
	if i := f.Of(p.C(r)); i >= 0 {
		if from := &f.Links[i]; from.Carry == p.C(r) && from.Next < 0 && from.Minus == l.Minus && from.Type == l.Type && p.Region(from.Carry) == p.Region(r) {
			from.Next = n
		}
	}
	f.Links = append(f.Links, l)
}

// take makes x the sum of a link.
func (f *finder) take(l *Link, x ir.Row) {
	l.Sum = x
	f.of[x] = int32(len(f.Links))
	for _, v := range [2]ir.Row{f.p.A(x), f.p.B(x)} {
		if v != ir.NoRow && v != l.X.Row && v != l.Y.Row && v != l.In.Row && (f.p.Op(v) == ir.OpAdd || f.p.Op(v) == ir.OpSub) {
			f.inner[v] = true
		}
	}
}

// end makes row r, which is s, the last link after link i.
func (f *finder) end(i int32, r ir.Row, s sum) {
	from := &f.Links[i]
	c := from.Carry
	zero := Term{Row: ir.NoRow}
	l := Link{Carry: ir.NoRow, Minus: from.Minus, Type: from.Type, X: zero, Y: zero, In: Term{Row: c}, Next: -1}
	terms := [2]*Term{&l.X, &l.Y}
	put := func(t Term) {
		if *terms[0] == zero {
			*terms[0] = t
		} else {
			*terms[1] = t
		}
	}
	seen := false
	rest := s.plus[:]
	if l.Minus {
		rest = s.less[:]
		if l.X = (Term{Row: ir.NoRow, Bits: s.bits}); s.plus[0] != ir.NoRow {
			l.X = Term{Row: s.plus[0]}
		}
		terms[0] = &l.Y
	} else if s.bits != 0 {
		put(Term{Row: ir.NoRow, Bits: s.bits})
	}
	for _, v := range rest {
		switch {
		case v == c && !seen:
			seen = true
		case v != ir.NoRow:
			put(Term{Row: v})
		}
	}
	n := int32(len(f.Links))
	from.Next = n
	f.take(&l, r)
	f.Links = append(f.Links, l)
}

// term is the value of a row.
func (f *finder) term(r ir.Row) Term {
	if f.p.Op(r) == ir.OpConst {
		return Term{Row: ir.NoRow, Bits: f.p.Const(r)}
	}
	return Term{Row: r}
}

// Bit reports whether x is 0 or 1, as far as its op says.
func Bit(p *ir.Program, x Term) bool {
	if x.Row == ir.NoRow {
		return x.Bits <= 1
	}
	return bit(p, x.Row)
}

func bit(p *ir.Program, r ir.Row) bool {
	isOne := func(v ir.Row) bool { return p.Op(v) == ir.OpConst && p.Const(v) <= 1 }
	switch p.Op(r) {
	case ir.OpConst:
		return isOne(r)
	case ir.OpCarry, ir.OpBorrow:
		return true
	case ir.OpAnd:
		return isOne(p.A(r)) || isOne(p.B(r))
	case ir.OpCvt:
		return p.Type(p.A(r)) == ir.Bool || !p.Type(p.A(r)).IsFloat() && bit(p, p.A(r))
	case ir.OpSelect:
		return bit(p, p.B(r)) && bit(p, p.C(r))
	}
	return false
}
