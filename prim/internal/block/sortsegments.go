//vyre:library

package block

import "github.com/govyre/vyre/gpu"

// MaxLong is how many segments of more than SortTile elements there are at most among n elements.
func MaxLong(n uint64) uint64 { return n / (SortTile + 1) }

// segmentOf returns where segment i begins and ends in limit elements; wide says which of the two arrays has the offsets.
// Offsets that descend, or are above the limit, are a trap, and the segment is taken for empty.
func segmentOf(wide bool, offsets []uint32, offsets64 []uint64, i, limit uint64) (begin, end uint64) {
	if wide {
		begin, end = offsets64[i], offsets64[i+1]
	} else {
		begin, end = uint64(offsets[i]), uint64(offsets[i+1])
	}
	ok := begin <= end && end <= limit
	gpu.Assert(ok, "a segment ends before it begins, or beyond the elements", end)
	if !ok {
		end = begin
	}
	return begin, end
}

// SortSegments sorts the segments of in into out, but for those of more than SortTile elements, in one launch of any grid. Up
// to 32 elements are sorted by a warp, others by a workgroup. Of each other segment two words go to long: where it begins, and
// how many elements the others before it in that list have; total[0] counts them in its upper 24 bits and their elements below,
// and is 0 when the launch begins. s is shared memory of SortShared words.
func SortSegments[K Bits](t gpu.Thread, kind uint32, down bool, wide bool, count uint64, offsets []uint32, offsets64 []uint64, limit uint64, in, out []K, long, total []uint64, s []uint32) {
	bits := uint32(8)
	for ^K(0)>>(bits-1)>>1 != 0 {
		bits += 8
	}
	for base := uint64(t.Group().X) * sortWarps; base < count; base += uint64(t.Groups().X) * sortWarps {
		if i := base + uint64(t.Warp()); i < count {
			begin, end := segmentOf(wide, offsets, offsets64, i, limit)
			if n := end - begin; n <= 32 {
				sortWarp(t, kind, down, uint32(n), begin, in, out)
			}
		}
		for i := base; i < min(base+sortWarps, count); i++ {
			begin, end := segmentOf(wide, offsets, offsets64, i, limit)
			n := end - begin
			switch {
			case n <= 32:
			case n <= SortTile:
				sortAt(t, kind, down, bits, n, begin, in, out, s)
			case t.Local().X == 0:
				before := gpu.AtomicAdd(&total[0], 1<<longShift|n)
				long[before>>longShift*2] = begin
				long[before>>longShift*2+1] = before & (1<<longShift - 1)
			}
		}
	}
}

// longShift is where the number of long segments begins in a word that has the number of their elements below.
const longShift = 40

// sortWarp sorts up to 32 elements: the place of each is the number of those before it.
func sortWarp[K Bits](t gpu.Thread, kind uint32, down bool, n uint32, begin uint64, in, out []K) {
	l := t.Lane()
	key := K(0)
	if l < n {
		key = in[begin+uint64(l)]
	}
	mine, rank := uint64(sortedAs(key, kind, down)), uint32(0)
	for i := range uint32(32) {
		other := gpu.Shuffle(t, mine, i)
		if i < n && (other < mine || other == mine && i < l) {
			rank++
		}
	}
	if l < n {
		out[begin+uint64(rank)] = key
	}
}

// sortAt sorts up to SortTile elements from begin on, in a workgroup.
func sortAt[K Bits](t gpu.Thread, kind uint32, down bool, bits uint32, n, begin uint64, in, out []K, s []uint32) {
	items := uint32(n+SortThreads-1) / SortThreads
	at := sortPlace(t.Local().X, items)
	left := uint32(n) - min(at, uint32(n))
	key := sortLoad(in, begin+uint64(at), items, left, absentKey[K](kind, down))
	for pass := uint32(0); radixBits*pass < bits; pass++ {
		sortClear(t, s)
		d := digitAt(kind, down, 0, bits, pass)
		rank, _ := sortRanks(t, d, items, key, sortCount(t, d, items, key, s), s)
		key = sortExchange(t, items, at, sortHalf, key, rank, s)
	}
	sortStore(out, begin+uint64(at), items, left, key)
}

// longOf finds the segment of element p of all long segments: its number in long, which has count of them.
func longOf(long []uint64, count, p uint64) uint64 {
	lo, hi := uint64(0), count
	for lo+1 < hi {
		if mid := (lo + hi) / 2; long[2*mid+1] <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// CollectLong puts the elements of long segments one after the other into keys, and the numbers of their segments into of.
// n[0] gets how many there are.
func CollectLong[K Bits](t gpu.Thread, in []K, long, total []uint64, keys []K, of []uint32, n []uint64) {
	all, count := total[0]&(1<<longShift-1), total[0]>>longShift
	if t.GlobalIndex() == 0 {
		n[0] = all
	}
	for p := t.GlobalIndex(); p < all; p += uint64(t.Groups().X) * Threads {
		j := longOf(long, count, p)
		keys[p], of[p] = in[long[2*j]+p-long[2*j+1]], uint32(j)
	}
}

// PlaceLong puts elements of long segments to their places in out: the p-th of all of them, as CollectLong has put them, is
// element indices[p].
func PlaceLong[K Bits](t gpu.Thread, keys []K, long, total []uint64, indices []uint32, out []K) {
	all, count := total[0]&(1<<longShift-1), total[0]>>longShift
	for p := t.GlobalIndex(); p < all; p += uint64(t.Groups().X) * Threads {
		j := longOf(long, count, p)
		out[long[2*j]+p-long[2*j+1]] = keys[indices[p]]
	}
}
