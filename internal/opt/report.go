package opt

import (
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// Report says what a run did. Its JSON form is stable.
type Report struct {
	Kernel   string          `json:"kernel"`
	Passes   []compile.Stats `json:"passes"` // in the order they ran
	Before   Totals          `json:"before"`
	After    Totals          `json:"after"`
	Verified int             `json:"verified"` // how often the program was sealed on the way

	// Notes say what the passes left that costs time: arrays in local memory, loops over constants that are loops still.
	Notes []Note `json:"notes,omitempty"`

	Equated []Equated `json:"-"` // with Options.Explain, the values that egraph has replaced and that are there in the end
}

// Note says what was left at a place of the source, and why.
type Note struct {
	Pos ir.Pos `json:"-"`
	Msg string `json:"msg"`

	// Asked says of a check that the source asks for it, by gpu.At, gpu.Put, or a load or store of a fragment.
	Asked bool `json:"-"`
}

// left is what passes know of what they left. The pass that decides gives the reason, so the two cannot differ.
type left struct {
	arrays map[arrayKey]string // local arrays, by mem2reg
	loops  map[ir.Pos]string   // loops with a known number of rounds, by unroll

	explain Explain // proofs are made by it, and kept
	proofs  []proofOf
}

// arrayKey is an array as every program on the way has it.
type arrayKey struct {
	pos  ir.Pos
	name string
}

// notes returns the reasons for what the last program still has, arrays first.
func (l *left) notes(p *ir.Program) (notes []Note) {
	for _, o := range p.Objects() {
		if !o.Local() || o.Array == nil {
			continue
		}
		if why := l.arrays[arrayKey{o.Array.Pos, o.Array.Name}]; why != "" {
			notes = append(notes, Note{Pos: o.Array.Pos, Msg: "array " + o.Array.Name + " is in local memory, because " + why})
		}
	}
	said := make(map[ir.Pos]bool)
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) != ir.OpLoop {
			continue
		}
		pos := p.Pos(r)
		if why := l.loops[pos]; why != "" && !said[pos] {
			said[pos] = true
			notes = append(notes, Note{Pos: pos, Msg: "the loop is not unrolled, because " + why})
		}
	}
	return notes
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
