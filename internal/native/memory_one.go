package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// One element for all lanes. A load is once for all of them. So is a store of what is the same in all: whichever lane is last, it
// writes that.

// stored says whether one store serves all lanes.
func (a *access) stored() bool {
	s := a.s
	in := s.p.Op(a.r).Info()
	return a.shape == uniform && a.result == nil && in.Attr&ir.Writes != 0 && in.Attr&ir.Atomic == 0 && a.vec == 1 && a.quick() && !a.o.Local() && s.value[s.p.B(a.r)] == uniform
}

// storeOne stores what all lanes have, if the element is inside and a lane is active.
func (a *access) storeOne(e *emitter) {
	t, value, end := a.o.Type(), a.value[0][0], e.NewLabel()
	size := amd64.Size(t.Size())
	if a.mask != noReg {
		e.VMask(amd64.CX, e.reg(a.mask, scratch0))
		e.Test(4, amd64.CX, amd64.CX)
		e.Jcc(amd64.E, end)
	}
	a.lane0(e)
	if !a.bounded && !a.s.p.Flags(a.r).InBounds() { // which speaks of a lane that is active
		e.Alu(amd64.CMP, 8, amd64.AX, a.lenRM())
		e.Jcc(amd64.AE, end)
	}
	m := a.at(0)
	if m.Base == amd64.DX {
		e.Load(8, amd64.DX, a.base().RM())
	}
	if step := a.step(); step > 1 {
		e.MulImm(8, amd64.AX, amd64.AX.RM(), int32(step))
	}
	if e.inReg(value) {
		e.VLow(max(size, 4), amd64.R8, e.reg(value, scratch0))
	} else {
		e.Load(max(size, 4), amd64.R8, e.place(value).RM())
	}
	if t == ir.Bool { // a mask
		e.AluImm(amd64.AND, 4, amd64.R8.RM(), 1)
	}
	e.Store(size, m, amd64.R8)
	e.Bind(end)
}

// loadOne loads what all lanes ask for, once.
func (a *access) loadOne(e *emitter) {
	a.around(e, func(out amd64.Label) {
		n := parts(a.o.Type())
		first, known := a.constant(e, a.index[0])
		e.spares = a.o.Type().Size() >= 4 && a.step() == 1
		if known = known && e.spares; known {
			a.reachKnown(e, out)
		} else {
			a.reach(e, int32(a.vec), out)
		}
		for i := range a.vec {
			m := a.at(i)
			if known {
				m = amd64.At(e.baseOf(int(a.object)), m.Disp+first)
			}
			if step := a.step(); step > 1 {
				e.MulImm(8, amd64.R11, amd64.AX.RM(), int32(step))
				m.Index = amd64.R11
			}
			a.broadcast(e, a.result[i*n:][:n], m)
		}
	}, func() { a.loadNone(e) })
}

// loadNone is where the elements that all lanes ask for are not all inside. Of one element nothing is, unless a sum wraps.
func (a *access) loadNone(e *emitter) {
	if a.vec > 1 || a.offset > 0 {
		a.byLanes(e)
		return
	}
	y := e.dst(a.result[0])
	e.V3(amd64.VPXOR, y, y, y.RM())
	for _, v := range a.result {
		e.put(v, y)
	}
}

func (a *access) broadcast(e *emitter, d []vreg, m amd64.Mem) {
	y := e.dst(d[0])
	switch t := a.o.Type(); t.Size() {
	case 8:
		e.V2(amd64.VPBROADCASTQ, y, m.RM())
	case 4:
		e.V2(amd64.VPBROADCASTD, y, m.RM())
	default:
		load := e.LoadZero
		if t.IsSigned() {
			load = e.LoadSign
		}
		load(amd64.Size(t.Size()), amd64.R8, m.RM())
		e.VSetLow(4, y, amd64.R8)
		e.V2(amd64.VPBROADCASTD, y, y.RM())
	}
	for _, v := range d {
		e.put(v, y)
	}
}
