package opt

import (
	"github.com/govyre/vyre/internal/passes"
	"github.com/govyre/vyre/ir"
)

// Report says what a run did. Its JSON form is stable.
type Report struct {
	Kernel   string         `json:"kernel"`
	Passes   []passes.Stats `json:"passes"` // in the order they ran
	Before   Totals         `json:"before"`
	After    Totals         `json:"after"`
	Verified int            `json:"verified"` // how often the program was sealed on the way
}

// Totals counts what matters in a program.
type Totals struct {
	Rows     int `json:"rows"`
	Accesses int `json:"accesses"` // loads, stores and atomics
	InBounds int `json:"inBounds"` // of them, proven so
	Vectors  int `json:"vectors"`  // of them, of two or four elements
	Barriers int `json:"barriers"`
}

// hit counts a rewrite by the name of its rule.
func (w *work) hit(rule string) {
	if w.stats.Rewrites == nil {
		w.stats.Rewrites = make(map[string]int)
	}
	w.stats.Rewrites[rule]++
}

// linked counts the rows that the work has, constants aside.
func (w *work) linked() int {
	return w.Rows() - w.consts.n - w.removed
}

// Count counts what a program has.
func Count(p *ir.Program) Totals {
	t := Totals{Rows: p.Rows()}
	for r := range ir.Row(p.Rows()) {
		in := p.Op(r).Info()
		if in.Attr&ir.Barrier != 0 {
			t.Barriers++
		}
		if in.Imm != ir.ImmObject || in.Attr&(ir.Reads|ir.Writes) == 0 {
			continue
		}
		t.Accesses++
		if p.Flags(r).InBounds() {
			t.InBounds++
		}
		if in.Vec != 0 {
			t.Vectors++
		}
	}
	return t
}
