package text

import (
	"github.com/govyre/vyre/ir"
)

// row writes the statement of row r, or the head of a structured one, and returns the
// next row to write.
func (p *printer) row(r ir.Row) ir.Row {
	p.visits++
	c := p.c
	op := c.Op[r]
	in := op.Info()
	switch {
	case op == ir.OpConst, op == ir.OpRes, op == ir.OpArg, p.implied(r):
		return r + 1
	case in.Attr&ir.Structured != 0:
		p.newLine()
		return p.structured(r)
	}
	p.newLine()
	p.simple(r)
	return r + 1
}

// implied reports whether r is an exit that the text leaves out: the body's last
// return, a yield without values.
func (p *printer) implied(r ir.Row) bool {
	switch p.c.Op[r] {
	case ir.OpReturn:
		return len(p.open) == 0
	case ir.OpYield:
		return p.c.Args[r] == ir.NoArgs
	}
	return false
}

// simple writes a row without regions on one line.
func (p *printer) simple(r ir.Row) {
	c := p.c
	op := c.Op[r]
	in := op.Info()
	p.mark(r)
	if in.Result.Kind != ir.ResultNone && !p.names.silent[r] {
		p.result(r)
		p.str(" = ")
	}
	operands := [3]ir.Row{c.A[r], c.B[r], c.C[r]}
	carried := ir.None
	if in.Typed != 0 && operands[in.Typed-1] != ir.NoRow {
		carried = c.Type[operands[in.Typed-1]]
	}
	p.b = appendMnemonic(p.b, op, carried, c.Type[r], c.X[r], c.Flags[r])

	sep := " "
	next := func() {
		p.str(sep)
		sep = ", "
	}
	rest := operands[:]
	switch in.Imm {
	case ir.ImmObject:
		next()
		rest = p.place(c.X[r], in, rest)
	case ir.ImmCopy:
		dst, src := ir.CopyObjects(c.X[r])
		next()
		rest = p.place(uint32(dst), in, rest)
		next()
		rest = p.place(uint32(src), in, rest)
	case ir.ImmLabel:
		next()
		p.label(ir.Row(c.X[r]))
		if list := c.List(r); len(list) > 0 {
			p.str(" (")
			p.values(list)
			p.b = append(p.b, ')')
		}
		p.finish(r)
		return
	}
	for _, v := range rest {
		if v != ir.NoRow {
			next()
			p.value(v)
		}
	}
	if list := c.List(r); len(list) > 0 {
		next()
		p.values(list)
	}
	imm := func(n uint32) {
		next()
		p.b = append(p.b, '#')
		p.num(uint64(n))
	}
	switch in.Imm {
	case ir.ImmField:
		imm(c.X[r] & 0xFF)
		imm(c.X[r] >> 8)
	case ir.ImmCode, ir.ImmLane:
		imm(c.X[r])
	}
	p.finish(r)
}

// place writes the object o and the index of an access, and returns the other operands.
func (p *printer) place(o uint32, in *ir.Info, operands []ir.Row) []ir.Row {
	p.object(int(o))
	if in.Args == 0 || operands[0] == ir.NoRow {
		return operands
	}
	p.b = append(p.b, '[')
	p.value(operands[0])
	p.b = append(p.b, ']')
	if f := p.names.fields[o]; f >= 0 {
		p.b = append(p.b, '.')
		p.num(uint64(f))
	}
	return operands[1:]
}

// finish writes the marks after a statement.
func (p *printer) finish(r ir.Row) {
	if p.c.Flags[r].InBounds() {
		p.str(" !inb")
	}
	if p.c.Flags[r].Checked() {
		p.str(" !checked")
	}
	if !p.Positions {
		return
	}
	if pos := p.c.Debug.Pos(r); pos.Line > 0 {
		p.b = appendPos(append(p.b, ' '), pos)
	}
}

// structured writes the head of r up to its brace and opens the first region; a short
// if it writes as a whole.
func (p *printer) structured(r ir.Row) ir.Row {
	c := p.c
	op := c.Op[r]
	first := c.X[r]
	end := c.Regions[first+uint32(op.Info().Owns)-1].End
	p.mark(r)
	results := ir.Row(0)
	for int(end+results) < c.Rows() && c.Op[end+results] == ir.OpRes {
		if results > 0 {
			p.comma()
		}
		p.mark(end + results)
		p.result(end + results)
		results++
	}
	if results > 0 {
		p.str(" = ")
	}
	p.str(op.Info().Name)
	p.b = append(p.b, ' ')
	switch op {
	case ir.OpIf:
		p.value(c.A[r])
	default:
		p.label(r)
	}
	if op == ir.OpLoop {
		p.str(" (")
		arg := c.Regions[first].First
		for k, v := range c.List(r) {
			if k > 0 {
				p.comma()
			}
			p.mark(arg + ir.Row(k))
			p.result(arg + ir.Row(k))
			p.str(": ")
			p.typ(c.Type[arg+ir.Row(k)])
			p.str(" = ")
			p.value(ir.Row(v))
		}
		p.b = append(p.b, ')')
	}
	for k := range results {
		if k == 0 {
			p.str(" -> (")
		} else {
			p.comma()
		}
		p.typ(c.Type[end+k])
	}
	if results > 0 {
		p.b = append(p.b, ')')
	}
	if n := c.Flags[r].Unroll(); op == ir.OpLoop && n != 0 {
		p.str(" unroll ")
		p.num(uint64(n))
	}
	p.str(" {")
	if only, ok := p.short(r); ok {
		p.b = append(p.b, ' ')
		p.simple(only)
		p.str(" }")
		p.finish(r)
		return end
	}
	p.open = append(p.open, first)
	p.depth++
	return r + 1
}

// short reports whether r is an if with one statement and nothing else, and which.
func (p *printer) short(r ir.Row) (only ir.Row, ok bool) {
	c := p.c
	if c.Op[r] != ir.OpIf || !p.emptyArm(c.X[r]+1) {
		return 0, false
	}
	g := c.Regions[c.X[r]]
	switch n := g.End - g.First; {
	case n == 2 && (c.Op[g.First+1] != ir.OpYield || c.Args[g.First+1] != ir.NoArgs), n == 0, n > 2:
		return 0, false
	}
	op := c.Op[g.First]
	if op == ir.OpConst || op.Info().Attr&ir.Structured != 0 || op == ir.OpYield {
		return 0, false
	}
	return g.First, true
}

// emptyArm reports whether region g, a second arm, does not show in the text.
func (p *printer) emptyArm(g uint32) bool {
	arm := p.c.Regions[g]
	for r := arm.First; r < arm.End; r++ {
		p.visits++
		if op := p.c.Op[r]; op != ir.OpConst {
			return op == ir.OpYield && p.c.Args[r] == ir.NoArgs
		}
	}
	return true
}

// closeRegions writes the braces of the regions that end in front of row r.
func (p *printer) closeRegions(r ir.Row) {
	c := p.c
	for len(p.open) > 0 {
		g := p.open[len(p.open)-1]
		if c.Regions[g].End > r {
			return
		}
		p.depth--
		p.newLine()
		owner := c.Regions[g].Op
		p.mark(owner)
		p.b = append(p.b, '}')
		if c.Op[owner] == ir.OpIf && g == c.X[owner] && !p.emptyArm(g+1) {
			p.str(" else {")
			p.open[len(p.open)-1] = g + 1
			p.depth++
			return
		}
		p.open = p.open[:len(p.open)-1]
		p.finish(owner)
	}
}
