package native

import (
	"github.com/govyre/vyre/internal/native/internal/amd64"
	"github.com/govyre/vyre/ir"
)

// General registers. Those that no instruction of the program needs have addresses and lengths of objects, the most used first:
// code that streams waits for loads, and code that stores here and there for loads that may be of what it stored
// (docs/design/cpu.md). Where vectors stop, each brings them there again, so only what is read more often is kept.

// cell is what the group's frame has of an object, its address or its length; or how many rounds of loops are left.
type cell int32

const pollsCell cell = -1

func addressOf(object int) cell { return cell(2 * object) }
func lengthOf(object int) cell  { return cell(2*object + 1) }

// spare are the registers that only accesses use which spread lanes; the last one none does.
var spare = [...]amd64.Reg{amd64.BX, amd64.R12, amd64.R13, amd64.R14}

// keepGeneral gives general registers to what accesses of rows ask for.
func (f *function) keepGeneral() {
	if f.layout.single() { // it has the rounds that are left: each one writes it, and waits for what the one before has written
		if r := f.layout.counter; r != 0 {
			f.general, f.spare = append(f.general, pollsCell), append(f.spare, r)
		}
		return
	}
	weight, free := make([]float32, 2*len(f.layout.objects)), spare[:]
	nest := f.loops()
	for i := range f.ins {
		in := &f.ins[i]
		a := in.access
		if a == nil {
			continue
		}
		if a.spreads() {
			free = spare[len(spare)-1:]
		}
		if (a.inRow() || a.spreads() && !a.o.Local()) && !a.few && !in.seldom {
			weight[addressOf(int(a.object))] += nest.often(i)
			if a.inRow() && !a.bounded {
				weight[lengthOf(int(a.object))] += nest.often(i)
			}
		}
	}
	again := f.brought()
	for range free {
		most := 0
		for c, w := range weight {
			if w > weight[most] {
				most = c
			}
		}
		if len(weight) == 0 || weight[most] <= again {
			break
		}
		weight[most] = 0
		f.general = append(f.general, cell(most))
	}
	f.spare = free
}

// brought is how often what is kept in registers is brought there again, where vectors stop.
func (f *function) brought() float32 {
	n := float32(0)
	if f.layout.alone {
		return n
	}
	nest := f.loops()
	for i := range f.ins {
		if f.ins[i].stops && !f.ins[i].seldom {
			n += nest.often(i)
		}
	}
	return n + 1
}

// generalOf returns the register that has a cell all the time.
//
//go:noinline
func (f *function) generalOf(c cell) (amd64.Reg, bool) {
	for i, has := range f.general {
		if has == c {
			return f.spare[i], true
		}
	}
	return 0, false
}

// cellAt is where the group's frame has a cell.
func (f *function) cellAt(c cell) amd64.Mem {
	if c == pollsCell {
		return amd64.At(groupFrame, groupPolls)
	}
	return amd64.At(groupFrame, f.layout.objects[c/2]+8*int32(c%2))
}

// spreads reports whether an access may use registers for the indices of all lanes.
func (a *access) spreads() bool {
	switch {
	case a.fields:
		return true
	case a.few, !a.quick(), a.inRow(), a.stored():
		return false
	}
	gathers := a.result != nil && a.vec == 1 && a.o.Type().Size() >= 4 && !a.o.Local() && a.s.p.Op(a.r) == ir.OpLoad
	return !gathers
}
