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
func estimateRegisters(k *asm.Kernel, n *liveness) int {
	weight := weights(k)
	most := 0
	live := make([]uint64, n.words)
	for b, blk := range n.g.blocks {
		copy(live, n.end(b))
		sum := 0
		for i, w := range live {
			for ; w != 0; w &= w - 1 {
				sum += int(weight[64*i+bits.TrailingZeros64(w)])
			}
		}
		most = max(most, sum)
		for i := blk.end - 1; i >= blk.first; i-- {
			before(&k.Code[i], live, func(r asm.Reg, lives bool) {
				if lives {
					sum += int(weight[r])
				} else {
					sum -= int(weight[r])
				}
			})
			most = max(most, sum)
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
