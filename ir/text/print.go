package text

import (
	"io"
	"math/bits"
	"strconv"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/inner"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// Printer writes programs as text. The zero Printer leaves source positions out.
type Printer struct {
	Positions bool // write !file:line:col after each statement that has one
}

// Print writes the programs as one text file, which Parse reads back: to equal digests and, as
// far as they are identifiers, equal names. Messages, and where parameters and arrays were
// declared in another source, have no place in a text; they are in the wire form.
func Print(w io.Writer, ps ...*ir.Program) error { return Printer{}.Print(w, ps...) }

// Print writes the programs as one text file, which Parse reads back.
func (o Printer) Print(w io.Writer, ps ...*ir.Program) error {
	b := []byte(header)
	kernels := namer{taken: map[string]int{}}
	for _, p := range ps {
		b = o.appendKernel(append(b, '\n'), p.Code(inner.Key{}), &kernels)
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err := w.Write(b)
	return err
}

// Of returns the program as a text file, without positions.
func Of(p *ir.Program) string { return OfCode(p.Code(inner.Key{})) }

// OfCode returns the code as a text file, without positions. The code need not be
// canonical, but its structure must be sound.
func OfCode(c *ir.Code) string {
	kernels := namer{taken: map[string]int{}}
	return string(Printer{}.appendKernel([]byte(header+"\n"), c, &kernels))
}

// header opens every text file.
const header = "vyre 1\n"

// printer writes one kernel. It walks the rows once, with a stack of open regions.
type printer struct {
	Printer
	c      *ir.Code
	b      []byte
	names  nameTable
	open   []uint32 // regions, innermost last; the body is not among them
	depth  int      // of indentation
	line   int      // offset of the current line
	visits int      // rows and operands, for the test of linear work
	marks  *[]mark  // where rows stand in the text, in order; nil if nobody asked
}

func (o Printer) appendKernel(b []byte, c *ir.Code, kernels *namer) []byte {
	p := &printer{Printer: o, c: c, b: b, depth: 1, names: nameCode(c)}
	p.visits = p.names.visits
	p.kernel(kernels.text(c.Name))
	return p.b
}

func (p *printer) str(s string)  { p.b = append(p.b, s...) }
func (p *printer) num(n uint64)  { p.b = strconv.AppendUint(p.b, n, 10) }
func (p *printer) typ(t ir.Type) { p.b = append(p.b, t.String()...) }
func (p *printer) object(o int)  { p.b = append(append(p.b, '@'), p.names.objects[o]...) }
func (p *printer) newLine() {
	p.b = append(p.b, '\n')
	p.line = len(p.b)
	for range p.depth {
		p.b = append(p.b, "  "...)
	}
}

// comma separates the elements of a list, which may be long: no line gets beyond what a
// reader takes.
func (p *printer) comma() {
	if len(p.b)-p.line < limits.Line/2 {
		p.str(", ")
		return
	}
	p.b = append(p.b, ',')
	p.newLine()
}

func (p *printer) label(r ir.Row)  { p.name('^', r) }
func (p *printer) result(r ir.Row) { p.name('%', r) }

func (p *printer) name(sigil byte, r ir.Row) {
	p.b = append(p.b, sigil)
	if s := p.names.rows[r]; s != "" {
		p.b = append(p.b, s...)
	} else {
		p.num(uint64(p.names.numbers[r]))
	}
}

// value writes a use of v: a name, or a constant in full.
func (p *printer) value(v ir.Row) {
	p.visits++
	if p.c.Op[v] == ir.OpConst {
		p.b = literal.Append(p.b, p.c.Type[v], p.c.Pool[p.c.X[v]])
		return
	}
	p.result(v)
}

// values writes a list of uses.
func (p *printer) values(list []uint32) {
	for i, v := range list {
		if i > 0 {
			p.comma()
		}
		p.value(ir.Row(v))
	}
}

func (p *printer) kernel(name string) {
	c := p.c
	p.str("kernel @")
	p.str(name)
	p.str(" workgroup(")
	p.num(uint64(c.Workgroup[0]))
	if c.Workgroup[1] != 1 || c.Workgroup[2] != 1 {
		p.str(", ")
		p.num(uint64(c.Workgroup[1]))
	}
	if c.Workgroup[2] != 1 {
		p.str(", ")
		p.num(uint64(c.Workgroup[2]))
	}
	p.str(") {")
	p.decls()
	r := ir.Row(0)
	for int(r) < c.Rows() {
		p.closeRegions(r)
		r = p.row(r)
	}
	p.closeRegions(r)
	p.str("\n}\n")
}

// decls writes parameters and arrays.
func (p *printer) decls() {
	c := p.c
	aligns := defaultAligns(c)
	buffer, scalar := 0, ir.Row(0)
	for i := range c.Params {
		q := &c.Params[i]
		p.newLine()
		p.str("param ")
		if !q.IsBuffer() {
			p.mark(scalar)
			p.result(scalar)
			scalar++
			p.str(": ")
			p.typ(q.Type)
			continue
		}
		p.object(buffer)
		p.str(": buf<")
		if q.Record != nil {
			p.record(q.Record)
		} else {
			p.typ(q.Type)
		}
		p.str("> ")
		p.str(q.Access.String())
		if q.MaxLen != ir.DefaultMaxLen {
			p.str(" max ")
			p.num(q.MaxLen)
		}
		if q.Align != ir.AlignAuto && q.Align != aligns[buffer] {
			p.str(" align ")
			p.num(1 << (q.Align & 63))
		}
		buffer += q.Objects()
	}
	for i := range c.Arrays {
		a := &c.Arrays[i]
		p.newLine()
		p.str(a.Kind().Word())
		p.str(" ")
		p.object(buffer + i)
		p.str(": ")
		p.typ(a.Type)
		p.b = append(p.b, '[')
		if a.Len == ir.RestLen {
			p.b = append(p.b, '?')
		} else {
			p.num(a.Len)
		}
		p.b = append(p.b, ']')
		if a.Table != "" {
			p.table(a)
		}
	}
}

// table writes the elements of a table.
func (p *printer) table(a *ir.Array) {
	p.str(" = {")
	for i := range a.Len {
		if i > 0 {
			p.comma()
		}
		p.b = literal.AppendElem(p.b, a.Type, a.Elem(i))
	}
	p.b = append(p.b, '}')
}

// defaultAligns returns, for each buffer, log₂ of the alignment that it has without
// saying so: the bytes of an element, or of the widest vector access.
func defaultAligns(c *ir.Code) []uint8 {
	var aligns []uint8
	objs := c.Objects()[:c.Buffers()]
	for _, o := range objs {
		if o.Param.Record != nil {
			aligns = append(aligns, o.Param.Record.WideAlign())
		} else {
			aligns = append(aligns, log2(o.Type().Size()))
		}
	}
	for r, op := range c.Op {
		if v := op.Info().Vec; v != 0 && int(c.X[r]) < len(objs) {
			o := c.X[r]
			aligns[o] = max(aligns[o], log2(objs[o].Type().Size()*v.Lanes()))
		}
	}
	return aligns
}

// record writes the layout of a record: its fields, with the offset of one that does not follow directly, and its stride,
// with the alignment of one that its fields do not ask for.
func (p *printer) record(l *ir.Record) {
	p.b = append(p.b, '{')
	end, align := 0, uint8(0)
	for i, f := range l.Fields {
		if i > 0 {
			p.str(", ")
		}
		if f.Pad {
			p.str("pad ")
		}
		p.typ(f.Type)
		if f.Count != 1 {
			p.b = append(p.b, '[')
			p.num(uint64(f.Count))
			p.b = append(p.b, ']')
		}
		if f.Offset != end {
			p.str(" @")
			p.num(uint64(f.Offset))
		}
		end = f.Offset + f.Count*f.Type.Size()
		align = max(align, log2(f.Type.Size()))
	}
	p.str("; ")
	p.num(uint64(l.Stride))
	if l.Align != align {
		p.str(" align ")
		p.num(1 << (l.Align & 63))
	}
	p.b = append(p.b, '}')
}

// log2 is the logarithm of a power of two, 0 of what is none.
func log2(n int) uint8 { return uint8(bits.Len(uint(max(n, 1))) - 1) }
