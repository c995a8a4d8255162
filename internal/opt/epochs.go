package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// smallSet is a set of numbers below 256, such as the objects of a program.
type smallSet [4]uint64

func (s *smallSet) add(o uint32)      { s[o/64] |= 1 << (o % 64) }
func (s *smallSet) has(o uint32) bool { return s[o/64]>>(o%64)&1 != 0 }

func (s *smallSet) join(t smallSet) {
	for i := range s {
		s[i] |= t[i]
	}
}

func (s smallSet) each(f func(o uint32)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			f(uint32(64*i + bits.TrailingZeros64(word)))
		}
	}
}

// epochs gives every object a number that changes whenever its contents may: two reads of
// one place under one number, the first of which dominates the second, give the same.
//
//   - A write or an atomic to an object starts a new epoch of it.
//   - A barrier, a fence and an atomic with an order start one for each object that the
//     program writes and others can see: what they wrote may become visible.
//   - The head of a loop, and the end of any structured op, do for each object for which anything
//     inside does. The arms of an if both start where the if stands.
//
// O(rows); the objects of an op are visited as often as something inside changes them.
type epochs struct {
	w       *work
	visible smallSet   // objects that the program writes, local arrays aside
	inside  []smallSet // by first region of a structured op: what changes in there
	now     []uint32   // by object
	last    uint32
	saved   []savedEpoch // of the ifs that the walk is in
}

type savedEpoch struct {
	op     ir.Row
	object uint32
	epoch  uint32
}

// epochs prepares the analysis; follow must then be given every event of a walk.
func (w *work) epochs() *epochs {
	e := &epochs{w: w, now: make([]uint32, len(w.objs)), inside: make([]smallSet, len(w.Regions))}
	for it := w.rows(); it.step(); {
		if it.at != atRow {
			continue
		}
		if in := w.info(it.row); in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 && !w.objs[w.X[it.row]].Local() {
			e.visible.add(w.X[it.row])
		}
	}
	for it := w.rows(); it.step(); {
		r := it.row
		switch {
		case it.at == atEnd:
			if around := w.Region[r]; around != 0 {
				e.inside[w.X[w.owner(around)]].join(e.inside[w.X[r]])
			}
		case it.at == atRow && w.Region[r] != 0:
			e.inside[w.X[w.owner(w.Region[r])]].join(e.changes(r))
		}
	}
	return e
}

// changes returns the objects of which row r starts a new epoch.
func (e *epochs) changes(r ir.Row) (s smallSet) {
	w := e.w
	in := w.info(r)
	if in.Attr&(ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && w.Flags[r].Order() != ir.Relaxed {
		if w.must(checkBarriers, false) {
			return s
		}
		s = e.visible
	}
	if in.Imm == ir.ImmObject && in.Attr&(ir.Writes|ir.Atomic) != 0 && !w.must(checkWrites, false) {
		s.add(w.X[r])
	}
	return s
}

// follow takes note of what the walk has come to. Behind it, now holds for what follows.
func (e *epochs) follow(it *walk) {
	w, r := e.w, it.row
	switch it.at {
	case atRow:
		if w.gone[r] {
			return
		}
		in := w.info(r)
		if in.Owns == 0 {
			if in.Attr&(ir.Barrier|ir.Fence|ir.Atomic|ir.Writes) != 0 {
				e.renew(e.changes(r))
			}
			return
		}
		inside := e.inside[w.X[r]]
		if in.Owns == 2 {
			inside.each(func(o uint32) { e.saved = append(e.saved, savedEpoch{r, o, e.now[o]}) })
		} else if in.Attr&ir.Repeats != 0 && !w.must(checkLoopWrites, false) {
			e.renew(inside)
		}
	case atElse:
		for i := len(e.saved) - 1; i >= 0 && e.saved[i].op == r; i-- {
			e.now[e.saved[i].object] = e.saved[i].epoch
			w.visits++
		}
	case atEnd:
		for i := len(e.saved) - 1; i >= 0 && e.saved[i].op == r; i-- {
			e.saved = e.saved[:i]
		}
		if !w.must(checkLoopWrites, false) {
			e.renew(e.inside[w.X[r]])
		}
	}
}

func (e *epochs) renew(s smallSet) {
	if s == (smallSet{}) {
		return
	}
	e.last++
	s.each(func(o uint32) {
		e.now[o] = e.last
		e.w.visits++
	})
}
