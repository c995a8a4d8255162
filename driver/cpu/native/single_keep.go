package native

import (
	"slices"

	"github.com/govyre/vyre/driver/cpu/native/internal/amd64"
)

// What general registers keep all the time where code is for one invocation at a time: those that no value has got, and one that
// none gets. How many rounds are left is worth most, since each round writes it, and waits for what the one before has written.

// What a cell in memory costs whenever it is asked for, in instructions.
const (
	costPoll    = 3
	costAddress = 1
	costLength  = 0.5 // which a comparison may have in memory
)

// keepSingle gives general registers that are left over to what is used most.
func (f *function) keepSingle() {
	weight := map[cell]float32{}
	_, around := f.loops()
	for i := range f.ins {
		in, n := &f.ins[i], often(around[i])
		if in.polls {
			weight[pollsCell] += costPoll * n
		}
		if a := in.access; a != nil && !a.o.Local() {
			weight[addressOf(int(a.object))] += costAddress * n
			weight[lengthOf(int(a.object))] += costLength * n
		}
	}
	for _, r := range generals {
		if n := machineRegisters + int(r); r != f.layout.counter && (!f.layout.generals[n] || len(f.held[n]) > 0) {
			continue
		}
		best, most := cell(0), float32(0)
		for c := pollsCell; c < cell(2*len(f.layout.objects)); c++ {
			if w := weight[c]; w > most {
				best, most = c, w
			}
		}
		if most == 0 {
			return
		}
		delete(weight, best)
		f.general, f.spare = append(f.general, best), append(f.spare, r)
	}
}

// baseOf is the register that an access finds an object's address in.
func (f *function) baseOf(object uint32) amd64.Reg {
	if i := slices.Index(f.general, addressOf(int(object))); i >= 0 {
		return f.spare[i]
	}
	return amd64.DX
}
