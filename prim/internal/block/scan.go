//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// Scan combines one value of each invocation of a workgroup with those of the invocations before it, and returns what comes
// before: of the warps before, one after another, and of the lanes before, by doubling (with lane l-1, l-2, l-4, ...). all is
// the combination of the whole group, that of the last warp on the right. Absent values are the operator's identity.
// part holds Warps elements, and may be used again after the next barrier.
func Scan[T gpu.Number, O Operator[T]](t gpu.Thread, op O, v T, part []T) (warps, lanes, all T) {
	return scan(t, op, op.Identity(), v, part)
}

func scan[T gpu.Number, O Operator[T]](t gpu.Thread, op O, none, v T, part []T) (warps, lanes, all T) {
	for d := uint32(1); d < 32; d *= 2 {
		if u := gpu.ShuffleUp(t, v, d); t.Lane() >= d {
			v = op.Apply(u, v)
		}
	}
	if t.Lane() == 31 {
		part[t.Warp()] = v
	}
	lanes = gpu.ShuffleUp(t, v, 1)
	if t.Lane() == 0 {
		lanes = none
	}
	t.Barrier()
	warps, all = none, none
	for k := range uint32(Warps) {
		all = op.Apply(all, part[k])
		if k < t.Warp() {
			warps = all
		}
	}
	return warps, lanes, all
}

// running combines the elements of an invocation, each with those before it.
func running[T gpu.Number, O Operator[T]](op O, v [Each]T) [Each]T {
	for i := 1; i < Each; i++ {
		v[i] = op.Apply(v[i-1], v[i])
	}
	return v
}

// ScanAll leaves the running combinations of x[:n] in y[:n], in one launch of any grid: y[i] is x[0] to x[i] combined or,
// if exclusive is not 0, x[0] to x[i-1], and the identity first. Each element is read once. x and y may be one.
//
// Workgroups take tiles by ticket and look back at the tiles before. state has StateLen words, which are 0 when a launch of several
// begins; cells are shared memory of ScanQuads quads or, of elements of 8 bytes, ScanPairs pairs, and part of Warps elements. The operator has to be
// associative exactly, so it is for integers: the order in which tiles are combined is a matter of timing.
func ScanAll[T gpu.Integer, O Operator[T]](t gpu.Thread, op O, exclusive uint32, x, y []T, n uint64, state []uint64, cells Cells[T], part []T) {
	none, f := op.Identity(), form{wide: wide[T]()}
	span := uint64(elementsOf(cells) * cellsOf(cells))
	n = min(n, uint64(len(x)), uint64(len(y))) // which it is; but now no access of a whole tile needs a check
	tiles := uint32((n + span - 1) / span)
	for tile := firstTicket(t, state); tile < tiles; {
		base := uint64(tile) * span
		stage(t, x, base, n, none, cells)
		warps, lanes, all := scan(t, op, none, rowTotal(t, op, none, cells), part)
		tellOwn(t, f, state, tile, all)
		t.WarpBarrier() // others wait for that: an assembler puts no access of shared memory before it
		runRow(t, op, exclusive, op.Apply(warps, lanes), cells)
		before := none
		if t.Warp() == 0 {
			before = lookBack(t, op, none, f, state, tile, all)
		}
		before = gpu.BarrierBroadcast(t, before)
		next := nextTicket(t, tile, tiles, state)
		unstage(t, op, before, y, base, n, cells)
		tile = gpu.BarrierBroadcast(t, next)
	}
}
