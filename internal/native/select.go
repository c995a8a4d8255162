package native

import (
	"github.com/govyre/vyre/internal/carry"
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// selector turns rows into instructions over virtual registers. A value is one register, or two where it has 64 bits:
// lanes 0 to 3, then 4 to 7. A bool is a mask, all bits of a lane; f16 and bf16 are their bits with zeros above.
type selector struct {
	*function
	*shapes
	asm   assembler
	packs *packs
	vals  [][]vreg // by row
	used  []int32  // by row: how many times others read it
	open  map[ir.Row]*structured
	halt  amd64.Label

	derived map[derivation]vreg
	halves  map[vreg][2]vreg // of masks: the lanes of 64 bits that they come from
	joined  map[ir.Row]bool  // accesses and shuffles that are written with one before them

	partings []*parting   // by row: where whole vectors part, of a program that is there twice; else nil
	masks    []parentMask // of the ops around, in the copy with masks
	inside   []bound      // which whole vectors are within

	carries  *carry.Schedule       // of one invocation: chains of carries
	halves64 map[factors][2]ir.Row // and the rows that are the lower and the upper half of a product

	staying map[uint32]bool // regions, of one invocation, from which control may come back into the loop around them
}

// flow is where code is being written to: which lanes are active, and where to go once none is.
type flow struct {
	mask vreg // of the active lanes; noReg: all
	end  amd64.Label
	dead bool // control does not come here
}

// structured is an open structured op, as its exits see it.
type structured struct {
	results []vreg // all components, in order
	args    []vreg
	next    []vreg // of a loop that is continued from several places under masks: its next arguments
	again   vreg   // likewise: the lanes that continue
	broke   vreg   // lanes that broke, where others leave farther; else noReg
	after   amd64.Label
	head    amd64.Label
	behind  []func() // of a loop of one invocation: arms in it that leave it

	to, from *decision // of one invocation: the if behind it, or itself, whose arms are jumped to
}

func (s *selector) ones() vreg { return s.constant(^uint32(0)) }

func (s *selector) bind(l amd64.Label) {
	s.derived = emptied(s.derived) // of two ways here, only one may have made it
	s.control(formBind, l)
}

func (s *selector) jump(l amd64.Label) { s.control(formJump, l) }

// jumpNone jumps if no lane of the mask is set, jumpAny if one is.
func (s *selector) jumpNone(mask vreg, l amd64.Label) { s.jumpIf(amd64.E, mask, l, amongEach) }
func (s *selector) jumpAny(mask vreg, l amd64.Label)  { s.jumpIf(amd64.NE, mask, l, amongEach) }

func (s *selector) jumpIf(c amd64.Cond, mask vreg, l amd64.Label, how among) {
	s.add(ins{form: formTest, imm: uint8(c), d: noReg, a: mask, b: noReg, c: noReg, label: l, among: how})
}

// program writes the whole program for one vector.
func (s *selector) program() {
	if s.partings = s.findPartings(); s.partings != nil {
		s.wholeProgram(s.withMasks)
	} else {
		s.withMasks()
	}
	s.bind(s.halt)
}

// withMasks writes the program as lanes take it that part.
func (s *selector) withMasks() {
	c := &flow{mask: noReg, end: s.halt}
	if s.p.GroupSize()%s.layout.lanes != 0 {
		c.mask = s.fromTable(ir.OpConst, 0) // the lanes that there are
	}
	if s.divergent[ir.NoRow] {
		m := s.reg()
		s.move(m, s.maskOr(c.mask))
		c.mask = m
	}
	s.region(0, c)
}

// maskOr is the mask as a register, that of all lanes if there is none.
func (s *selector) maskOr(m vreg) vreg {
	if m == noReg {
		return s.ones()
	}
	return m
}

func (s *selector) region(id uint32, c *flow) {
	g, around, known := s.p.Regions()[id], s.current, len(s.inside)
	if c.mask != noReg {
		defer s.around(c.mask, true)()
	}
	for r := g.First; r < g.End && !c.dead; {
		s.current = r
		if s.inChain(r) {
			r++
			continue
		}
		if s.p.Op(r).Info().Attr&ir.Structured != 0 {
			s.structured(r, c)
			r = s.end(r)
			continue
		}
		s.row(r, c)
		r++
	}
	s.current, s.inside = around, s.inside[:known]
}

// around notes a mask for as long as code is written that stands under it, until what it returns is called.
func (s *selector) around(mask vreg, all bool) (end func()) {
	n := len(s.masks)
	s.masks = append(s.masks, parentMask{mask, all})
	return func() { s.masks = s.masks[:n] }
}

// wideMask is the mask on lanes of 64 bits.
func (s *selector) wideMask(mask vreg) [2]vreg {
	if halves, ok := s.halves[mask]; ok {
		return halves
	}
	return [2]vreg{s.v2(amd64.VPMOVSXDQ, mask), s.v2(amd64.VPMOVSXDQ, s.upper(mask))}
}

// upper brings lanes 4 to 7 to the low half.
func (s *selector) upper(v vreg) vreg { return s.v2imm(amd64.VPERMQ, v, 0xEE) }

// row writes a row that is not structured.
func (s *selector) row(r ir.Row, c *flow) {
	op := s.p.Op(r)
	in := op.Info()
	switch {
	case in.Attr&ir.Terminator != 0:
		s.exit(r, c)
	case op == ir.OpResident, op == ir.OpPause, op == ir.OpPrefetch, op == ir.OpRes, op == ir.OpArg && s.p.Region(r) != 0:
	case in.Attr&ir.Convergent != 0 && in.Level == ir.LevelWarp:
		s.warp(r)
	case in.Attr&ir.Barrier != 0:
		s.wait(r, c, [...]status{ir.LevelGroup: atGroup, ir.LevelGrid: atGrid, ir.LevelFirst: atGrid}[in.Level])
	case op == ir.OpTrap:
		s.trap(r, c)
	case in.Imm == ir.ImmObject && op != ir.OpLen:
		switch {
		case s.layout.single():
			s.accessSingle(r)
		case !s.joined[r]:
			s.access(r, c)
		}
	default:
		if s.layout.single() && s.onGenerals(r) {
			return
		}
		if write, ok := builtins[op]; ok {
			write(s, r)
			return
		}
		if write := s.rule(r); write != nil {
			s.vals[r] = write(s, r)
			return
		}
		if op == ir.OpFence {
			s.fence(r)
			return
		}
		s.wait(r, c, assisted)
	}
}

// builtins are the rows that read state; each sets the row's registers.
var builtins map[ir.Op]func(*selector, ir.Row)

func init() {
	one := func(f func(s *selector, r ir.Row) vreg) func(*selector, ir.Row) {
		return func(s *selector, r ir.Row) {
			v := f(s, r)
			s.vals[r] = []vreg{v, v}[:s.parts(s.p.Type(r))]
		}
	}
	builtins = map[ir.Op]func(*selector, ir.Row){
		ir.OpConst: one(func(s *selector, r ir.Row) vreg { return s.literal(s.p.Type(r), s.p.Const(r)) }),
		ir.OpArg: one(func(s *selector, r ir.Row) vreg {
			return s.fromBank(entry{from: fromArg, x: s.p.X(r), typ: s.p.Type(r)})
		}),
		ir.OpLen: one(func(s *selector, r ir.Row) vreg {
			return s.fromBank(entry{from: fromLen, x: s.p.X(r), typ: s.p.Type(r)})
		}),
		ir.OpGroups: one(func(s *selector, r ir.Row) vreg { return s.fromBank(entry{from: fromGroups, x: s.p.X(r), typ: ir.U32}) }),
		ir.OpGroup:  one(func(s *selector, r ir.Row) vreg { return s.fromBank(entry{from: fromGroup, x: s.p.X(r), typ: ir.U32}) }),
		ir.OpLocal:  one(func(s *selector, r ir.Row) vreg { return s.fromTable(ir.OpLocal, s.p.X(r)) }),
		ir.OpGlobal: one(func(s *selector, r ir.Row) vreg {
			return s.v3swap(amd64.VPADDD, s.fromTable(ir.OpLocal, s.p.X(r)), s.fromBank(entry{from: fromBase, x: s.p.X(r), typ: ir.U32}))
		}),
		ir.OpLane:  one(func(s *selector, r ir.Row) vreg { return s.fromTable(ir.OpLane, 0) }),
		ir.OpWarp:  one(func(s *selector, r ir.Row) vreg { return s.fromTable(ir.OpWarp, 0) }),
		ir.OpClock: func(s *selector, r ir.Row) { s.clock(r) },
		ir.OpVec:   func(s *selector, r ir.Row) { s.vals[r] = s.listed(r) },
		ir.OpElem: func(s *selector, r ir.Row) {
			n := s.parts(s.p.Type(r))
			s.vals[r] = s.vals[s.p.A(r)][int(s.p.X(r))*n:][:n]
		},
	}
}

// literal is the register of a constant.
func (s *selector) literal(t ir.Type, bits uint64) vreg {
	switch {
	case t == ir.Bool:
		return s.constant(uint32(-int32(bits & 1)))
	case t.Size() == 8:
		return s.constant64(bits)
	}
	return s.constant(uint32(bits))
}

// clock reads the cycle counter, the same for all lanes.
func (s *selector) clock(r ir.Row) {
	d := s.reg()
	s.macro(amongOnce, nil, []vreg{d}, func(e *emitter) {
		e.Clock()
		y := e.dst(d)
		e.VSetLow(8, y, amd64.AX)
		e.V2(amd64.VPBROADCASTQ, y, y.RM())
		e.put(d, y)
	})
	s.vals[r] = []vreg{d, d}
}

// fence keeps the order of accesses that others see.
func (s *selector) fence(r ir.Row) {
	f := s.p.Flags(r)
	switch {
	case f.Scope() == ir.Group: // one worker
	case f.Order() == ir.SeqCst:
		s.macro(amongOnce, nil, nil, func(e *emitter) { e.MFence() })
	default:
		s.macro(amongOnce, nil, nil, func(e *emitter) { e.Fence() })
	}
}
