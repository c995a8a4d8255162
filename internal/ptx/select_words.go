package ptx

import "github.com/govyre/vyre/ir"

// The words of a fragment are put together from halves or bytes. Where these are one load of 4 bytes, and nothing else wants
// them, the word is what is loaded. Kernels without matrix products rarely do that, and keep the text that they have.

// findWords notes the loads of vectors that are words.
func (s *selector) findWords() {
	p := s.p
	products := false
	for r := range ir.Row(p.Rows()) {
		products = products || p.Op(r) >= ir.OpMma
	}
	if !products {
		return
	}
	s.asWord = make(map[ir.Row]ir.Row)
	for r := ir.Row(p.Rows()) - 1; r > 0; r-- { // a whole word comes before the words that it is made of
		if p.Op(r) != ir.OpOr || p.Type(r) != ir.U32 || s.uses[r] == 0 {
			continue
		}
		if w := (joining{s: s, load: ir.NoRow}); w.all(r) && w.whole() {
			s.asWord[w.load] = r
			for _, v := range w.inner {
				s.uses[v] = 0
			}
		}
	}
	if findTiles != nil {
		s.tiles = findTiles(s)
	}
}

// joining are the rows that put a word together.
type joining struct {
	s     *selector
	load  ir.Row
	parts uint32   // bytes that are there
	lanes uint32   // lanes that were met
	inner []ir.Row // but for the word
}

// all takes the operands of an or, and reports whether each is a part of one load, in its place.
func (w *joining) all(or ir.Row) bool { return w.part(w.s.p.A(or)) && w.part(w.s.p.B(or)) }

// part takes a part of the word, which nothing but the word uses.
func (w *joining) part(v ir.Row) bool {
	p := w.s.p
	if !w.only(v) {
		return false
	}
	if p.Op(v) == ir.OpOr {
		return w.all(v)
	}
	shift := uint32(0)
	if p.Op(v) == ir.OpShl && p.Op(p.B(v)) == ir.OpConst {
		shift, v = uint32(p.Const(p.B(v))), p.A(v)
		if !w.only(v) {
			return false
		}
	}
	mask := ^uint32(0)
	if p.Op(v) == ir.OpAnd && p.Op(p.B(v)) == ir.OpConst {
		mask, v = uint32(p.Const(p.B(v))), p.A(v)
		if !w.only(v) {
			return false
		}
	}
	if op := p.Op(v); op == ir.OpBitcast || op == ir.OpCvt && p.Type(p.A(v)) == ir.I32 {
		if v = p.A(v); !w.only(v) {
			return false
		}
	}
	return p.Op(v) == ir.OpElem && w.lane(p.A(v), p.X(v), shift, mask)
}

// only notes a row on the way, if it has no other use.
func (w *joining) only(v ir.Row) bool {
	w.inner = append(w.inner, v)
	return w.s.uses[v] == 1 && len(w.inner) <= 20
}

// lane takes a lane of a load, of which the mask leaves some bits, shifted left.
func (w *joining) lane(load ir.Row, lane, shift, mask uint32) bool {
	p := w.s.p
	if op := p.Op(load); op != ir.OpLoadV2 && op != ir.OpLoadV4 || w.load != ir.NoRow && w.load != load {
		return false
	}
	w.load = load
	t := w.s.objs[p.X(load)].Type()
	bits := uint32(8 * t.Size())
	keeps := mask == ^uint32(0) && (!t.IsSigned() || shift+bits == 32) || uint64(mask) == t.Mask()
	w.parts |= uint32(t.Mask()) << shift
	w.lanes++
	return t != ir.Bool && keeps && shift == lane*bits
}

// whole reports whether a load has no lanes but those of the word, and all of them.
func (w *joining) whole() bool {
	p := w.s.p
	return w.parts == ^uint32(0) && w.lanes == uint32(p.Op(w.load).Info().Vec.Lanes()) && w.lanes == w.s.uses[w.load] &&
		p.Flags(w.load).InBounds()
}

// loadWord loads a vector as the word that it is used as.
func (s *selector) loadWord(load, word ir.Row) {
	d := s.newReg(classR)
	s.add(inst{op: opLd, t: tU32, mod: s.accessMods(load, true), dst: r(d), src: [4]operand{s.element(load, uint32(s.p.Op(load).Info().Vec.Lanes()), 0)}})
	s.set(word, r(d))
	s.taken[word] = true
}
