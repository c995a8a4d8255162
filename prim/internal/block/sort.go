//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

const (
	// SortThreads is how many invocations the workgroups that sort have.
	SortThreads = 512
	// SortTile is how many elements they sort at once.
	SortTile = SortThreads * Each
	// SortShared is how many words of shared memory that takes.
	SortShared = SortTile + radix + sortWarps
	// MaxPasses is how many digits a key has at most.
	MaxPasses = 8

	radix      = 1 << radixBits
	radixBits  = 8
	sortWarps  = SortThreads / 32
	sortHalf   = 16 // lanes
	sortHalves = SortThreads / sortHalf
)

// Digit says which bits of a key are sorted by: Bits of them from Shift on, of the key as Ordered gives it.
type Digit struct {
	Kind  uint32 // Unsigned, Signed or Float
	Down  bool   // greater digits come first
	Shift uint32
	Bits  uint32 // 8 at most
}

// digitAt is digit number pass of the bits from from to to.
func digitAt(kind uint32, down bool, from, to, pass uint32) Digit {
	shift := from + radixBits*pass
	return Digit{kind, down, shift, min(radixBits, to-shift)}
}

// last is the digit that comes last.
func (d Digit) last() uint32 { return 1<<d.Bits - 1 }

// digitOf is the digit of a key, inverted if greater ones come first.
func digitOf[K Bits](d Digit, key K) uint32 {
	v := uint32(Ordered(key, d.Kind) >> d.Shift)
	if d.Down {
		v = ^v
	}
	return v & d.last() & (radix - 1)
}

// absentKey is a key whose digits all come last.
func absentKey[K Bits](kind uint32, down bool) K {
	ones := ^K(0)
	first := K(0) // the least key, of which all bits are inverted in the greatest
	switch kind {
	case Signed:
		first = ones &^ (ones >> 1)
	case Float:
		first = ones
	}
	switch {
	case down:
		return first
	case kind == Float:
		return ones >> 1
	}
	return ^first
}

// sortPlace is the place among neighbours of the first element of invocation l, which has so many items, Each at most; the others
// follow sortHalf apart: half a warp has neighbours, and its lanes take turns.
func sortPlace(l, items uint32) uint32 { return l/sortHalf*(sortHalf*items) + l%sortHalf }

// sortTable is where the words of the digits begin that half a warp has in shared memory.
func sortTable(t gpu.Thread) uint32 { return t.Local().X / sortHalf * radix }

// sortClear makes s, shared memory of SortShared words, ready for sortCount and sortRanks.
func sortClear(t gpu.Thread, s []uint32) {
	for i := uint32(0); i < sortHalves*radix; i += 4 * SortThreads {
		for k := range uint32(4) { // one store
			s[i+4*t.Local().X+k] = 0
		}
	}
	t.Barrier()
}

// sortCount returns to invocation v < 256 how many keys of a workgroup have digit v, of so many items an invocation, and leaves in s,
// which has been cleared, how many each half of a warp has.
func sortCount[K Bits](t gpu.Thread, d Digit, items uint32, keys [Each]K, s []uint32) (count uint32) {
	l, mine := t.Local().X, sortTable(t)
	for i := range uint32(Each) {
		if i >= items {
			break
		}
		gpu.AtomicAdd(&s[mine+digitOf(d, keys[i])], 1)
	}
	t.Barrier()
	if l < radix {
		for h := range uint32(sortHalves) {
			count += s[l+h*radix]
		}
	}
	return count
}

// sortRanks finds the place in its sorted tile of each key of a workgroup; equal digits keep their order. count and s are from
// sortCount. Invocation v < 256 gets where in the sorted tile keys of digit v start. s is free when sortRanks returns.
//
// Half a warp has a word for each digit: below, where its next key of that digit goes; above, a bit for each lane that has the
// digit now. So an atomic that sets bits, a load and a store do for each key, and the store clears the bits.
func sortRanks[K Bits](t gpu.Thread, d Digit, items uint32, keys [Each]K, count uint32, s []uint32) (rank [Each]uint32, start uint32) {
	l, part := t.Local().X, s[SortTile+radix:]
	start = sortScanWarp(t, count, part) - count
	t.Barrier()
	start += sortWarpsBefore(t, part)
	if at := start; l < radix {
		for h := range uint32(sortHalves) {
			c := s[l+h*radix]
			s[l+h*radix] = at
			at += c
		}
	}
	t.Barrier()
	mine, lane := sortTable(t), l%sortHalf+sortHalf
	before := uint32(1)<<lane - 1<<sortHalf // the lanes before
	for i := range uint32(Each) {
		if i >= items {
			break
		}
		at := mine + digitOf(d, keys[i])
		gpu.AtomicOr(&s[at], 1<<lane) // gpu.Match takes several times as long where most lanes differ
		t.WarpBarrier()
		word := s[at]
		t.WarpBarrier()
		place := word&(1<<sortHalf-1) + uint32(bits.OnesCount32(word&before))
		if word>>lane == 1 { // the last of them
			s[at] = place + 1
		}
		t.WarpBarrier()
		rank[i] = place & (SortTile - 1) // which it is
	}
	t.Barrier()
	return rank, start
}

// sortScanWarp is the inclusive sum of v over the lanes of a warp. The warps that have the digits leave their sums in part, for
// sortWarpsBefore after the next barrier.
func sortScanWarp(t gpu.Thread, v uint32, part []uint32) uint32 {
	v = gpu.ScanAdd(t, v)
	if t.Lane() == 31 && t.Warp() < radix/32 {
		part[t.Warp()] = v
	}
	return v
}

// sortWarpsBefore is the sum of the warps before one that has digits. What other warps get means nothing.
func sortWarpsBefore(t gpu.Thread, part []uint32) (sum uint32) {
	if t.Lane() < t.Warp() {
		sum = part[t.Lane()&(radix/32-1)]
	}
	return gpu.ReduceAdd(t, sum)
}

// sortExchange moves each element of a tile to the place that its rank says, words of 32 bits at once. An invocation gets those from
// at on, step apart. s is as for sortRanks.
func sortExchange[V Bits](t gpu.Thread, items, at, step uint32, v [Each]V, rank [Each]uint32, s []uint32) (out [Each]V) {
	var low, high [Each]uint32
	for i := range uint32(Each) {
		low[i], high[i] = uint32(v[i]), uint32(uint64(v[i])>>32)
	}
	low = sortWords(t, items, at, step, low, rank, s)
	for i := range uint32(Each) {
		out[i] = V(low[i])
	}
	if uint64(^V(0))>>32 != 0 {
		high = sortWords(t, items, at, step, high, rank, s)
		for i := range uint32(Each) {
			out[i] |= V(uint64(high[i]) << 32)
		}
	}
	return out
}

func sortWords(t gpu.Thread, items, at, step uint32, v, rank [Each]uint32, s []uint32) [Each]uint32 {
	for i := range uint32(Each) {
		if i < items {
			s[rank[i]] = v[i]
		}
	}
	t.Barrier()
	for i := range uint32(Each) {
		if i < items {
			v[i] = s[at+step*i]
		}
	}
	t.Barrier()
	return v
}

// SortGroup sorts in[:n] by the bits of their keys from from to to, in the first workgroup; n is at most SortTile. Equal keys keep
// their order. With pairs the elements of values go with their keys; with iota their indices do. The result goes to out and
// outValues, or back if back is set. s is shared memory of SortShared words.
func SortGroup[K, V Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, pairs, iota, back bool, n uint64, in, out []K, values, outValues []V, s []uint32) {
	if t.Group().X != 0 {
		return
	}
	var index [Each]uint32
	var value [Each]V
	items := uint32(min(n+SortThreads-1, SortTile)) / SortThreads
	at := sortPlace(t.Local().X, items)
	left := uint32(min(n, SortTile))
	left -= min(at, left) // elements from there on
	key := sortLoad(in, uint64(at), items, left, absentKey[K](kind, down))
	for i := range uint32(Each) {
		index[i] = at + sortHalf*i
	}
	for pass := uint32(0); from+radixBits*pass < to; pass++ {
		sortClear(t, s)
		d := digitAt(kind, down, from, to, pass)
		rank, _ := sortRanks(t, d, items, key, sortCount(t, d, items, key, s), s)
		key = sortExchange(t, items, at, sortHalf, key, rank, s)
		if pairs {
			index = sortWords(t, items, at, sortHalf, index, rank, s)
		}
	}
	if pairs {
		for i := range uint32(Each) {
			value[i] = V(index[i])
			if !iota && i < items && sortHalf*i < left {
				value[i] = values[index[i]]
			}
		}
	}
	t.Barrier() // the result may go back to where the elements came from
	if back {
		sortStore(in, uint64(at), items, left, key)
		if pairs {
			sortStore(values, uint64(at), items, left, value)
		}
	} else {
		sortStore(out, uint64(at), items, left, key)
		if pairs {
			sortStore(outValues, uint64(at), items, left, value)
		}
	}
}

// sortLoad fetches the elements of an invocation from x[at:], sortHalf apart, of which there are so many left; others are none.
func sortLoad[T Bits](x []T, at uint64, items, left uint32, none T) (v [Each]T) {
	for i := range uint32(Each) {
		v[i] = none
		if i < items && sortHalf*i < left {
			v[i] = x[at+uint64(sortHalf*i)]
		}
	}
	return v
}

// sortLoadAll fetches the elements of an invocation from x[at:end], sortHalf apart; those that are absent are none. If all are there, no
// condition stands between the loads, and they do not wait for each other.
func sortLoadAll[T Bits](x []T, at, end uint64, items uint32, none T) (v [Each]T) {
	end = min(end, uint64(len(x)))
	if at < before(end, uint64(sortHalf*(items-1))) {
		for i := range items {
			v[i] = x[at+uint64(sortHalf*i)]
		}
		return v
	}
	for i := range items {
		v[i] = none
		if at+uint64(sortHalf*i) < end {
			v[i] = x[at+uint64(sortHalf*i)]
		}
	}
	return v
}

// sortStore stores them likewise.
func sortStore[T Bits](x []T, at uint64, items, left uint32, v [Each]T) {
	for i := range uint32(Each) {
		if i < items && sortHalf*i < left {
			x[at+uint64(sortHalf*i)] = v[i]
		}
	}
}
