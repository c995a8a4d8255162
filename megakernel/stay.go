package megakernel

import (
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel/arcs"
)

// stay looks into a wave's form for one block alone.
func (b *binder) stay(s *step) {
	if s.Stay == nil {
		return
	}
	switch {
	case s.Stay.Program == nil || s.Stay.Program.GroupSize() == 0:
		b.refuse("stay", s.id, "stay", "it has no program, or one that was not sealed", "give it a kernel that calls arcs.Stay")
		return
	case s.Domain.kind != spread:
		b.refuse("stay", s.id, "stay", fmt.Sprintf("it goes on with a list, and the domain is %v", s.Domain), "use the domain Spread")
		return
	}
	t := &step{Wave: &Wave{Program: s.Stay.Program, Args: s.Stay.Args, Domain: s.Domain, Phase: s.Phase}, id: s.id, length: -1}
	b.step(t)
	s.stay = t
	for _, x := range t.touches { // what only this form touches is alive, too
		if !slices.ContainsFunc(s.touches, func(y touch) bool { return y.binding == x.binding }) {
			s.touches = append(s.touches, x)
		}
	}
	slices.SortFunc(s.touches, byBinding)
}

// ofStay finds where a parameter of a stay gets its value from.
func (b *binder) ofStay(s *step, q *ir.Param, a driver.Arg, wrong func(string) source) source {
	if s == &b.steps[s.id] {
		return wrong(fmt.Sprintf("a %T is for the form for one block alone", a))
	}
	kind := fromResult
	switch a.(type) {
	case Limit:
		kind = fromLimit
	case Many:
		kind = fromMany
	}
	if kind != fromResult {
		if q.IsBuffer() || q.Type != ir.U32 {
			return wrong("a bound of a stay is u32, the parameter is " + describe(q))
		}
		return source{kind: kind}
	}
	if !q.IsBuffer() || q.Record != nil || q.Type != ir.U64 {
		return wrong("the result of a stay is a buffer of u64, the parameter is " + describe(q))
	}
	b.result(s, q)
	return source{kind: kind}
}

// result refuses any use of a stay's result but stores to its words.
func (b *binder) result(s *step, q *ir.Param) {
	p := s.Program
	for r := range ir.Row(p.Rows()) {
		if p.Op(r).Info().Imm != ir.ImmObject || p.Objects()[p.X(r)].Param != q {
			continue
		}
		index := p.A(r)
		if p.Op(r) == ir.OpStore && p.Op(index) == ir.OpConst && p.Const(index) < arcs.StayWords {
			continue
		}
		b.refuse("F5", s.id, "argument "+q.Name, fmt.Sprintf("%v: the result of a stay is only stored, at constant indices below %d; this is %v", p.Pos(r), arcs.StayWords, p.Op(r)),
			"let arcs.Stay write it")
	}
}
