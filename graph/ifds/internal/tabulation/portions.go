package tabulation

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// A node with more arcs than a portion has, and an entry with more calls, would keep one warp busy for a whole round. They are left for
// the next one, in portions that stand in the list as items do, so that all warps have some. That a row is looked at a round later
// does no harm: it only grows.

// partBit is set in entries of a list that are portions.
const partBit = 1 << 31

// arcsPart is a portion of arcs, in the place of the number of an entry.
const arcsPart = 1<<32 - 1

// portionAt is where the portions of a round stand.
func (s state) portionAt(round uint32) uint32 { return round & 1 * (uint32(len(s.portions)) / 2) }

// leaveArcs leaves the long rows of a warp.
func (s state) leaveArcs(t gpu.Thread, w taken) (grown uint32) {
	for long := t.Ballot(w.arcs > s.portion); long != 0; long &= long - 1 {
		lane := uint32(bits.TrailingZeros32(long))
		grown += s.cut(t, gpu.Shuffle(t, w.arcs, lane), arcsPart, gpu.Shuffle(t, w.item, lane))
	}
	return grown
}

// leaveCalls leaves the entries of a warp that have many calls.
func (s state) leaveCalls(t gpu.Thread, calls, entry, exit uint32) (grown uint32) {
	for long := t.Ballot(calls > s.portion); long != 0; long &= long - 1 {
		lane := uint32(bits.TrailingZeros32(long))
		grown += s.cut(t, gpu.Shuffle(t, calls, lane), uint64(gpu.Shuffle(t, entry, lane)), gpu.Shuffle(t, exit, lane))
	}
	return grown
}

// cut lists the portions of so many things. Lane 0 gets how many that are.
func (s state) cut(t gpu.Thread, things uint32, what uint64, item uint32) uint32 {
	n := (things + s.portion - 1) / s.portion
	slot, at := uint32(0), uint32(0)
	if t.Lane() == 0 {
		slot, at = gpu.AtomicAdd(&s.portioned[s.word], n), gpu.AtomicAdd(&s.lengths[s.word], n)
	}
	slot, at = gpu.Shuffle(t, slot, 0), gpu.Shuffle(t, at, 0)
	for k := t.Lane(); k < n; k += 32 {
		to := s.portionAt(s.round+1) + 2*(slot+k)
		s.portions[to] = what
		s.portions[to+1] = uint64(item)<<32 | uint64(k)
		s.list[s.next+at+k] = partBit | (slot + k)
	}
	if t.Lane() != 0 {
		return 0
	}
	return n
}
