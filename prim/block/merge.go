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

// mergeSplit says how many of the first at elements of two sorted ranges are from the first of them, which is n elements of a;
// the other one is m elements of b. Of equals those of the first come first.
func mergeSplit[K Bits](kind uint32, down bool, a []K, fromA, n uint64, b []K, fromB, m, at uint64) uint64 {
	lo, hi := at-min(at, m), min(at, n)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if sortedAs(b[fromB+at-1-mid], kind, down) < sortedAs(a[fromA+mid], kind, down) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Merge merges a[:n] and b[:m], both sorted, into out; of equals those of a come first. With pairs the values go with their keys,
// and with iota the numbers of their places do, those of b counted on from n. Workgroups take tiles of the result in turn, and
// invocations a part of a tile: where one begins in a and in b is found by bisection (the merge path). s is shared memory of
// Tile elements, places of Tile with pairs, cut of 2.
func Merge[K Bits, V uint32 | uint64](t gpu.Thread, kind uint32, down, pairs, iota bool, a []K, n uint64, b []K, m uint64, out []K, aV, bV, outV []V, s []K, places []uint16, cut []uint64) {
	l := t.Local().X
	for base := uint64(t.Group().X) * Tile; base < n+m; base += uint64(t.Groups().X) * Tile {
		all := uint32(min(Tile, n+m-base))
		if l < 2 {
			cut[l] = mergeSplit(kind, down, a, 0, n, b, 0, m, base+uint64(l*all))
		}
		t.Barrier()
		fromA := cut[0]
		fromB, inA := base-fromA, uint32(cut[1]-fromA)
		for i := l; i < all; i += Threads {
			if i < inA {
				s[i] = a[fromA+uint64(i)]
			} else {
				s[i] = b[fromB+uint64(i-inA)]
			}
		}
		t.Barrier()
		at := min(l*Each, all)
		x := uint32(mergeSplit(kind, down, s, 0, uint64(inA), s, uint64(inA), uint64(all-inA), uint64(at)))
		y := inA + at - x
		var key [Each]K
		var place [Each]uint32
		for i := range uint32(Each) {
			place[i] = x
			if x >= inA || y < all && sortedAs(s[y], kind, down) < sortedAs(s[x], kind, down) {
				place[i] = y
				y++
			} else {
				x++
			}
			if place[i] < all {
				key[i] = s[place[i]]
			}
		}
		t.Barrier()
		for i := range uint32(Each) {
			if at+i < all {
				s[at+i] = key[i]
				if pairs {
					places[at+i] = uint16(place[i])
				}
			}
		}
		t.Barrier()
		for i := l; i < all; i += Threads {
			out[base+uint64(i)] = s[i]
			if !pairs {
				continue
			}
			p := uint32(places[i])
			switch {
			case iota && p < inA:
				outV[base+uint64(i)] = V(fromA + uint64(p))
			case iota:
				outV[base+uint64(i)] = V(n + fromB + uint64(p-inA))
			case p < inA:
				outV[base+uint64(i)] = aV[fromA+uint64(p)]
			default:
				outV[base+uint64(i)] = bV[fromB+uint64(p-inA)]
			}
		}
		t.Barrier()
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
