package native

import (
	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// selector turns rows into instructions over virtual registers. A value is one register, or two where it has 64 bits:
// lanes 0 to 3, then 4 to 7. A bool is a mask, all bits of a lane; f16 and bf16 are their bits with zeros above.
type selector struct {
	*function
	*shapes
	asm    *amd64.Asm
	vals   [][]vreg // by row
	open   map[ir.Row]*structured
	halt   amd64.Label
	assist map[ir.Row]bool // rows that Go computes
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
}

func (s *selector) ones() vreg { return s.constant(^uint32(0)) }

func (s *selector) bind(l amd64.Label) {
	s.macro(nil, nil, func(e *emitter) { e.Bind(l) })
}

func (s *selector) jump(l amd64.Label) {
	s.macro(nil, nil, func(e *emitter) { e.Jmp(l) })
}

// jumpNone jumps if no lane of the mask is set, jumpAny if one is.
func (s *selector) jumpNone(mask vreg, l amd64.Label) { s.jumpIf(amd64.E, mask, l) }
func (s *selector) jumpAny(mask vreg, l amd64.Label)  { s.jumpIf(amd64.NE, mask, l) }

func (s *selector) jumpIf(c amd64.Cond, mask vreg, l amd64.Label) {
	s.macro([]vreg{mask}, nil, func(e *emitter) {
		m := e.reg(mask, scratch0)
		e.V2(amd64.VTESTPS, m, m.RM())
		e.Jcc(c, l)
	})
}

// program writes the whole program for one vector.
func (s *selector) program() {
	c := &flow{mask: noReg, end: s.halt}
	if s.p.GroupSize()%lanes != 0 {
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
	g := s.p.Regions()[id]
	for r := g.First; r < g.End && !c.dead; {
		if s.p.Op(r).Info().Attr&ir.Structured != 0 {
			s.structured(r, c)
			r = s.end(r)
			continue
		}
		s.row(r, c)
		r++
	}
}

func (s *selector) structured(r ir.Row, c *flow) {
	o := &structured{broke: noReg, again: noReg, after: s.asm.NewLabel()}
	s.open[r] = o
	first, end := s.results(r)
	for v := first; v < end; v++ {
		s.vals[v] = s.fresh(s.p.Type(v))
		o.results = append(o.results, s.vals[v]...)
	}
	switch op := s.p.Op(r); {
	case op == ir.OpIf && s.divergent[r]:
		s.masked(r, c, o)
	case op == ir.OpIf:
		s.branch(r, c, o)
	case op == ir.OpLoop && s.divergent[r]:
		s.maskedLoop(r, c, o)
	case op == ir.OpLoop:
		s.loop(r, c, o)
	case s.divergent[r]:
		s.maskedBlock(r, c, o)
	default:
		s.region(s.owned[r][0], &flow{mask: c.mask, end: c.end})
		s.bind(o.after)
	}
	if s.leaves[r] && s.divergent[r] && !c.dead {
		s.jumpNone(c.mask, c.end)
	}
}

// fresh returns registers for a value of a type.
func (s *selector) fresh(t ir.Type) []vreg {
	vs := make([]vreg, t.Lanes()*parts(t))
	for i := range vs {
		vs[i] = s.reg()
		s.vregs[vs[i]].wide = parts(t) == 2
	}
	return vs
}

// parts is how many registers a scalar of a type takes.
func parts(t ir.Type) int {
	if t.Elem().Size() == 8 {
		return 2
	}
	return 1
}

// empty reports whether a region does nothing.
func (s *selector) empty(id uint32) bool {
	g := s.p.Regions()[id]
	return g.End-g.First == 1 && s.p.Op(g.First) == ir.OpYield && len(s.p.List(g.First)) == 0
}

// branch writes an if whose lanes go the same way.
func (s *selector) branch(r ir.Row, c *flow, o *structured) {
	arms := s.owned[r]
	other := s.asm.NewLabel()
	s.jumpNone(s.vals[s.p.A(r)][0], other)
	then := &flow{mask: c.mask, end: c.end}
	s.region(arms[0], then)
	if !then.dead && !s.empty(arms[1]) {
		s.jump(o.after)
	}
	s.bind(other)
	els := &flow{mask: c.mask, end: c.end}
	s.region(arms[1], els)
	s.bind(o.after)
	c.dead = then.dead && els.dead
}

// masked writes an if whose lanes may go both ways: the arms one after the other, each skipped if no lane takes it.
func (s *selector) masked(r ir.Row, c *flow, o *structured) {
	arms, cond := s.owned[r], s.vals[s.p.A(r)][0]
	then, els := &flow{mask: noReg, end: s.asm.NewLabel()}, &flow{mask: noReg, end: s.asm.NewLabel()}
	switch {
	case c.mask != noReg:
		then.mask = s.v3swap(amd64.VPAND, cond, c.mask)
	case s.leaves[r]: // lanes will be taken out of it
		then.mask = s.reg()
		s.move(then.mask, cond)
	default:
		then.mask = cond
	}
	if s.leaves[r] || !s.empty(arms[1]) {
		els.mask = s.v3(amd64.VPANDN, cond, s.maskOr(c.mask))
	}
	for i, arm := range []*flow{then, els} {
		if s.empty(arms[i]) {
			continue
		}
		if !s.cheap(arms[i]) {
			s.jumpNone(arm.mask, arm.end)
		}
		s.region(arms[i], arm)
		s.bind(arm.end)
	}
	if !s.leaves[r] {
		c.dead = then.dead && els.dead
		return
	}
	switch { // dead arms have no lanes left
	case then.dead && els.dead:
		s.clear(c.mask)
		c.dead = true
	case then.dead:
		s.move(c.mask, els.mask)
	case els.dead:
		s.move(c.mask, then.mask)
	default:
		s.move(c.mask, s.v3swap(amd64.VPOR, then.mask, els.mask))
	}
}

// cheapRows is how many pure rows cost less than asking whether to run them.
const cheapRows = 5

func (s *selector) cheap(id uint32) bool {
	g := s.p.Regions()[id]
	if g.End-g.First > cheapRows+1 {
		return false
	}
	for r := g.First; r < g.End; r++ {
		in := s.p.Op(r).Info()
		if in.Attr&(ir.Pure|ir.Terminator) == 0 || in.Attr&ir.Convergent != 0 || s.assist[r] || in.Attr&ir.Structured != 0 {
			return false
		}
	}
	return true
}

// enter gives a loop its registers and first arguments.
func (s *selector) enter(r ir.Row, o *structured) {
	first, end := s.args(r)
	for v := first; v < end; v++ {
		s.vals[v] = s.fresh(s.p.Type(v))
		o.args = append(o.args, s.vals[v]...)
	}
	s.moves(o.args, s.listed(r))
	o.head = s.asm.NewLabel()
}

// listed returns the registers of the values in a row's list.
func (s *selector) listed(r ir.Row) []vreg {
	var vs []vreg
	for _, v := range s.p.List(r) {
		vs = append(vs, s.vals[v]...)
	}
	return vs
}

// moves copies all values at once: what is overwritten before it is read is saved.
func (s *selector) moves(to, from []vreg) {
	written := map[vreg]bool{}
	src := append([]vreg(nil), from...)
	for i := range to {
		if written[from[i]] && from[i] != to[i] {
			src[i] = s.reg()
		}
		written[to[i]] = true
	}
	for i := range to {
		if src[i] != from[i] {
			s.move(src[i], from[i])
		}
	}
	for i := range to {
		s.move(to[i], src[i])
	}
}

// merges copies the active lanes of values into registers of which it reads none.
func (s *selector) merges(to, from []vreg, mask vreg) {
	var halves [2]vreg
	wide, part := false, 0
	for i, d := range to {
		if !s.vregs[d].wide {
			s.merge(d, mask, from[i])
			continue
		}
		if !wide {
			halves, wide = s.wideMask(mask), true
		}
		s.merge(d, halves[part], from[i])
		part ^= 1
	}
}

func (s *selector) mark(f form) {
	s.add(ins{form: f, d: noReg, a: noReg, b: noReg, c: noReg})
}

// loop writes a loop that all lanes leave together.
func (s *selector) loop(r ir.Row, c *flow, o *structured) {
	s.enter(r, o)
	s.mark(formLoop)
	s.bind(o.head)
	s.region(s.owned[r][0], &flow{mask: c.mask, end: c.end})
	s.mark(formLoopEnd)
	s.bind(o.after)
}

// maskedLoop writes a loop that lanes leave at different times: it ends when no lane is left.
func (s *selector) maskedLoop(r ir.Row, c *flow, o *structured) {
	s.enter(r, o)
	live := &flow{mask: s.reg(), end: s.asm.NewLabel()}
	s.move(live.mask, s.maskOr(c.mask))
	s.begin(r, o)
	repeats, inPlace := s.continues[r] > 0, s.inPlace(r)
	if repeats && !inPlace {
		o.again = s.reg()
		for _, a := range o.args {
			v := s.reg()
			s.vregs[v].wide = s.vregs[a].wide
			s.clear(v)
			o.next = append(o.next, v)
		}
	}
	s.mark(formLoop)
	s.bind(o.head)
	if o.again != noReg {
		s.clear(o.again)
	}
	s.region(s.owned[r][0], live)
	s.bind(live.end)
	if o.again != noReg {
		s.move(live.mask, o.again)
		s.moves(o.args, o.next)
	}
	if repeats {
		s.poll()
		s.jumpAny(live.mask, o.head)
	}
	s.mark(formLoopEnd)
	s.finish(o, c)
}

// begin prepares what lanes that break a masked op leave.
func (s *selector) begin(r ir.Row, o *structured) {
	for _, v := range o.results {
		s.clear(v)
	}
	if s.leaves[r] {
		o.broke = s.reg()
		s.clear(o.broke)
	}
}

// finish hands the lanes that broke a masked op back to what stands around it.
func (s *selector) finish(o *structured, c *flow) {
	if o.broke != noReg {
		s.move(c.mask, o.broke)
	}
}

// maskedBlock writes a block that lanes leave at different times.
func (s *selector) maskedBlock(r ir.Row, c *flow, o *structured) {
	s.begin(r, o)
	live := &flow{mask: s.reg(), end: s.asm.NewLabel()}
	s.move(live.mask, s.maskOr(c.mask))
	s.region(s.owned[r][0], live)
	s.bind(live.end)
	s.finish(o, c)
}

// exit writes a row that ends a region.
func (s *selector) exit(r ir.Row, c *flow) {
	switch op := s.p.Op(r); op {
	case ir.OpYield:
		s.yield(r, c)
	case ir.OpUnreachable:
		c.dead = true
	case ir.OpReturn:
		if s.divergent[ir.NoRow] && s.parent(r) != ir.NoRow {
			s.clear(c.mask)
		} else {
			s.jump(s.halt)
		}
		c.dead = true
	case ir.OpBreak, ir.OpContinue:
		to := s.target(r)
		if s.divergent[to] {
			s.leave(r, to, c)
		} else {
			s.leaveTogether(r, to)
		}
		c.dead = true
	}
}

func (s *selector) yield(r ir.Row, c *flow) {
	op := s.parent(r)
	if op == ir.NoRow {
		return
	}
	o := s.open[op]
	if s.divergent[op] && s.p.Region(r) == s.owned[op][1] { // the other arm has brought its values for all lanes
		s.merges(o.results, s.listed(r), c.mask)
		return
	}
	s.moves(o.results, s.listed(r))
}

// leaveTogether writes a break or continue of all lanes.
func (s *selector) leaveTogether(r, to ir.Row) {
	o := s.open[to]
	if s.p.Op(r) == ir.OpBreak {
		s.moves(o.results, s.listed(r))
		s.jump(o.after)
		return
	}
	s.moves(o.args, s.listed(r))
	s.poll()
	s.jump(o.head)
}

// leave writes a break or continue of the active lanes, which wait at their target.
func (s *selector) leave(r, to ir.Row, c *flow) {
	o := s.open[to]
	switch {
	case s.p.Op(r) == ir.OpBreak:
		s.merges(o.results, s.listed(r), c.mask)
		if o.broke != noReg {
			s.move(o.broke, s.v3swap(amd64.VPOR, o.broke, c.mask))
		}
	case s.inPlace(to):
		s.moves(o.args, s.listed(r))
		return // the active lanes are those that go round again
	default:
		s.merges(o.next, s.listed(r), c.mask)
		s.move(o.again, s.v3swap(amd64.VPOR, o.again, c.mask))
	}
	s.clear(c.mask)
}

// wideMask is the mask on lanes of 64 bits.
func (s *selector) wideMask(mask vreg) [2]vreg {
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
	case op == ir.OpBarrierWarp:
		if s.layout.vectors > 1 {
			s.wait(r, c, atWarp)
		}
	case in.Attr&ir.Barrier != 0:
		s.wait(r, c, map[ir.Level]status{ir.LevelGroup: atGroup, ir.LevelGrid: atGrid}[in.Level])
	case in.Attr&ir.Convergent != 0:
		s.wait(r, c, atWarp)
	case in.Imm == ir.ImmObject && op != ir.OpLen:
		s.access(r, c)
	default:
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
			s.vals[r] = []vreg{v, v}[:parts(s.p.Type(r))]
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
			n := parts(s.p.Type(r))
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
	s.macro(nil, []vreg{d}, func(e *emitter) {
		e.RDTSC()
		e.ShiftImm(4, 8, amd64.DX, 32)
		e.Alu(amd64.OR, 8, amd64.AX, amd64.DX.RM())
		y := e.dst(d)
		e.VSetLow(8, y, amd64.AX)
		e.V2(amd64.VPBROADCASTQ, y, y.RM())
		e.put(d, y)
	})
	s.vals[r] = []vreg{d, d}
}

// fence keeps the order that the processor does not: of stores before loads.
func (s *selector) fence(r ir.Row) {
	if f := s.p.Flags(r); f.Order() == ir.SeqCst && f.Scope() != ir.Group {
		s.macro(nil, nil, func(e *emitter) { e.MFence() })
	}
}
