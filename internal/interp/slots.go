package interp

import (
	"github.com/govyre/vyre/internal/memcheck"
	"github.com/govyre/vyre/ir"
)

// slotting gives every value a slot of the warp, so that two values share one only if
// no lane needs both. Values that are equal for the whole grid live in the bank instead.
//
// A lane's path through a structured program visits rows in ascending order, but for
// the way back to the head of a loop. So the life of a value is an interval of rows:
// from its definition to its last use, extended to the end of every loop that
// contains the use and not the definition. Loop arguments live as long as the body;
// a result lives from the first exit that brings it. An operand that dies in a row
// may give its slot to what the row defines: every instruction reads a lane before
// it writes that lane, or reads all lanes first.
type slotting struct {
	*shape
	loops  []loopOf // by region
	slot   []int32  // by row: slot, bank entry or noSlot
	start  []int32  // by row: first row of the life
	end    []int32  // by row: last row of the life
	slots  int32
	free   [3][]int32 // by log₂ of the width
	banked []ir.Row
}

// loopOf tells, for a region, the innermost loop body that it is or lies in, and the
// region around that loop.
type loopOf struct {
	body, around int32 // −1 for none
}

// assignSlots finds the slots of all values of a program. Unless share is set, no two
// values share one.
func assignSlots(sh *shape, share bool) *slotting {
	n := sh.p.Rows()
	s := &slotting{shape: sh, slot: make([]int32, n), start: make([]int32, n), end: make([]int32, n)}
	s.findLoops()
	for r := range n {
		s.slot[r] = noSlot
		s.start[r], s.end[r] = int32(r), int32(r)
	}
	s.findLives()
	if !share {
		for r := range s.end {
			s.end[r] = int32(n - 1)
		}
	}
	s.scan()
	return s
}

func (s *slotting) findLoops() {
	regions := s.regions
	s.loops = make([]loopOf, len(regions))
	known := make([]bool, len(regions))
	var find func(i int) loopOf
	find = func(i int) loopOf {
		if known[i] {
			return s.loops[i]
		}
		l := loopOf{-1, -1}
		if op := regions[i].Op; op != ir.NoRow {
			around := int(s.p.Region(op))
			if s.p.Op(op) == ir.OpLoop {
				l = loopOf{int32(i), int32(around)}
			} else {
				l = find(around)
			}
		}
		s.loops[i], known[i] = l, true
		return l
	}
	for i := range regions {
		find(i)
	}
}

// findLives computes start and end of every value.
func (s *slotting) findLives() {
	p, regions, objs := s.p, s.regions, s.p.Objects()
	firstExit := make(map[ir.Row]int32) // structured op → first row that brings its results
	exit := func(op ir.Row, r ir.Row) {
		if _, ok := firstExit[op]; !ok {
			firstExit[op] = int32(r)
		}
	}
	for r := range ir.Row(p.Rows()) {
		for _, o := range [3]ir.Row{p.A(r), p.B(r), p.C(r)} {
			if o != ir.NoRow {
				s.use(o, r)
			}
		}
		for _, o := range p.List(r) {
			s.use(ir.Row(o), r)
		}
		if p.Op(r).Info().Imm == ir.ImmObject {
			if i, other, ok := memcheck.PartOf(p, p.A(r), objs[p.X(r)].Count()); ok { // a report may want them
				s.use(i, r)
				s.use(other, r)
			}
		}
		switch p.Op(r) {
		case ir.OpYield:
			exit(regions[p.Region(r)].Op, r)
		case ir.OpBreak:
			exit(ir.Row(p.X(r)), r)
		case ir.OpArg:
			if g := regions[p.Region(r)]; g.Op != ir.NoRow {
				s.start[r], s.end[r] = int32(g.Op), max(s.end[r], int32(g.End)-1)
			}
		}
	}
	for r := range ir.Row(p.Rows()) {
		if p.Op(r) == ir.OpRes {
			if first, ok := firstExit[s.owner(r)]; ok {
				s.start[r] = first
			}
		}
	}
}

// use extends the life of value v to its use in row u.
func (s *slotting) use(v, u ir.Row) {
	last := int32(u)
	home := int32(s.p.Region(v))
	for at := int32(s.p.Region(u)); at != home; {
		l := s.loops[at]
		// A loop around the definition too does not matter: its body holds v.
		if l.body < 0 || s.regions[l.body].First <= v {
			break
		}
		last = max(last, int32(s.regions[l.body].End)-1)
		at = l.around
	}
	s.end[v] = max(s.end[v], last)
}

// scan hands out slots in order of the starts, taking back those whose life ended.
func (s *slotting) scan() {
	n := s.p.Rows()
	starting := buckets(s.start)
	ending := buckets(s.end)
	for r := range int32(n) {
		if r > 0 {
			s.release(ending, r-1, false) // values that were never used
		}
		s.release(ending, r, true)
		for v := starting.head[r]; v >= 0; v = starting.next[v] {
			s.take(ir.Row(v))
		}
	}
}

// release frees the slots of values whose life ends in row r. Those that also begin
// there have no slot yet on the first call (dying) and are freed by the second.
func (s *slotting) release(ending *bucketed, r int32, dying bool) {
	for v := ending.head[r]; v >= 0; v = ending.next[v] {
		if slot := s.slot[v]; slot >= 0 && (s.start[v] < r) == dying {
			w := log2(s.p.Type(ir.Row(v)).Lanes())
			s.free[w] = append(s.free[w], slot)
		}
	}
}

func (s *slotting) take(v ir.Row) {
	t := s.p.Type(v)
	if t == ir.None {
		return
	}
	if banked(s.p, v) {
		s.slot[v] = inBank(len(s.banked))
		s.banked = append(s.banked, v)
		return
	}
	w := log2(t.Lanes())
	if n := len(s.free[w]); n > 0 {
		s.slot[v] = s.free[w][n-1]
		s.free[w] = s.free[w][:n-1]
		return
	}
	s.slot[v] = s.slots
	s.slots += int32(t.Lanes())
}

// banked reports whether a row's value is known before the first group starts.
func banked(p *ir.Program, r ir.Row) bool {
	switch p.Op(r) {
	case ir.OpConst, ir.OpGroups, ir.OpLen:
		return true
	case ir.OpArg:
		return p.Region(r) == 0
	}
	return false
}

// log2 of the 1, 2 or 4 lanes of a type.
func log2(n int) int { return n >> 1 }

// bucketed lists values by a row number, as chains through next.
type bucketed struct{ head, next []int32 }

func buckets(of []int32) *bucketed {
	b := &bucketed{head: make([]int32, len(of)), next: make([]int32, len(of))}
	for i := range b.head {
		b.head[i] = -1
	}
	for v := len(of) - 1; v >= 0; v-- {
		b.next[v] = b.head[of[v]]
		b.head[of[v]] = int32(v)
	}
	return b
}
