package ptx

import (
	"time"

	"github.com/govyre/vyre/internal/passes"
	"github.com/govyre/vyre/ir"
)

// stages are the passes over one function by the names that the table of package passes has for them. Each takes the
// instructions that the one before left.
var stages = map[string]func(*function){
	"ptx.lanes":     (*function).lanes,
	"ptx.select":    (*function).choose,
	"ptx.address":   (*function).address,
	"ptx.predicate": (*function).predicate,
	"ptx.copies":    (*function).copies,
	"ptx.dce":       (*function).dce,
	"ptx.sink":      (*function).sink,
	"ptx.align":     (*function).align,
}

// printing is the last pass. It is not among the stages, since one text holds all functions of a module.
const printing = "ptx.print"

// stages runs those of the group text but for printing.
func (f *function) stages(runs []passes.Run, trace func(passes.Stats, *ir.Program, Listing)) error {
	for _, r := range runs {
		if r.Group != passes.Text || r.Name == printing {
			continue
		}
		visits, start := f.visits, time.Now()
		f.at = ir.NoRow
		if err := passes.Guard(r.Name, f.p.Name(), f.where, func() { stages[r.Pass](f) }); err != nil {
			return err
		}
		if trace != nil {
			trace(f.stats(r.Name, visits, start), f.p, f.listing())
		}
	}
	return nil
}

// print appends the text of f to that of w.
func (f *function) print(w *printer, trace func(passes.Stats, *ir.Program, Listing)) error {
	visits, start, begin, line := f.visits, time.Now(), len(w.out), w.line
	if err := passes.Guard(printing, f.p.Name(), f.where, func() { f.lines = w.function(f) }); err != nil {
		return err
	}
	if trace != nil {
		l := Listing{Text: string(w.out[begin:]), Lines: make([]Line, len(f.lines))}
		for i, at := range f.lines {
			l.Lines[i] = Line{at.Line - line + 1, at.Row}
		}
		trace(f.stats(printing, visits, start), f.p, l)
	}
	return nil
}

// stats says what a run has done since it started with so many visits.
func (f *function) stats(run string, visits int, start time.Time) passes.Stats {
	n := len(f.insts)
	if f.sel != nil {
		n = len(f.sel.prologue) + len(f.sel.code)
	}
	return passes.Stats{Run: run, Pass: run, Time: time.Since(start), Visits: f.visits - visits, Rows: n}
}

// where tells the row that the stage is at, and its place in the source.
func (f *function) where() (ir.Row, ir.Pos) {
	at := f.at
	if f.sel != nil {
		at = f.sel.row
	}
	if at == ir.NoRow {
		return at, ir.Pos{}
	}
	return at, f.p.Pos(at)
}

func init() {
	for _, r := range passes.Table() {
		if r.Group == passes.Text && r.Name != printing && stages[r.Pass] == nil {
			panic("BUG: ptx: the pass " + r.Pass + " has no function")
		}
	}
}
