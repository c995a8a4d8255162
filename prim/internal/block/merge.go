//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// sortedAs is an integer whose order is that of keys which ascend, or descend.
func sortedAs[K Bits](key K, kind uint32, down bool) K {
	key = Ordered(key, kind)
	if down {
		key = ^key
	}
	return key
}

// fromSorted is the key that sortedAs made into v.
func fromSorted[K Bits](v K, kind uint32, down bool) K {
	if down {
		v = ^v
	}
	return unordered(v, kind)
}

// Search finds where each of queries[:m] goes in x[:n], which is sorted: out has how many elements come before it, and with
// upper those that are equal, too.
func Search[K Bits, I uint32 | uint64](t gpu.Thread, kind uint32, down, upper bool, x []K, n uint64, queries []K, m uint64, out []I) {
	for i := t.GlobalIndex(); i < m; i += uint64(t.Groups().X) * Threads {
		q := sortedAs(queries[i], kind, down)
		lo, hi := uint64(0), n
		for lo < hi {
			mid := lo + (hi-lo)/2
			if k := sortedAs(x[mid], kind, down); k < q || upper && k == q {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		out[i] = I(lo)
	}
}

// mergeSplit says how many of the first at elements of a[:n] and b[:m], both sorted, are from a. Of equals those of the first come first.
func mergeSplit[K Bits](kind uint32, down bool, a, b []K, n, m, at uint64) uint64 {
	lo, hi := at-min(at, m), min(at, n)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if sortedAs(b[at-1-mid], kind, down) < sortedAs(a[mid], kind, down) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// MergeCells is how many elements of shared memory Merge takes: a tile, and room so that invocations which go through it by rows
// use different banks.
const MergeCells = Tile + Tile/16

// MergeCuts is how many tiles of one workgroup have their cuts found at once, and one.
const MergeCuts = Threads

// mergeCell is where element i of a merged tile lies.
func mergeCell[K Bits](i uint32) uint32 {
	if bitsOf[K]() == 64 {
		return i + i>>4
	}
	return i + i>>5
}

// mergeCutsOf finds where the tiles from the first one on begin in a, and where the last of them ends.
func mergeCutsOf[K Bits](t gpu.Thread, kind uint32, down bool, a []K, n uint64, b []K, m, first uint64, tiles uint32, cut []uint64) {
	if i := t.Local().X; i <= tiles {
		cut[i] = mergeSplit(kind, down, a, b, n, m, min((first+uint64(i))*Tile, n+m))
	}
	t.Barrier()
}

// Merge merges a[:n] and b[:m], both sorted, into out; of equals those of a come first. With pairs the values go with their keys,
// and with iota the numbers of their places do, those of b counted on from n. A workgroup takes tiles of the result that follow
// each other: where they begin in a and in b is found by bisection (the merge path: Odeh, Green, Mwassi, Shmueli, Birk, Merge Path,
// 2012), and then where the parts of its invocations do. s is shared memory of MergeCells elements, places with pairs too, and
// cut of MergeCuts.
func Merge[K Bits, V uint32 | uint64](t gpu.Thread, kind uint32, down, pairs, iota bool, a []K, n uint64, b []K, m uint64, out []K, aV, bV, outV []V, s []K, places []uint16, cut []uint64) {
	tiles := uint32((n + m + Tile - 1) / Tile)
	g, some, more := t.Group().X, tiles/t.Groups().X, tiles%t.Groups().X
	first := g*some + min(g, more)
	end := first + some
	if g < more {
		end++
	}
	for ; first < end; first += MergeCuts - 1 {
		count := min(end-first, MergeCuts-1)
		mergeCutsOf(t, kind, down, a, n, b, m, uint64(first), count, cut)
		for i := range count {
			mergeTile(t, kind, down, pairs, iota, a, n, b, out, aV, bV, outV, uint64(first+i)*Tile, n+m, cut[i], cut[i+1], s, places)
		}
	}
}

// mergeTile merges the tile of the result that begins at base, which takes a from fromA up to toA. s has the keys of a, then those of
// b, then keys that come last: they fill a tile that is short, and one more of them ends b, so that only the end of a is watched.
func mergeTile[K Bits, V uint32 | uint64](t gpu.Thread, kind uint32, down, pairs, iota bool, a []K, n uint64, b, out []K, aV, bV, outV []V, base, length, fromA, toA uint64, s []K, places []uint16) {
	l := t.Local().X
	all, fromB := uint32(min(Tile, length-base)), base-fromA
	ofA := window(a, fromA, min(uint32(toA-fromA), all))
	inA := uint32(len(ofA))
	ofB := window(b, fromB, min(all-inA, Tile))
	var key, other [Each]K // all loads are on their way before the first has arrived
	for k := range uint32(Each) {
		if i := l + Threads*k; i < inA {
			key[k] = ofA[i]
		}
	}
	for k := range uint32(Each) {
		other[k] = fromSorted(^K(0), kind, down)
		if i := l + Threads*k - inA; i < uint32(len(ofB)) { // far beyond for a key of a
			other[k] = ofB[i]
		}
	}
	for k := range uint32(Each) {
		i := l + Threads*k
		if i >= inA {
			key[k] = other[k]
		}
		s[i] = sortedAs(key[k], kind, down)
	}
	if l == 0 {
		s[Tile] = ^K(0)
	}
	t.Barrier()
	at := l * Each
	x, end := at-min(at, Tile-inA), min(at, inA)
	for x < end {
		mid := (x + end) / 2
		if s[min(inA+at-1-mid, Tile)] < s[mid] {
			end = mid
		} else {
			x = mid + 1
		}
	}
	y := inA + at - x
	ofX, ofY := s[min(x, Tile)], s[min(y, Tile)]
	var place [Each]uint32
	for k := range uint32(Each) {
		fromY := x >= inA || ofY < ofX
		if fromY {
			key[k], place[k] = ofY, y
			y++
		} else {
			key[k], place[k] = ofX, x
			x++
		}
		next := x
		if fromY {
			next = y
		}
		if v := s[min(next, Tile)]; fromY {
			ofY = v
		} else {
			ofX = v
		}
	}
	t.Barrier()
	row, column := mergeCell[K](at), mergeCell[K](l)
	for k := range uint32(Each) {
		s[row+k] = key[k]
		if pairs {
			places[row+k] = uint16(place[k])
		}
	}
	t.Barrier()
	to := window(out, base, all)
	for k := range uint32(Each) {
		v := fromSorted(s[column+mergeCell[K](Threads*k)], kind, down)
		if i := l + Threads*k; i < uint32(len(to)) {
			to[i] = v
		}
	}
	if pairs {
		mergeValues(t, iota, n, aV, bV, outV, base, fromA, inA, all, column, mergeCell[K](Threads), places)
	}
	t.Barrier()
}

// mergeValues collects the values of a tile, of which inA from aV, by their places.
func mergeValues[V uint32 | uint64](t gpu.Thread, iota bool, n uint64, aV, bV, outV []V, base, fromA uint64, inA, all, column, step uint32, places []uint16) {
	l, fromB := t.Local().X, base-fromA
	ofA, ofB, to := window(aV, fromA, inA), window(bV, fromB, all-inA), window(outV, base, all)
	var value [Each]V
	for k := range uint32(Each) {
		p := uint32(places[column+step*k])
		switch {
		case iota && p < inA:
			value[k] = V(fromA + uint64(p))
		case iota:
			value[k] = V(n + fromB + uint64(p-inA))
		case p < inA:
			value[k] = ofA[p]
		case p-inA < uint32(len(ofB)): // what a short tile lacks has no place
			value[k] = ofB[p-inA]
		}
	}
	for k := range uint32(Each) {
		if i := l + Threads*k; i < uint32(len(to)) {
			to[i] = value[k]
		}
	}
}

// GatherTwo collects count elements by the numbers of their places in a[:n] and, from n on, in b: out[i] is element indices[i].
func GatherTwo[T any, I uint32 | uint64](t gpu.Thread, a []T, n uint64, b []T, count uint64, indices []I, out []T) {
	for i := t.GlobalIndex(); i < count; i += uint64(t.Groups().X) * Threads {
		if k := uint64(indices[i]); k < n {
			out[i] = a[k]
		} else {
			out[i] = b[k-n]
		}
	}
}

// Lengths is Length for two ranges that are put together: neither is longer than its limit, and both together are no longer
// than limit.
func Lengths(limit, limitA, n uint64, atA []uint32, limitB, m uint64, atB []uint32) (uint64, uint64) {
	n, m = Length(limitA, n, atA), Length(limitB, m, atB)
	gpu.Assert(n+m <= limit, "two lengths that the device holds are together greater than what the primitive was made for", n+m)
	if n+m > limit {
		n, m = 0, 0
	}
	return n, m
}
