package ptx

import (
	"time"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// stages are the passes over one function by the names that the table of package compile has for them. Each takes the
// instructions that the one before left.
var stages = map[string]func(*function){
	"ptx.lanes":     (*function).lanes,
	"ptx.carries":   (*function).carries,
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
func (f *function) stages(runs []compile.Run) error {
	for _, r := range runs {
		if r.Group != compile.Text || r.Name == printing {
			continue
		}
		visits, start := f.visits, time.Now()
		f.at = ir.NoRow
		if err := compile.Guard(r.Name, f.p.Name(), f.where, func() { stages[r.Pass](f) }); err != nil {
			return err
		}
		if f.trace != nil {
			f.step(f.stats(r.Name, visits, start), f.listing())
		}
	}
	return nil
}

// print appends the text of f to that of w.
func (f *function) print(w *printer) error {
	visits, start, begin, line := f.visits, time.Now(), len(w.out), w.line
	if err := compile.Guard(printing, f.p.Name(), f.where, func() { f.lines = w.function(f) }); err != nil {
		return err
	}
	if f.trace != nil {
		l := Listing{Text: string(w.out[begin:]), Lines: make([]Line, len(f.lines))}
		for i, at := range f.lines {
			l.Lines[i] = Line{at.Line - line + 1, at.Row}
		}
		f.step(f.stats(printing, visits, start), l)
	}
	return nil
}

// step tells what there is after a run.
func (f *function) step(s compile.Stats, l Listing) {
	f.trace(Step{Stats: s, Kernel: f.p.Name(), Changed: l.Text != f.traced, Program: f.p, Listing: &l})
	f.traced = l.Text
}

// stats says what a run has done since it started with so many visits.
func (f *function) stats(run string, visits int, start time.Time) compile.Stats {
	n := len(f.insts)
	if f.sel != nil {
		n = len(f.sel.prologue) + len(f.sel.code)
	}
	return compile.Stats{Run: run, Pass: run, Time: time.Since(start), Visits: f.visits - visits, Rows: n}
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
	for _, r := range compile.Table() {
		if r.Group == compile.Text && r.Name != printing && stages[r.Pass] == nil {
			panic("BUG: ptx: the pass " + r.Pass + " has no function")
		}
	}
}
