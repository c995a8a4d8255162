package native

import (
	"slices"

	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// Where a vector stops, and goes on.

// live returns the virtual registers in machine registers that are needed after the instruction under way and were there
// before it.
func (e *emitter) live() []vreg {
	if e.livesAt == e.at && e.lives != nil {
		return e.lives
	}
	list := e.lives[:0]
	at := int32(2*e.at + 1)
	if e.holders == nil {
		for r, held := range e.f.held {
			if len(held) > 0 {
				e.holders = append(e.holders, r)
			}
		}
	}
	for _, r := range e.holders {
		held := e.f.held[r]
		n := e.reachedIn[r] // most often code is asked about in its order
		for n < len(held) && e.f.vregs[held[n]].start < at {
			n++
		}
		for n > 0 && e.f.vregs[held[n-1]].start >= at {
			n--
		}
		e.reachedIn[r] = n
		if n > 0 && e.f.vregs[held[n-1]].end > at+1 {
			list = append(list, held[n-1])
		}
	}
	e.lives, e.livesAt = list, e.at
	return list
}

// stop ends the vector's turn: it saves what lives, notes why and where to go on, and leaves to Go or to the next vector.
// Code goes on here, with everything as it was.
func (e *emitter) stop(why status, r ir.Row, toNext bool) {
	resume := e.NewLabel()
	e.save(why, r, resume)
	switch {
	case toNext && why == atGroup && e.f.p.Type(r) == ir.None:
		e.AluImm(amd64.ADD, 8, amd64.At(groupFrame, groupWaits).RM(), 1)
		e.Jmp(e.next)
	case toNext:
		e.Jmp(e.next)
	default:
		if !e.f.layout.numbered {
			e.Store(8, amd64.At(groupFrame, groupVector), vectorNumber)
		}
		e.Ret()
	}
	e.restore(resume)
}

// save puts what lives into the vector's frame, and why and where it goes on.
func (e *emitter) save(why status, r ir.Row, resume amd64.Label) {
	if e.f.marks != nil && why != polled {
		e.f.marks.waits[r] = why
	}
	for _, v := range e.live() {
		if e.f.vregs[v].general {
			e.Store(8, e.saved(v), e.own(v))
			continue
		}
		e.VStore(e.saved(v), amd64.Y(e.f.vregs[v].reg))
	}
	e.LeaLabel(amd64.AX, resume)
	e.Store(8, amd64.At(vectorFrame, vectorResume), amd64.AX)
	e.StoreImm(4, amd64.At(vectorFrame, vectorStatus), int32(why))
	e.StoreImm(4, amd64.At(vectorFrame, vectorRow), int32(r))
}

// restore is where a vector goes on that save has stopped: with everything as it was.
func (e *emitter) restore(resume amd64.Label) {
	e.Bind(resume)
	for _, v := range e.live() {
		if e.f.vregs[v].general {
			e.Load(8, e.own(v), e.saved(v).RM())
			continue
		}
		e.VLoad(amd64.Y(e.f.vregs[v].reg), e.saved(v))
	}
	e.fetch()
}

// fetch brings what is kept in machine registers there.
func (e *emitter) fetch() {
	for _, v := range e.f.kept {
		e.VLoad(amd64.Y(e.f.vregs[v].reg), amd64.At(groupFrame, e.f.vregs[v].off))
	}
	e.fetchGeneral()
}

func (e *emitter) fetchGeneral() {
	for i, c := range e.f.general {
		e.Load(8, e.f.spare[i], e.f.cellAt(c).RM())
	}
}

// saved is where a machine register is kept meanwhile.
func (e *emitter) saved(v vreg) amd64.Mem {
	return amd64.At(vectorFrame, vectorSaved+32*int32(e.f.vregs[v].reg))
}

// poll counts a round of a loop, and returns to Go when there have been many.
func (s *selector) poll() {
	s.macro(amongOnce, nil, nil, func(e *emitter) {
		out, back := e.NewLabel(), e.NewLabel()
		e.AluImm(amd64.SUB, 4, e.pollsLeft(), 1)
		e.Jcc(amd64.B, out)
		e.Bind(back)
		e.later(func() {
			e.Bind(out)
			e.stop(polled, 0, false)
			e.Jmp(back)
		})
	})
}

// pollAnd is poll before a jump: code goes there at once where there is nothing to return for.
func (s *selector) pollAnd(to amd64.Label) {
	s.macro(amongOnce, nil, nil, func(e *emitter) {
		e.AluImm(amd64.SUB, 4, e.pollsLeft(), 1)
		e.Jcc(amd64.AE, to) // which the processor does at once with what is before it, unlike a jump by the sign
		e.stop(polled, 0, false)
	})
	s.jump(to)
}

// pollsLeft is where rounds are counted. Go sets them anew whenever code is entered, so nothing keeps them where it stops.
func (e *emitter) pollsLeft() amd64.RM {
	if r, ok := e.f.generalOf(pollsCell); ok {
		return r.RM()
	}
	return e.f.cellAt(pollsCell).RM()
}

// wait writes a row that the vector cannot do alone: it leaves its operands in its frame and stops, and finds the result
// there when it goes on.
func (s *selector) wait(r ir.Row, c *flow, why status) {
	operands, mask := s.operandsOf(r), c.mask
	if why == assisted && s.value[r] == uniform {
		s.once[r] = true
	}
	var d []vreg
	if t := s.p.Type(r); t != ir.None {
		d = s.fresh(t)
		s.vals[r] = d
	}
	// A macro reads until after it wrote, so results and what is saved never share a register.
	s.macro(amongNone, usesOf(operands, mask), d, func(e *emitter) {
		if why != atGroup || s.p.Type(r) != ir.None { // else nobody asks for any
			e.leave(operands, mask)
		}
		e.stop(why, r, why != assisted)
		for k, v := range d {
			if k > 0 && v == d[k-1] {
				continue
			}
			if e.f.vregs[v].general {
				r := e.target(v)
				e.Load(e.sizeOf(v), r, amd64.At(vectorFrame, vectorResult).RM())
				e.setGeneral(v, r)
				continue
			}
			y := e.dst(v)
			e.VLoad(y, amd64.At(vectorFrame, vectorResult+32*int32(k)))
			e.put(v, y)
		}
	})
	s.stopping()
}

// leave puts the operands of a row into the vector's frame, and which lanes are active.
func (e *emitter) leave(operands [][]vreg, mask vreg) {
	for i, o := range operands {
		for k, v := range o {
			at := amd64.At(vectorFrame, vectorArgs+64*int32(i)+32*int32(k))
			if e.f.vregs[v].general {
				e.Store(8, at, e.general(8, v, amd64.AX))
				continue
			}
			e.VStore(at, e.reg(v, scratch0))
		}
	}
	if mask != noReg {
		e.VStore(amd64.At(vectorFrame, vectorMask), e.reg(mask, scratch0))
	} else {
		e.V3(amd64.VPCMPEQD, scratch0, scratch0, scratch0.RM())
		e.VStore(amd64.At(vectorFrame, vectorMask), scratch0)
	}
}

func usesOf(operands [][]vreg, mask vreg) []vreg {
	uses := slices.Concat(operands...)
	if mask != noReg {
		uses = append(uses, mask)
	}
	return uses
}

// operandsOf returns the registers of a row's operands, listed ones last.
func (s *selector) operandsOf(r ir.Row) [][]vreg {
	var out [][]vreg
	for _, v := range []ir.Row{s.p.A(r), s.p.B(r), s.p.C(r)} {
		if v != ir.NoRow {
			out = append(out, s.vals[v])
		}
	}
	for _, v := range s.p.List(r) {
		out = append(out, s.vals[v])
	}
	return out
}
