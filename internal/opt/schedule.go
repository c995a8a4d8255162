package opt

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// schedule moves loads in front of divisions, square roots, accurate functions and branches that they stand after and do
// not depend on. The assembler makes calls and branches of those, and moves no load past one: what is loaded after a
// division begins to come when that is done. In front of it both take the time of one.
//
//	%q = div.f32 %a, %b           %c = load @z[%i]
//	%c = load @z[%i]         =>   %q = div.f32 %a, %b
//	%r = add.f32 %q, %c           %r = add.f32 %q, %c
//
// A load stays in its region, so it runs as often as before, and moves past nothing that may change what it reads:
// past no write to its object, and no barrier, fence or ordered atomic where the program writes that. It passes no op that
// control may leave for elsewhere: after that stands what the test said about its index. Nor does it pass a loop,
// all through which its value would hold a register. What its index is computed from goes with it.
//
// An atomic whose index has to be checked is a branch, too, in front of which the assembler waits for what atomics before it
// returned, if that is looked at there. So it moves in front of where it is first looked at, past pure rows only:
//
//	%a = atomic_or @x[%i], %b     %a = atomic_or @x[%i], %b
//	%n = ne.u32 %a, %b       =>   %c = atomic_or @x[%j], %b
//	%c = atomic_or @x[%j], %b     %n = ne.u32 %a, %b
//
// One walk, O(rows + operands); at most maxChain rows go with a load.
func schedule(w *work) {
	a := &overtaking{w: w, memory: w.memoryVersions(), leaves: w.leavesPast(), regions: make([]stretch, len(w.Regions)),
		changed: make([]change, len(w.objs)), after: make([]int32, w.Rows()), at: make([]int32, w.Rows())}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atElse:
		case it.at == atEnd:
			a.end(r)
		case w.structured(r):
			a.regions[w.X[r]].begin = a.tally
			if w.info(r).Attr&ir.Repeats != 0 {
				a.tally.loops++
			}
		default:
			a.row(&it)
		}
	}
}

// Bounds of what moves past one op, each a value in registers: loads, and rows that one of them needs.
const (
	maxOvertaking = 6
	maxChain      = 4
)

// smallArm is the number of rows up to which an if is guards and no branch.
const smallArm = 10

type overtaking struct {
	w       *work
	memory  *memoryVersions
	leaves  []bool    // by first region of an op: an exit inside goes past its end
	regions []stretch // by region
	changed []change  // by object: where it last was
	after   []int32   // by row: how many slow rows of its region stand before what it needs
	at      []int32   // by row: how many stand before it
	tally   tally
	left    int // rows that may still go with the load that is being moved
}

// tally counts what the walk has come by.
type tally struct{ rows, slow, loops int }

// stretch is what is known of a region up to where the walk is.
type stretch struct {
	slow  []slowRow
	wall  int32 // how many of them nothing after may pass
	mixed int32 // how many of them stand before its last row that is not pure
	begin tally // of the first region of an op: when the walk entered it
}

type slowRow struct {
	row    ir.Row
	passed int  // loads that moved past it
	answer bool // it waits for what an atomic returns, and only atomics move past it
}

type change struct {
	region uint32
	at     int32 // how many slow rows of the region stood before it
}

// row notes what row r needs, and moves it if it is a load.
func (a *overtaking) row(it *walk) {
	w, r := a.w, it.row
	in := w.info(r)
	s := &a.regions[w.Region[r]]
	a.tally.rows++
	here := int32(len(s.slow))
	a.at[r], a.after[r] = here, here
	switch {
	case in.Spread == ir.SpreadLoad:
		need := max(a.need(r), s.wall)
		if c := a.changed[w.X[r]]; c.region == w.Region[r] && !w.must(checkScheduleWrite, false) {
			need = max(need, c.at)
		}
		a.pass(r, s, need, false, it)
		s.mixed = max(s.mixed, a.at[r])
	case in.Attr&ir.Atomic != 0 && !w.Flags[r].InBounds():
		need := max(a.need(r), s.wall)
		if !w.must(checkSchedulePure, false) {
			need = max(need, s.mixed)
		}
		a.pass(r, s, need, true, it)
		s.mixed = a.at[r]
		a.change(r, a.memory.changes(r), a.at[r])
	case !w.pure(r) || in.Spread == ir.SpreadMerge:
		a.change(r, a.memory.changes(r), here)
		s.mixed = here
	case a.answer(r):
		a.after[r] = max(a.need(r), here+1)
		s.slow = append(s.slow, slowRow{row: r, answer: true})
	case slow(w, r):
		s.slow = append(s.slow, slowRow{row: r})
		a.tally.slow++
		a.after[r]++
	default:
		a.after[r] = a.need(r)
	}
}

// answer reports whether row r is the first to look at what an atomic of its region returns.
func (a *overtaking) answer(r ir.Row) (answer bool) {
	w := a.w
	w.each(r, func(v ir.Row) {
		answer = answer || w.info(v).Attr&ir.Atomic != 0 && w.Region[v] == w.Region[r]
	})
	return answer
}

// pass moves row r in front of the first slow row that it may pass, from the one with that number on.
func (a *overtaking) pass(r ir.Row, s *stretch, from int32, answers bool, it *walk) {
	for k := from; k < int32(len(s.slow)); k++ {
		if s.slow[k].answer == answers {
			a.move(r, s, k, it)
			return
		}
	}
}

// need is how many slow rows of its region have to stand before row r.
func (a *overtaking) need(r ir.Row) int32 {
	w := a.w
	n := int32(0)
	w.each(r, func(v ir.Row) {
		if w.Op[v] != ir.OpConst && w.Region[v] == w.Region[r] {
			n = max(n, a.after[v])
		}
	})
	return n
}

// change notes that row r changes objects.
func (a *overtaking) change(r ir.Row, objects smallSet, at int32) {
	objects.each(func(o uint32) { a.changed[o] = change{a.w.Region[r], at} })
}

// slow reports whether the assembler makes a branch or a call of row r.
func slow(w *work, r ir.Row) bool {
	t := w.Type[r]
	switch w.Op[r] {
	case ir.OpDiv, ir.OpRem:
		if _, ok := w.bits(w.B(r)); ok && t.IsInt() {
			return false
		}
		return t.IsFloat() || t.IsHalf() || t.Size() == 8
	case ir.OpSqrt, ir.OpRsqrt:
		return true
	}
	return w.info(r).Attr&ir.Expanded != 0
}

// end closes structured op r: a branch that loads may pass, or what they may not.
func (a *overtaking) end(r ir.Row) {
	w := a.w
	first := w.X[r]
	s := &a.regions[w.Region[r]]
	was, now := a.regions[first].begin, a.tally
	switch {
	case now.loops > was.loops || !w.must(checkScheduleExit, !a.leaves[first]):
		s.wall = int32(len(s.slow))
	case now.rows-was.rows > smallArm || now.slow > was.slow:
		s.slow = append(s.slow, slowRow{row: r})
	}
	here := int32(len(s.slow))
	s.mixed = here
	for at := w.next[r]; at != ir.NoRow && w.Op[at] == ir.OpRes; at = w.next[at] {
		a.after[at], a.at[at] = here, here
	}
	a.change(r, a.memory.inside[first], here)
}

// move puts load r, and what it needs, in front of the slow row of s with that number.
func (a *overtaking) move(r ir.Row, s *stretch, to int32, it *walk) {
	w := a.w
	target := &s.slow[to]
	a.left = maxChain + 1
	chain := a.chain(r, to, nil)
	if target.passed >= maxOvertaking || a.left < 0 {
		return
	}
	next := w.next[r]
	for _, v := range chain {
		w.move(v, target.row)
		a.at[v], a.after[v] = to, to
	}
	target.passed++
	w.hit(w.info(r).Name)
	it.resume(next)
}

// chain appends row v and those that it needs from after slow row number to, in the order in which they have to stand. It looks
// at no more than are left: a row is counted before those that it needs, because these may be any number.
func (a *overtaking) chain(v ir.Row, to int32, list []ir.Row) []ir.Row {
	w := a.w
	w.visits++
	if a.left--; a.left < 0 {
		return list
	}
	w.each(v, func(u ir.Row) {
		if w.Op[u] != ir.OpConst && w.Region[u] == w.Region[v] && a.at[u] > to && a.left >= 0 && !slices.Contains(list, u) {
			list = a.chain(u, to, list)
		}
	})
	return append(list, v)
}
