package compact

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Workgroups of these kernels.
const (
	threads = 256
	warps   = threads / 32
)

// Words of a head, which says what became of a slot.
const (
	headCount    = 0 // records that come with the first read
	headTotal    = 1 // items that were flagged
	headOverflow = 2 // those of them whose records do not come with it
	headEnd      = 3 // words of records in the front, up to the end of this slot
	headWords    = 4
)

// severities is the number of bits of a severity mask, each of which has a counter.
const severities = 32

// layout is where records go. The front has a head a slot, and behind all heads records of slots that
// are small enough; a slot that is not keeps its records in memory of its own.
type layout struct {
	head  []uint32 // of all slots
	front []uint32 // records side by side
	own   []uint32 // memory of this slot
	slot  uint32
	most  uint32 // records that are kept
	limit uint32 // words of a slot in the front
	first uint32 // words of the front's records that are always read
}

// source has the words of an item's record.
type source interface {
	word(item, k uint32) uint32
}

// table is records that stand one after the other.
type table struct {
	words []uint32
	width uint32
}

func (s table) word(item, k uint32) uint32 { return s.words[item*s.width+k] }

// numbers is records that are the number of their item.
type numbers struct{}

func (numbers) word(item, k uint32) uint32 { return item }

// rows keeps the records of flagged items.
//
//vyre:kernel workgroup=256
func rows(t gpu.Thread, n, width, slot, limit, first uint32, flags, records, sums, head, front, own []uint32) {
	p := partOf(t, n)
	before, total := settle(t, p.count(t, flags), sums)
	at := layout{head: head, front: front, own: own, slot: slot, most: n, limit: limit, first: first}
	scatter(t, at, table{records, width}, width, flags, p, before, total)
}

// items keeps the numbers of flagged items.
//
//vyre:kernel workgroup=256
func items(t gpu.Thread, n, slot, limit, first uint32, flags, sums, head, front, own []uint32) {
	p := partOf(t, n)
	before, total := settle(t, p.count(t, flags), sums)
	at := layout{head: head, front: front, own: own, slot: slot, most: n, limit: limit, first: first}
	scatter(t, at, numbers{}, 1, flags, p, before, total)
}

// reports keeps the first records of items whose severity is not 0, and counts all of them by severity. A
// block counts in shared memory, and adds what it has with one atomic a severity.
//
//vyre:kernel workgroup=256
func reports(t gpu.Thread, n, width, slot, most, first uint32, severity, records, sums, head, counters, front []uint32) {
	seen := gpu.Shared[uint32](t, severities)
	if t.Local().X < severities {
		seen[t.Local().X] = 0
	}
	t.Barrier()
	p := partOf(t, n)
	for i := p.from + t.Lane(); i < p.to; i += 32 {
		for left := severity[i]; left != 0; left &= left - 1 {
			gpu.AtomicAdd(&seen[bits.TrailingZeros32(left)], 1)
		}
	}
	before, total := settle(t, p.count(t, severity), sums)
	if k := t.Local().X; k < severities && seen[k] != 0 {
		gpu.AtomicAdd(&counters[slot*severities+k], seen[k])
	}
	at := layout{head: head, front: front, own: front, slot: slot, most: most, limit: ^uint32(0), first: first}
	scatter(t, at, table{records, width}, width, severity, p, before, total)
}

// part is the items of one warp, which are neighbours.
type part struct{ from, to uint32 }

// partOf divides n items among the warps of the grid, in their order.
func partOf(t gpu.Thread, n uint32) part {
	all := t.Groups().X * warps
	each := (n + 32*all - 1) / (32 * all) * 32
	w := t.Group().X*warps + t.Warp()
	from := min(w*each, n)
	return part{from, min(from+each, n)}
}

// count is how many items of the warp are flagged.
func (p part) count(t gpu.Thread, flags []uint32) uint32 {
	n := uint32(0)
	for i := p.from + t.Lane(); i < p.to; i += 32 {
		if flags[i] != 0 {
			n++
		}
	}
	return gpu.ReduceAdd(t, n)
}

// settle tells every block the count of all others: each publishes one word, and after the barrier of
// the grid adds up the words before its own, which are read together. before is what stands before the
// warp.
func settle(t gpu.Thread, count uint32, sums []uint32) (before, total uint32) {
	counts := gpu.Shared[uint32](t, warps)
	if t.Lane() == 0 {
		counts[t.Warp()] = count
	}
	t.Barrier()
	mine, block := uint32(0), uint32(0)
	for w := range uint32(warps) {
		if w < t.Warp() {
			mine += counts[w]
		}
		block += counts[w]
	}
	if t.Local().X == 0 {
		sums[t.Group().X] = block
	}
	t.GridBarrier()
	for b := t.Local().X; b < t.Groups().X; b += threads {
		total += sums[b]
		if b < t.Group().X {
			before += sums[b]
		}
	}
	return t.BarrierAdd(before) + mine, t.BarrierAdd(total)
}

// scatter stores the records of the warp's flagged items in the order of items, and the slot's head.
func scatter[S source](t gpu.Thread, at layout, s S, width uint32, flags []uint32, p part, before, total uint32) {
	start := uint32(0)
	if at.slot > 0 {
		start = at.head[(at.slot-1)*headWords+headEnd]
	}
	kept := min(total, at.most)
	inFront := kept*width <= at.limit
	if t.Global().X == 0 {
		at.settleHead(start, kept, total, width, inFront)
	}
	for first := p.from; first < p.to; first += 32 {
		i := first + t.Lane()
		keep := i < p.to && flags[i] != 0
		lanes := t.Ballot(keep)
		if k := before + uint32(bits.OnesCount32(lanes&(1<<t.Lane()-1))); keep && k < kept {
			if inFront {
				for w := range width {
					at.front[start+k*width+w] = s.word(i, w)
				}
			} else {
				for w := range width {
					at.own[k*width+w] = s.word(i, w)
				}
			}
		}
		before += uint32(bits.OnesCount32(lanes))
	}
}

// settleHead says what became of the slot.
func (at layout) settleHead(start, kept, total, width uint32, inFront bool) {
	count, end := uint32(0), start
	if inFront {
		count = min(kept, (max(at.first, start)-start)/width)
		end += kept * width
	}
	h := at.slot * headWords
	at.head[h+headCount] = count
	at.head[h+headTotal] = total
	at.head[h+headOverflow] = total - count
	at.head[h+headEnd] = end
}
