package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// gather loads elements of 4 or 8 bytes from anywhere: where an index is outside, and where a lane is not active, zeros.
func (a *access) gather(e *emitter) {
	x := a.vector(e, scratch0)
	switch proven := a.s.p.Flags(a.r).InBounds(); { // which speaks of active lanes
	case proven && a.mask != noReg:
		e.VMove(scratch1, e.reg(a.mask, scratch1))
	case proven:
		e.V3(amd64.VPCMPEQD, scratch1, scratch1, scratch1.RM())
	default:
		e.V2(amd64.VPBROADCASTD, scratch1, a.len().RM())
		e.V3(amd64.VPMAXUD, scratch1, scratch1, x.RM())
		e.V3(amd64.VPCMPEQD, scratch1, scratch1, x.RM()) // index ≥ length
		if a.mask != noReg {
			e.V3(amd64.VPANDN, scratch1, scratch1, e.rm(a.mask))
		} else {
			e.V3(amd64.VPCMPEQD, scratch2, scratch2, scratch2.RM())
			e.V3(amd64.VPANDN, scratch1, scratch1, scratch2.RM())
		}
	}
	base, kept := a.s.generalOf(addressOf(int(a.object)))
	if a.o.Local() || !kept {
		base = amd64.DX
		a.baseTo(e, base)
	}
	if a.scaled != a.index[0] {
		x = e.reg(a.scaled, scratch0)
	}
	if a.o.Type().Size() == 8 {
		a.gatherWide(e, base, x)
		return
	}
	e.V3(amd64.VPXOR, scratch2, scratch2, scratch2.RM())
	e.VGather4(scratch2, base, x, scratch1)
	e.put(a.result[0], scratch2)
}

// gatherWide loads elements of 8 bytes at the indices in x, under the mask in scratch1, from the object at base.
func (a *access) gatherWide(e *emitter, base amd64.Reg, x amd64.Y) {
	e.VStore(amd64.At(vectorFrame, vectorX), scratch1)
	for i, v := range a.result {
		if i == 1 {
			e.VHalf(scratch0.RM(), x, 1)
			x = scratch0
		}
		e.V2(amd64.VPMOVSXDQ, scratch1, amd64.At(vectorFrame, vectorX+16*int32(i)).RM())
		y := e.dst(v)
		e.V3(amd64.VPXOR, y, y, y.RM())
		e.VGather8(y, base, x, scratch1)
		e.put(v, y)
	}
}
