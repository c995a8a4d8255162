package ptx

import (
	"math/bits"

	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/ir"
)

// How often a program is tried: with other inputs, along other ways, and around its loops.
const (
	lowInputs = 12
	lowWays   = 4
	lowRounds = 3
)

// lowBits is how many constant bits of a low word are enough to go wrong.
const lowBits = 8

// findLowKnown finds the 64-bit products by constants, left shifts and doublings among them, of which much of the low
// word is constant: after ((x<<16+1)<<16+1)<<16 the low word is 0x00010000. Where something
// is added to such a product, ptxas (11.8 and 13.0) adds to the high word without having multiplied it. It does so in
// chains, where the factor is such a product itself, and where the whole low word is constant.
//
// What an assembler may know of a bit is not guessed: if two runs with different inputs give different bits, nobody
// can know it. So the values are computed with arbitrary inputs, and a bit that is always the same counts as known.
// The inputs of a run are a hash of what they are read from, so equal loads are equal; a run takes each merge from an
// arbitrary side, since the assembler may know that a loop has one round. O(rows × ways × inputs) at worst, and two
// inputs end it where nothing is found.
func (s *selector) findLowKnown() {
	t := &lowTrial{p: s.p}
	products := 0
	for r := range ir.Row(s.p.Rows()) {
		switch {
		case !is64(s.p.Type(r)):
		case s.timesConstant(r):
			products++
			t.watched = append(t.watched, r)
		case (s.p.Op(r) == ir.OpAdd || s.p.Op(r) == ir.OpSub) && (s.timesConstant(s.p.A(r)) || s.timesConstant(s.p.B(r))):
			t.watched = append(t.watched, r)
		}
	}
	if products < 2 {
		return // it takes one to know the low word, and another one to go wrong
	}
	chained := s.chained()
	for i, low := range t.run() {
		r, constant := t.watched[i], low.constant
		for _, product := range [3]ir.Row{r, s.p.A(r), s.p.B(r)} {
			if s.timesConstant(product) && (chained[s.p.A(product)] && constant >= lowBits || constant == 32 && uint32(factor(s.p, product)) != 0) {
				s.byHalves(product)
			}
		}
	}
}

// byHalves has a product made of 32-bit halves.
func (s *selector) byHalves(product ir.Row) {
	if s.halfKnown == nil {
		s.halfKnown = make(map[ir.Row]bool)
	}
	s.halfKnown[product] = true
}

// chained returns which rows are products by constants, or made of such by ops on integers.
func (s *selector) chained() []bool {
	of := make([]bool, s.p.Rows())
	for range 2 { // once more for what goes round loops
		for r := range ir.Row(s.p.Rows()) {
			switch s.p.Op(r) {
			case ir.OpArg, ir.OpRes:
			case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
				to := targetOf(s.p, r)
				for i, v := range s.p.List(r) {
					of[to+ir.Row(i)] = of[to+ir.Row(i)] || of[v]
				}
			default:
				if exact.Of(s.p.Op(r)) == nil || !s.p.Type(r).IsInt() {
					continue
				}
				of[r] = s.timesConstant(r)
				for i, v := range [3]ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
					of[r] = of[r] || i < s.p.Op(r).Info().Args && of[v]
				}
			}
		}
	}
	return of
}

func is64(t ir.Type) bool { return t == ir.I64 || t == ir.U64 }

// timesConstant reports whether a row is a 64-bit product by a constant.
func (s *selector) timesConstant(r ir.Row) bool {
	return is64(s.p.Type(r)) && factor(s.p, r) > 1
}

// factor is the constant by which a row multiplies its first operand; 1 if it does not.
func factor(p *ir.Program, r ir.Row) uint64 {
	switch p.Op(r) {
	case ir.OpAdd:
		if p.A(r) == p.B(r) && p.Type(r).IsInt() {
			return 2
		}
	case ir.OpMul:
		if p.Type(r).IsInt() && p.Op(p.B(r)) == ir.OpConst {
			return p.Const(p.B(r))
		}
	case ir.OpShl:
		if p.Op(p.B(r)) == ir.OpConst {
			return 1 << p.Const(p.B(r)) // 0 from 64 on
		}
	}
	return 1
}

// lowTrial computes the values of a program's rows.
type lowTrial struct {
	p       *ir.Program
	watched []ir.Row

	vals []uint64
	fed  []bool // rows of merges that have a value
	way  uint64
	in   uint64
}

// seen is what the runs along one way have shown of a watched row.
type seen struct{ first, varies uint64 }

// constant is how many bits of the low word were always the same.
func (v seen) constant() int { return 32 - bits.OnesCount32(uint32(v.varies)) }

// lowKnown is what the trial of a program found of a low word.
type lowKnown struct {
	constant int    // how many bits were always the same, along the way where most were
	greatest uint32 // the greatest one that was always the same as a whole
}

// run returns what is known of the low word of each watched row.
func (t *lowTrial) run() []lowKnown {
	ways, rounds := 1, 1
	for r := range ir.Row(t.p.Rows()) {
		switch t.p.Op(r) {
		case ir.OpLoop:
			ways, rounds = lowWays, lowRounds
		case ir.OpBreak, ir.OpYield:
			ways = lowWays
		}
	}
	known := make([]lowKnown, len(t.watched))
	t.vals, t.fed = make([]uint64, t.p.Rows()), make([]bool, t.p.Rows())
	all := make([]seen, rounds*len(t.watched))
	for t.way = range uint64(ways) {
		for t.in = range uint64(lowInputs) {
			clear(t.fed)
			open := t.in == 0
			for k := range all {
				if k%len(t.watched) == 0 {
					t.compute()
				}
				v := t.vals[t.watched[k%len(t.watched)]]
				if t.in == 0 {
					all[k] = seen{first: v}
				}
				all[k].varies |= v ^ all[k].first
				open = open || all[k].constant() >= lowBits
			}
			if !open {
				break
			}
		}
		for k, v := range all {
			low := &known[k%len(t.watched)]
			low.constant = max(low.constant, v.constant())
			if v.constant() == 32 {
				low.greatest = max(low.greatest, uint32(v.first))
			}
		}
	}
	return known
}

// compute goes through the program once. What merges have from the last time, they may keep.
func (t *lowTrial) compute() {
	for r := range ir.Row(t.p.Rows()) {
		switch t.p.Op(r) {
		case ir.OpArg, ir.OpRes: // what reaches them says it, and of a parameter nobody
			if !t.fed[r] {
				t.vals[r] = mixed(t.in, uint64(r)) & t.p.Type(r).Mask()
			}
		case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
			to := targetOf(t.p, r)
			for i, v := range t.p.List(r) {
				at := to + ir.Row(i)
				if !t.fed[at] || mixed(t.way, uint64(at), uint64(r))&1 == 0 {
					t.vals[at], t.fed[at] = t.vals[v], true
				}
			}
		default:
			t.vals[r] = t.value(r)
		}
	}
}

// value computes a row that is no merge: exactly if an op without effects is defined to the bit, else as a hash of what
// it depends on. A load from a local array depends on its index alone: the assembler may know what was stored.
func (t *lowTrial) value(r ir.Row) uint64 {
	p, op, typ := t.p, t.p.Op(r), t.p.Type(r)
	in := op.Info()
	var arg [3]uint64
	rows := [3]ir.Row{p.A(r), p.B(r), p.C(r)}
	for i, v := range rows {
		if v != ir.NoRow && i < in.Args {
			arg[i] = t.vals[v]
		}
	}
	switch {
	case typ == ir.None:
		return 0
	case op == ir.OpConst:
		return p.Const(r)
	case exact.Of(op) != nil && in.Attr&ir.Approximate == 0:
		of := ir.None
		if in.Typed > 0 {
			of = p.Type(rows[in.Typed-1])
		}
		return exact.Eval(op, of, typ, p.X(r), arg[0], arg[1], arg[2])
	}
	input := t.in
	if in.Attr&(ir.Reads|ir.Atomic) == 0 && in.Args > 0 || loadsLocal(p, r) {
		input = 0
	}
	v := mixed(input, uint64(op)<<32|uint64(p.X(r)), arg[0], arg[1], arg[2])
	switch op {
	case ir.OpLocal:
		return v % uint64(p.Workgroup()[p.X(r)])
	case ir.OpLane, ir.OpWarp, ir.OpGroup:
		return v % 32 // whatever the launch, it may be as small
	}
	return v & typ.Mask()
}

// mixed is a hash of some numbers: the finisher of MurmurHash3 after each.
func mixed(words ...uint64) uint64 {
	h := uint64(0x9E37_79B9_7F4A_7C15)
	for _, w := range words {
		h ^= w
		h = (h ^ h>>33) * 0xFF51_AFD7_ED55_8CCD
		h = (h ^ h>>33) * 0xC4CE_B9FE_1A85_EC53
		h ^= h >> 33
	}
	return h
}

// targetOf is the first of the rows that take the list of a row.
func targetOf(p *ir.Program, r ir.Row) ir.Row {
	regions := p.Regions()
	results := func(x ir.Row) ir.Row { return regions[p.X(x)+uint32(p.Op(x).Info().Owns)-1].End }
	switch p.Op(r) {
	case ir.OpLoop:
		return regions[p.X(r)].First
	case ir.OpContinue:
		return regions[p.X(ir.Row(p.X(r)))].First
	case ir.OpBreak:
		return results(ir.Row(p.X(r)))
	}
	return results(regions[p.Region(r)].Op)
}

// timesByHalves multiplies a 64-bit value by a constant in words of 32 bits.
func (s *selector) timesByHalves(a operand, by uint64) operand {
	lo, hi := s.split(a.as(tB64))
	first, above := u32(uint32(by)), u32(uint32(by>>32))
	if first.bits == 0 {
		return s.joined(classRD, first, s.do(opMulLo, tU32, lo, above))
	}
	product, carry := s.split(s.doInto(s.newReg(classRD), opMulWide, tU32, lo, first))
	high := s.do(opAdd, tU32, s.do(opMulLo, tU32, hi, first), carry)
	if above.bits != 0 {
		high = s.do(opAdd, tU32, s.do(opMulLo, tU32, lo, above), high)
	}
	return s.joined(classRD, product, high)
}
