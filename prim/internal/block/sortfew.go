//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// SortFew is how many elements SortByRank is for at most: it compares each with each.
const SortFew = 2048

// SortByRank sorts in[:n] by the bits of their keys from from to to, in one launch of any grid of Threads: the place of a key is
// the number of those before it, which a warp counts. Equal keys keep their order. With pairs the elements of values go with their
// keys; with iota their indices do.
func SortByRank[K, V Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, pairs, iota bool, n uint64, in, out []K, values, outValues []V) {
	n = min(n, uint64(len(in)), uint64(len(out))) // which it is
	for i := uint64(t.Group().X)*Warps + uint64(t.Warp()); i < n; i += uint64(t.Groups().X) * Warps {
		key, rank := in[i], uint32(0)
		mine := sortedBits(key, kind, down, from, to)
		for at := uint64(sortPlace(t.Lane(), Each)); at < n; at += 32 * Each {
			keys := sortLoadAll(in, at, n, Each, absentKey[K](kind, down))
			for k := range uint32(Each) {
				if other := sortedBits(keys[k], kind, down, from, to); other < mine || other == mine && at+uint64(sortHalf*k) < i {
					rank++
				}
			}
		}
		rank = gpu.ReduceAdd(t, rank)
		if t.Lane() != 0 {
			continue
		}
		out[rank] = key
		switch {
		case pairs && iota:
			outValues[rank] = V(i)
		case pairs:
			outValues[rank] = values[i]
		}
	}
}

// sortedBits is an integer whose order is that of the bits of keys from from to to.
func sortedBits[K Bits](key K, kind uint32, down bool, from, to uint32) K {
	return sortedAs(key, kind, down) >> from & (K(1)<<(to-from) - 1)
}
