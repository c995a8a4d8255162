package closure

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// The rows are sorted by the roots of their classes, 8 bits at a time, lowest first. Every pass keeps the order of equal digits,
// so rows ascend within a group. A pass counts the digits of every tile, adds up, and moves rows to their places.

// Tile is how many rows a workgroup counts or moves.
const (
	Tile   = 4096
	digits = 256
	steps  = Tile / 256
)

// Tally counts the digits of each tile: those of digit d in tile k are at d·tiles + k.
//
//vyre:kernel workgroup=256
func Tally(t gpu.Thread, n, tiles, shift, first uint32, from, class, parent, sums []uint32) {
	counts := gpu.Shared[uint32](t, digits)
	l := t.Local().X
	counts[l] = 0
	t.Barrier()
	for k := range uint32(steps) {
		if i := t.Group().X*Tile + k*256 + l; i < n {
			gpu.AtomicAdd(&counts[digitOf(i, shift, first, from, class, parent)], 1)
		}
	}
	t.Barrier()
	sums[l*tiles+t.Group().X] = counts[l]
}

// rowAt is the row at a place before the pass.
func rowAt(i, first uint32, from []uint32) uint32 {
	if first != 0 {
		return i
	}
	return from[i]
}

func digitOf(i, shift, first uint32, from, class, parent []uint32) uint32 {
	return parent[class[rowAt(i, first, from)]] >> shift & (digits - 1)
}

// Sum makes of the counts of a digit how many come before each tile, and leaves their total; a workgroup has a digit.
//
//vyre:kernel workgroup=256
func Sum(t gpu.Thread, tiles uint32, sums, totals []uint32) {
	part := gpu.Shared[uint32](t, 8)
	l, row := t.Local().X, t.Group().X*tiles
	running := uint32(0)
	for base := uint32(0); base < tiles; base += 256 {
		v := uint32(0)
		if base+l < tiles {
			v = sums[row+base+l]
		}
		before, total := scan(t, v, part)
		if base+l < tiles {
			sums[row+base+l] = running + before
		}
		running += total
		t.Barrier()
	}
	if l == 0 {
		totals[t.Group().X] = running
	}
}

// scan returns the sum of the invocations before this one in its group, and of all. part may be used again after a barrier.
func scan(t gpu.Thread, v uint32, part []uint32) (before, total uint32) {
	upto := gpu.ScanAdd(t, v)
	if t.Lane() == 31 {
		part[t.Warp()] = upto
	}
	t.Barrier()
	before = upto - v
	for w := range uint32(8) {
		if w < t.Warp() {
			before += part[w]
		}
		total += part[w]
	}
	return before, total
}

// Move puts the rows of each tile where they come in the order of the digit.
//
//vyre:kernel workgroup=256
func Move(t gpu.Thread, n, tiles, shift, first uint32, from, class, parent, sums, totals, to []uint32) {
	part, base, places := gpu.Shared[uint32](t, 8), gpu.Shared[uint32](t, digits), gpu.Shared[uint32](t, 8*digits)
	l, warp := t.Local().X, t.Warp()
	smaller, _ := scan(t, totals[l], part)
	base[l] = smaller + sums[l*tiles+t.Group().X]
	for k := range uint32(steps) {
		for w := range uint32(8) {
			places[w*digits+l] = 0
		}
		t.Barrier()
		i := t.Group().X*Tile + k*256 + l
		row, digit := uint32(0), uint32(digits) // of what is absent
		if i < n {
			row = rowAt(i, first, from)
			digit = parent[class[row]] >> shift & (digits - 1)
		}
		same := gpu.Match(t, digit)
		rank := uint32(bits.OnesCount32(same & (1<<t.Lane() - 1)))
		if rank == 0 && i < n {
			places[warp*digits+digit] = uint32(bits.OnesCount32(same))
		}
		t.Barrier()
		next := base[l]
		for w := range uint32(8) {
			c := places[w*digits+l]
			places[w*digits+l] = next
			next += c
		}
		base[l] = next
		t.Barrier()
		if i < n {
			to[places[warp*digits+digit]+rank] = row
		}
		t.Barrier()
	}
}

// begins reports whether a group begins at a place of the sorted rows, and its root.
func begins(i uint32, sorted, class, parent []uint32) (bool, uint32) {
	root := parent[class[sorted[i]]]
	return i == 0 || parent[class[sorted[i-1]]] != root, root
}

// Count counts the groups that begin in each tile.
//
//vyre:kernel workgroup=256
func Count(t gpu.Thread, n uint32, sorted, class, parent, sums []uint32) {
	heads := uint32(0)
	for k := range uint32(steps) {
		if i := t.Group().X*Tile + k*256 + t.Local().X; i < n {
			if head, _ := begins(i, sorted, class, parent); head {
				heads++
			}
		}
	}
	if heads = t.BarrierAdd(heads); t.Local().X == 0 {
		sums[t.Group().X] = heads
	}
}

// List writes the groups.
//
//vyre:kernel workgroup=256
func List(t gpu.Thread, n uint32, sorted, class, parent, sums, totals, groupClass, groupFirst, header []uint32) {
	part := gpu.Shared[uint32](t, 8)
	at := sums[t.Group().X]
	for k := range uint32(steps) {
		i := t.Group().X*Tile + k*256 + t.Local().X
		head, root, one := false, uint32(0), uint32(0)
		if i < n {
			head, root = begins(i, sorted, class, parent)
		}
		if head {
			one = 1
		}
		before, total := scan(t, one, part)
		if head {
			groupClass[at+before] = root
			groupFirst[at+before] = i
		}
		at += total
		t.Barrier()
	}
	if t.Global().X == 0 {
		header[Groups] = totals[0]
		groupFirst[totals[0]] = n
	}
}
