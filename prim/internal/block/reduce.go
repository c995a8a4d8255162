//vyre:library

package block

import "github.com/govyre/vyre/gpu"

const (
	// Threads is how many invocations the workgroups of these algorithms have.
	Threads = 256
	// Warps is how many warps a workgroup has.
	Warps = Threads / 32
	// Tile is how many elements a workgroup takes at once, Each how many of them an invocation.
	Tile = Threads * Each
	Each = 16
)

// Reduce combines one value of each invocation of a workgroup: within a warp by halving, lane i with lane i+16, then
// i+8 and so on, and then the warps' results by halving. Invocation 0 gets the result; what the others get says nothing.
// part holds Warps elements, and may be used again after the next barrier.
func Reduce[T gpu.Number, O Operator[T]](t gpu.Thread, op O, v T, part []T) T {
	for round := range uint32(2) {
		h := uint32(16)
		if round == 1 {
			if t.Lane() == 0 {
				part[t.Warp()] = v
			}
			t.Barrier()
			v = part[t.Lane()&(Warps-1)]
			h = Warps / 2
		}
		for ; h > 0; h /= 2 {
			v = op.Apply(v, gpu.ShuffleDown(t, v, h))
		}
	}
	return v
}

// load fetches 16 elements of a tile, which begins at base and ends at n at the latest: invocation j has those from
// 1024 r + 4 j to 1024 r + 4 j + 3, for r from 0 to 3. What is absent is none.
func load[T, A gpu.Number](t gpu.Thread, x []T, base, n uint64, none A) (v [Each]A) {
	at := base + uint64(4*t.Local().X)
	n = min(n, uint64(len(x))) // which it is
	if at < before(n, 1024*3+3) {
		for i := range uint64(Each) {
			v[i] = A(x[at+1024*(i/4)+i%4])
		}
		return v
	}
	for i := range uint64(Each) {
		v[i] = none
		if k := at + 1024*(i/4) + i%4; k < n {
			v[i] = A(x[k])
		}
	}
	return v
}

// fold combines the elements of an invocation's share of a tile, in the order of a tree: quads, and then those.
func fold[T gpu.Number, O Operator[T]](op O, v [Each]T) T {
	for d := uint32(1); d < Each; d *= 2 {
		for i := uint32(0); i < Each; i += 2 * d {
			v[i] = op.Apply(v[i], v[i+d])
		}
	}
	return v[0]
}

// ReduceBatch is how many tiles a workgroup takes before it combines the values of its invocations: a barrier for four tiles
// costs as much as one for one.
const ReduceBatch = 4

// ReduceWords is how many elements of shared memory ReduceAll uses: the warps' values of two batches, and of a tile of results.
const ReduceWords = (2*ReduceBatch + 1) * Warps

// ReduceAll combines x[:n] into out[0] in one launch of any grid; out[0] is empty where n is 0. Each element is converted to
// A first. The order is that of a tree which depends on n alone: quads of neighbours, the four quads of an invocation,
// the invocations of a tile (Reduce), and then the tiles' results like elements, until one is left.
//
// A workgroup takes tiles that stand side by side, as many as the others, give or take one. The last to finish one of Tile
// tiles combines their results, and so on up. A group adds what it has finished of such a tile to its count once, not tile by
// tile: that orders memory, and takes as long as several tiles. Whether it was the last it asks when it has the next batch, so
// that nobody waits for the count. sums has room for SumsLen(max) elements; counts, for CountsLen(max), are 0 when the launch
// begins and when it has ended; part is shared memory of ReduceWords.
func ReduceAll[T, A gpu.Number, O Operator[A]](t gpu.Thread, op O, empty A, x []T, n uint64, out, sums []A, counts []uint32, part []A) {
	if n == 0 && t.GlobalIndex() == 0 {
		out[0] = empty
	}
	lane, warp, tiles := t.Lane(), t.Warp(), tilesOf(n)
	first, last := shareOf(uint32(tiles), t.Group().X, t.Groups().X)
	finished, half := uint32(0), uint32(0) // what the batch before finished, and where the warps' values of this one are
	for tile := uint64(first); ; tile += ReduceBatch {
		for q := uint32(0); q < ReduceBatch && tile+uint64(q) < uint64(last); q++ {
			v := fold(op, load(t, x, (tile+uint64(q))*Tile, n, op.Identity()))
			for h := uint32(16); h > 0; h /= 2 {
				v = op.Apply(v, gpu.ShuffleDown(t, v, h))
			}
			if lane == 0 {
				part[half+q*Warps+warp] = v
			}
		}
		for finished = t.BarrierAdd(finished); finished != 0; finished &= finished - 1 {
			at := tile - ReduceBatch
			if finished&1 == 0 {
				at = min(tile, uint64(last)) - 1
			}
			ascend(t, op, at, tiles, out, sums, counts, part[2*ReduceBatch*Warps:])
		}
		if tile >= uint64(last) {
			break
		}
		if warp == 0 {
			// Lanes 0, 8, 16 and 24 get the result of a tile each.
			v := part[half+lane]
			for h := uint32(Warps / 2); h > 0; h /= 2 {
				v = op.Apply(v, gpu.ShuffleDown(t, v, h))
			}
			if at := tile + uint64(lane/Warps); lane%Warps == 0 && at < uint64(last) {
				if tiles == 1 {
					out[0] = v
				} else {
					sums[at] = v
				}
			}
			finished = finish(t, uint64(first), tile, uint64(last), tiles, counts)
		}
		half ^= ReduceBatch * Warps
	}
}

// shareOf is from which tile to which one of so many workgroups takes.
func shareOf(tiles, group, groups uint32) (first, last uint32) {
	each, more := tiles/groups, tiles%groups
	first = group*each + min(group, more)
	last = first + each
	if group < more {
		last++
	}
	return first, last
}

// finish counts what a workgroup, which takes the tiles from first to last, has finished with the batch at tile, where that ends
// its share of a tile of results. Bit 0 of the answer says that this was the last of the tile in which the batch begins, bit 1 of
// that in which it ends, if it is another or the group takes no more of it. A warp calls it.
func finish(t gpu.Thread, first, tile, last, tiles uint64, counts []uint32) (finished uint32) {
	end := min(tile+ReduceBatch, last)
	begins, ends := tile/Tile, (end-1)/Tile
	done := end == last || end%Tile == 0
	if tiles == 1 || begins == ends && !done {
		return 0
	}
	t.WarpBarrier() // the results of all lanes come before the count
	if t.Lane() != 0 {
		return 0
	}
	if begins != ends {
		finished = countOf(begins, uint32(ends*Tile-max(first, begins*Tile)), tiles, 0, counts)
	}
	if done {
		finished |= countOf(ends, uint32(end-max(first, ends*Tile)), tiles, 0, counts) << 1
	}
	return finished
}

// countOf adds to the count of a tile of results, of a level that has so many results, and returns 1 if those are all.
func countOf(at uint64, more uint32, tiles, counter uint64, counts []uint32) uint32 {
	c := counter + at
	if gpu.AtomicAddOrdered(&counts[c], more, gpu.AcqRel, gpu.Device) != uint32(min(tiles-at*Tile, Tile))-more {
		return 0
	}
	gpu.AtomicStore(&counts[c], 0)
	return 1
}

// publish puts the result of a tile of a level, which has so many, where those of the next level find it, and returns 1 if it
// was the last of a tile of them.
func publish[A gpu.Number](at, tiles, start, counter uint64, v A, out, sums []A, counts []uint32) uint32 {
	if tiles == 1 {
		out[0] = v
		return 0
	}
	sums[start+at] = v
	return countOf(at/Tile, 1, tiles, counter, counts)
}

// ascend combines the results of the tiles that stand beside a tile, of a level that has so many, and goes on to the next
// level if that finishes a tile there. All invocations of a workgroup call it.
func ascend[A gpu.Number, O Operator[A]](t gpu.Thread, op O, at, tiles uint64, out, sums []A, counts []uint32, part []A) {
	start, counter := uint64(0), uint64(0)
	for again := uint32(1); again != 0; {
		at /= Tile
		v := Reduce(t, op, fold(op, load(t, sums, start+at*Tile, start+tiles, op.Identity())), part)
		start += tiles
		tiles = tilesOf(tiles)
		counter += tiles
		again = 0
		if t.Local().X == 0 {
			again = publish(at, tiles, start, counter, v, out, sums, counts)
		}
		again = t.BarrierAdd(again)
	}
}

// tilesOf is how many tiles so many elements have.
func tilesOf(n uint64) uint64 { return (n + Tile - 1) / Tile }

// SumsLen is how many results of tiles ReduceAll keeps, of n elements.
func SumsLen(n uint64) (all uint64) {
	for n = tilesOf(n); n > 1; n = tilesOf(n) {
		all += n
	}
	return all
}

// CountsLen is how many counts ReduceAll needs for n elements.
func CountsLen(n uint64) (all uint64) {
	for n = tilesOf(n); n > 1; {
		n = tilesOf(n)
		all += n
	}
	return all
}
