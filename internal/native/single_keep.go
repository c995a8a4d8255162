package native

import "github.com/govyre/vyre/internal/native/internal/amd64"

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
	weight := make([]float32, 2*len(f.layout.objects)+1) // by cell, less the first
	nest := f.loops()
	for i := range f.ins {
		in, n := &f.ins[i], nest.often(i)
		if in.polls {
			weight[0] += costPoll * n
		}
		if a := in.access; a != nil && !a.o.Local() {
			weight[addressOf(int(a.object))-pollsCell] += costAddress * n
			weight[lengthOf(int(a.object))-pollsCell] += costLength * n
		}
	}
	for _, r := range generals {
		if n := machineRegisters + int(r); r != f.layout.counter && (!f.layout.generals[n] || len(f.held[n]) > 0) {
			continue
		}
		best := 0
		for c, w := range weight {
			if w > weight[best] {
				best = c
			}
		}
		if weight[best] == 0 {
			return
		}
		weight[best] = 0
		f.general, f.spare = append(f.general, pollsCell+cell(best)), append(f.spare, r)
	}
}

// baseOf is the register that an access finds an object's address in.
//
//go:noinline
func (f *function) baseOf(object uint32) amd64.Reg {
	if r, kept := f.generalOf(addressOf(int(object))); kept {
		return r
	}
	return amd64.DX
}
