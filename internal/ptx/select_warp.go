package ptx

import "github.com/govyre/vyre/ir"

// A warp whose lanes each store a record of several chunks of 16 bytes, one record after the other, writes few bytes of
// many cache lines at a time: of 48 bytes, each store goes to twelve lines where its bytes fill four, and to halves of
// sectors. Here the lanes trade chunks first, so that they store those of the warp in the order of memory: lane s stores
// chunks s, s+32, s+64, which are of other lanes' records. Loads stay apart: the lines of a first access serve the next
// ones. docs/design/ptx.md has the figures.
//
//	          @!%in bra done            not in bounds: nothing is stored
//	          activemask %m
//	          setp.ne %q, %m, -1
//	          @%q bra.uni apart
//	          … shuffles
//	          bar.warp.sync
//	          … chunks s, s+32, …
//	          bar.warp.sync
//	          bra done
//	apart:    … chunks of the own record
//	done:
//
// Why that is the same as each lane storing its own record:
//
//   - Who sees the full mask executes that instruction together with all lanes of its warp, and they all see it. The
//     store is in no loop, so it is the same store of each of them, and all take the same way: shuffles and barriers of
//     the whole warp find the whole warp. A warp that is not all here, for whatever reason, goes apart.
//   - All lanes that are here are in bounds. Their indices are consecutive modulo 2³² (lanes.go), and the length is
//     less than 2³², so 2³²-1 is out of bounds and no index that is in bounds is followed by 0: the 32 records lie one after
//     the other. The store is of whole records, so their bytes are what the lanes store.
//   - The bytes are stored by another lane than the program says. Lanes of a warp are in order with each other at a
//     barrier of the warp: with the one before, what the lanes did until then comes first; with the one after, what they
//     do later, or tell others by a fence or an atomic, comes after it.
//
// Chunk c = 32k+s of the warp, for an odd number n of chunks a record, is part q = c mod n of the record of lane c div n.
// Of each part, lane s stores the one chunk whose owner is lane (s−q)/n modulo 32; it is the k'th that it stores, with
// k = (turn + q·u) mod n, where 32·u = 1 and turn = −s·u modulo n. So there is one shuffle a word, and then each lane
// turns its chunks round by its turn.

// storesTogether makes one store of whole records of wide ones that are all parts of it, where the lanes of a warp may go
// together. The rows are accesses of one record.
func (s *selector) storesTogether(rows []ir.Row) {
	row := rows[0]
	o := &s.objs[s.p.X(row)]
	n := chunksOf(o.Param.Record)
	if s.inLanes == nil || n == 0 || s.p.Op(row) != ir.OpStore || !s.inLanes[s.p.A(row)] || s.looped[s.p.Region(row)] ||
		o.MaxLen() >= 1<<32 {
		return
	}
	parts := make([]wideAccess, n)
	leads := make([]ir.Row, n)
	last, found := ir.Row(0), 0
	for _, r := range rows {
		if w, ok := s.wide[r]; ok && len(w.rows)*s.objs[s.p.X(r)].Type().Size() == chunkBytes {
			k := w.off / chunkBytes
			parts[k], leads[k], last = w, r, max(last, r)
			found++
		}
	}
	if found < n {
		return
	}
	for _, r := range leads {
		delete(s.wide, r)
	}
	s.records[last] = parts
}

// storeRecord stores a whole record, together with those of the other lanes if all are here.
func (s *selector) storeRecord(row ir.Row, parts []wideAccess) {
	n := uint32(len(parts))
	p := s.inBounds(row, 1)
	own := make([][4]reg, n)
	for q, w := range parts {
		own[q] = s.fieldWords(w)
	}
	o := &s.objs[s.p.X(row)]
	place := access{obj: o.First, index: s.p.A(row), scale: uint32(o.Stride())}
	here := s.do(opPlace, tS64, s.access(place)) // before the branch, so that both ways have it
	first := s.doInto(s.newReg(classRD), opMadWide, tS32, s.lane(), imm(tS32, uint64(chunkBytes-uint32(o.Stride()))), here)
	apart, done := s.newLabel(), s.newLabel()
	if p != noReg {
		s.add(inst{op: opBra, dst: label(done), guard: p})
	}
	s.unlessAllHere(apart)
	chunks := s.traded(own)
	store := func(base reg, off uint32, x [4]reg) {
		s.add(inst{op: opSt, t: tU32, mod: s.accessMods(row, false), dst: at(base, uint64(off)), src: [4]operand{s.vec(x[:]...)}})
	}
	s.add(inst{op: opBarWarp, src: [4]operand{s.members()}})
	for k := range n {
		store(first.reg, k*warpSize*chunkBytes, chunks[k])
	}
	s.add(inst{op: opBarWarp, src: [4]operand{s.members()}})
	s.jump(done)
	s.label(apart)
	for q := range n {
		store(here.reg, q*chunkBytes, own[q])
	}
	s.label(done)
}

// unlessAllHere branches to a label if not all lanes of the warp are here. All that are here go the same way.
func (s *selector) unlessAllHere(apart uint64) {
	s.need(6, 2)
	here := s.do(opActiveMask, tB32)
	some := s.compare(cmpNE, tU32, here, s.members())
	s.add(inst{op: opBra, dst: label(apart), guard: some.reg, sense: true, mod: mods{uni: true}})
}

// fieldWords are the words of what is stored to the fields in a chunk.
func (s *selector) fieldWords(w wideAccess) (words [4]reg) {
	i := 0
	for _, row := range w.rows {
		v := s.value(s.p.B(row))
		if s.objs[s.p.X(row)].Type().Size() == 8 {
			lo, hi := s.split(v)
			words[i], words[i+1] = s.inReg(tB32, lo), s.inReg(tB32, hi)
			i += 2
			continue
		}
		if v.kind == isReg {
			v = s.recast(ir.U32, v)
		}
		words[i] = s.inReg(tB32, v.as(tU32))
		i++
	}
	return words
}

// traded are the chunks that the lane stores for its warp, of those that all lanes have of their records.
func (s *selector) traded(own [][4]reg) [][4]reg {
	n := uint32(len(own))
	inverse := inverseOf(n, warpSize)
	to := s.do(opMulLo, tU32, s.lane(), u32(inverse))
	chunks := make([][4]reg, n)
	u := inverseOf(warpSize, n)
	for q := range n {
		owner := to // the hardware takes it modulo 32
		if q > 0 {
			owner = s.do(opSub, tU32, to, u32(q*inverse%warpSize))
		}
		for i, x := range own[q] {
			chunks[q*u%n][i] = s.doInto(s.newReg(classR), opShflIdx, tB32, r(x), owner, u32(warpSize-1), s.members()).reg
		}
	}
	// The turn is a remainder of a small number: the quotient is a product's high bits.
	x := s.do(opMulLo, tU32, s.lane(), u32(n-u))
	quotient := s.do(opShr, tU32, s.do(opMulLo, tU32, x, u32(1<<16/n+1)), u32(16))
	turn := s.do(opSub, tU32, x, s.do(opMulLo, tU32, quotient, u32(n)))
	for bit := uint32(1); bit < n; bit <<= 1 {
		set := s.compare(cmpNE, tU32, s.do(opAnd, tB32, turn, u32(bit)), u32(0))
		chunks = s.turned(chunks, bit, set)
	}
	return chunks
}

// turned are chunks turned round by so many places where set is true.
func (s *selector) turned(chunks [][4]reg, places uint32, set operand) [][4]reg {
	n := uint32(len(chunks))
	next := make([][4]reg, n)
	for k := range n {
		for i, x := range chunks[k] {
			from := chunks[(k+n-places)%n][i]
			next[k][i] = s.do(opSelp, tB32, r(from), r(x), set).reg
		}
	}
	return next
}

// inverseOf returns x with x·a = 1 modulo m, for numbers without a common divisor.
func inverseOf(a, m uint32) uint32 {
	x := uint32(1)
	for x*a%m != 1 {
		x++
	}
	return x
}
