package ptx

import (
	"slices"

	"github.com/govyre/vyre/ir"
)

// cut is a vector access that the object's end may cut short. Its lanes are accessed one by one where that is so,
// after the access of all lanes at once and others like it.
type cut struct {
	row   ir.Row
	lanes uint32
	// each adds the access of lane i under a predicate.
	each func(i uint32, q reg)
}

// loadVector loads all lanes at once where all are in bounds. The object's end may cut a vector short; that one
// is loaded lane by lane.
func (s *selector) loadVector(row ir.Row) {
	if word, ok := s.asWord[row]; ok {
		s.loadWord(row, word)
		return
	}
	if vec, ok := s.moved[row]; ok {
		s.loadMoved(row, vec)
		return
	}
	t := s.objs[s.p.X(row)].Type()
	lanes := uint32(s.p.Op(row).Info().Vec.Lanes())
	p := s.inBounds(row, lanes)
	d := make([]reg, lanes)
	for i := range d {
		d[i] = s.newReg(memClass(t))
		s.zero(d[i], p)
	}
	m := s.accessMods(row, true)
	s.guarded(inst{op: opLd, t: inMemory(t), mod: m, dst: s.vec(d...), src: [4]operand{s.element(row, lanes, 0)}}, p)
	if p != noReg {
		s.cutShort(cut{row, lanes, func(i uint32, q reg) {
			s.guarded(inst{op: opLd, t: inMemory(t), mod: m, dst: r(d[i]), src: [4]operand{s.element(row, lanes, i)}}, q)
		}})
		if t == ir.Bool { // the values are made of what was loaded here
			s.finish()
		}
	}
	parts := make([]operand, lanes)
	for i, x := range d {
		parts[i] = s.fromMemory(t, x)
	}
	s.vectors[row] = parts
}

func (s *selector) storeVector(row ir.Row) {
	if d, ok := s.through[s.p.B(row)]; ok {
		s.storeMoved(row, d)
		return
	}
	t := s.objs[s.p.X(row)].Type()
	lanes := uint32(s.p.Op(row).Info().Vec.Lanes())
	p := s.inBounds(row, lanes)
	v := make([]reg, lanes)
	for i, o := range s.vectors[s.p.B(row)] {
		v[i] = s.inReg(moveType(makeReg(memClass(t), 0)), s.toMemory(t, o))
	}
	m := s.accessMods(row, false)
	at, all := s.asStored(t, v)
	s.guarded(inst{op: opSt, t: at, mod: m, dst: s.element(row, lanes, 0), src: [4]operand{all}}, p)
	if p != noReg {
		s.cutShort(cut{row, lanes, func(i uint32, q reg) {
			s.guarded(inst{op: opSt, t: inMemory(t), mod: m, dst: s.element(row, lanes, i), src: [4]operand{r(v[i])}}, q)
		}})
	}
}

// asStored returns several values of type t as what one store takes, and the type of that. Pairs of 16-bit integers are
// put into words: ptxas (11.8 and the driver for CUDA 13.0) makes the pair in the register of the first one, and where that
// is the low word of 64 bits, it is wanted later on; see halfWord.
func (s *selector) asStored(t ir.Type, v []reg) (ptype, operand) {
	if t != ir.I16 && t != ir.U16 || len(v)%2 != 0 {
		return inMemory(t), s.vec(v...)
	}
	words := make([]reg, len(v)/2)
	for i := range words {
		words[i] = s.do(opPrmt, tB32, r(v[2*i]), r(v[2*i+1]), u32(halfWord[16])).reg
	}
	if len(words) == 1 {
		return tU32, r(words[0])
	}
	return tU32, s.vec(words...)
}

// cutShort leaves the lanes of c to finish, unless the object is surely whole vectors.
func (s *selector) cutShort(c cut) {
	if rest := s.leftOver(ir.Object(s.p.X(c.row)), c.lanes); !rest.isConst(0) {
		s.cuts = append(s.cuts, c)
	}
}

// mayStandBetween reports whether row r may stand between the access of whole vectors and that of the lanes of those cut
// short: it computes, from other values, or it is an access of the same kind. Loads may change places with loads.
// A store may with a store of vectors of the same size: those that differ share no element.
func (s *selector) mayStandBetween(row ir.Row) bool {
	in := s.p.Op(row).Info()
	first := s.cuts[0]
	loads := s.p.Op(first.row).Info().Attr&ir.Writes == 0
	switch s.p.Op(row) {
	case ir.OpElem, ir.OpVec:
		return true
	case ir.OpLoad, ir.OpLoadV2, ir.OpLoadV4:
		if !loads {
			return false
		}
	case ir.OpStoreV2, ir.OpStoreV4:
		if loads || uint32(in.Vec.Lanes()) != first.lanes {
			return false
		}
	default:
		if in.Attr&ir.Pure == 0 || in.Attr&ir.Convergent != 0 || in.Owns > 0 {
			return false
		}
	}
	if !loads {
		return true
	}
	waits := func(v ir.Row) bool {
		return v != ir.NoRow && s.p.Op(v) == ir.OpElem &&
			slices.ContainsFunc(s.cuts, func(c cut) bool { return c.row == s.p.A(v) })
	}
	for _, v := range [...]ir.Row{s.p.A(row), s.p.B(row), s.p.C(row)} {
		if waits(v) {
			return false
		}
	}
	for _, v := range s.p.List(row) {
		if waits(ir.Row(v)) {
			return false
		}
	}
	return true
}

// finish adds the accesses of the lanes of vectors that an object's end cuts short. Objects of whole vectors have
// none, and whether all are is the same for the grid: so a branch that all take alike leads past them.
func (s *selector) finish() {
	if len(s.cuts) == 0 {
		return
	}
	row := s.row
	s.row = s.cuts[0].row
	done := s.newLabel()
	if none := s.noneLeft(); none != noReg {
		s.add(inst{op: opBra, dst: label(done), guard: none, sense: true, mod: mods{uni: true, rare: true}})
	}
	for _, c := range s.cuts {
		s.row = c.row
		obj := ir.Object(s.p.X(c.row))
		index, wide := s.comparable(ir.Object(s.p.X(c.row)), s.p.A(c.row))
		t := tU32
		if wide {
			t = tU64
		}
		last := s.compare(cmpEQ, t, index, s.length(obj, wide, c.lanes))
		rest := s.leftOver(obj, c.lanes)
		for i := range c.lanes - 1 {
			q := s.newReg(classP)
			s.add(inst{op: opSetp, t: tU32, mod: mods{cmp: cmpGT, and: true}, dst: r(q), src: [4]operand{rest, u32(i), last}})
			c.each(i, q)
		}
	}
	s.row = s.cuts[0].row
	s.label(done)
	s.row = row
	s.cuts = s.cuts[:0]
}

// noneLeft is a predicate: the objects of all vectors that may be cut short are whole vectors. noReg if one is not.
func (s *selector) noneLeft() reg {
	var all reg
	for _, c := range s.cuts {
		obj := ir.Object(s.p.X(c.row))
		rest := s.leftOver(obj, c.lanes)
		if rest.kind == isImm {
			return noReg
		}
		one := s.onceOf(onceNoneLeft, uint32(obj)<<3|c.lanes, func() operand {
			return s.compare(cmpEQ, tU32, rest, u32(0))
		}).reg
		switch {
		case all == noReg || all == one:
			all = one
		default:
			k := [2]reg{all, one}
			both, ok := s.whole[k]
			if !ok {
				s.atEntry(func() { both = s.do(opAnd, tPred, r(all), r(one)).reg })
				s.whole[k] = both
			}
			all = both
		}
	}
	return all
}
