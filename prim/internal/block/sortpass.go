//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// What a pass does, as SortHistogram decides: a word for each pass, 0 for one that is left out.
const (
	passRuns  = 1 << iota
	passFirst // it reads what is to be sorted
	passToOut // it writes the result, or what the next but one reads
	passOdd   // it is the second, fourth, ... that runs
)

// SortHistogram counts the digits of in[:n] and plans the passes that sort them, in one launch of any grid. For each pass, of
// 8 bits of the keys from from to to, counts gets 256 sums: how many keys come before those of a digit; plan gets a word. A
// pass whose digit is the same for all keys is left out; with swap as many passes run as there are, give or take an even
// number. counts and done, one word, are 0 when the launch begins. s is shared memory of MaxPasses*256 words. The plan takes a warp for each pass.
func SortHistogram[K Bits](t gpu.Thread, kind uint32, down bool, from, to uint32, swap bool, n uint64, in []K, counts []uint64, done, plan, s []uint32) {
	l := t.Local().X
	passes := (to - from + radixBits - 1) / radixBits
	for i := l; i < passes*radix; i += SortThreads {
		s[i] = 0
	}
	t.Barrier()
	absent := uint32(0) // keys that are counted and are none, of which each digit comes last
	for base := uint64(t.Group().X) * SortTile; base < n; base += uint64(t.Groups().X) * SortTile {
		x := sortLoadAll(in, base+uint64(sortPlace(l, Each)), n, Each, absentKey[K](kind, down))
		for pass := range passes {
			d := digitAt(kind, down, from, to, pass)
			for i := range uint32(Each) { // without a condition
				gpu.AtomicAdd(&s[pass*radix+digitOf(d, x[i])], 1)
			}
		}
		absent = SortTile - uint32(min(SortTile, n-base))
	}
	t.Barrier()
	for pass := range passes {
		if l == digitAt(kind, down, from, to, pass).last() {
			s[pass*radix+l] -= absent
		}
	}
	t.Barrier()
	for i := l; i < passes*radix; i += SortThreads {
		if s[i] != 0 {
			gpu.AtomicAdd(&counts[i], uint64(s[i]))
		}
	}
	t.Barrier()
	last := uint32(0)
	if l == 0 && gpu.AtomicAddOrdered(&done[0], 1, gpu.AcqRel, gpu.Device) == t.Groups().X-1 {
		last = 1
	}
	if t.BarrierAdd(last) == 0 {
		return
	}
	runs := uint32(0) // bit p for pass p
	if pass := t.Warp(); pass < passes {
		at := pass*radix + t.Lane()*(radix/32)
		var c [radix / 32]uint64
		sum, same := uint64(0), false
		for k := range uint32(radix / 32) {
			c[k] = counts[at+k]
			sum += c[k]
			same = same || c[k] == n
		}
		before := gpu.ScanAdd(t, sum) - sum
		for k := range uint32(radix / 32) {
			counts[at+k] = before
			before += c[k]
		}
		if !t.Any(same) && t.Lane() == 0 {
			runs = 1 << pass
		}
	}
	runs = t.BarrierAdd(runs)
	if l == 0 {
		sortPlan(passes, runs, swap, plan)
	}
}

// sortPlan says of each pass what it does. Where two buffers swap, the result is where all passes would leave it; else the
// passes end in out, and one of them runs at least.
func sortPlan(passes, runs uint32, swap bool, plan []uint32) {
	left := runs ^ (1<<passes - 1)
	if swap && bits.OnesCount32(left)&1 == 1 || !swap && runs == 0 {
		runs |= left & -left
	}
	count, at := uint32(bits.OnesCount32(runs)), uint32(0)
	for pass := range passes {
		word := uint32(0)
		if runs>>pass&1 == 1 {
			word = passRuns
			if at == 0 {
				word |= passFirst
			}
			if swap && at&1 == 0 || !swap && (count-1-at)&1 == 0 {
				word |= passToOut
			}
			if at&1 == 1 {
				word |= passOdd
			}
			at++
		}
		plan[pass] = word
	}
}

// SortPass sorts n elements by one digit, in one launch of any grid; equal digits keep their order. The first pass reads in,
// others read out or other, whichever they do not write; with swap the first reads other, too. counts and plan are from
// SortHistogram. With pairs the elements of the values go with their keys, and with iota the first pass takes indices for them.
//
// Workgroups draw the numbers of tiles from tickets. A tile counts its digits, makes the counts known, and adds up those of
// the tiles before it, from the last one back to one that knows its own sums: 256 sums at once, one an invocation. It waits
// only for tiles whose numbers were drawn earlier. state has 2*256 words a tile, of SortSight tiles at least, wide takes state64 in its
// place: half of them are 0 when the first pass begins, and each pass clears the half that it does not use. A tile has so many items for each
// invocation, Each at most. s is shared memory of SortShared words, base of 256.
func SortPass[K, V Bits](t gpu.Thread, d Digit, pass, items uint32, swap, pairs, iota, wide bool, n uint64, in, other, out []K, inV, otherV, outV []V,
	counts []uint64, plan, tickets, state []uint32, state64 []uint64, s []uint32, base []uint64) {
	word := plan[pass]
	if word&passRuns == 0 {
		return
	}
	for ticket := sortDraw(t, pass, tickets); ; {
		tile := uint64(gpu.BarrierBroadcast(t, ticket))
		first := tile * uint64(SortThreads*items)
		if first >= n {
			return
		}
		at := first + uint64(sortPlace(t.Local().X, items))
		keys := sortFetch(word, swap, at, n, items, absentKey[K](d.Kind, d.Down), in, other, out)
		sortClear(t, s)
		count := sortCount(t, d, items, keys, s)
		if wide {
			sortPublish(t, word, tile, uint64(count), state64)
		} else {
			sortPublish(t, word, tile, count, state)
		}
		rank, start := sortRanks(t, d, items, keys, count, s)
		keys = sortExchange(t, items, sortRow(t, items), 32, keys, rank, s)
		if wide {
			sortBases(t, pass, start, sortLookBack(t, word, tile, uint64(count), state64), counts, base)
			ticket = sortDraw(t, pass, tickets) // not before: others wait for what it stands for
			sortMove(t, d, items, word, swap, pairs, iota, at, n, keys, rank, other, out, inV, otherV, outV, base, s)
		} else {
			sortBases(t, pass, start, sortLookBack(t, word, tile, count, state), counts, s[SortTile:])
			ticket = sortDraw(t, pass, tickets)
			sortMove(t, d, items, word, swap, pairs, iota, at, n, keys, rank, other, out, inV, otherV, outV, s[SortTile:], s)
		}
	}
}

// sortRow is the place in a sorted tile of the first element that an invocation stores; the others follow 32 apart.
func sortRow(t gpu.Thread, items uint32) uint32 { return t.Warp()*(32*items) + t.Lane() }

// sortBases leaves in base, for each digit, what is to be added to places in a sorted tile, in which keys of the digit start where
// invocation v < 256 says, for their places among all: so many of tiles before have it.
func sortBases[W uint32 | uint64](t gpu.Thread, pass, start uint32, before W, counts []uint64, base []W) {
	if v := t.Local().X; v < radix {
		base[v] = W(counts[pass*radix+v]) + before - W(start)
	}
	t.Barrier()
}

// sortMove stores a sorted tile, and then the values, which have the ranks that the keys had.
func sortMove[K, V Bits, W uint32 | uint64](t gpu.Thread, d Digit, items, word uint32, swap, pairs, iota bool, at, n uint64, keys [Each]K, rank [Each]uint32,
	other, out []K, inV, otherV, outV []V, base []W, s []uint32) {
	var to [Each]W // what is absent goes behind the last element, since its digits come last
	here := sortRow(t, items)
	for i := range items {
		to[i] = base[digitOf(d, keys[i])] + W(here+32*i)
	}
	sortScatter(word, n, items, keys, to, other, out)
	if pairs {
		var values [Each]V
		if iota && word&passFirst != 0 {
			for i := range items {
				values[i] = V(at) + V(sortHalf*i)
			}
		} else {
			values = sortFetch(word, swap, at, n, items, V(0), inV, otherV, outV)
		}
		sortScatter(word, n, items, sortExchange(t, items, here, 32, values, rank, s), to, otherV, outV)
	}
}

// sortDraw draws the number of a tile; only that of invocation 0 counts.
func sortDraw(t gpu.Thread, pass uint32, tickets []uint32) (ticket uint32) {
	if t.Local().X == 0 {
		ticket = gpu.AtomicAdd(&tickets[pass], 1)
	}
	return ticket
}

// sortFetch loads the elements of an invocation, from at on, from where the pass reads.
func sortFetch[T Bits](word uint32, swap bool, at, n uint64, items uint32, none T, in, other, out []T) [Each]T {
	switch {
	case !swap && word&passFirst != 0:
		return sortLoadAll(in, at, n, items, none)
	case word&passToOut != 0:
		return sortLoadAll(other, at, n, items, none)
	}
	return sortLoadAll(out, at, n, items, none)
}

// sortScatter stores what goes below n where the pass writes.
func sortScatter[T Bits, W uint32 | uint64](word uint32, n uint64, items uint32, x [Each]T, to [Each]W, other, out []T) {
	if word&passToOut != 0 {
		sortScatterTo(n, items, x, to, out)
	} else {
		sortScatterTo(n, items, x, to, other)
	}
}

func sortScatterTo[T Bits, W uint32 | uint64](n uint64, items uint32, x [Each]T, to [Each]W, out []T) {
	end := W(min(n, uint64(len(out))))
	for i := range items {
		if to[i] < end {
			out[to[i]] = x[i]
		}
	}
}

// A word of the state is a sum below 1<<30, or 1<<62, and two bits: 0 nothing yet, 1 the sum of a tile, 2 that of all tiles
// up to it.

// sortState returns the halves of the state: the pass's own, and that of the next one.
func sortState[W gpu.Word](t gpu.Thread, word uint32, tile uint64, state []W) (own, next uint64) {
	half := uint64(len(state)) / 2
	own = tile*radix + uint64(t.Local().X)
	next = own + half
	if word&passOdd != 0 {
		own, next = next, own
	}
	return own, next
}

// sortPublish makes the count of a digit in a tile known, and clears its word in the other half.
func sortPublish[W uint32 | uint64](t gpu.Thread, word uint32, tile uint64, count W, state []W) {
	if t.Local().X >= radix {
		return
	}
	known := ^W(0)>>2 + 1
	if tile == 0 {
		known *= 2
	}
	own, next := sortState(t, word, tile, state)
	state[next] = 0
	gpu.AtomicStore(&state[own], known|count)
}

// sortLookBack adds up the counts of a digit in the tiles before this one, and makes the sum up to this one known. It looks at
// SortSight neighbours at once, of which some are tiles from this one on if there are fewer before.
func sortLookBack[W uint32 | uint64](t gpu.Thread, word uint32, tile uint64, count W, state []W) (sum W) {
	if tile == 0 || t.Local().X >= radix {
		return 0
	}
	own, _ := sortState(t, word, tile, state)
	most := ^W(0) >> 2
	for ns, left, last := uint32(16), uint32(tile), false; !last; {
		low := left - min(left, SortSight)
		at := own - uint64(uint32(tile)-low)*radix
		var says [SortSight]W
		if at < before(uint64(len(state)), (SortSight-1)*radix) { // which it is, and one condition lets the answers come together
			for k := range uint64(SortSight) {
				says[k] = gpu.AtomicLoad(&state[at+k*radix])
			}
		}
		seen, open := uint32(0), true
		for i := range uint32(SortSight) {
			says := says[SortSight-1-i]
			if low+SortSight-1-i >= left {
				says = most + 1 // not before this one: nothing
			}
			open = open && says > most
			if open {
				sum += says & most
				seen++
			}
			last = last || open && says > 2*most+1
			open = open && says <= 2*most+1
		}
		if now := low + SortSight - seen; now < left {
			left = now
		} else {
			gpu.Pause(ns)
			ns = min(2*ns, 256)
		}
	}
	gpu.AtomicStore(&state[own], 2*(most+1)|(sum+count))
	return sum
}

// SortSight is how many tiles an invocation looks at at once, and how many the state has room for at least.
const SortSight = 8
