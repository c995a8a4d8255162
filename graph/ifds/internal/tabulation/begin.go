package tabulation

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Words of what is counted.
const (
	EdgesWord     = 0 // bits of all rows
	SummariesWord = 1 // in the list
	Counts        = 2
)

// SeedsHead is where seeds begin; before them stands how many there are.
const SeedsHead = 1

// Clear forgets the answer before.
//
//vyre:kernel workgroup=256
func Clear(t gpu.Thread, seeds []uint32, rows, coming, known []uint64, queued, lengths, portioned []uint32, counts []uint64) {
	i := t.Global().X
	if i < uint32(len(rows)) {
		rows[i] = 0
		queued[i] = 0
	}
	if n := uint32(len(known)); i < n {
		known[i] = 0
		coming[i] = 0
		coming[n+i] = 0
	}
	if i < 3 {
		lengths[i] = 0
		portioned[i] = 0
		if i == 0 {
			lengths[i] = seeds[0]
		}
	}
	if i < Counts {
		counts[i] = 0
	}
}

// Seed lists the items that seeds are in, which are different ones, with their bits.
//
//vyre:kernel workgroup=256
func Seed(t gpu.Thread, exits uint32, seeds []uint32, masks, rows, coming []uint64, queued, list []uint32) {
	i := t.Global().X
	if i >= seeds[0] {
		return
	}
	item := seeds[SeedsHead+i]
	rows[item] = masks[i]
	if item < exits {
		coming[item] = masks[i]
	}
	queued[item] = 1
	list[i] = item
}

// Count says which words have bits, and how many there are.
//
//vyre:kernel workgroup=256
func Count(t gpu.Thread, rows []uint64, held []uint32, counts []uint64) {
	items, n := uint32(len(rows)), uint32(0)
	for base := t.Group().X * 256; base < items; base += t.Groups().X * 256 {
		i, row := base+t.Local().X, uint64(0)
		if i < items {
			row = rows[i]
		}
		some := t.Ballot(row != 0)
		if t.Lane() == 0 && i < items {
			held[i/32] = some
		}
		n += uint32(bits.OnesCount64(row))
	}
	if n = gpu.ReduceAdd(t, n); t.Lane() == 0 {
		gpu.AtomicAdd(&counts[EdgesWord], uint64(n))
	}
}
