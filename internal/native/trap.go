package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// trap writes a test whether an active lane traps; only then the vector stops, and Go notes which one does.
func (s *selector) trap(r ir.Row, c *flow) {
	operands, mask := s.operandsOf(r), c.mask
	s.macro(amongNone, usesOf(operands, mask), nil, func(e *emitter) {
		hit, back := e.NewLabel(), e.NewLabel()
		if s.layout.single() {
			e.test(operands[0][0])
		} else {
			traps := e.reg(operands[0][0], scratch0)
			among := traps.RM()
			if mask != noReg {
				among = e.rm(mask)
			}
			e.V2(amd64.VTESTPS, traps, among)
		}
		e.Jcc(amd64.NE, hit)
		e.Bind(back)
		e.later(func() {
			e.Bind(hit)
			e.leave(operands, mask)
			e.stop(assisted, r, false)
			e.Jmp(back)
		})
	})
}
