package native

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// structured writes a structured op: where its lanes go together, as branches; else under masks.
func (s *selector) structured(r ir.Row, c *flow) {
	if s.sweep(r, c.mask) {
		return
	}
	o := &structured{broke: noReg, again: noReg, after: s.asm.NewLabel()}
	if before := s.open[r]; before != nil {
		o.from = before.from
	}
	s.open[r] = o
	s.decide(r, o)
	first, end := s.results(r)
	for v := first; v < end; v++ {
		if s.vals[v] = s.handedOn(r, v); s.vals[v] == nil {
			s.vals[v] = s.fresh(s.p.Type(v))
		}
		o.results = append(o.results, s.vals[v]...)
	}
	switch op := s.p.Op(r); {
	case op == ir.OpIf && s.divergent[r]:
		s.rejoin(r)
		if s.allOrNone(r) {
			s.maskedAllOrNone(r, c, o)
			return
		}
		s.masked(r, c, o)
	case op == ir.OpIf && s.partingAt(r) != nil:
		s.part(r, s.partingAt(r), c, o)
	case op == ir.OpIf:
		if !s.layout.single() || !s.branchOut(r, c, o) {
			s.branch(r, c, o)
		}
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

// empty reports whether a region does nothing.
func (s *selector) empty(id uint32) bool {
	g := s.p.Regions()[id]
	return g.End-g.First == 1 && s.p.Op(g.First) == ir.OpYield && len(s.p.List(g.First)) == 0
}

// branch writes an if whose lanes go the same way.
func (s *selector) branch(r ir.Row, c *flow, o *structured) {
	arms, cond, known := s.owned[r], s.p.A(r), len(s.inside)
	if holds, ok := s.known(cond); ok {
		arm := &flow{mask: c.mask, end: c.end}
		s.region(arms[1-bitOf(holds)], arm)
		s.bind(o.after)
		c.dead = arm.dead
		return
	}
	other := s.asm.NewLabel()
	if o.from != nil {
		other = o.from.arms[1]
		s.bind(o.from.arms[0])
	} else {
		s.jumpUnless(cond, other)
	}
	s.learn(cond, true)
	then := &flow{mask: c.mask, end: c.end}
	s.region(arms[0], then)
	s.inside = s.inside[:known]
	if !then.dead && !s.empty(arms[1]) {
		s.jump(o.after)
	}
	s.bind(other)
	s.learn(cond, false)
	els := &flow{mask: c.mask, end: c.end}
	s.region(arms[1], els)
	s.bind(o.after)
	switch c.dead = then.dead && els.dead; { // all that follows comes from the other arm
	case !then.dead:
		if s.inside = s.inside[:known]; els.dead {
			s.learn(cond, true)
		}
	}
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
		s.armOf(arms[i], arm, []*flow{els, then}[i].mask)
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

// allOrNone reports whether the lanes of a vector that are at a masked if take the same way there, and some leave, or none.
func (s *selector) allOrNone(r ir.Row) bool {
	return s.value[s.p.A(r)] == uniform && s.leaves[r] && s.empty(s.owned[r][1])
}

// maskedAllOrNone writes such an if: where none leaves, nothing is done to masks, nor asked of them.
func (s *selector) maskedAllOrNone(r ir.Row, c *flow, o *structured) {
	none := s.asm.NewLabel()
	s.jumpNone(s.vals[s.p.A(r)][0], none)
	if s.masked(r, c, o); !c.dead {
		s.jumpNone(c.mask, c.end)
	}
	s.bind(none)
}

// armOf writes an arm of a masked if. Of lanes that are all in it, none is in the other one.
func (s *selector) armOf(id uint32, c *flow, other vreg) {
	if other != noReg {
		defer s.around(other, false)()
	}
	s.region(id, c)
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
		if in.Attr&(ir.Pure|ir.Terminator) == 0 || in.Attr&ir.Convergent != 0 || s.slow(r) || in.Attr&ir.Structured != 0 {
			return false
		}
	}
	return true
}

// slow reports whether Go computes a row.
func (s *selector) slow(r ir.Row) bool {
	_, builtin := builtins[s.p.Op(r)]
	return exact.Of(s.p.Op(r)) != nil && !builtin && s.rule(r) == nil
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

// loop writes a loop that all lanes leave together.
func (s *selector) loop(r ir.Row, c *flow, o *structured) {
	s.enter(r, o)
	s.control(formLoop, 0)
	s.bind(o.head)
	s.region(s.owned[r][0], &flow{mask: c.mask, end: c.end})
	s.control(formLoopEnd, 0)
	s.writeBehind(o)
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
	s.control(formLoop, 0)
	s.bind(o.head)
	if o.again != noReg {
		s.clear(o.again)
		defer s.around(o.again, false)()
	}
	if o.broke != noReg {
		defer s.around(o.broke, false)()
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
	s.control(formLoopEnd, 0)
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
	if o.broke != noReg {
		defer s.around(o.broke, false)()
	}
	s.region(s.owned[r][0], live)
	s.bind(live.end)
	s.finish(o, c)
}
