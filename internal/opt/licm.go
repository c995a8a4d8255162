package opt

import "github.com/govyre/vyre/ir"

const (
	// maxHoisted bounds the rows that are moved in front of one loop: each is a value that may need a register all
	// through it.
	maxHoisted = 24
	// maxHeld bounds them together with what the loop carries, where they are loads that cost little to do again: from
	// the group's memory or the invocation's own.
	maxHeld = 96
)

// licm moves rows whose operands do not change in a loop in front of it, at once in front of the
// outermost loop for which that is so: pure rows, and loads from what nobody writes. A load from what the
// program writes moves only out of loops in which nothing can change it, and only if it runs in the first round
// of each whenever that is entered: it may not meet a write that it would not have met. If all that it waits for in
// the first round is the test of a counter, that test guards it in front of the loop.
//
// A load that did not run in every first round leaves its control, and its proof of bounds with it. Conversions
// move only with what needs them; once loops are written out so does arithmetic, of which there is much that an
// address takes in for nothing. One walk, O(rows + operands), loads times the loops they leave.
func licm(w *work) {
	h := &hoisting{w: w, memory: w.memoryVersions(), exits: w.exits(), depth: make([]int32, len(w.Regions)), sure: make([]certainty, len(w.Regions)), leaves: w.leavesPast()}
	h.written = make([]bool, len(w.objs))
	h.reached = make([]int32, w.Rows())
	h.late = make([]bool, w.Rows())
	w.visits += len(w.memory)
	for _, r := range w.memory { // in any order
		if in := w.info(r); in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 && !w.gone[r] {
			h.written[w.X[r]] = true
		} else if in.Imm == ir.ImmCopy {
			dst, _ := ir.CopyObjects(w.X[r])
			h.written[dst] = true
		}
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atElse:
		case it.at == atEnd:
			h.end(r)
		case w.structured(r):
			h.enter(r)
		default:
			h.row(&it)
		}
	}
}

type hoisting struct {
	w       *work
	memory  *memoryVersions
	exits   *exits
	loops   []loopState // the loops that the walk is in
	depth   []int32     // by region: how many loops it is in
	sure    []certainty // by region: whether what comes next runs when the region is entered, in the first round of a loop
	leaves  []bool      // by first region of an op: an exit inside goes past its end
	written []bool      // by object
	reached []int32     // by row: 1 + the number of loops that it depends on, 0 if nobody has asked
	late    []bool      // by row: it depends on what stands under the test in front of a loop
}

// certainty says whether rows run.
type certainty uint8

const (
	unsure certainty = iota
	tested           // if the first test of the loop's counter lets it go on
	certain
)

type loopState struct {
	row     ir.Row
	hoisted int
	carried int
	test    ir.Row // of its counter, NoRow without one
	counter counter
	guard   ir.Row // that test in front of the loop, NoRow as long as nobody needs it
}

func (h *hoisting) enter(r ir.Row) {
	w := h.w
	d := h.depth[w.Region[r]]
	if w.info(r).Attr&ir.Repeats != 0 {
		s := loopState{row: r, carried: len(w.Operands(r)), test: ir.NoRow, guard: ir.NoRow}
		if c, ok := w.counter(h.exits, r); ok && h.plain(c) {
			s.counter, s.test = c, c.test
		}
		h.loops = append(h.loops, s)
		d++
	}
	for i := range uint32(w.info(r).Owns) {
		h.depth[w.X[r]+i], h.sure[w.X[r]+i] = d, certain
	}
}

// plain reports whether the arm of a counter's test that stays comes to its end.
func (h *hoisting) plain(c counter) bool {
	w := h.w
	for at := w.head[c.stay]; at != w.tail[c.stay]; at = w.next[at] {
		if w.structured(at) {
			return false
		}
	}
	return c.which == c.arg
}

// end closes structured op r.
func (h *hoisting) end(r ir.Row) {
	w := h.w
	if w.info(r).Attr&ir.Repeats != 0 {
		h.loops = h.loops[:len(h.loops)-1]
	}
	if !h.leaves[w.X[r]] {
		return
	}
	reg := w.Region[r]
	still := unsure
	if n := len(h.loops) - 1; n >= 0 && h.loops[n].test == r {
		still = tested
		if w.must(checkFirstRound, w.entered(h.loops[n].counter)) {
			still = certain
		}
	}
	h.sure[reg] = min(h.sure[reg], still)
}

// row moves the row that the walk is at, if it may.
func (h *hoisting) row(it *walk) {
	w, r := h.w, it.row
	here := int(h.depth[w.Region[r]])
	load := w.info(r).Spread == ir.SpreadLoad
	if here == 0 || !load && (h.waits(r) || !w.pure(r)) {
		return
	}
	to := 0
	w.each(r, func(v ir.Row) { to = max(to, h.reach(v)) })
	always, guarded := true, false
	if load {
		to, always, guarded = h.loadTo(r, here, to)
	}
	if to >= here || h.loops[to].hoisted >= maxHoisted || load && !h.worth(r, to) || guarded && !h.guardable(r, to) {
		return
	}
	next := w.next[r]
	w.each(r, func(v ir.Row) { h.bring(v, to) })
	if guarded {
		if h.follows(w.A(r)) {
			return
		}
		h.guard(r, to)
	} else {
		h.hoist(r, to)
		if load && !always && !w.must(checkSpeculatedBounds, false) {
			w.Flags[r] &^= ir.InBounds
		}
	}
	w.hit(w.info(r).Name)
	it.resume(next)
}

// waits reports whether row r moves only with what needs it.
func (h *hoisting) waits(r ir.Row) bool { return h.w.Op[r] == ir.OpCvt || h.w.wroteOut }

// worth reports whether the value of load r may take a register through the loop with so many around it.
func (h *hoisting) worth(r ir.Row, to int) bool {
	w := h.w
	o := w.objs[w.X[r]]
	return o.Param != nil && o.Param.Access == ir.RO || h.loops[to].carried+h.loops[to].hoisted < maxHeld
}

// reach is the number of loops that v depends on: those it is in, or if it moves only with what needs it those that
// what it is computed from is in.
func (h *hoisting) reach(v ir.Row) int {
	w := h.w
	w.visits++
	if w.Op[v] == ir.OpConst {
		return 0
	}
	here := h.depth[w.Region[v]]
	if here == 0 || !h.waits(v) || !w.pure(v) {
		return int(here)
	}
	if n := h.reached[v]; n != 0 {
		return int(min(n-1, here))
	}
	to := 0
	w.each(v, func(u ir.Row) { to = max(to, h.reach(u)) })
	h.reached[v] = int32(to) + 1
	return to
}

// bring moves what leads to v and moves only with what needs it out as far as loop to.
func (h *hoisting) bring(v ir.Row, to int) {
	w := h.w
	if w.Op[v] == ir.OpConst || int(h.depth[w.Region[v]]) <= to {
		return
	}
	w.each(v, func(u ir.Row) { h.bring(u, to) })
	h.hoist(v, to)
}

// hoist moves row r in front of the loop with the given number of loops around it, and of the test there if it does not
// need what that guards.
func (h *hoisting) hoist(r ir.Row, to int) {
	l := &h.loops[to]
	l.hoisted++
	h.w.each(r, func(v ir.Row) { h.late[r] = h.late[r] || h.follows(v) })
	if l.guard != ir.NoRow && !h.late[r] {
		h.w.move(r, l.guard)
		return
	}
	h.w.move(r, l.row)
}

// loadTo returns how far load r, which its operands would let go as far as loop to, may go, and whether it
// runs in the first rounds of all loops on the way; or, guarded, in that of the one that it leaves if its test does.
func (h *hoisting) loadTo(r ir.Row, here, to int) (far int, always, guarded bool) {
	w := h.w
	o := w.X[r]
	always = true
	at := r
	for far = here; far > to; far-- {
		w.visits++
		loop := h.loops[far-1].row
		body := w.X[loop]
		runs := unsure
		if w.Region[at] == body {
			runs = h.sure[body]
		}
		if h.written[o] {
			inside := h.memory.inside[body]
			if !w.must(checkHoistedPast, !inside.has(h.memory.of[o])) {
				return far, always, false
			}
			if !w.must(checkHoistedSure, runs == certain) {
				if runs == tested && far == here {
					return far - 1, false, true
				}
				return far, always, false
			}
		}
		always = always && runs == certain
		at = loop
	}
	return far, always, false
}
