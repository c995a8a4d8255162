package megakernel

import (
	"fmt"

	"github.com/govyre/vyre/internal/spans"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
)

// spanTags is where the tags of spans begin, beyond those that the caller's kernels have. A wave has a tag for each of its forms.
const spanTags = 1 << 31

// form is a program that a wave has.
type form uint32

const (
	ofRounds form = iota
	ofStay
	ofDrain
	forms
)

var when = [...]spans.When{Before: spans.Before, EveryRound: spans.InRound, After: spans.After}

// span writes that a wave's body begins, and returns what writes that it has ended: the first thread of a group reads the timer,
// and records what it read. At most spans.Groups groups do. Programs of plans that are not traced have nothing of it.
func (w *writer) span(in *instance, f form, p *ir.Program, round build.Value) (end func()) {
	if !w.traced {
		return func() {}
	}
	const most = spans.Groups
	every := w.Div(w.Add(w.Groups(0), w.U32(most-1)), w.U32(most))
	leads := w.And(w.Eq(w.Local(0), w.U32(0)), w.Eq(w.Rem(w.Group(0), every), w.U32(0)))
	begin := w.Var(w.U64(0))
	w.If(leads, func() { begin.Set(w.Op(ir.OpTimer)) })
	name := spans.Named(w.plan, fmt.Sprintf("%s %s", in.name(), p.Name()), when[in.Phase], p)
	return func() {
		w.If(leads, func() {
			w.Trace(spanTags+uint32(forms)*uint32(in.id)+uint32(f), name.Message(), w.Cvt(ir.U64, round), begin.Get(), w.Op(ir.OpTimer))
		})
	}
}
