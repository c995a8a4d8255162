package opt

import (
	"maps"
	"strconv"
	"strings"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/ir"
)

// Explain makes a proof that a class is equal to a term.
type Explain func(g *egraph.Graph, c egraph.Class, t *egraph.Term) (*egraph.Proof, error)

// Equated is a value that egraph has put in the place of an equal one.
type Equated struct {
	Row   ir.Row // in the result of the run
	Proof *egraph.Proof

	leaves map[string]ir.Row // by their names in the proof: those without one of their own, in the result
}

// proofOf is a proof of the work: rows are its.
type proofOf struct {
	row    ir.Row
	proof  *egraph.Proof
	leaves map[string]ir.Row
}

// explain keeps a proof that value v, which was put in the place of row r, is equal to what was there.
func (p *placing) explain(part *equatedPart, r, v ir.Row, t *egraph.Term, root int) {
	if p.w.left.explain == nil {
		return
	}
	one := *t
	one.Roots = []int{root}
	proof, err := p.w.left.explain(part.g, part.class[r], &one)
	if err != nil {
		panic("BUG: opt: " + err.Error())
	}
	leaves := make(map[string]ir.Row)
	for h, l := range part.leaves {
		if l != ir.NoRow {
			leaves[part.g.Info(egraph.Head(h)).Name] = l
		}
	}
	p.w.left.proofs = append(p.w.left.proofs, proofOf{v, proof, leaves})
}

// whyMark begins the message by which a row of the work is found in the result. It takes messages of rows that have none.
const whyMark = "\x00row "

// mark gives the rows that proofs are about a message.
func (r *run) mark() {
	w := r.work
	if w == nil || len(w.left.proofs) == 0 {
		return
	}
	messages := maps.Clone(w.Debug.Messages)
	if messages == nil {
		messages = make(map[ir.Row]string)
	}
	put := func(v ir.Row) { messages[w.find(v)] = whyMark + strconv.Itoa(int(w.find(v))) }
	for _, p := range w.left.proofs {
		put(p.row)
		for _, v := range p.leaves {
			put(v)
		}
	}
	for i, p := range w.left.proofs {
		w.left.proofs[i].row = w.find(p.row)
		for name, v := range p.leaves {
			p.leaves[name] = w.find(v)
		}
	}
	w.Debug.Messages = messages
	w.edits++
}

// equated are the proofs about rows of the last program.
func (l *left) equated(p *ir.Program) (list []Equated) {
	if len(l.proofs) == 0 {
		return nil
	}
	at := make(map[ir.Row]ir.Row)
	for r := range ir.Row(p.Rows()) {
		if text, ok := strings.CutPrefix(p.Message(r), whyMark); ok {
			n, _ := strconv.Atoi(text)
			at[ir.Row(n)] = r
		}
	}
	for _, proof := range l.proofs {
		row, ok := at[proof.row]
		if !ok {
			continue
		}
		e := Equated{Row: row, Proof: proof.proof, leaves: make(map[string]ir.Row)}
		for name, v := range proof.leaves {
			if r, ok := at[v]; ok {
				e.leaves[name] = r
			}
		}
		list = append(list, e)
	}
	return list
}

// Text is the proof with the names that values have in the listing of the result.
func (e *Equated) Text(names []string) string {
	var out strings.Builder
	rest := e.Proof.String()
	for {
		text, leaf, more := strings.Cut(rest, "%")
		out.WriteString(text)
		if !more {
			return out.String()
		}
		end := strings.IndexAny(leaf, " ()\n")
		if end < 0 {
			end = len(leaf)
		}
		name := leaf[:end]
		if r, ok := e.leaves["%"+name]; ok && int(r) < len(names) && names[r] != "" {
			name = names[r]
		}
		out.WriteString("%" + name)
		rest = leaf[end:]
	}
}
