package ptx

import (
	"fmt"

	"github.com/govyre/vyre/internal/carry"
	"github.com/govyre/vyre/ir"
)

// selector is the first stage: it walks the program's regions and chooses instructions for each row.
// Places in memory stay as the program names them, carried values are parallel copies, and every if
// is a branch; the later stages work these out.
type selector struct {
	*function
	prologue []inst // what is the same everywhere, worked out once at the entry
	code     []inst
	cur      *[]inst
	row      ir.Row

	uses   []uint32 // by row
	once   map[onceKey]operand
	checks map[checkKey]cached
	addrs  map[addrKey]cached
	roots  map[ir.Row]bool // values to which indices add constants
	frames map[ir.Row]*frame
	loops  []ir.Row // open ones
	votes  votes
	copied copying // all parallel copies, one after the other

	integers         chains                  // conversions from integers
	conversions      chains                  // conversions and bitcasts
	bitcasts         chains                  // bitcasts alone
	words            chains                  // conversions of integers of 32 bits
	wanted           map[ir.Row]ir.Row       // by load: a select between it and zero
	taken            map[ir.Row]bool         // selects and words that are what the load gives
	asWord           map[ir.Row]ir.Row       // by load of a vector: the word that it is used as
	moved            map[ir.Row]ir.Row       // by load of a vector: the vector that is stored, of the same elements
	through          map[ir.Row][]reg        // by vector that is stored: the words of such a load
	tiles            func(ir.Row) bool       // whether a row is loaded with others; nil if none is
	halved           map[ir.Row]bool         // right shifts that are made of halves
	shiftedInverses  map[ir.Row]bool         // inversions that are differences from −1
	hiddenLow        map[ir.Row]bool         // products and sums of 64 bits, whose operand's low word the assembler shall not know
	sameLow          map[ir.Row]bool         // conversions of 64 bits whose low word the assembler may have converted before
	hiddenUppers     map[ir.Row]bool         // products of 32 bits whose upper half the assembler is not to know
	addedUppers      int                     // of them: those that are added to several values
	subtractedFrom   int                     // of them: those that a value of 64 bits is subtracted from
	hidings          uint32                  // how many low words were hidden so far
	inverses         int                     // how many inversions were hidden
	mergedOnes       int                     // how many words of all ones that are merged with a 1 were hidden
	carriedConstants int                     // how many constants that a loop carries on were hidden
	negativeFactors  int                     // products by constants of what lanes have in common, which were hidden
	farShift         map[ir.Row]bool         // left shifts of which the assembler may know that they leave nothing
	ofNegative       map[ir.Row]bool         // right shifts of what the assembler may know to be negative
	lateNegations    map[ir.Row]bool         // right shifts of differences that the assembler may come to know as negations
	shiftedNegations int                     // how many right shifts are of negations
	knownSum         map[ir.Row]bool         // sums of f32 that the assembler may know
	known            []bool                  // see mayBeKnown
	nans             []bool                  // see findNaNs; nil if there are none
	nanBounds        int                     // how many of these are bounds
	lateMinuends     map[ir.Row]bool         // differences of a constant that the assembler learns late
	unsignedZeros    map[ir.Row]bool         // comparisons without a sign whose bound the assembler may know to be 0
	zeroSign         map[ir.Row]bool         // floats that may be a constant zero
	comparedExtremes map[ir.Row]bool         // 32-bit minima and maxima that are compared with another
	turnedMins       map[ir.Row]turned       // minima that are made of maxima
	asFloat          map[ir.Row]bool         // bytes and halves that become floats
	wide             map[ir.Row]wideAccess   // by the first of the loads, or the last of the stores, that are one
	alongside        map[ir.Row]bool         // accesses that are part of one
	records          map[ir.Row][]wideAccess // by the last of them: stores of whole records, in wide parts

	highs   []bool               // see asksForHigh
	vectors map[ir.Row][]operand // lanes of vector values
	cuts    []cut                // accesses that are not finished
	chained *carry.Schedule      // of chains of carries
	whole   map[[2]reg]reg       // predicates and-ed at the entry
}

// onceKey names a value that the prologue works out at most once.
type onceKey struct {
	what onceWhat
	axis uint32
}

type onceWhat uint8

const (
	onceLocal onceWhat = iota
	onceGroup
	onceGroups
	onceGlobal
	onceLinear // linear id in the group
	onceLane
	onceWarp
	onceLanes // how many lanes the warp has
	onceBelow // mask of the lanes below
	onceMembers
	onceScalar
	onceHidden
	onceTotal // number of groups, modulo 2³²
	oncePlace // of the group in the grid
	onceLead  // whether this is invocation 0 of its group
	onceZeroH
	onceNoneLeft
	onceNothing   // zero, which the assembler does not know
	onceNothingH  // the same in 16 bits
	onceObscured  // a constant that the assembler does not know
	onceOnes      // a mask of all ones, which the assembler does not know
	onceWideOnes  // the same in 64 bits
	onceFloatOnes // the same as an f32
	onceLeast     // the least float above 0 of a type, which the assembler does not know
)

// cached is a value worked out at a row. It may be used wherever that row's value could be.
type cached struct {
	reg reg
	row ir.Row
}

func newSelector(f *function) *selector {
	accesses := 0
	for r := range ir.Row(f.p.Rows()) {
		if in := f.p.Op(r).Info(); in.Imm == ir.ImmObject && in.Args > 0 {
			accesses++
		}
	}
	s := &selector{function: f, uses: make([]uint32, f.p.Rows()), row: ir.NoRow,
		once: make(map[onceKey]operand), checks: make(map[checkKey]cached, accesses/2), addrs: make(map[addrKey]cached, accesses),
		frames: make(map[ir.Row]*frame), vectors: make(map[ir.Row][]operand),
		whole: make(map[[2]reg]reg)}
	// Most rows make one instruction, a checked access four; later stages add some, such as moves.
	s.code = make([]inst, 0, 3*f.p.Rows()/2+2*accesses+atEntry)
	s.cur = &s.code
	f.val = make([]operand, f.p.Rows())
	return s
}

// choose is the stage.
func (f *function) choose() {
	f.declare()
	f.sel = newSelector(f)
	f.sel.run()
}

func (s *selector) run() {
	s.countUses()
	s.findWanted()
	s.findWide()
	s.findWords()
	s.findMoved()
	s.findHalved()
	s.findShiftedInverses()
	s.findFarShifts()
	s.findShiftsOfNegative()
	s.findShiftedNegations()
	s.findLowKnown()
	s.findSameLow()
	s.findAddedUppers()
	s.findSubtractedFrom()
	s.findKnownSums()
	s.findLateMinuends()
	s.findUnsignedZeros()
	s.findNaNs()
	s.findNegativeFactors()
	s.findZeroSigns()
	s.findClamps()
	s.findComparedExtremes()
	s.findConvertedFields()
	s.rows(0, ir.Row(s.p.Rows()))
	s.row = ir.NoRow
	s.add(inst{op: opExit})
	s.hideInverses()
	s.hideMergedOnes()
}

// countUses counts how often each row's value is used, by rows that are used or have an effect.
func (s *selector) countUses() {
	p := s.p
	for i := p.Rows() - 1; i >= 0; i-- {
		r := ir.Row(i)
		if s.idle(r) {
			continue
		}
		for _, v := range [...]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if v != ir.NoRow {
				s.uses[v]++
			}
		}
		for _, v := range p.List(r) {
			s.uses[v]++
		}
	}
}

// idle reports whether row r does nothing that is of use: a pure op or a plain load whose value nobody
// wants. Carried values stay: the copies that feed them are cheap, and gone after the assembler.
func (s *selector) idle(r ir.Row) bool {
	in := s.p.Op(r).Info()
	switch s.p.Op(r) {
	case ir.OpArg, ir.OpRes:
		return s.p.Region(r) == 0 && s.p.Op(r) == ir.OpArg && s.uses[r] == 0
	}
	plain := in.Attr&ir.Pure != 0 || in.Attr&(ir.Reads|ir.Writes|ir.Atomic) == ir.Reads
	return plain && s.uses[r] == 0 && in.Result.Kind != ir.ResultNone
}

// rows selects the own rows of a region, [first, end).
func (s *selector) rows(first, end ir.Row) {
	for r := first; r < end; {
		r = s.one(r)
	}
	s.closeChains()
}

// one selects row r, with all that is inside it, and returns the row after.
func (s *selector) one(r ir.Row) ir.Row {
	s.row = r
	op := s.p.Op(r)
	if s.inChain(r) {
		return r + 1
	}
	if len(s.cuts) > 0 && !s.mayStandBetween(r) {
		s.finish()
	}
	if s.tiles != nil && s.tiles(r) {
		return r + 1
	}
	if op.Info().Owns > 0 {
		return s.structured(r)
	}
	if !s.idle(r) {
		rule := rules[op]
		if rule == nil {
			panic(fmt.Sprintf("BUG: no PTX for op %s in row %d", op, r))
		}
		rule(s, r)
	}
	return r + 1
}

// rule selects instructions for one row.
type rule func(s *selector, r ir.Row)

// rules holds the rule of every op without regions and without a recipe.
var rules [0x380]rule

func init() {
	for _, set := range []map[ir.Op]rule{builtinRules, integerRules, bitRules, shiftRules, floatRules, compareRules, convertRules,
		memoryRules, copyRules, atomicRules, barrierRules, subgroupRules, combineRules, controlRules, debugRules} {
		for op, r := range set {
			rules[op] = r
		}
	}
}

// add appends an instruction for the current row. It is large and called all over the rules: its copies
// would count in the size of every program.
//
//go:noinline
func (s *selector) add(in inst) {
	in.row = s.row
	*s.cur = append(*s.cur, in)
}

// atEntry lets f add to the prologue.
func (s *selector) atEntry(f func()) {
	cur, row := s.cur, s.row
	s.cur, s.row = &s.prologue, ir.NoRow
	f()
	s.cur, s.row = cur, row
}

// onceOf returns the value under a key, which make works out at the entry when it is first asked for.
func (s *selector) onceOf(what onceWhat, axis uint32, make func() operand) operand {
	k := onceKey{what, axis}
	if o, ok := s.once[k]; ok {
		return o
	}
	var o operand
	s.atEntry(func() { o = make() })
	s.once[k] = o
	return o
}

// do adds op with a fresh destination of type t's class and returns that.
func (s *selector) do(op opcode, t ptype, src ...operand) operand {
	return s.doInto(s.newReg(t.class()), op, t, src...)
}

// doInto adds op writing d.
func (s *selector) doInto(d reg, op opcode, t ptype, src ...operand) operand {
	in := inst{op: op, t: t, dst: r(d)}
	copy(in.src[:], src)
	s.add(in)
	return in.dst
}

// convert adds a conversion from type from to type to.
func (s *selector) convert(op opcode, to, from ptype, x operand) operand {
	in := inst{op: op, t: to, t2: from, dst: r(s.newReg(to.class())), src: [4]operand{x}}
	s.add(in)
	return in.dst
}

// compare adds a comparison.
func (s *selector) compare(c cmp, t ptype, a, b operand) operand {
	in := inst{op: opSetp, t: t, mod: mods{cmp: c}, dst: r(s.newReg(classP)), src: [4]operand{a, b}}
	s.add(in)
	return in.dst
}

// value returns where row v's value is.
func (s *selector) value(v ir.Row) operand { return s.val[v] }

// set makes o the value of row v.
func (s *selector) set(v ir.Row, o operand) { s.val[v] = o }

// typeOf is the type of the value in row v.
func (s *selector) typeOf(v ir.Row) ir.Type { return s.p.Type(v) }

// inReg returns o in a register; constants are moved into one of class t.class().
//
//go:noinline
func (s *selector) inReg(t ptype, o operand) reg {
	if o.kind == isReg {
		return o.reg
	}
	return s.do(opMov, t, o).reg
}

// pred returns the bool o as a predicate register.
func (s *selector) pred(o operand) reg { return s.inReg(tPred, o) }

// word returns the bits of o, a value of type t, as an operand of 32 bits, or of 64 for types that
// have as many. Bools are 0 and 1, 16-bit floats stand in the low half.
func (s *selector) word(t ir.Type, o operand) operand {
	switch {
	case t == ir.Bool && o.kind == isImm:
		return u32(uint32(o.bits))
	case t == ir.Bool:
		return s.do(opSelp, tU32, u32(1), u32(0), o)
	case t.IsHalf() && o.kind == isImm:
		return u32(uint32(o.bits))
	case t.IsHalf():
		return s.convert(opCvt, tU32, tU16, o)
	}
	return o
}

// unword makes a value of type t of its bits in the register x.
func (s *selector) unword(t ir.Type, x operand) operand {
	switch {
	case t == ir.Bool:
		return s.compare(cmpNE, tU32, x, u32(0))
	case t.IsHalf():
		return s.convert(opCvt, tU16, tU32, x)
	}
	return s.recast(t, x)
}

// recast returns the register x, or a copy of it in one of the class for values of type t.
func (s *selector) recast(t ir.Type, x operand) operand {
	c := bitsOf(t).class()
	if x.reg.class() == c {
		return x
	}
	return s.doInto(s.newReg(c), opMov, untypedOf(t), x)
}

// untypedOf is the suffix for moving the bits of a value of type t, whatever they mean.
func untypedOf(t ir.Type) ptype {
	switch t.Size() {
	case 2:
		return tB16
	case 8:
		return tB64
	}
	return tB32
}

// joined returns the 64-bit value of two halves, of class c.
func (s *selector) joined(c class, lo, hi operand) operand {
	d := s.newReg(c)
	s.add(inst{op: opMov, t: tB64, dst: r(d), src: [4]operand{s.vec(s.inReg(tB32, lo), s.inReg(tB32, hi))}})
	return r(d)
}
