package machine

import "github.com/govyre/vyre/internal/cusim/internal/asm"

// Compilers give every value a register of its own, some thousands in a kernel, and a warp keeps 32 values of each. Registers
// whose values are never needed at the same time share a slot, so that the registers of a launch stay in the processor's cache.

// liveness says which registers hold a value that is still needed.
type liveness struct {
	g     *graph
	words int
	sets  []uint64 // bits of registers: at the start of each basic block, and at its end
}

func newLiveness(k *asm.Kernel) *liveness {
	n := &liveness{g: newGraph(k.Code), words: (len(k.Regs) + 63) / 64}
	n.sets = make([]uint64, 2*n.words*len(n.g.blocks))
	live := make([]uint64, n.words)
	for changed := true; changed; {
		changed = false
		for b := len(n.g.blocks) - 1; b >= 0; b-- {
			blk, end := &n.g.blocks[b], n.end(b)
			for _, next := range blk.next {
				for i, w := range n.start(next) {
					end[i] |= w
				}
			}
			copy(live, end)
			for i := blk.end - 1; i >= blk.first; i-- {
				before(&k.Code[i], live, func(asm.Reg, bool) {})
			}
			for i, w := range n.start(b) {
				if live[i] != w {
					copy(n.start(b), live)
					changed = true
					break
				}
			}
		}
	}
	return n
}

func (n *liveness) at(i int) []uint64    { return n.sets[i*n.words : (i+1)*n.words] }
func (n *liveness) start(b int) []uint64 { return n.at(2 * b) }
func (n *liveness) end(b int) []uint64   { return n.at(2*b + 1) }

// before goes from what is live after an instruction to what is live before it, and tells what changes. What is written under
// a guard stays live: other lanes keep theirs.
func before(in *asm.Inst, live []uint64, changes func(r asm.Reg, lives bool)) {
	in.Registers(func(r asm.Reg, written bool) {
		if written && in.Guard == asm.NoReg && live[r/64]>>(r%64)&1 != 0 {
			live[r/64] &^= 1 << (r % 64)
			changes(r, false)
		}
	})
	in.Registers(func(r asm.Reg, written bool) {
		if !written && live[r/64]>>(r%64)&1 == 0 {
			live[r/64] |= 1 << (r % 64)
			changes(r, true)
		}
	})
}

// span is the part of the code, both ends included, in which a register has a slot.
type span struct{ first, last int }

// spans returns the span of each register: from the first to the last place where it is live, written or read. A register
// that may be read before it is written has all of the code, so that it is undefined until then.
func (n *liveness) spans(k *asm.Kernel) []span {
	spans := make([]span, len(k.Regs))
	for r := range spans {
		spans[r] = span{len(k.Code), -1}
	}
	extend := func(r, i int) {
		spans[r].first, spans[r].last = min(spans[r].first, i), max(spans[r].last, i)
	}
	for b, blk := range n.g.blocks {
		for r := range k.Regs {
			if n.start(b)[r/64]>>(r%64)&1 != 0 {
				extend(r, blk.first)
			}
			if n.end(b)[r/64]>>(r%64)&1 != 0 {
				extend(r, blk.end-1)
			}
		}
	}
	for i := range k.Code {
		k.Code[i].Registers(func(r asm.Reg, _ bool) { extend(int(r), i) })
	}
	for r := range k.Regs {
		if len(k.Code) > 0 && n.start(0)[r/64]>>(r%64)&1 != 0 {
			spans[r] = span{0, len(k.Code)}
		}
	}
	return spans
}

// slots gives registers that hold values the slots from 0 on, and predicates theirs, and returns how many there are of each.
// Two registers share a slot where one's span ends before the other's begins, as in linear scan allocation (Poletto and
// Sarkar, 1999): an instruction never writes into the slot of what it reads.
func (n *liveness) slots(k *asm.Kernel) (slot []int32, values, preds int) {
	spans := n.spans(k)
	slot = make([]int32, len(k.Regs))
	begin, end := make([][]int32, len(k.Code)+1), make([][]int32, len(k.Code)+1)
	for r, info := range k.Regs {
		switch s := spans[r]; {
		case info.Type == asm.Pred:
			slot[r] = int32(preds)
			preds++
		case s.last >= 0:
			begin[s.first], end[s.last] = append(begin[s.first], int32(r)), append(end[s.last], int32(r))
		}
	}
	var free []int32
	for i := range begin {
		for _, r := range begin[i] {
			if last := len(free) - 1; last >= 0 {
				slot[r], free = free[last], free[:last]
			} else {
				slot[r] = int32(values)
				values++
			}
		}
		for _, r := range end[i] {
			free = append(free, slot[r])
		}
	}
	return slot, values, preds
}
