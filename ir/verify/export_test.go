package verify

import (
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/inner"
)

// Visits returns how many rows and operands the stages of the verifier touch for
// canonical code, warnings included.
func Visits(p *ir.Program) int {
	c := p.Code(inner.Key{})
	s := newStructure(c)
	if s.tree() {
		s.lists()
	}
	k := newChecker(c, p.Objects())
	k.declarations()
	k.rows()
	k.control()
	a := newAdvice(p)
	a.all(Target{})
	return s.visits + k.visits + a.visits
}
