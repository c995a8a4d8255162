package pipeline

import "github.com/govyre/vyre/ir"

// access is a row at which a stage reads or writes memory of a binding.
type access struct {
	row     ir.Row
	binding int
	field   int // of its records; 0 without any
	writes  bool
	plain   bool // a load or a store of one element
	index   form
	certain bool // every item gets here, and once the row was passed it was passed for good
}

// scan lists the accesses of a stage in program order. Rows that no item reaches are left out.
func (l *looker) scan(s *stage) []access {
	p := s.Program
	f := forms{p: p, items: s.items, last: int64(max(s.Items, 1)) - 1, forms: make([]form, p.Rows()), truths: make([]truth, p.Rows())}
	for k := range p.Params() {
		if a := s.args[k]; a.binding < 0 {
			f.scalars = append(f.scalars, a.bits)
		}
	}
	for _, o := range p.Objects() {
		n := int64(-1)
		switch {
		case o.Param != nil:
			n = l.bindings[s.args[o.Index].binding].length(o.Param)
		case o.Array != nil && o.Array.Len != ir.RestLen:
			n = int64(o.Array.Len)
		}
		f.length = append(f.length, n)
	}
	w := scanner{forms: f, stage: s, left: map[ir.Row]int{}}
	w.region(0, s.items)
	return w.found
}

// scanner walks over the rows of a stage.
type scanner struct {
	forms
	stage *stage
	found []access
	left  map[ir.Row]int // structured rows that some items may have left already
}

// returned stands in left for the whole program.
const returned = ir.NoRow

// region walks over a region; certain says that every item runs it, once.
func (w *scanner) region(reg uint32, certain bool) {
	p := w.p
	g := p.Regions()[reg]
	for r := g.First; r < g.End; r++ {
		op := p.Op(r)
		in := op.Info()
		w.row(r)
		switch {
		case in.Attr&ir.Structured != 0:
			w.structured(r, certain)
			r = p.Regions()[p.X(r)+uint32(in.Owns)-1].End - 1
		case op == ir.OpReturn:
			w.left[returned]++
		case op == ir.OpBreak, op == ir.OpContinue:
			w.left[ir.Row(p.X(r))]++
		case in.Imm == ir.ImmObject && in.Attr&(ir.Reads|ir.Writes) != 0:
			w.access(r, certain && len(w.left) == 0)
		}
	}
}

// structured walks over the regions of a structured row. An arm that no item takes is left out.
func (w *scanner) structured(r ir.Row, certain bool) {
	p := w.p
	first := p.X(r)
	switch p.Op(r) {
	case ir.OpIf:
		holds := w.truths[p.A(r)]
		if holds != never {
			w.region(first, certain && holds == always)
		}
		if holds != always {
			w.region(first+1, certain && holds == never)
		}
	case ir.OpBlock:
		w.region(first, certain)
		delete(w.left, r)
	default: // a loop
		w.region(first, false)
		delete(w.left, r)
	}
}

// access keeps an access of memory that is not the stage's own.
func (w *scanner) access(r ir.Row, certain bool) {
	p := w.p
	o := p.Objects()[p.X(r)]
	if o.Param == nil {
		return
	}
	a := access{row: r, binding: w.stage.args[o.Index].binding, field: int(p.X(r)) - int(o.First),
		writes: p.Op(r).Info().Attr&ir.Writes != 0, certain: certain}
	if op := p.Op(r); op == ir.OpLoad || op == ir.OpStore {
		a.plain, a.index = true, w.forms.forms[p.A(r)]
	}
	w.found = append(w.found, a)
}
