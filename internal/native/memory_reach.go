package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

// reached is what AX and DX have from the access before: an index, times the elements of a record, and the address of an
// object. Instructions on vectors leave them alone; any other code forgets them.
type reached struct {
	index  *vinfo
	vec    int
	signed bool // the index was widened with its sign
	object int  // noObject: DX has the address of none
}

const noObject = -1

var unreached = reached{object: noObject}

// forget is for a register that changes.
func (e *emitter) forget(v *vinfo) {
	if e.reached.index == v {
		e.reached = unreached
	}
	for i := range e.spots.index {
		if e.spots.index[i].index == v {
			e.spots.index[i] = spot{}
		}
	}
}

// forgetAll is for code that may use any register, and for places that are jumped to.
func (e *emitter) forgetAll() { e.reached, e.spots, e.latest = unreached, spots{}, nil }

// reach brings the element that lane 0 asks for, less the offset, into AX and the object's address into DX, if it is in no register
// yet, or jumps to out unless n elements from there on are inside.
func (a *access) reach(e *emitter, n int32, out amd64.Label) {
	had := e.reachedBefore
	if had.index != e.info(a.index[0]) || had.vec != a.vec || had.signed != a.signed() {
		a.element0(e)
	}
	a.inside(e, n, out)
	if _, kept := a.s.generalOf(addressOf(int(a.object))); !kept && had.object != int(a.object) {
		e.Load(8, amd64.DX, a.base().RM())
		had.object = int(a.object)
	}
	e.reached = reached{e.info(a.index[0]), a.vec, a.signed(), had.object}
}

// again brings into registers what was in them, after code that has used them. An index that is read no more may be gone: nothing
// asks for it either.
func (e *emitter) again(had reached, spots spots) {
	if had.index != nil {
		e.bringIndex(amd64.AX, spot{had.index, had.vec, had.signed})
	}
	if had.object != noObject {
		e.Load(8, amd64.DX, e.f.cellAt(addressOf(had.object)).RM())
	}
	for i, at := range spotRegs {
		if spots.index[i].index != nil {
			e.bringIndex(at.index, spots.index[i])
		}
		if o := spots.base[i]; o > 0 {
			e.Load(8, at.base, e.f.cellAt(addressOf(o-1)).RM())
		}
	}
}

// reachKnown jumps to out unless the elements are inside whose index is a known number, and leaves all registers as they are.
func (a *access) reachKnown(e *emitter, out amd64.Label) {
	if e.reached = e.reachedBefore; a.sure() {
		return
	}
	a.leaves = true
	last := (int32(e.info(a.index[0]).bits)+int32(a.offset))*int32(a.vec) + int32(a.vec) - 1
	e.AluImm(amd64.CMP, 8, a.lenRM(), last)
	e.Jcc(amd64.BE, out)
}

// lane0 brings the index of lane 0 into AX.
func (a *access) lane0(e *emitter) { e.bringIndex(amd64.AX, spot{e.info(a.index[0]), 1, false}) }

// element0 brings the element that lane 0 asks for into AX.
func (a *access) element0(e *emitter) {
	e.bringIndex(amd64.AX, spot{e.info(a.index[0]), a.vec, a.signed()})
}
