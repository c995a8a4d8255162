package ptx

import "github.com/govyre/vyre/ir"

// A vector of narrow elements that is stored as it was loaded goes through words. Of elements in registers of their own the assembler
// would take each word apart and put it together again.

// findMoved notes the loads of vectors that a store of the same elements alone uses.
func (s *selector) findMoved() {
	s.moved, s.through = make(map[ir.Row]ir.Row), make(map[ir.Row][]reg)
	p := s.p
	for i := range p.Rows() {
		st := ir.Row(i)
		if op := p.Op(st); op != ir.OpStoreV2 && op != ir.OpStoreV4 {
			continue
		}
		load, ok := s.movedBy(st)
		if !ok || !s.inWords(load) || s.objs[p.X(load)].Type() != s.objs[p.X(st)].Type() {
			continue
		}
		vec := p.B(st)
		if s.moved[load] = vec; vec == load {
			continue
		}
		for _, lane := range p.List(vec) {
			s.uses[lane] = 0
		}
		s.uses[vec] = 0
	}
}

// movedBy returns the load of all that a store stores, in its order, if nothing else uses it.
func (s *selector) movedBy(st ir.Row) (load ir.Row, ok bool) {
	p := s.p
	vec := p.B(st)
	if p.Op(vec) != ir.OpVec {
		return vec, s.uses[vec] == 1
	}
	if s.uses[vec] != 1 {
		return ir.NoRow, false
	}
	lanes := p.List(vec)
	load = ir.NoRow
	for k, lane := range lanes {
		v := ir.Row(lane)
		if p.Op(v) != ir.OpElem || s.uses[v] != 1 || p.X(v) != uint32(k) || k > 0 && p.A(v) != load {
			return ir.NoRow, false
		}
		load = p.A(v)
	}
	return load, s.uses[load] == uint32(len(lanes)) && p.Op(load).Info().Vec.Lanes() == len(lanes)
}

// inWords reports whether row r is a load of a vector of several elements to a word, and of whole words.
func (s *selector) inWords(r ir.Row) bool {
	if op := s.p.Op(r); op != ir.OpLoadV2 && op != ir.OpLoadV4 {
		return false
	}
	t := s.objs[s.p.X(r)].Type()
	return t != ir.Bool && t.Size() < 4 && t.Size()*s.p.Op(r).Info().Vec.Lanes()%4 == 0
}

// loadMoved loads a vector in words. Lanes of one that the object's end cuts short are put in their places.
func (s *selector) loadMoved(row, vec ir.Row) {
	t := s.objs[s.p.X(row)].Type()
	lanes, size := uint32(s.p.Op(row).Info().Vec.Lanes()), uint32(t.Size())
	p := s.inBounds(row, lanes)
	d := make([]reg, lanes*size/4)
	for i := range d {
		d[i] = s.newReg(classR)
		s.zero(d[i], p)
	}
	m := s.accessMods(row, true)
	s.guarded(inst{op: opLd, t: tU32, mod: m, dst: s.all(d), src: [4]operand{s.element(row, lanes, 0)}}, p)
	if p != noReg {
		s.cutShort(cut{row, lanes, func(i uint32, q reg) {
			x := s.newReg(memClass(t))
			s.guarded(inst{op: opLd, t: inMemory(t), mod: m, dst: r(x), src: [4]operand{s.element(row, lanes, i)}}, q)
			word := d[i*size/4]
			s.guarded(inst{op: opBfi, t: tB32, dst: r(word), src: [4]operand{s.word(t, r(x)), r(word), u32(8 * (i * size % 4)), u32(8 * size)}}, q)
		}})
	}
	s.through[vec] = d
}

// storeMoved stores the words of a vector.
func (s *selector) storeMoved(row ir.Row, d []reg) {
	t := s.objs[s.p.X(row)].Type()
	lanes, size := uint32(s.p.Op(row).Info().Vec.Lanes()), uint32(t.Size())
	p, m := s.inBounds(row, lanes), s.accessMods(row, false)
	s.guarded(inst{op: opSt, t: tU32, mod: m, dst: s.element(row, lanes, 0), src: [4]operand{s.all(d)}}, p)
	if p == noReg {
		return
	}
	s.cutShort(cut{row, lanes, func(i uint32, q reg) {
		x := s.do(opShr, tU32, r(d[i*size/4]), u32(8*(i*size%4)))
		if t.IsHalf() {
			x = s.unword(t, x)
		}
		s.guarded(inst{op: opSt, t: inMemory(t), mod: m, dst: s.element(row, lanes, i), src: [4]operand{x}}, q)
	}})
}

// all is one register, or several as a vector.
func (s *selector) all(d []reg) operand {
	if len(d) == 1 {
		return r(d[0])
	}
	return s.vec(d...)
}
