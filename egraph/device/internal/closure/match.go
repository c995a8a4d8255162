package closure

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Match looks up the rows of the list, and unites the classes of those that are equal. If the table had too little room for
// them, the round clears it instead, and the next one looks up all rows. keep masks signatures; full is how many slots may be taken.
//
//vyre:kernel workgroup=256
func Match(t gpu.Thread, round, keep, full uint32, staged []uint32, rows [][4]uint32, more, class, work, parent []uint32, slots []uint64, at, header, vote []uint32) {
	mine := round & 1
	n := header[lengths+mine]
	clears := header[usedSeen]+n > full
	ends := staged[StagedMost] != 0 && header[Rounds]+1 >= staged[StagedMost]
	if t.Global().X == 0 {
		header[lengths+1-mine] = 0
		header[cleared], header[last] = 0, 0
		if clears {
			header[cleared] = 1
			header[Used] = 0
			header[Refills]++
			gpu.AtomicAdd(&vote[0], 1)
		}
		if ends {
			header[last] = 1
		}
	}
	if clears {
		for k := t.Global().X; k < uint32(len(slots)); k += t.Groups().X * 256 {
			slots[k] = empty
		}
		n = 0
	}
	everything := header[all] != 0
	claims, unions := uint32(0), uint32(0)
	for k := t.Global().X; k < n; k += t.Groups().X * 256 {
		i := k
		if !everything {
			i = work[k]
		}
		r := rows[i]
		s := signature(r, more) & keep
		slot, other := lookUp(i, s, r, rows, more, slots)
		at[i] = slot
		if other == i {
			claims++
		} else if other != none {
			unions += Join(parent, class[i], class[other])
		}
	}
	if !ends {
		gpu.AtomicAdd(&vote[0], unions)
	}
	add(t, header, Used, claims)
	add(t, header, united+mine, unions)
}

// lookUp returns the slot of row i, and another row of its key: i itself if it took the slot, none if it has it already.
func lookUp(i, s uint32, r [4]uint32, rows [][4]uint32, more []uint32, slots []uint64) (slot, other uint32) {
	mask := uint32(len(slots)) - 1
	own := uint64(s)<<32 | uint64(i)
	// The low bits of a signature say little about its last child, so a product spreads them.
	for slot = s * 0x9E3779B9 >> bits.LeadingZeros32(mask); ; slot = (slot + 1) & mask {
		have := gpu.AtomicLoad(&slots[slot])
		if have == empty {
			have = gpu.AtomicCompareExchange(&slots[slot], empty, own)
			if have == empty {
				return slot, i
			}
		}
		j := uint32(have)
		if uint32(have>>32) != s || have >= dead {
			continue
		}
		if j == i {
			return slot, none
		}
		if equal(r, rows[j], more) {
			if i < j { // the slot names the smallest row of its key
				gpu.AtomicMin(&slots[slot], own)
			}
			return slot, j
		}
	}
}

// Refresh ends a round: it counts it, and lists the rows for the next one.
//
//vyre:kernel workgroup=256
func Refresh(t gpu.Thread, round, n, per uint32, rows [][4]uint32, more, parent []uint32, slots []uint64, at, work, header []uint32) {
	mine := round & 1
	unions, clears, ends := header[united+mine], header[cleared] != 0, header[last] != 0
	if t.Global().X == 0 {
		header[united+1-mine] = 0
		header[usedSeen] = header[Used]
		if clears {
			header[all] = 1
			header[lengths+1-mine] = n
		} else {
			header[all] = 0
			count(unions, header[lengths+mine], header)
		}
	}
	if !t.Any(unions != 0 && !clears && !ends) {
		return
	}
	sweep(t, n, per, true, true, lengths+1-mine, rows, more, parent, slots, at, work, header)
}

// count writes down what a round came to.
func count(unions, lookups uint32, header []uint32) {
	if r := header[Rounds]; r < LogRounds {
		header[Log+r] = unions
	}
	header[Rounds]++
	header[Unions] += unions
	header[Status] = Stopped
	if unions == 0 {
		header[Status] = Converged
	}
	low := header[Lookups] + lookups
	if low < lookups {
		header[Lookups+1]++
	}
	header[Lookups] = low
}
