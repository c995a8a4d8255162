package ptx

import (
	"strconv"

	"github.com/govyre/vyre/ir"
)

// Tables are variables of the module with their contents. Constant memory gives one word to a whole warp as fast as a
// register, and serves lanes that ask for different words one after the other; global memory, read by the path for
// what nobody writes, serves them together. So a table lies in constant memory if the lanes of a warp always ask for
// the same element, and in global memory if not.

// constantMemory is how many bytes of it the variables of a module may have, on every architecture.
const constantMemory = 64 << 10

// table is a table that the module declares for a function.
type table struct {
	*ir.Array
	space space
	name  symbol
}

// placeTables decides where the tables lie. Their names end with that of the entry, which no other kernel of the
// module has.
func (f *function) placeTables() {
	varying := make([]bool, len(f.objs))
	u := f.p.Uniformity()
	for r := range ir.Row(f.p.Rows()) {
		if in := f.p.Op(r).Info(); in.Imm == ir.ImmObject && in.Args > 0 && u.Value[f.p.A(r)] > ir.LevelWarp {
			varying[f.p.X(r)] = true
		}
	}
	room := f.constants
	for i := range f.objs {
		o := &f.objs[i]
		if !o.Table() {
			continue
		}
		o.space, o.sym = global, f.symbol("t%d_%s_%s", o.Index, symbolText(o.Array.Name, 100), f.entry)
		if n := (len(o.Array.Table) + 15) &^ 15; !varying[i] && n <= room {
			o.space = constant
			room -= n
		}
		f.tables = append(f.tables, table{o.Array, o.space, o.sym})
	}
}

// tableRow is how many elements of a table stand on a line.
const tableRow = 16

// tables declares the tables of f.
func (p *printer) tables(f *function) {
	for _, t := range f.tables {
		e := contents(t.Type)
		p.nl()
		p.out = append(p.out, spaceNames[t.space]...)
		p.raw(" .align 16 " + typeInfo[e].name + " " + f.names[t.name])
		p.out = append(strconv.AppendUint(append(p.out, '['), t.Len, 10), "] = {"...)
		for i := range t.Len {
			switch {
			case i > 0 && i%tableRow == 0:
				p.raw(",")
				p.nl()
				p.raw("\t")
			case i > 0:
				p.raw(", ")
			}
			p.constant(e, t.Elem(i))
		}
		p.raw("};")
		p.nl()
	}
}

// contents is the type suffix for the elements of a table of type t, as their bits.
func contents(t ir.Type) ptype {
	switch e := inMemory(t); e {
	case tS8:
		return tU8
	case tS16:
		return tU16
	default:
		return e
	}
}
