package memcheck

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/verify"
)

// Instrument returns p with a check in front of each access that may be out of bounds, and the sites by the tags of their
// checks. It is p itself if there is no such access. The error is an ir.Diags: with its checks the program is too large.
func Instrument(p *ir.Program) (*ir.Program, []Site, error) {
	w := &rewriter{p: p, src: p.Edit(), row: make([]ir.Row, p.Rows()), start: make([]ir.Row, p.Rows()+1)}
	w.region = make([]uint32, len(w.src.Regions))
	w.begin()
	for r := range ir.Row(p.Rows()) {
		w.start[r] = ir.Row(len(w.out.Op))
		if s, ok := w.site(r); ok {
			w.check(&s)
			w.sites = append(w.sites, s)
		}
		w.copy(r)
	}
	if w.sites == nil {
		return p, nil, nil
	}
	w.end()
	q, err := verify.Seal(w.out)
	return q, w.sites, err
}

// rewriter writes a program anew, row by row.
type rewriter struct {
	p     *ir.Program
	src   *ir.Code
	out   *ir.Code
	sites []Site

	row    []ir.Row // new row by old
	start  []ir.Row // by old row: where it begins, with its check
	region []uint32 // new region by old
	at     uint32   // new region that rows are put into
	pos    uint32   // and their position
}

func (w *rewriter) begin() {
	c := w.src
	w.out = &ir.Code{Name: c.Name, Workgroup: c.Workgroup, Params: c.Params, Arrays: c.Arrays, Pool: c.Pool}
	w.out.Regions = []ir.Region{{Op: ir.NoRow}}
	w.out.Debug.Names, w.out.Debug.Messages = map[ir.Row]string{}, map[ir.Row]string{}
	w.out.Debug.Positions = c.Debug.Positions
	w.out.Grow(c.Rows() + c.Rows()/2)
}

// end sets the bounds of the regions that were there before.
func (w *rewriter) end() {
	w.start[w.p.Rows()] = ir.Row(len(w.out.Op))
	for old, g := range w.src.Regions {
		n := &w.out.Regions[w.region[old]]
		n.First, n.End = w.start[g.First], w.start[g.End]
	}
}

// put adds a row.
func (w *rewriter) put(op ir.Op, t ir.Type, x uint32, in ...ir.Row) ir.Row {
	o, r := w.out, ir.Row(len(w.out.Op))
	operands := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
	copy(operands[:], in)
	o.Op, o.Type, o.Flags = append(o.Op, op), append(o.Type, t), append(o.Flags, 0)
	o.Region, o.X, o.Args = append(o.Region, w.at), append(o.X, x), append(o.Args, ir.NoArgs)
	o.A, o.B, o.C = append(o.A, operands[0]), append(o.B, operands[1]), append(o.C, operands[2])
	o.Debug.PosOf = append(o.Debug.PosOf, w.pos)
	return r
}

// list gives the last row an operand list.
func (w *rewriter) list(vals ...ir.Row) {
	o := w.out
	o.Args[len(o.Args)-1] = uint32(len(o.Extra))
	o.Extra = append(o.Extra, uint32(len(vals)))
	for _, v := range vals {
		o.Extra = append(o.Extra, uint32(v))
	}
}

// copy adds row r of the program as it is.
func (w *rewriter) copy(r ir.Row) {
	c := w.src
	in := c.Op[r].Info()
	w.enter(r)
	x := c.X[r]
	switch {
	case in.Imm == ir.ImmLabel:
		x = uint32(w.row[x])
	case in.Owns > 0:
		x = uint32(len(w.out.Regions))
	}
	w.row[r] = w.put(c.Op[r], c.Type[r], x, w.moved(c.A[r]), w.moved(c.B[r]), w.moved(c.C[r]))
	w.out.Flags[w.row[r]] = c.Flags[r]
	for k := range uint32(in.Owns) {
		w.region[c.X[r]+k] = x + k
		w.out.Regions = append(w.out.Regions, ir.Region{Op: w.row[r]})
	}
	if c.Args[r] != ir.NoArgs {
		var vals []ir.Row
		for _, v := range c.List(r) {
			vals = append(vals, w.row[v])
		}
		w.list(vals...)
	}
	if name, ok := c.Debug.Names[r]; ok {
		w.out.Debug.Names[w.row[r]] = name
	}
	if text, ok := c.Debug.Messages[r]; ok {
		w.out.Debug.Messages[w.row[r]] = text
	}
}

// enter has rows come where row r does.
func (w *rewriter) enter(r ir.Row) {
	w.at, w.pos = w.region[w.src.Region[r]], 0
	if w.src.Debug.PosOf != nil {
		w.pos = w.src.Debug.PosOf[r]
	}
}

func (w *rewriter) moved(v ir.Row) ir.Row {
	if v == ir.NoRow {
		return v
	}
	return w.row[v]
}

// site describes row r, if that is an access to be checked.
func (w *rewriter) site(r ir.Row) (s Site, ok bool) {
	p, in := w.p, w.p.Op(r).Info()
	if in.Imm == ir.ImmCopy { // beyond the end of its source are zeros, as it says
		dst, _ := ir.CopyObjects(p.X(r))
		return Site{Row: r, Op: p.Op(r), Pos: p.Pos(r), Object: p.Objects()[dst], index: p.Type(p.A(r))}, true
	}
	if in.Imm != ir.ImmObject || in.Args == 0 || in.Attr&(ir.Reads|ir.Writes) == 0 || p.Flags(r)&(ir.Checked|ir.InBounds) != 0 {
		return s, false
	}
	index := p.A(r)
	s = Site{Row: r, Op: p.Op(r), Pos: p.Pos(r), Object: p.Objects()[p.X(r)], index: p.Type(index)}
	if a := s.Object.Array; a != nil && a.Len != ir.RestLen && p.Op(index) == ir.OpConst && !(s.index.IsSigned() && int64(extended(s.index, p.Const(index))) < 0) &&
		p.Const(index) < a.Len/uint64(s.lanes()) {
		return s, false
	}
	if i, other, ok := PartOf(p, index, s.Object.Count()); ok {
		s.kind, s.i, s.j, s.within = part, i, other, p.A(index)
		if s.Object.Count() > 1 {
			s.kind = inner
		}
	}
	return s, true
}

// extended returns the bits of an integer as one of 64 bits.
func extended(t ir.Type, b uint64) uint64 {
	if t == ir.I32 {
		return uint64(int64(int32(b)))
	}
	return b
}

// lanes is how many elements an access has.
func (s *Site) lanes() int {
	if in := s.Op.Info(); in.Imm != ir.ImmCopy {
		return in.Vec.Lanes()
	}
	return 4 << (s.Op - ir.OpCopyAsync4) / s.Object.Type().Size()
}

// check adds the rows that find out whether the access of s is in bounds, and what they note if not.
func (w *rewriter) check(s *Site) {
	w.enter(s.Row)
	index := w.row[w.src.A[s.Row]]
	length := w.length(s)
	in := w.inside(s, index, length)
	branch := w.put(ir.OpIf, ir.None, uint32(len(w.out.Regions)), in)
	then := uint32(len(w.out.Regions))
	first := branch + 1
	w.out.Regions = append(w.out.Regions, ir.Region{Op: branch, First: first, End: first + 1}, ir.Region{Op: branch, First: first + 1})
	outer := w.at
	w.at = then
	w.put(ir.OpYield, ir.None, 0)
	w.at = then + 1
	vals := w.values(s, index, length)
	w.out.Flags[w.put(ir.OpTrace, ir.None, uint32(len(w.sites)))] = ir.Checked
	w.list(vals...)
	w.put(ir.OpYield, ir.None, 0)
	w.out.Regions[then+1].End = ir.Row(len(w.out.Op))
	w.at = outer
}

// length is that of the object of s, in elements, or in records.
func (w *rewriter) length(s *Site) ir.Row {
	if a := s.Object.Array; a != nil && a.Len != ir.RestLen {
		return w.constant(ir.U32, a.Len)
	}
	return w.put(ir.OpLen, s.Object.LenType(), uint32(s.Object.First))
}

// inside is the condition that the access is in bounds. Read without its sign, a negative index is larger than any length
// that bit 31 does not count in.
func (w *rewriter) inside(s *Site, index, length ir.Row) ir.Row {
	t := ir.U32
	most := uint64(1 << 31) // no array is larger
	if s.Object.Param != nil {
		most = s.Object.Param.MaxLen
	}
	n := uint64(s.Object.Count())
	if s.index.Bits() == 64 || w.out.Type[length] == ir.U64 || n > 1 || s.index.IsSigned() && most > 1<<31 {
		t = ir.U64
	}
	i, l := w.as(t, index), w.as(t, length)
	if n > 1 {
		l = w.put(ir.OpMul, t, 0, l, w.constant(t, n))
	}
	if v := s.lanes(); v > 1 {
		l = w.put(ir.OpShr, t, 0, l, w.constant(ir.U32, uint64(bits.TrailingZeros(uint(v)))))
	}
	return w.put(ir.OpLt, ir.Bool, 0, i, l)
}

// values are what a check notes, see kind.
func (w *rewriter) values(s *Site, index, length ir.Row) []ir.Row {
	length = w.as(ir.U64, length)
	switch s.kind {
	case part:
		within := w.row[s.within]
		i := w.put(ir.OpSelect, ir.U64, 0, within, w.as(ir.U64, index), w.as(ir.U64, w.row[s.i]))
		n := w.put(ir.OpSelect, ir.U64, 0, within, length, w.as(ir.U64, w.row[s.j]))
		return []ir.Row{i, n, w.put(ir.OpSelect, ir.U64, 0, within, w.constant(ir.U64, 0), w.constant(ir.U64, 1))}
	case inner:
		return []ir.Row{w.as(ir.U64, w.row[s.i]), length, w.as(ir.U64, w.row[s.j])}
	}
	return []ir.Row{w.as(ir.U64, index), length}
}

// as converts an integer to an unsigned type, extended by its sign.
func (w *rewriter) as(t ir.Type, v ir.Row) ir.Row {
	if w.out.Type[v] == t {
		return v
	}
	return w.put(ir.OpCvt, t, 0, v)
}

func (w *rewriter) constant(t ir.Type, v uint64) ir.Row {
	w.out.Pool = append(w.out.Pool, v)
	return w.put(ir.OpConst, t, uint32(len(w.out.Pool)-1))
}
