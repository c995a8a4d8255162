package sass

import (
	"fmt"
	"math/bits"
)

// Lanes of a warp that are together are a split: they take an instruction at once. A branch on which they differ parts
// them, and they meet again only where an instruction has them wait for each other: that two splits come by the same
// place is not enough, as on a GPU.
//
//	BSSY B0     has those that are together wait for each other, at
//	BSYNC B0    which they leave together, but for those that have ended or have left by
//	BREAK B0    before
//	WARPSYNC    waits for all lanes of a mask
//	BAR         waits for all invocations of the group
//
// BRA.U is taken by all that are together or by nobody: code branches once more behind it, where lanes may part.
//
// Registers of the whole warp are one for all splits. So a split goes on until it has to wait, ends, branches apart or
// says that others may go on; only then another one takes its turn, which is drawn. What does not end for so long
// takes turns too.

// barriers is how many registers there are like B0.
const barriers = 16

// warp is up to 32 invocations of a group.
type warp struct {
	group  *group
	lanes  []*thread
	r      [uniform]uint32
	p      [8]bool
	alive  uint32
	splits []*split
	now    uint32 // the lanes of the split that has its turn
}

// split is lanes that are together.
type split struct {
	lanes uint32
	pc    int
	wait  wait
	on    int    // which barrier
	mask  uint32 // of WARPSYNC
}

type wait uint8

const (
	running  wait = iota
	atBranch      // BSYNC
	atWarp        // WARPSYNC
	atGroup       // BAR
)

// turn is how many instructions a split takes before another one has its turn at a branch back.
const turn = 1 << 10

// each calls f for each lane of a mask.
func (w *warp) each(lanes uint32, f func(*thread)) {
	for ; lanes != 0; lanes &= lanes - 1 {
		f(w.lanes[bits.TrailingZeros32(lanes)])
	}
}

// first is the first lane of a mask.
func (w *warp) first(lanes uint32) *thread { return w.lanes[bits.TrailingZeros32(lanes)] }

// take has a split go on until it is another one's turn, and returns how many instructions it took.
func (w *warp) take(s *split) (n int, err error) {
	var in *inst
	defer func() {
		if r := recover(); r != nil { // it has fewer operands than its name lets expect
			err = &UnknownError{in.text}
		}
	}()
	code := w.group.m.code
	w.now = s.lanes
	for n < most {
		if s.pc >= len(code.insts) {
			return n, fmt.Errorf("sass: it runs past its last instruction")
		}
		in = &code.insts[s.pc]
		s.pc++
		n++
		lanes := s.lanes
		if in.guard.kind == predicate {
			lanes = w.where(s.lanes, in.guard)
		}
		if lanes == 0 || lanes != s.lanes && in.op == "BRA" && in.has("U") { // BRA.U is for all or nobody
			continue
		}
		before := s.pc
		over := false
		switch {
		case in.all != nil:
			in.all(w, s, lanes, in)
			over = s.wait != running || s.lanes != w.now || yields[in.op]
		case in.once:
			in.do(w.first(lanes), in)
		case in.flow:
			over = w.branch(s, lanes, in)
		default:
			for left := lanes; left != 0; left &= left - 1 {
				in.do(w.lanes[bits.TrailingZeros32(left)], in)
			}
		}
		for left := lanes; left != 0; left &= left - 1 {
			if t := w.lanes[bits.TrailingZeros32(left)]; t.err != nil {
				return n, fmt.Errorf("sass: %s: lane %d: %w", in.text, t.lane, t.err)
			}
		}
		if over || n > turn && s.pc < before {
			return n, nil
		}
	}
	return n, nil
}

// where are those of the lanes for which a predicate holds.
func (w *warp) where(lanes uint32, p operand) uint32 {
	if p.n >= uniform || p.n == holds {
		if w.first(lanes).flag(p) {
			return lanes
		}
		return 0
	}
	var v uint32
	for left := lanes; left != 0; left &= left - 1 {
		k := bits.TrailingZeros32(left)
		v |= b2u(w.lanes[k].flag(p)) << k
	}
	return v
}

// branch does an instruction that sets where lanes go on, and reports whether they are apart then, or have ended.
func (w *warp) branch(s *split, lanes uint32, in *inst) bool {
	w.each(s.lanes, func(t *thread) { t.pc = s.pc })
	w.each(lanes, func(t *thread) { in.do(t, in) })
	var ended uint32
	w.each(lanes, func(t *thread) { ended |= b2u(t.done) << t.lane })
	pc, apart := w.first(s.lanes).pc, ended != 0
	for left := s.lanes; left != 0 && !apart; left &= left - 1 {
		apart = w.lanes[bits.TrailingZeros32(left)].pc != pc
	}
	if !apart {
		s.pc = pc
		return false
	}
	left := s.lanes &^ ended
	w.leave(s)
	w.alive &^= ended
	w.splits = append(w.splits, w.byPlace(left)...)
	if ended != 0 {
		w.release()
		w.group.release()
	}
	return true
}

// leave takes a split out of the list.
func (w *warp) leave(s *split) {
	for i := range w.splits {
		if w.splits[i] == s {
			w.splits = append(w.splits[:i], w.splits[i+1:]...)
			return
		}
	}
}

// hold has lanes of a split wait, those together that wait for the same ones; the others go on.
func (w *warp) hold(s *split, lanes uint32, at wait, on int, mask func(*thread) uint32) {
	w.leave(s)
	if rest := s.lanes &^ lanes; rest != 0 {
		w.splits = append(w.splits, &split{lanes: rest, pc: s.pc})
	}
	for lanes != 0 {
		m := mask(w.first(lanes))
		var some uint32
		w.each(lanes, func(t *thread) { some |= b2u(mask(t) == m) << t.lane })
		w.splits = append(w.splits, &split{lanes: some, pc: s.pc, wait: at, on: on, mask: m})
		lanes &^= some
	}
	s.lanes = 0 // its lanes are those of others now
	w.release()
}

// needed are the lanes that a split waits for, of its warp.
func (w *warp) needed(s *split) uint32 {
	if s.wait == atBranch {
		return w.first(s.lanes).waits[s.on]
	}
	return s.mask
}

// release lets those go on that wait for nobody any more.
func (w *warp) release() {
	for again := true; again; {
		again = false
		for _, s := range w.splits {
			if s.wait != atBranch && s.wait != atWarp {
				continue
			}
			needed := w.needed(s)
			like := func(o *split) bool { return o.wait == s.wait && o.on == s.on && w.needed(o) == needed }
			here := uint32(0)
			for _, o := range w.splits {
				if like(o) {
					here |= o.lanes
				}
			}
			if needed&w.alive&^here == 0 {
				w.goOn(like)
				again = true
				break
			}
		}
	}
}

// goOn lets splits go on: those together that go on at the same place.
func (w *warp) goOn(which func(*split) bool) {
	var stay []*split
	var lanes uint32
	for _, s := range w.splits {
		if !which(s) {
			stay = append(stay, s)
			continue
		}
		lanes |= s.lanes
		w.each(s.lanes, func(t *thread) { t.pc = s.pc })
	}
	w.splits = append(stay, w.byPlace(lanes)...)
}

// byPlace are lanes, those together that go on at the same place.
func (w *warp) byPlace(lanes uint32) (list []*split) {
	for lanes != 0 {
		pc := w.first(lanes).pc
		var some uint32
		w.each(lanes, func(t *thread) { some |= b2u(t.pc == pc) << t.lane })
		list = append(list, &split{lanes: some, pc: pc})
		lanes &^= some
	}
	return list
}
