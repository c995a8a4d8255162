package closure

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// empty is a slot that no row has taken; one whose row has left its key is dead.
const (
	empty = ^uint64(0)
	dead  = ^uint64(1)
)

// Prepare begins a run. In the first one every class is its own root; where the table is not known to be right, it is cleared.
//
//vyre:kernel workgroup=256
func Prepare(t gpu.Thread, n uint32, staged, parent []uint32, slots []uint64, header []uint32) {
	fresh, anew := header[Status] == Fresh, staged[StagedAnew] != 0
	if fresh {
		for v := t.Global().X; v < uint32(len(parent)); v += t.Groups().X * 256 {
			parent[v] = v
		}
	}
	if fresh || anew {
		for k := t.Global().X; k < uint32(len(slots)); k += t.Groups().X * 256 {
			slots[k] = empty
		}
	}
	if t.Global().X != 0 {
		return
	}
	for k := uint32(Rounds); k < HeaderWords; k++ {
		if k != Used {
			header[k] = 0
		}
	}
	if fresh || anew {
		header[Used] = 0
	}
	if fresh || anew || header[Status] == Stopped { // rows that were listed may not have been looked up
		header[all] = 1
		header[lengths] = n
	}
	header[usedSeen] = header[Used]
}

// Unite makes the pending unions.
//
//vyre:kernel workgroup=256
func Unite(t gpu.Thread, staged, parent, header []uint32) {
	pairs := staged[StagedPairs]
	unions, self := uint32(0), uint32(0)
	for k := t.Global().X; k < pairs; k += t.Groups().X * 256 {
		a, b := staged[StagedHead+2*k], staged[StagedHead+2*k+1]
		if a == b {
			self++
		} else {
			unions += Join(parent, a, b)
		}
	}
	add(t, header, Pending, unions)
	add(t, header, Self, self)
}

// add adds what the lanes of a warp have to a word.
func add(t gpu.Thread, header []uint32, word, v uint32) {
	if v = gpu.ReduceAdd(t, v); v != 0 && t.Lane() == 0 {
		gpu.AtomicAdd(&header[word], v)
	}
}

// Start brings the rows up to date before the first round.
//
//vyre:kernel workgroup=256
func Start(t gpu.Thread, n, per uint32, staged []uint32, rows [][4]uint32, more, parent []uint32, slots []uint64, at, work, header []uint32) {
	known := header[Status] != Fresh && staged[StagedAnew] == 0
	sweep(t, n, per, known, header[all] == 0, lengths, rows, more, parent, slots, at, work, header)
}

// sweep refreshes all rows, and appends those that changed to the list whose length is in the word.
func sweep(t gpu.Thread, n, per uint32, known, listed bool, word uint32, rows [][4]uint32, more, parent []uint32, slots []uint64, at, work, header []uint32) {
	first := (t.Group().X*8+t.Warp())*32*per + t.Lane()
	changed := uint32(0)
	for k := range per {
		i := first + 32*k
		if i < n && refresh(rows, more, parent, i) {
			changed |= 1 << k
			// All rows of a key leave it in one round, so the slot is nobody's from now on.
			if known {
				if s := at[i]; uint32(gpu.AtomicLoad(&slots[s])) == i {
					gpu.AtomicStore(&slots[s], dead)
				}
			}
		}
	}
	count := uint32(bits.OnesCount32(changed))
	if !listed {
		count = 0
	}
	upto := gpu.ScanAdd(t, count)
	base := uint32(0)
	if t.Lane() == 31 && upto != 0 {
		base = gpu.AtomicAdd(&header[word], upto)
	}
	place := gpu.Shuffle(t, base, 31) + upto - count
	if count == 0 {
		return
	}
	for ; changed != 0; changed &= changed - 1 {
		work[place] = first + 32*uint32(bits.TrailingZeros32(changed))
		place++
	}
}
