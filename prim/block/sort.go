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

	radix     = 1 << radixBits
	radixBits = 8
	sortWarps = SortThreads / 32
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

// sortPlace is the place in a tile of the first element of an invocation, which has so many items, Each at most; the others
// follow 32 apart: a warp has neighbours, and its lanes take turns.
func sortPlace(t gpu.Thread, items uint32) uint32 { return t.Warp()*(32*items) + t.Lane() }

// sortClear makes s, shared memory of SortShared words, ready for sortCount and sortRanks.
func sortClear(t gpu.Thread, s []uint32) {
	for i := uint32(0); i < SortTile; i += 4 * SortThreads {
		for k := range uint32(4) { // one store
			s[i+4*t.Local().X+k] = 0
		}
	}
	if t.Local().X < radix {
		s[SortTile+t.Local().X] = 0
	}
	t.Barrier()
}

// sortCount returns to invocation v < 256 how many keys of a workgroup have digit v, of so many items an invocation. sortRanks finds that, too, and later: others
// wait for it. s has been cleared.
func sortCount[K Bits](t gpu.Thread, d Digit, items uint32, keys [Each]K, s []uint32) (count uint32) {
	l := t.Local().X
	for i := range items {
		gpu.AtomicAdd(&s[SortTile+digitOf(d, keys[i])], 1)
	}
	t.Barrier()
	if l < radix {
		count = s[SortTile+l]
	}
	return count
}

// sortRanks finds the place in its sorted tile of each key of a workgroup; equal digits keep their order. Invocation v < 256
// gets where in the sorted tile keys of digit v start. It has to tell count, how many those are, if counted is set. s has been
// cleared, and is free when sortRanks returns.
func sortRanks[K Bits](t gpu.Thread, d Digit, items uint32, keys [Each]K, counted bool, count uint32, s []uint32) (rank [Each]uint32, start uint32) {
	l, part := t.Local().X, s[SortTile+radix:]
	if counted {
		start = sortScanWarp(t, count, part) - count
	}
	mine := t.Warp() * radix
	for i := range uint32(Each) {
		if i >= items {
			break
		}
		v := digitOf(d, keys[i])
		at := mine + v
		gpu.AtomicOr(&s[sortWarps*radix+at], 1<<t.Lane()) // gpu.Match takes several times as long where most lanes differ
		t.WarpBarrier()
		peers := gpu.AtomicLoad(&s[sortWarps*radix+at])
		before := s[at] + uint32(bits.OnesCount32(peers&(1<<t.Lane()-1)))
		t.WarpBarrier()
		if peers>>t.Lane() == 1 { // the last of them
			s[at] = before + 1
			gpu.AtomicStore(&s[sortWarps*radix+at], 0)
		}
		t.WarpBarrier()
		rank[i] = v<<16 | before // of the keys of the warp; both are below 1<<16
	}
	t.Barrier()
	if !counted {
		if count = 0; l < radix {
			for w := range uint32(sortWarps) {
				count += s[l+w*radix]
			}
		}
		start = sortScanWarp(t, count, part) - count
		t.Barrier()
	}
	start += sortWarpsBefore(t, part)
	if at := start; l < radix {
		for w := range uint32(sortWarps) {
			c := s[l+w*radix]
			s[l+w*radix] = at
			at += c
		}
	}
	t.Barrier()
	for i := range uint32(Each) {
		rank[i] = (rank[i]&0xffff + s[mine+rank[i]>>16]) & (SortTile - 1)
	}
	t.Barrier()
	return rank, start
}

// sortScanWarp is the inclusive sum of v over the lanes of a warp. The warps that have the digits leave their sums in part, for
// sortWarpsBefore after the next barrier.
func sortScanWarp[T uint32 | uint64](t gpu.Thread, v T, part []T) T {
	v = gpu.ScanAdd(t, v)
	if t.Lane() == 31 && t.Warp() < radix/32 {
		part[t.Warp()] = v
	}
	return v
}

// sortWarpsBefore is the sum of the warps before one that has digits. What other warps get means nothing.
func sortWarpsBefore[T uint32 | uint64](t gpu.Thread, part []T) (sum T) {
	if t.Lane() < t.Warp() {
		sum = part[t.Lane()&(radix/32-1)]
	}
	return gpu.ReduceAdd(t, sum)
}

// sortExchange moves each element of a tile to the place that its rank says, words of 32 bits at once. s is as for sortRanks.
func sortExchange[V Bits](t gpu.Thread, items uint32, v [Each]V, rank [Each]uint32, s []uint32) (out [Each]V) {
	var low, high [Each]uint32
	for i := range uint32(Each) {
		low[i], high[i] = uint32(v[i]), uint32(uint64(v[i])>>32)
	}
	low = sortWords(t, items, low, rank, s)
	for i := range uint32(Each) {
		out[i] = V(low[i])
	}
	if uint64(^V(0))>>32 != 0 {
		high = sortWords(t, items, high, rank, s)
		for i := range uint32(Each) {
			out[i] |= V(uint64(high[i]) << 32)
		}
	}
	return out
}

func sortWords(t gpu.Thread, items uint32, v, rank [Each]uint32, s []uint32) [Each]uint32 {
	for i := range uint32(Each) {
		if i < items {
			s[rank[i]] = v[i]
		}
	}
	t.Barrier()
	at := sortPlace(t, items)
	for i := range uint32(Each) {
		if i < items {
			v[i] = s[at+32*i]
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
	at := sortPlace(t, items)
	left := uint32(min(n, SortTile))
	left -= min(at, left) // elements from there on
	key := sortLoad(in, uint64(at), items, left, absentKey[K](kind, down))
	for i := range uint32(Each) {
		index[i] = at + 32*i
	}
	for pass := uint32(0); from+radixBits*pass < to; pass++ {
		sortClear(t, s)
		rank, _ := sortRanks(t, digitAt(kind, down, from, to, pass), items, key, false, 0, s)
		key = sortExchange(t, items, key, rank, s)
		if pairs {
			index = sortWords(t, items, index, rank, s)
		}
	}
	if pairs {
		for i := range uint32(Each) {
			value[i] = V(index[i])
			if !iota && i < items && 32*i < left {
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

// sortLoad fetches the elements of an invocation from x[at:], 32 apart, of which there are so many left; others are none.
func sortLoad[T Bits](x []T, at uint64, items, left uint32, none T) (v [Each]T) {
	for i := range uint32(Each) {
		v[i] = none
		if i < items && 32*i < left {
			v[i] = x[at+uint64(32*i)]
		}
	}
	return v
}

// sortLoadAll fetches the elements of an invocation from x[at:end], 32 apart; those that are absent are none. If all are there, no
// condition stands between the loads, and they do not wait for each other.
func sortLoadAll[T Bits](x []T, at, end uint64, items uint32, none T) (v [Each]T) {
	end = min(end, uint64(len(x)))
	if at < before(end, uint64(32*(items-1))) {
		for i := range items {
			v[i] = x[at+uint64(32*i)]
		}
		return v
	}
	for i := range items {
		v[i] = none
		if at+uint64(32*i) < end {
			v[i] = x[at+uint64(32*i)]
		}
	}
	return v
}

// sortStore stores them likewise.
func sortStore[T Bits](x []T, at uint64, items, left uint32, v [Each]T) {
	for i := range uint32(Each) {
		if i < items && 32*i < left {
			x[at+uint64(32*i)] = v[i]
		}
	}
}
