package ptx

import (
	"testing"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/ir"
)

// Visits compiles p for sm_90 and returns how many instructions the stages looked at, and how many are left.
func Visits(p *ir.Program) (visits, insts int) {
	f := newFunction(p, Target{SM: 90}, "k", 1)
	if err := f.stages(compile.Table()); err != nil {
		panic(err)
	}
	return f.visits, len(f.insts)
}

// WithStage makes another function the pass of that name, until the test is over. It is called when the pass has come to
// the first store, and told how many instructions there are.
func WithStage(t testing.TB, name string, do func(insts int)) {
	before := stages[name]
	stages[name] = func(f *function) {
		for i := range f.insts {
			if f.at = f.insts[i].row; f.insts[i].op == opSt {
				break
			}
		}
		do(len(f.insts))
	}
	t.Cleanup(func() { stages[name] = before })
}

// Avoided returns how often the searches for what the assembler gets wrong find something in a program that passes have
// made, by the number of the error in docs/design/assembler-errors.md.
func Avoided(p *ir.Program) map[int]int {
	f := newFunction(p, Target{SM: 90}, "k", 1)
	f.lanes()
	f.choose()
	s := f.sel
	older := newFunction(p, Target{SM: 80}, "k", 1)
	older.lanes()
	older.choose()
	f.address()
	f.predicate()
	_, least := s.once[onceKey{onceLeast, uint32(ir.F32)}]
	leasts := 0
	if least {
		leasts++
	}
	twins := 0
	if t := s.lowTwins(); t != nil {
		(&lowTrial{p: p}).run(t)
		twins = len(t.found)
	}
	others := 0 // that are no plain minimum with 1
	for v, x := range s.turnedMins {
		if p.Op(v) != ir.OpMin || x.bound != one(p.Type(v)) {
			others++
		}
	}
	return map[int]int{1: len(s.halved), 6: len(s.hiddenLow), 7: len(s.zeroSign), 11: len(s.knownSum), 13: len(s.turnedMins),
		14: len(s.comparedExtremes), 18: len(s.farShift), 23: len(s.asFloat), 24: others, 27: twins, 28: max(0, int(s.hidings)-1), 29: len(s.ofNegative), 33: len(s.sameLow), 34: s.addedUppers, 35: s.inverses,
		36: s.mergedOnes, 38: len(s.lateMinuends), 39: older.sel.carriedConstants, 40: leasts, 41: f.parted, 43: older.sel.negativeFactors, 45: s.nanBounds, 46: s.shiftedNegations, 47: s.subtractedFrom, 49: f.spilled}
}

// Edited makes edits in a list of n instructions, named by their numbers, and returns the numbers then: in front of
// instruction i come those that before has for it, and gone says which leave.
func Edited(n int, head []int, before map[int][]int, gone map[int]bool) (left []int) {
	named := func(numbers []int) (list []inst) {
		for _, k := range numbers {
			list = append(list, inst{row: ir.Row(k)})
		}
		return list
	}
	var list []inst
	var e edits
	for i := range n {
		list = append(list, inst{row: ir.Row(i)})
		e.added = append(e.added, named(before[i])...)
		e.put(i, gone[i])
	}
	for _, in := range e.apply(list, named(head)) {
		left = append(left, int(in.row))
	}
	return left
}

// ChainSteps follows a chain of n conversions, every seventh of them marked, from each of its rows, and returns how many
// conversions were looked at and which rows got a wrong link.
func ChainSteps(n int) (steps int, wrong []ir.Row) {
	c := chains{next: func(v ir.Row) (ir.Row, bool, bool) {
		steps++
		return v - 1, v%7 == 0, v > 0
	}}
	for v := range ir.Row(n) {
		want := link{first: 0, second: 1, marked: v >= 7}
		if v == 0 {
			want.second = ir.NoRow
		}
		if c.from(v) != want {
			wrong = append(wrong, v)
		}
	}
	return steps, wrong
}
