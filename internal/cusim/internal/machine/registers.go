package machine

import (
	"math/bits"

	"github.com/govyre/vyre/internal/cusim/internal/asm"
)

// What an assembler adds to the registers that are live at once: addresses, the stack pointer and what it keeps to
// load ahead. The fewest and most are its own.
const (
	registersBeside = 3
	fewestRegisters = 8
	mostRegisters   = 255
	unitRegisters   = 65536 // of a multiprocessor; a group that the code demands fits, whatever that takes
)

// estimateRegisters returns about how many registers of 32 bits an assembler would give the code: the most that are live at
// one place, and no more than the code allows, or a group of the size that it demands. Predicates have registers of their own; parameters and constants are operands that need none.
func estimateRegisters(k *asm.Kernel) int {
	weight := weights(k)
	g := newGraph(k.Code)
	words := (len(k.Regs) + 63) / 64
	sets := make([]uint64, 2*words*len(g.blocks)) // live at the start of a block, and at its end
	at := func(i int) []uint64 { return sets[i*words : (i+1)*words] }
	most := 0
	for changed := true; changed; {
		changed, most = false, 0
		for b := len(g.blocks) - 1; b >= 0; b-- {
			live := at(2*b + 1)
			for _, n := range g.blocks[b].next {
				for i, w := range at(2 * n) {
					live[i] |= w
				}
			}
			most = max(most, backward(k.Code[g.blocks[b].first:g.blocks[b].end], live, at(2*b), weight, &changed))
		}
	}
	bound := mostRegisters
	if k.MaxRegisters > 0 {
		bound = min(bound, k.MaxRegisters)
	}
	if threads := int(k.Required[0] * k.Required[1] * k.Required[2]); threads > 0 {
		bound = min(bound, unitRegisters/threads&^7)
	}
	return min(max(most+registersBeside, fewestRegisters), bound)
}

// backward goes from what is live at the end of a basic block to what is live at its start, and returns the greatest weight
// on the way.
func backward(code []asm.Inst, end, start []uint64, weight []uint8, changed *bool) (most int) {
	live := append([]uint64(nil), end...)
	sum := 0
	for i, w := range live {
		for ; w != 0; w &= w - 1 {
			sum += int(weight[64*i+bits.TrailingZeros64(w)])
		}
	}
	most = sum
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		in.Registers(func(r asm.Reg, written bool) {
			if written && in.Guard == asm.NoReg && live[r/64]>>(r%64)&1 != 0 {
				live[r/64] &^= 1 << (r % 64)
				sum -= int(weight[r])
			}
		})
		in.Registers(func(r asm.Reg, written bool) {
			if !written && live[r/64]>>(r%64)&1 == 0 {
				live[r/64] |= 1 << (r % 64)
				sum += int(weight[r])
			}
		})
		most = max(most, sum)
	}
	for i, w := range live {
		if w&^start[i] != 0 {
			start[i] |= w
			*changed = true
		}
	}
	return most
}

// weights returns how many registers of 32 bits each register of the text takes.
func weights(k *asm.Kernel) []uint8 {
	weight := make([]uint8, len(k.Regs))
	written := make([]int, len(k.Regs))
	free := make([]bool, len(k.Regs))
	for i := range k.Code {
		in := &k.Code[i]
		operand := in.Op == "ld" && in.Space() == asm.Param || in.Op == "mov" && in.Args[1].Kind == asm.IsImm
		in.Registers(func(r asm.Reg, w bool) {
			if w {
				written[r]++
				free[r] = operand
			}
		})
	}
	for r, info := range k.Regs {
		if info.Type != asm.Pred && (written[r] != 1 || !free[r]) {
			weight[r] = uint8(max(1, info.Type.Bits()/32))
		}
	}
	return weight
}
