package ptx

import (
	"math/bits"
	"slices"

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
// arbitrary side, since the assembler may know that a loop has one round, and the next way from the other. So no merge of two
// is taken for one of them by chance. The same runs show low words that are those of
// other values, see findTwins. O(rows × ways × inputs) at worst, and two inputs end it where nothing is found.
func (s *selector) findLowKnown() {
	known := &lowConstants{}
	products := 0
	for r := range ir.Row(s.p.Rows()) {
		switch {
		case !is64(s.p.Type(r)):
		case s.timesConstant(r):
			products++
			known.rows = append(known.rows, r)
		case s.p.Op(r) == ir.OpAdd || s.p.Op(r) == ir.OpSub:
			if s.timesConstant(s.p.A(r)) || s.timesConstant(s.p.B(r)) {
				known.rows = append(known.rows, r)
			}
			if s.doubles(r) {
				products++
			}
		}
	}
	if products < 2 {
		return // it takes one to know the low word, and another one to go wrong
	}
	watchers := []lowWatcher{known}
	twins := s.lowTwins()
	if twins != nil {
		watchers = append(watchers, twins)
	}
	(&lowTrial{p: s.p}).run(watchers...)
	chained := s.madeOfProducts()
	for i, low := range known.found {
		r, constant := known.rows[i], low.constant
		for _, product := range [3]ir.Row{r, s.p.A(r), s.p.B(r)} {
			if s.timesConstant(product) && (chained[s.p.A(product)] && constant >= lowBits || constant == 32 && uint32(factor(s.p, product)) != 0) {
				s.hideLow(product)
			}
		}
	}
	s.hideTwins(twins)
}

// hideLow has the low word of an operand of a row combined with a zero that the assembler does not know.
func (s *selector) hideLow(r ir.Row) {
	if s.hiddenLow == nil {
		s.hiddenLow = make(map[ir.Row]bool)
	}
	s.hiddenLow[r] = true
}

// lowHidden is the value a, the operand of row r of which the low word is hidden if r asks for it. No two rows hide with the
// same zero: where two values have the same low word, it would be hidden to the same, and ptxas (11.8 and the driver for CUDA
// 13.0) takes the high word of low·c + x for that of low·c + y if x and y have the same low word. So each row leaves other bits
// of its zero out, eight at most, the first none.
func (s *selector) lowHidden(r ir.Row, a operand) operand {
	if !s.hiddenLow[r] && !s.sameLow[r] || a.kind == isImm {
		return a
	}
	lo, hi := s.split(a.as(tB64))
	zero := s.nothing()
	if out := s.hidings % 256; out > 0 {
		zero = s.do(opAnd, tB32, zero, u32(^out).as(tB32))
	}
	s.hidings++
	return s.joined(a.reg.class(), s.do(opXor, tB32, lo, zero), hi)
}

// madeOfProducts returns which rows are products by constants, or made of such by ops on integers.
func (s *selector) madeOfProducts() []bool {
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

// lowTrial computes the values of a program's rows, as far as somebody watches what they come to.
type lowTrial struct {
	p *ir.Program

	order  []ir.Row // what is computed
	needed []bool   // by row: it is, or is a merge that is
	vals   []uint64
	fed    []bool // rows of merges that have a value
	way    uint64
	in     uint64
}

// lowWatcher is told what a trial computes.
type lowWatcher interface {
	watched() []ir.Row
	see(round int, first bool, vals []uint64) // the values of all rows, in a round of the loops; with the first inputs of a way
	undecided() bool                          // whether other inputs may show more
	end()                                     // of a way
}

// run computes the values that are watched, along several ways, until no watcher wants to see those of other inputs.
func (t *lowTrial) run(watchers ...lowWatcher) {
	ways, rounds := 1, 1
	for r := range ir.Row(t.p.Rows()) {
		switch t.p.Op(r) {
		case ir.OpLoop:
			ways, rounds = lowWays, lowRounds
		case ir.OpBreak, ir.OpYield:
			ways = lowWays
		}
	}
	t.need(watchers)
	t.vals, t.fed = make([]uint64, t.p.Rows()), make([]bool, t.p.Rows())
	for t.way = range uint64(ways) {
		for t.in = range uint64(lowInputs) {
			clear(t.fed)
			for round := range rounds {
				t.compute()
				for _, w := range watchers {
					w.see(round, t.in == 0, t.vals)
				}
			}
			if t.in > 0 && !slices.ContainsFunc(watchers, lowWatcher.undecided) {
				break
			}
		}
		for _, w := range watchers {
			w.end()
		}
	}
}

// need finds what has to be computed. A sweep goes up through the program, so that another one is needed only for what
// goes round a loop, once for each loop around it: O(rows) for each depth of loops.
func (t *lowTrial) need(watchers []lowWatcher) {
	t.needed = make([]bool, t.p.Rows())
	for _, w := range watchers {
		for _, r := range w.watched() {
			t.needed[r] = true
		}
	}
	computed := make([]bool, t.p.Rows())
	for more := true; more; {
		more = false
		want := func(v ir.Row) {
			if v != ir.NoRow && !t.needed[v] {
				t.needed[v] = true
				more = more || t.p.Op(v) == ir.OpArg // which continues feed that stand after it
			}
		}
		for i := t.p.Rows() - 1; i >= 0; i-- {
			r := ir.Row(i)
			switch op := t.p.Op(r); op {
			case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
				to := targetOf(t.p, r)
				for k, v := range t.p.List(r) {
					if t.needed[to+ir.Row(k)] {
						computed[r] = true
						want(ir.Row(v))
					}
				}
			default:
				if t.needed[r] && !computed[r] {
					computed[r] = true
					want(t.p.A(r))
					want(t.p.B(r))
					want(t.p.C(r))
				}
			}
		}
	}
	for r := range ir.Row(t.p.Rows()) {
		if computed[r] {
			t.order = append(t.order, r)
		}
	}
}

// known returns what is known of the low word of each row given.
func (t *lowTrial) known(rows []ir.Row) []lowKnown {
	c := &lowConstants{rows: rows}
	t.run(c)
	return c.found
}

// lowConstants watches which bits of the low words of rows are always the same.
type lowConstants struct {
	rows  []ir.Row
	found []lowKnown // by row
	all   []seen     // by round and row
}

// seen is what the runs along one way have shown of a watched row.
type seen struct{ first, varies uint64 }

// constant is how many bits of the low word were always the same.
func (v seen) constant() int { return 32 - bits.OnesCount32(uint32(v.varies)) }

// lowKnown is what the trial of a program found of a low word.
type lowKnown struct {
	constant int    // how many bits were always the same, along the way where most were
	always   int    // along the way where fewest were
	greatest uint32 // the greatest one that was always the same as a whole
}

func (c *lowConstants) watched() []ir.Row { return c.rows }

func (c *lowConstants) see(round int, first bool, vals []uint64) {
	at := round * len(c.rows)
	if len(c.all) == at {
		c.all = append(c.all, make([]seen, len(c.rows))...)
	}
	for i, r := range c.rows {
		if first {
			c.all[at+i] = seen{first: vals[r]}
		}
		c.all[at+i].varies |= vals[r] ^ c.all[at+i].first
	}
}

func (c *lowConstants) undecided() bool {
	return slices.ContainsFunc(c.all, func(v seen) bool { return v.constant() >= lowBits })
}

func (c *lowConstants) end() {
	if c.found == nil {
		c.found = make([]lowKnown, len(c.rows))
		for i := range c.found {
			c.found[i].always = 32
		}
	}
	for k, v := range c.all {
		low := &c.found[k%len(c.rows)]
		low.constant, low.always = max(low.constant, v.constant()), min(low.always, v.constant())
		if v.constant() == 32 {
			low.greatest = max(low.greatest, uint32(v.first))
		}
	}
}

// compute goes through the program once. What merges have from the last time, they may keep.
func (t *lowTrial) compute() {
	for _, r := range t.order {
		switch t.p.Op(r) {
		case ir.OpArg, ir.OpRes: // what reaches them says it, and of a parameter nobody
			if !t.fed[r] {
				t.vals[r] = mixed(t.in, uint64(r)) & t.p.Type(r).Mask()
			}
		case ir.OpLoop, ir.OpContinue, ir.OpBreak, ir.OpYield:
			to := targetOf(t.p, r)
			for i, v := range t.p.List(r) {
				at := to + ir.Row(i)
				if !t.needed[at] {
					continue
				}
				if !t.fed[at] || (mixed(t.way/2, uint64(at), uint64(r))^t.way)&1 == 0 {
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
	case ir.OpShuffle, ir.OpShuffleXor, ir.OpShuffleUp, ir.OpShuffleDown:
		if typ == ir.F32 {
			return arg[0] // a sum that is known has operands that all lanes share
		}
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
