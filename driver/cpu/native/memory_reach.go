package native

import (
	"math/bits"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
)

// reached is what AX and DX have from the access before: an index, times the elements of a record, and the address of an
// object. Instructions on vectors leave them alone; any other code forgets them.
type reached struct {
	index  *vinfo
	vec    int
	object int // noObject: DX has the address of none
}

const noObject = -1

var unreached = reached{object: noObject}

// reach brings the element that lane 0 asks for, less the offset, into AX and the object's address into DX, if it is in no register
// yet, or jumps to out unless n elements from there on are inside.
func (a *access) reach(e *emitter, n int32, out amd64.Label) {
	had := e.reachedBefore
	if had.index != e.info(a.index[0]) || had.vec != a.vec {
		a.element0(e)
	}
	a.inside(e, n, out)
	if _, kept := a.s.generalOf(addressOf(int(a.object))); !kept && had.object != int(a.object) {
		e.Load(8, amd64.DX, a.base().RM())
		had.object = int(a.object)
	}
	e.reached, a.reaches, a.inDX = reached{e.info(a.index[0]), a.vec, had.object}, true, had.object
}

// again does what reach did, after code that has used its registers.
func (a *access) again(e *emitter) {
	if a.reaches {
		a.element0(e)
		if a.inDX != noObject {
			e.Load(8, amd64.DX, e.f.cellAt(addressOf(a.inDX)).RM())
		}
	}
}

// element0 brings the element that lane 0 asks for into AX.
func (a *access) element0(e *emitter) {
	a.first(e)
	if a.vec > 1 {
		e.ShiftImm(4, 8, amd64.AX, uint8(bits.TrailingZeros(uint(a.vec))))
	}
}
