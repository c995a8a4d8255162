package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// A value of 64 bits is made of two words. Which value's high word a sum takes, ptxas (11.8 and the driver for CUDA 13.0)
// tells by the low one: if that comes to the low word of another value, but for a constant, the high word is taken of that
// other one. Of x·2147483647·2147483647 + 7 it makes x + 7, since the product of the factors ends in 1; of
// (x<<26)·155555745 + 7 it makes (x<<26) + 7; and of x·a + x·b + x·c + 7, where a + b + c ends in 1, x + 7 again. Values of
// which the low word is the same, but for a constant and the sign, and the high word is not, are called twins here.
//
// Like known bits they are not guessed: low words that change alike, whatever the inputs are, are the same for somebody who
// gathers factors. Rows that gather no two factors are left as they are, and so is what is the same as a whole.

// twin is a row as the runs along a way have shown it. The rows are those of 64 bits, and count once for each round.
type twin struct {
	first    uint64 // its value with the first inputs
	low, all uint64 // hashes of how the low word, and all of it, differs from that; the sign is left out
	part     uint64 // as all, of the product by the low word of the factor, which is multiplied first
	partFrom uint64 // what that was with the first inputs
	sign     int8   // by which it is taken, 0 as long as both are the same for the low word
	varies   bool   // whether the low word is not constant
}

// lowTwins watches for twins.
type lowTwins struct {
	p       *ir.Program
	rows    []ir.Row
	factors []uint8 // by row of the program: how many products by constants it gathers, 2 for more

	all   []twin // by round and row
	order []int32
	found map[ir.Row]bool
}

// lowTwins returns the watcher of a program, nil if no row gathers two factors.
func (s *selector) lowTwins() *lowTwins {
	t := &lowTwins{p: s.p, factors: s.factors(), found: make(map[ir.Row]bool)}
	for r := range ir.Row(s.p.Rows()) {
		if is64(s.p.Type(r)) && s.p.Op(r) != ir.OpConst {
			t.rows = append(t.rows, r)
		}
	}
	if len(t.factors) == 0 || slices.Max(t.factors) < 2 {
		return nil
	}
	return t
}

// factors returns how many products by constants, and sums that are such, each 64-bit row gathers, 2 for more.
func (s *selector) factors() []uint8 {
	n := make([]uint8, s.p.Rows())
	for range 2 { // once more for what goes round loops
		for r := range ir.Row(s.p.Rows()) {
			op, a, b := s.p.Op(r), s.p.A(r), s.p.B(r)
			switch {
			case op == ir.OpLoop || op == ir.OpContinue || op == ir.OpBreak || op == ir.OpYield:
				to := targetOf(s.p, r)
				for i, v := range s.p.List(r) {
					n[to+ir.Row(i)] = max(n[to+ir.Row(i)], n[v])
				}
			case !is64(s.p.Type(r)):
			case op == ir.OpMulWide:
				n[r] = 1
			case s.timesConstant(r):
				n[r] = min(2, n[a]+1)
			case s.doubles(r):
				n[r] = min(2, n[a]+n[b]+1)
			case op == ir.OpAdd || op == ir.OpSub:
				n[r] = min(2, n[a]+n[b])
			case op == ir.OpNeg || op == ir.OpNot || op == ir.OpCvt || op == ir.OpBitcast:
				n[r] = n[a]
			case op == ir.OpSelect:
				n[r] = max(n[b], n[s.p.C(r)])
			}
		}
	}
	return n
}

func (t *lowTwins) watched() []ir.Row { return t.rows }

func (t *lowTwins) see(round int, first bool, vals []uint64) {
	at := round * len(t.rows)
	if len(t.all) == at {
		t.all = append(t.all, make([]twin, len(t.rows))...)
	}
	for i, r := range t.rows {
		w, v := &t.all[at+i], vals[r]
		part := v
		if by := factor(t.p, r); by>>32 != 0 && int64(by) != int64(int32(by)) {
			part = vals[t.p.A(r)] * uint64(uint32(by))
		}
		if first {
			*w = twin{first: v, partFrom: part}
			continue
		}
		w.change(v-w.first, part-w.partFrom)
	}
}

// change takes by how much a value and its part differ from the first.
func (w *twin) change(by, part uint64) {
	if low := uint32(by); w.sign == 0 && low != -low {
		w.sign = 1
		if int32(low) < 0 {
			w.sign = -1
		}
	}
	switch w.sign {
	case 0:
		by, part = min(by, -by), min(part, -part)
	case -1:
		by, part = -by, -part
	}
	w.varies = w.varies || uint32(by) != 0
	w.low, w.all, w.part = mixed(w.low, uint64(uint32(by))), mixed(w.all, by), mixed(w.part, part)
}

// pairs calls found with the number of each twin of one before it, until that returns false. O(n log n).
func (t *lowTwins) pairs(found func(k int32) bool) {
	t.order = t.order[:0]
	for k, w := range t.all {
		if w.varies {
			t.order = append(t.order, int32(k))
		}
	}
	slices.SortFunc(t.order, func(j, k int32) int {
		switch a, b := t.all[j].low, t.all[k].low; {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return int(j - k)
	})
	var before twin
	alike := false // whether those before with the same low word are the same
	for i, k := range t.order {
		w := t.all[k]
		if i == 0 || w.low != before.low {
			before, alike = w, w.part == w.all
			continue
		}
		alike = alike && w.all == before.all && w.part == before.all
		if r := t.rows[int(k)%len(t.rows)]; !alike && t.factors[r] > 1 && !found(k) {
			return
		}
	}
}

func (t *lowTwins) undecided() bool {
	some := false
	t.pairs(func(int32) bool { some = true; return false })
	return some
}

func (t *lowTwins) end() {
	t.pairs(func(k int32) bool { t.found[t.rows[int(k)%len(t.rows)]] = true; return true })
}

// hideTwins hides low words so that the assembler sees no twins: of what a product multiplies, and of one of two values
// that are added. Other rows are but for a constant what they are made of, which is a twin as well.
func (s *selector) hideTwins(t *lowTwins) {
	if t == nil {
		return
	}
	for r := range t.found {
		op, a, b := s.p.Op(r), s.p.A(r), s.p.B(r)
		sum := (op == ir.OpAdd || op == ir.OpSub) && s.p.Op(a) != ir.OpConst && s.p.Op(b) != ir.OpConst
		if s.timesConstant(r) || sum {
			s.hideLow(r)
		}
	}
}

// doubles reports whether a row adds or subtracts two multiples of one value, up to constants: x + (x + c) is twice x, and c.
func (s *selector) doubles(r ir.Row) bool {
	op := s.p.Op(r)
	return (op == ir.OpAdd || op == ir.OpSub) && s.multipleOf(s.p.A(r)) == s.multipleOf(s.p.B(r))
}

// multipleOf returns what a row is a multiple of, up to a constant. It looks through a few rows: O(1).
func (s *selector) multipleOf(v ir.Row) ir.Row {
	for range 8 {
		switch op, a, b := s.p.Op(v), s.p.A(v), s.p.B(v); {
		case (op == ir.OpAdd || op == ir.OpSub) && s.p.Op(b) == ir.OpConst, op == ir.OpNeg, op == ir.OpNot, s.timesConstant(v):
			v = a
		case op == ir.OpSub && s.p.Op(a) == ir.OpConst:
			v = b
		case (op == ir.OpCvt || op == ir.OpBitcast) && is64(s.p.Type(a)):
			v = a
		default:
			return v
		}
	}
	return v
}
