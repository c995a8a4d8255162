package opt

import (
	"math/bits"

	"github.com/govyre/vyre/ir"
)

// smallSet is a set of numbers below 256.
type smallSet [maxNumbers / 64]uint64

// maxNumbers bounds the numbers of a set.
const maxNumbers = 256

func (s *smallSet) add(o uint32)      { s[o/64] |= 1 << (o % 64) }
func (s *smallSet) has(o uint32) bool { return s[o/64]>>(o%64)&1 != 0 }

func (s *smallSet) join(t *smallSet) {
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

// memoryVersions gives every object a number that changes whenever its contents may: two reads of
// one place under one number, the first of which dominates the second, give the same.
//
//   - A write or an atomic to an object starts a new version of it.
//   - A barrier, a fence and an atomic with an order start one for each object that the
//     program writes and others can see: what they wrote may become visible.
//   - The head of a loop, and the end of any structured op, do for each object for which anything
//     inside does. The arms of an if both start where the if stands.
//
// Where records have more fields than a set has numbers, all fields of a buffer have one version.
//
// O(rows); the objects of an op are visited as often as something inside changes them.
type memoryVersions struct {
	w       *work
	of      []uint32   // by object: its number in sets
	visible smallSet   // objects that the program writes, local arrays aside
	inside  []smallSet // by first region of a structured op: what changes in there
	now     []uint32   // by number
	last    uint32
	saved   []savedVersion // of the ifs that the walk is in
}

type savedVersion struct {
	op      ir.Row
	object  uint32
	version uint32
}

// memoryVersions prepares the analysis; follow must then be given every event of a walk.
func (w *work) memoryVersions() *memoryVersions {
	m := &memoryVersions{w: w, of: make([]uint32, len(w.objs)), now: make([]uint32, maxNumbers), inside: lend(&w.scratch.inside, len(w.Regions))}
	for i, o := range w.objs {
		switch m.of[i] = uint32(i); {
		case len(w.objs) <= maxNumbers:
		case o.Param != nil:
			m.of[i] = uint32(o.Index) // of 128 parameters
		default:
			m.of[i] = uint32(maxNumbers/2 + o.Index) // of as many arrays
		}
	}
	ordered := lend(&w.scratch.ordered, len(w.Regions)) // by first region of a structured op: something inside orders memory
	w.visits += len(w.memory)
	for _, r := range w.memory { // in any order
		in := w.info(r)
		if in.Attr&changing == 0 || w.gone[r] {
			continue
		}
		if in.Imm == ir.ImmObject && in.Attr&ir.Writes != 0 && !w.objs[w.X[r]].Local() {
			m.visible.add(m.of[w.X[r]])
		}
		if in.Imm == ir.ImmCopy && !w.must(checkCopied, false) {
			dst, _ := ir.CopyObjects(w.X[r])
			m.visible.add(m.of[dst])
		}
		orders, writes := m.orders(r, in), m.writes(in)
		// What is around an op that was here before has it from that.
		for reg := w.Region[r]; reg != 0 && (orders || writes); reg = w.Region[w.owner(reg)] {
			x := w.X[w.owner(reg)]
			w.visits++
			if orders = orders && !ordered[x]; orders {
				ordered[x] = true
			}
			if writes = writes && !m.inside[x].has(m.of[w.X[r]]); writes {
				m.inside[x].add(m.of[w.X[r]])
			}
		}
	}
	for x, all := range ordered {
		if all {
			m.inside[x].join(&m.visible)
		}
	}
	return m
}

// changing are the attributes of ops that may start versions.
const changing = ir.Barrier | ir.Fence | ir.Atomic | ir.Writes

// orders reports whether row r starts a version of all that others can see.
func (m *memoryVersions) orders(r ir.Row, in *ir.Info) bool {
	w := m.w
	return (in.Attr&(ir.Barrier|ir.Fence) != 0 || in.Attr&ir.Atomic != 0 && w.Flags[r].Order() != ir.Relaxed) && !w.must(checkBarriers, false)
}

// writes reports whether an op starts a version of its object.
func (m *memoryVersions) writes(in *ir.Info) bool {
	return in.Imm == ir.ImmObject && in.Attr&(ir.Writes|ir.Atomic) != 0 && !m.w.must(checkWrites, false)
}

// changes returns the objects of which row r starts a new version.
func (m *memoryVersions) changes(r ir.Row) (s smallSet) {
	in := m.w.info(r)
	if m.orders(r, in) {
		s = m.visible
	}
	if m.writes(in) {
		s.add(m.of[m.w.X[r]])
	}
	return s
}

// version is the number that object o has now.
func (m *memoryVersions) version(o uint32) uint32 { return m.now[m.of[o]] }

// follow takes note of what the walk has come to. After it, now holds for what follows.
func (m *memoryVersions) follow(it *walk) {
	if it.at != atRow || turns[m.w.Op[it.row]%(1<<10)] {
		m.turn(it)
	}
}

// turns says of which ops rows may start versions, or have regions.
var turns = func() (list [1 << 10]bool) {
	for op := range list {
		if in := ir.Op(op).Info(); in != nil {
			list[op] = in.Attr&changing != 0 || in.Owns > 0
		}
	}
	return list
}()

// turn is follow where versions may start.
func (m *memoryVersions) turn(it *walk) {
	w, r := m.w, it.row
	switch it.at {
	case atRow:
		if w.gone[r] {
			return
		}
		in := w.info(r)
		if in.Owns == 0 {
			m.renew(m.changes(r))
			return
		}
		inside := m.inside[w.X[r]]
		if in.Owns == 2 {
			inside.each(func(o uint32) { m.saved = append(m.saved, savedVersion{r, o, m.now[o]}) })
		} else if in.Attr&ir.Repeats != 0 && !w.must(checkLoopWrites, false) {
			m.renew(inside)
		}
	case atElse:
		for i := len(m.saved) - 1; i >= 0 && m.saved[i].op == r; i-- {
			m.now[m.saved[i].object] = m.saved[i].version
			w.visits++
		}
	case atEnd:
		for i := len(m.saved) - 1; i >= 0 && m.saved[i].op == r; i-- {
			m.saved = m.saved[:i]
		}
		if !w.must(checkLoopWrites, false) {
			m.renew(m.inside[w.X[r]])
		}
	}
}

func (m *memoryVersions) renew(s smallSet) {
	if s == (smallSet{}) {
		return
	}
	m.last++
	s.each(func(o uint32) {
		m.now[o] = m.last
		m.w.visits++
	})
}
