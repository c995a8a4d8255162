package ptx

import "github.com/govyre/vyre/ir"

// findSameLow finds the conversions of 64 bits of which the low word is that of what another one converts. ptxas (11.8 and
// the driver for CUDA 13.0) leaves a machine instruction out that stands already: of the pair of registers that it reads,
// the lower one is looked at, and whether that is written in between. Two conversions of values with one low word may take
// it from one register, and of the second one nothing was left though the upper register had changed.
//
// Which low words are the same is not guessed: see findLowKnown. All but the first conversion of a low word are given
// another register, with what hides it. O(rows), and a trial of the program if it has two such conversions.
func (s *selector) findSameLow() {
	t := &sameLow{found: make(map[ir.Row]bool)}
	bits := chains{next: bitsFrom(s.p)}
	for r := range ir.Row(s.p.Rows()) {
		if readsPair(s.p, r) && !s.idle(r) && s.p.Op(s.p.A(r)) != ir.OpConst {
			t.rows, t.values = append(t.rows, r), append(t.values, bits.from(s.p.A(r)).first)
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

// bitsFrom follows rows to what they have their bits of, if they are another type's value for them.
func bitsFrom(p *ir.Program) func(v ir.Row) (ir.Row, bool, bool) {
	return func(v ir.Row) (ir.Row, bool, bool) {
		op := p.Op(v)
		return p.A(v), false, op == ir.OpBitcast || op == ir.OpCvt && is64(p.Type(v)) && is64(p.Type(p.A(v)))
	}
}

// sameLow watches for conversions whose operands have one low word and are not one row. What is equal as a whole counts as
// well: a smaller one of two values may be one of them nearly always.
type sameLow struct {
	rows   []ir.Row // conversions
	values []ir.Row // what they convert, by number of the row
	found  map[ir.Row]bool

	all []uint64 // hashes of what the low words were with all inputs, by round and number
}

func (t *sameLow) watched() []ir.Row { return t.values }

func (t *sameLow) see(round int, first bool, vals []uint64) {
	at := round * len(t.rows)
	if len(t.all) == at {
		t.all = append(t.all, make([]uint64, len(t.rows))...)
	}
	for i, v := range t.values {
		w := &t.all[at+i]
		if first {
			*w = 0
		}
		*w = mixed(*w, uint64(uint32(vals[v])))
	}
}

// pairs returns the rows whose low word is that of one before them in the program.
func (t *sameLow) pairs() []ir.Row {
	var rows []ir.Row
	first := make(map[uint64]ir.Row) // by low word: the first value that has it
	for i, r := range t.rows {
		again := false
		for k := i; k < len(t.all); k += len(t.rows) {
			if v, ok := first[t.all[k]]; !ok {
				first[t.all[k]] = t.values[i]
			} else if v != t.values[i] {
				again = true
			}
		}
		if again && !t.found[r] {
			rows = append(rows, r)
		}
	}
	return rows
}

func (t *sameLow) undecided() bool { return len(t.pairs()) > 0 }

func (t *sameLow) end() {
	for _, r := range t.pairs() {
		t.found[r] = true
	}
}
