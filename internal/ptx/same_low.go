package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// findSameLow finds the conversions of 64 bits of which the low word is that of what another one converts. ptxas (11.8 and
// the driver for CUDA 13.0) leaves a machine instruction out that stands already: of the pair of registers that it reads,
// the lower one is looked at, and whether that is written in between. Two conversions of values with one low word may take
// it from one register, and of the second one nothing was left though the upper register had changed.
//
// Which low words are the same is not guessed: see findLowKnown. All but the first conversion of a low word are given
// another register, with what hides it. O(rows), and a trial of the program if it has two such conversions.
func (s *selector) findSameLow() {
	t := &sameLow{found: make(map[ir.Row]bool)}
	for r := range ir.Row(s.p.Rows()) {
		if readsPair(s.p, r) && !s.idle(r) && s.p.Op(s.p.A(r)) != ir.OpConst {
			t.rows, t.values = append(t.rows, r), append(t.values, s.p.A(r))
		}
	}
	if len(t.rows) < 2 {
		return
	}
	(&lowTrial{p: s.p}).run(t)
	s.sameLow = t.found
}

// readsPair reports whether a row is one machine instruction that reads 64 bits and converts them. Of arithmetic on 64 bits
// nothing of the kind was seen.
func readsPair(p *ir.Program, r ir.Row) bool {
	switch p.Op(r) {
	case ir.OpCvt:
		from, to := p.Type(p.A(r)), p.Type(r)
		return from.Bits() == 64 && (from.IsFloat() || to.IsFloat())
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRint:
		return p.Type(r) == ir.F64
	}
	return false
}

// sameLow watches for conversions whose operands have one low word and are not the same.
type sameLow struct {
	rows   []ir.Row // conversions
	values []ir.Row // what they convert, by number of the row
	found  map[ir.Row]bool

	all []lowAndAll // by round and number
}

// lowAndAll are hashes of what a value was with all inputs: of its low word, and of all of it.
type lowAndAll struct{ low, all uint64 }

func (t *sameLow) watched() []ir.Row { return t.values }

func (t *sameLow) see(round int, first bool, vals []uint64) {
	at := round * len(t.rows)
	if len(t.all) == at {
		t.all = append(t.all, make([]lowAndAll, len(t.rows))...)
	}
	for i, v := range t.values {
		w := &t.all[at+i]
		if first {
			*w = lowAndAll{}
		}
		w.low, w.all = mixed(w.low, uint64(uint32(vals[v]))), mixed(w.all, vals[v])
	}
}

// pairs calls found with each row whose low word is that of one before it in the program, until that returns false.
func (t *sameLow) pairs(found func(ir.Row) bool) {
	type seen struct {
		row ir.Row
		all uint64
	}
	first := make(map[uint64]seen) // by low word: the first row, and its value
	for i, r := range t.rows {
		for k := i; k < len(t.all); k += len(t.rows) {
			w := t.all[k]
			if f, ok := first[w.low]; !ok {
				first[w.low] = seen{r, w.all}
			} else if f.row != r && f.all != w.all && !t.found[r] && !found(r) {
				return
			}
		}
	}
}

func (t *sameLow) undecided() bool {
	some := false
	t.pairs(func(ir.Row) bool { some = true; return false })
	return some
}

func (t *sameLow) end() {
	var found []ir.Row
	t.pairs(func(r ir.Row) bool { found = append(found, r); return true })
	for _, r := range slices.Compact(found) {
		t.found[r] = true
	}
}
