package native

import (
	"math/bits"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Accesses of lanes whose indices have nothing to do with each other. Where all eight lanes are active and every index is
// inside, which a vector test tells, their code stands one after the other: no masks, no loop, no comparison a lane. All
// else goes lane by lane, out of line.

// While lanes are unrolled, unrolledBase has the object's address, lanePairs the indices of two lanes each, and laneFixed an
// operand that all lanes share.
const (
	unrolledBase = amd64.BX
	laneFixed    = amd64.R9
)

var lanePairs = [lanes / 2]amd64.Reg{amd64.CX, amd64.R11, amd64.R12, amd64.R13}

func (a *access) unrolled(e *emitter) {
	a.around(e, func(out amd64.Label) {
		if a.asks() {
			a.indicesOfSome(e, out)
		} else {
			a.allInside(e, out)
			a.spreadRegisters(e)
			a.indices(e)
		}
		base, kept := a.s.generalOf(addressOf(int(a.object)))
		if !kept {
			base = unrolledBase
			e.Load(8, base, a.baseRM())
		}
		if in := a.s.p.Op(a.r).Info(); in.Attr&(ir.Writes|ir.Atomic) == 0 && a.vec == 1 && a.o.Type().Size() < 4 {
			a.loadPairs(e, base)
			return
		}
		a.eachLane(e, base, a.forEach(e))
		a.collect(e)
	}, func() { a.byLanes(e) })
}

// asks reports whether an access of some lanes only loads: others may do so too, if what they load is there.
func (a *access) asks() bool {
	in := a.s.p.Op(a.r).Info()
	return a.mask != noReg && a.result != nil && in.Attr&(ir.Writes|ir.Atomic) == 0 && !a.fields && !a.records && a.vec == 1 && a.o.Gap() == 0
}

// indicesOfSome brings the indices of lanes that are active into registers, and 0 for others. It jumps to out unless all are inside.
func (a *access) indicesOfSome(e *emitter, out amd64.Label) {
	a.countable(e, out)
	a.leaves = true
	if !a.s.p.Flags(a.r).InBounds() {
		a.outside(e)
		e.V2(amd64.VTESTPS, scratch1, e.rm(a.mask))
		e.Jcc(amd64.NE, out)
	}
	e.AluImm(amd64.CMP, 8, a.lenRM(), 0)
	e.Jcc(amd64.E, out)
	e.V3(amd64.VPAND, scratch0, e.reg(a.scaled, scratch0), e.rm(a.mask))
	a.spreadIndices(e, scratch0)
}

// eachLane writes what is done to the element of each lane, whose indices are in registers, as is the object's address.
func (a *access) eachLane(e *emitter, base amd64.Reg, do func(amd64.Mem)) {
	for a.lane = range lanes {
		from := lanePairs[a.lane/2]
		if a.lane%2 == 0 {
			e.Load(4, laneIndex, from.RM())
		} else {
			e.ShiftImm(5, 8, from, 32)
		}
		do(amd64.Mem{Base: base, Index: [...]amd64.Reg{laneIndex, from}[a.lane%2], Scale: uint8(a.o.Type().Size())})
	}
	a.lane = anyLane
}

// loadPairs loads an element of less than 4 bytes for each lane. They go into the vector from general registers: a vector that is
// loaded where its lanes were stored waits for all of them.
func (a *access) loadPairs(e *emitter, base amd64.Reg) {
	t, d := a.o.Type(), e.dst(a.result[0])
	pair := func(i int, y amd64.Y) {
		from, m := lanePairs[i], amd64.Mem{Base: base, Index: laneIndex, Scale: uint8(a.o.Type().Size())}
		e.Load(4, laneIndex, from.RM())
		e.loadElement(t, laneValue, m)
		e.ShiftImm(5, 8, from, 32)
		m.Index = from
		e.loadElement(t, from, m)
		e.ShiftImm(4, 8, from, 32)
		e.Alu(amd64.OR, 8, from, laneValue.RM())
		e.VSetLow(8, y, from)
	}
	for i, low := range [...]amd64.Y{scratch0, scratch1} {
		pair(2*i, low)
		pair(2*i+1, d)
		e.V3(amd64.VUNPCKLPD, low, low, d.RM())
	}
	e.V3Imm(amd64.VINSERTF128, d, scratch0, scratch1.RM(), 1)
	e.put(a.result[0], d)
}

// storeSpaced stores to a field of records that follow each other.
func (a *access) storeSpaced(e *emitter) {
	a.around(e, func(out amd64.Label) {
		a.allInside(e, out)
		a.spreadRegisters(e)
		a.lane0(e)
		e.MulImm(8, unrolledBase, laneIndex.RM(), int32(a.o.Stride()))
		e.Alu(amd64.ADD, 8, unrolledBase, a.baseRM())
		for a.lane = range lanes {
			a.touch(e, 0, amd64.At(unrolledBase, int32(a.lane*a.o.Stride())))
		}
		a.lane = anyLane
	}, func() { a.byLanes(e) })
}

// indices brings all indices, in elements, into registers. Storing the vector and loading its lanes takes half as long again: what
// follows are accesses too, and wait for the store.
func (a *access) indices(e *emitter) {
	a.spreadIndices(e, e.reg(a.scaled, scratch0))
}

// spreadIndices is indices of those in x.
func (a *access) spreadIndices(e *emitter, x amd64.Y) {
	e.VLow(8, lanePairs[0], x)
	e.VHigh(lanePairs[1], x)
	e.VHalf(scratch0.RM(), x, 1)
	e.VLow(8, lanePairs[2], scratch0)
	e.VHigh(lanePairs[3], scratch0)
}

// spreadRegisters puts into the vector's frame those operands that are in registers; the rest is read where it is.
func (a *access) spreadRegisters(e *emitter) {
	for k, vs := range a.value {
		for i, v := range vs {
			if e.inReg(v) {
				e.VStore(amd64.At(vectorFrame, [...]int32{vectorX, vectorZ}[k]+32*int32(i)), e.reg(v, scratch0))
			}
		}
	}
}

// part is where the lane's part of element i of an operand is, which is spread to off or stands in memory.
func (a *access) part(e *emitter, off int32, vs []vreg, i, size int) amd64.Mem {
	at := (i*lanes + a.lane) * size
	if v := vs[at/32]; !e.inReg(v) {
		return plus(e.place(v), int32(at%32))
	}
	return amd64.At(vectorFrame, off+int32(at))
}

// forEach returns what writes the access of one lane, to the element at a place.
func (a *access) forEach(e *emitter) func(amd64.Mem) {
	if a.inPlace() {
		operand := laneValue
		if a.s.value[a.s.p.B(a.r)] == uniform {
			operand = laneFixed
		}
		return a.changeInPlace(e, operand)
	}
	return func(m amd64.Mem) {
		if a.s.p.Op(a.r).Info().Attr&ir.Atomic != 0 { // it needs the index's register
			e.Lea(laneAddress, m)
			m = amd64.At(laneAddress, 0)
		}
		a.touch(e, 0, m)
	}
}

// allInside jumps to out unless all lanes are active and all indices inside.
func (a *access) allInside(e *emitter, out amd64.Label) {
	a.countable(e, out)
	proven := a.s.p.Flags(a.r).InBounds() // which speaks of active lanes
	if !proven {
		a.outside(e)
	}
	switch {
	case a.mask == noReg && !proven:
		e.V2(amd64.VTESTPS, scratch1, scratch1.RM())
		e.Jcc(amd64.NE, out)
		a.leaves = true
	case a.mask != noReg:
		m := e.reg(a.mask, scratch0)
		if !proven {
			e.V3(amd64.VPANDN, scratch1, scratch1, m.RM())
			m = scratch1
		}
		e.V2(amd64.VTESTPS, m, e.rm(a.ones))
		e.Jcc(amd64.AE, out)
		a.leaves = true
	}
}

// outside brings into scratch1 which lanes have an index that is not less than the length.
func (a *access) outside(e *emitter) {
	x := e.reg(a.index[0], scratch0)
	e.V2(amd64.VPBROADCASTD, scratch1, a.len().RM())
	if a.vec > 1 && !a.fields {
		e.VShift(amd64.VPSRLD, scratch1, scratch1, uint8(bits.TrailingZeros(uint(a.vec))))
	}
	e.V3(amd64.VPMAXUD, scratch1, scratch1, x.RM())
	e.V3(amd64.VPCMPEQD, scratch1, scratch1, x.RM())
}
