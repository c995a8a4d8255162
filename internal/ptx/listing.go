package ptx

import (
	"slices"
	"strconv"

	"github.com/govyre/vyre/ir"
)

// current returns the instructions that there are so far.
func (f *function) current() []inst {
	if f.sel != nil {
		return slices.Concat(f.sel.prologue, f.sel.code)
	}
	return f.insts
}

// listing writes the instructions that there are so far.
func (f *function) listing() Listing {
	p := &printer{line: 1}
	q := printed{printer: p, f: f, draft: true}
	var lines []Line
	insts := f.current()
	for i := range insts {
		in := &insts[i]
		if in.row != ir.NoRow {
			lines = append(lines, Line{p.line, in.row})
		}
		q.inst(in)
		p.nl()
	}
	return Listing{string(p.out), lines}
}

// unfinished writes an operand that a later stage works out.
func (q *printed) unfinished(o *operand) {
	if !q.draft {
		panic("BUG: an operand that is not worked out reached the printer")
	}
	if o.kind == isCopyList {
		c := &q.f.copying[o.bits]
		sep := "{"
		for _, x := range c.dst {
			q.raw(sep)
			q.reg(x)
			sep = ", "
		}
		sep = "}, {"
		for i := range c.src {
			q.raw(sep)
			q.operand(&c.src[i])
			sep = ", "
		}
		q.raw("}")
		return
	}
	a := &q.f.accesses[o.bits]
	obj := &q.f.objs[a.obj]
	q.raw("[" + q.f.names[obj.sym] + ": ")
	index := q.f.val[a.index]
	if index.kind == noOperand { // it has no register yet: the row says which
		q.raw("row ")
		q.out = strconv.AppendUint(q.out, uint64(a.index), 10)
	} else {
		q.operand(&index)
	}
	q.raw("*")
	q.out = strconv.AppendUint(q.out, uint64(a.scale), 10)
	if a.off != 0 {
		q.raw("+")
		q.out = strconv.AppendUint(q.out, uint64(a.off), 10)
	}
	q.raw("]")
}
