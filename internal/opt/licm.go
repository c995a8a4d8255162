package opt

import "github.com/govyre/vyre/ir"

// maxHoisted bounds the rows that are moved in front of one loop: each is a value that
// may need a register all through it.
const maxHoisted = 24

// licm moves rows whose operands do not change in a loop in front of it, at once in front of the
// outermost loop for which that is so: pure rows, and loads from what nobody writes. A load from what the
// program writes moves only out of loops in which nothing can change it, and only if it runs in every round
// that is started: it may not meet a write that it would not have met.
//
// A load that did not run in every round leaves its control, and its proof of bounds with it. Conversions
// move only with what needs them. One walk, O(rows + operands), loads times the loops they leave.
func licm(w *work) {
	h := &hoisting{w: w, memory: w.memoryVersions(), depth: make([]int32, len(w.Regions)), sure: make([]bool, len(w.Regions)), leaves: w.leavesPast()}
	h.written = make([]bool, len(w.objs))
	for it := w.rows(); it.step(); {
		if in := w.info(it.row); it.at == atRow && in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 {
			h.written[w.X[it.row]] = true
		}
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atElse:
		case it.at == atEnd:
			if w.info(r).Attr&ir.Repeats != 0 {
				h.loops = h.loops[:len(h.loops)-1]
			}
			if h.leaves[w.X[r]] {
				h.sure[w.Region[r]] = false
			}
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
	loops   []loopState // the loops that the walk is in
	depth   []int32     // by region: how many loops it is in
	sure    []bool      // by region: what comes next runs whenever the region is entered
	leaves  []bool      // by first region of an op: an exit inside goes past its end
	written []bool      // by object
}

type loopState struct {
	row     ir.Row
	hoisted int
}

func (h *hoisting) enter(r ir.Row) {
	w := h.w
	d := h.depth[w.Region[r]]
	if w.info(r).Attr&ir.Repeats != 0 {
		h.loops = append(h.loops, loopState{row: r})
		d++
	}
	for i := range uint32(w.info(r).Owns) {
		h.depth[w.X[r]+i], h.sure[w.X[r]+i] = d, true
	}
}

// row moves the row that the walk is at, if it may.
func (h *hoisting) row(it *walk) {
	w, r := h.w, it.row
	here := int(h.depth[w.Region[r]])
	if here == 0 || w.Op[r] == ir.OpCvt {
		return
	}
	load := w.info(r).Spread == ir.SpreadLoad
	if !load && !w.pure(r) {
		return
	}
	to := 0
	w.each(r, func(v ir.Row) { to = max(to, h.reach(v)) })
	always := true
	if load {
		to, always = h.loadTo(r, here, to)
	}
	if to >= here || h.loops[to].hoisted >= maxHoisted {
		return
	}
	next := w.next[r]
	w.each(r, func(v ir.Row) { h.bring(v, to) })
	h.hoist(r, to)
	if load && !always && !w.must(checkSpeculatedBounds, false) {
		w.Flags[r] &^= ir.InBounds
	}
	w.hit(w.info(r).Name)
	it.resume(next)
}

// reach is the number of loops that v depends on: those it is in, or for a conversion those that
// what it converts is in.
func (h *hoisting) reach(v ir.Row) int {
	w := h.w
	for w.Op[v] == ir.OpCvt {
		w.visits++
		v = w.A(v)
	}
	if w.Op[v] == ir.OpConst {
		return 0
	}
	return int(h.depth[w.Region[v]])
}

// bring moves the conversions that lead to v out as far as loop to.
func (h *hoisting) bring(v ir.Row, to int) {
	w := h.w
	if w.Op[v] != ir.OpCvt || int(h.depth[w.Region[v]]) <= to {
		return
	}
	h.bring(w.A(v), to)
	h.hoist(v, to)
}

// hoist moves row r in front of the loop with the given number of loops around it.
func (h *hoisting) hoist(r ir.Row, to int) {
	h.loops[to].hoisted++
	h.w.move(r, h.loops[to].row)
}

// loadTo returns how far load r, which its operands would let go as far as loop to, may go, and whether it
// runs in every round of all loops on the way.
func (h *hoisting) loadTo(r ir.Row, here, to int) (far int, always bool) {
	w := h.w
	o := w.X[r]
	always = true
	at := r
	for far = here; far > to; far-- {
		w.visits++
		loop := h.loops[far-1].row
		body := w.X[loop]
		runs := w.Region[at] == body && h.sure[body]
		if h.written[o] {
			inside := h.memory.inside[body]
			if !w.must(checkHoistedPast, !inside.has(o)) || !w.must(checkHoistedSure, runs) {
				return far, always
			}
		}
		always = always && runs
		at = loop
	}
	return far, always
}

// leavesPast reports, by first region of an op, whether an exit inside it goes past its end.
func (w *work) leavesPast() []bool {
	past := make([]bool, len(w.Regions))
	outer := make([]int32, len(w.Regions)) // the depth of the outermost op that an exit inside goes to
	depth := make([]int32, len(w.Regions)) // of the op that owns the region
	for i := range outer {
		outer[i] = 1 << 30
	}
	note := func(reg uint32, d int32) {
		if reg != 0 {
			x := w.X[w.owner(reg)]
			outer[x] = min(outer[x], d)
		}
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atEnd:
			x := w.X[r]
			past[x] = outer[x] < depth[x]
			if past[x] {
				note(w.Region[r], outer[x])
			}
		case it.at == atElse:
		case w.structured(r):
			d := int32(1)
			if w.Region[r] != 0 {
				d = depth[w.Region[r]] + 1
			}
			for i := range uint32(w.info(r).Owns) {
				depth[w.X[r]+i] = d
			}
		case w.Op[r] == ir.OpReturn:
			note(w.Region[r], 0)
		case w.Op[r] == ir.OpBreak, w.Op[r] == ir.OpContinue:
			note(w.Region[r], depth[w.X[w.exitTarget(r)]])
		}
	}
	return past
}
