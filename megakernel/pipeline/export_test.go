package pipeline

import (
	"github.com/govyre/vyre/ir"
)

// Check is a condition of soundness.
type Check = check

// The checks.
const (
	CheckItems   = checkItems
	CheckOverlap = checkOverlap
	CheckIndex   = checkIndex
	CheckStep    = checkStep
	CheckWindow  = checkWindow
	CheckCertain = checkCertain
	CheckBounds  = checkBounds
	CheckNarrow  = checkNarrow
	NumChecks    = numChecks
)

// TurnOff turns a check off until the function that it returns is called.
func TurnOff(c Check) (on func()) {
	off = c
	return func() { off = noCheck }
}

// FormOf returns what is known of the value that the first store of a program stores, in which all buffers have so many
// elements: step·i + base for item i.
func FormOf(p *ir.Program, items uint32, scalars []uint64, length int64) (step, base int64, known bool) {
	f := newForms(p, items, scalars, length)
	for r := range ir.Row(p.Rows()) {
		if f.row(r); p.Op(r) == ir.OpStore {
			x := f.forms[p.B(r)]
			return x.step, x.base, x.known
		}
	}
	panic("no store")
}

// TruthOf returns what is known of the condition of the first if: 1 if it always holds, 0 if it never does, else -1.
func TruthOf(p *ir.Program, items uint32, scalars []uint64, length int64) int {
	f := newForms(p, items, scalars, length)
	for r := range ir.Row(p.Rows()) {
		if f.row(r); p.Op(r) == ir.OpIf {
			return map[truth]int{always: 1, never: 0, unknown: -1}[f.truths[p.A(r)]]
		}
	}
	panic("no if")
}

func newForms(p *ir.Program, items uint32, scalars []uint64, length int64) *forms {
	f := &forms{p: p, items: true, last: int64(items) - 1, scalars: scalars, forms: make([]form, p.Rows()), truths: make([]truth, p.Rows())}
	for range p.Objects() {
		f.length = append(f.length, length)
	}
	return f
}
