//vyre:library

package block

import (
	"math/bits"

	"github.com/govyre/vyre/gpu"
)

// Predicate chooses elements. A kernel gets it as a type, so that it is inlined.
type Predicate[T any] interface{ Chosen(v T) bool }

// How a stencil chooses elements.
const (
	NotZero = iota // those beside a stencil that is not zero
	Heads          // those beside a stencil that differs from the one before, and the first
	Marked         // those beside a stencil that is not zero, and the first
)

// Selection says what SelectAll does. All of it is known when a kernel is made.
type Selection struct {
	By      uint32 // NotZero, Heads or Marked
	Words   uint32 // how many elements of the stencil stand beside one that is chosen or not
	InPlace bool   // x and out are one
	Payload bool   // chosen elements go to out
	Others  bool   // and the others after all that are chosen
	Places  uint32 // words that each place of a chosen one takes in places: 1, 2, or none
	End     bool   // and n stands behind the last place
	Lengths bool   // in places stands, for each chosen one, how far it is to the next, or to n; of fewer than 1<<31 elements
}

// sums adds how many are chosen. Beside them may stand, below, 1 + the place of the last one.
type sums struct{ lasts bool }

func (s sums) Apply(a, b uint64) uint64 {
	if s.lasts {
		return a&^lastPlace + b&^lastPlace | max(a&lastPlace, b&lastPlace)
	}
	return a + b
}

func (sums) Identity() uint64 { return 0 }

const (
	lastBits  = 31
	lastPlace = 1<<lastBits - 1
)

// selectEach is how many elements of a tile an invocation has: 4 neighbours in each of 8 rows of 128 of its warp.
const (
	selectEach = 4 * ScanQuads / Threads
	selectWarp = 32 * selectEach
)

// SelectTile is how many elements a workgroup takes at once of a selection.
const SelectTile = 4 * ScanQuads

func selectTiles(n uint64) uint32 { return uint32((n + SelectTile - 1) / SelectTile) }

// stencilled is a bit for each of the elements of an invocation in the tile at base: whether a stencil chooses it. Bit 4 r + i
// is that of element 128 r + 4 lane + i of the warp's part.
func stencilled[S gpu.Integer](t gpu.Thread, how Selection, stencil []S, base, n uint64) (mask uint32) {
	at := base + uint64(t.Warp()*selectWarp+4*t.Lane())
	if at < before(n, selectWarp-128+3) {
		mask = stencilledHalf(how, stencil, at, 0) | stencilledHalf(how, stencil, at, selectWarp/2)<<16
	} else {
		mask = stencilledRest(how, stencil, at, n)
	}
	if how.By != NotZero && at == 0 && n > 0 {
		mask |= 1
	}
	return mask
}

// stencilledHalf is stencilled of four rows that are all there, from element skip on: no load waits for another.
func stencilledHalf[S gpu.Integer](how Selection, stencil []S, at, skip uint64) (mask uint32) {
	v := differences(how, stencil, at, skip, 0)
	for w := uint64(1); w < uint64(how.Words); w++ {
		more := differences(how, stencil, at, skip, w)
		for i := range uint32(Each) {
			v[i] |= more[i]
		}
	}
	for i := range uint32(Each) {
		if v[i] != 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// differences is word w of the stencil beside each element or, for heads, in which bits it differs from that before.
func differences[S gpu.Integer](how Selection, stencil []S, at, skip, w uint64) (v [Each]S) {
	words := uint64(how.Words)
	for i := range uint64(Each) {
		v[i] = stencil[(at+(skip+128*(i/4)+i%4))*words+w]
	}
	if how.By != Heads {
		return v
	}
	var left [4]S // of each quad
	for r := range uint64(4) {
		if skip+r == 0 {
			left[r] = stencil[(max(at, 1)-1)*words+w]
		} else {
			left[r] = stencil[(at+(skip+128*r-1))*words+w]
		}
	}
	for i := Each - 1; i >= 0; i-- {
		if i%4 == 0 {
			v[i] ^= left[i/4]
		} else {
			v[i] ^= v[i-1]
		}
	}
	return v
}

// stencilledRest is stencilled of the last tile, which need not be fast, and takes no registers from the others.
func stencilledRest[S gpu.Integer](how Selection, stencil []S, at, n uint64) (mask uint32) {
	words := uint64(how.Words)
	for r := range uint32(min(selectEach/4, (n-min(at, n)+127)/128)) {
		for i := range uint32(4) {
			k, v := at+uint64(128*r+i), S(0)
			for w := range words {
				if k < n {
					s := stencil[k*words+w]
					if how.By == Heads {
						s ^= stencil[(max(k, 1)-1)*words+w]
					}
					v |= s
				}
			}
			if v != 0 {
				mask |= 1 << (4*r + i)
			}
		}
	}
	return mask
}

// emit writes what is chosen of a tile, and how many those are in the end. It returns the ticket after this one, of so
// many tickets. total is how many are chosen in
// all, if the others follow and there is another tile. local is shared memory of
// SelectTile elements.
//
// A warp lists the places of the chosen elements, and its lanes take them from the list in turn. So they store side by side, read
// only what is chosen, and have nothing in registers while the group looks back.
func emit[T any](t gpu.Thread, how Selection, tile, ticket, tickets uint32, n uint64, mask uint32, x, out []T, places, count []uint32, total uint64, state []uint64, part []uint32, local []uint16) (next uint32) {
	here := t.Warp() * selectWarp
	base := uint64(tile)*SelectTile + uint64(here)
	chosen := list(t, how, mask, here, local)
	if t.Lane() == 0 {
		part[t.Warp()] = chosen
		if how.Lengths && chosen != 0 {
			part[t.Warp()] |= (here + 1 + uint32(local[here+chosen-1])) << 16
		}
	}
	take := chosen
	if how.Others {
		take = uint32(min(selectWarp, n-min(base, n)))
	}
	var first, second [Each]T
	if how.InPlace { // others write here as soon as they know of this tile
		first, second = taken(t, x, base, here, take, local), taken(t, x, base, here+selectWarp/2, take-min(take, selectWarp/2), local)
	}
	t.Barrier()
	warps, all := uint32(0), uint32(0)
	left, last := uint32(0), uint32(0) // 1 + the last place before the warp's part, and that of the tile
	for k := range uint32(Warps) {
		count := part[k]
		if how.Lengths {
			last = max(last, count>>16)
			count &= 1<<16 - 1
		}
		if k < t.Warp() {
			warps += count
			left = last
		}
		all += count
	}
	f, op, own := form{ordered: how.InPlace}, sums{how.Lengths}, uint64(all)
	if how.Lengths {
		own <<= lastBits
		if last != 0 {
			own |= uint64(tile*SelectTile + last)
		}
	}
	tellOwn(t, f, state, tile, own)
	before := uint64(0)
	if t.Warp() == 0 {
		before = lookBack(t, op, 0, f, state, tile, own)
	}
	before = gpu.BarrierBroadcast(t, before)
	next = nextTicket(t, ticket, tickets, state)
	if tile+1 == selectTiles(n) {
		found(t, how, n, op.Apply(before, own), places, count)
	}
	if how.Lengths {
		if left != 0 {
			left += tile * SelectTile
		} else {
			left = uint32(before & lastPlace)
		}
		before >>= lastBits
	}
	before += uint64(warps)
	if n <= SelectTile {
		total = uint64(all)
	}
	if !how.InPlace && how.Payload {
		first = taken(t, x, base, here, take, local)
	}
	put(t, how, base, before, here, 0, chosen, take, first, out, places, total, local)
	if take > selectWarp/2 {
		if !how.InPlace && how.Payload {
			second = taken(t, x, base, here+selectWarp/2, take-selectWarp/2, local)
		}
		put(t, how, base, before, here, selectWarp/2, chosen, take, second, out, places, total, local)
	}
	if how.Lengths {
		putLengths(t, how, uint32(base), before, here, chosen, left, places, local)
	}
	return next
}

// putLengths writes how far it is to each of a warp's chosen elements from the one before: that has place left-1, or there is none if
// left is 0. A lane's next one is 32 further in the list.
func putLengths(t gpu.Thread, how Selection, base uint32, before uint64, here, chosen, left uint32, places []uint32, local []uint16) {
	none := uint32(0) // the first of all ends no other
	if before == 0 {
		none = min(chosen, 1)
	}
	lengths := window(places, uint64(how.Places)*(max(before, 1)-1), how.Places*(chosen-none))
	for k := t.Lane(); k < chosen; k += 32 {
		place := base + uint32(local[here+k])
		from := left - 1
		if k != 0 {
			from = base + uint32(local[here+k-1])
		}
		if k >= none {
			setPlace(how.Places, lengths, uint64(k-none), uint64(place-from))
		}
	}
}

// taken are the elements that a lane takes of those in the list, 32 apart, of which there are so many from here on.
func taken[T any](t gpu.Thread, x []T, base uint64, here, take uint32, local []uint16) (v [Each]T) {
	part := window(x, base, selectWarp)
	var from [Each]uint32
	for r := range uint32(Each) {
		if t.Lane()+32*r < take {
			from[r] = uint32(local[here+t.Lane()+32*r])
		}
	}
	for r := range uint32(Each) {
		if t.Lane()+32*r < take {
			v[r] = part[from[r]]
		}
	}
	return v
}

// put writes what a lane has taken from element skip of the list on, before which so many are chosen in all.
func put[T any](t gpu.Thread, how Selection, base, before uint64, here, skip, chosen, take uint32, v [Each]T, out []T, places []uint32, total uint64, local []uint16) {
	kept, beside := window(out, before, chosen), window(places, uint64(how.Places)*before, how.Places*chosen)
	for r := range uint32(Each) {
		k := skip + t.Lane() + 32*r
		if how.Payload && k < uint32(len(kept)) {
			kept[k] = v[r]
		}
		if how.Places != 0 && !how.Lengths && k < chosen {
			setPlace(how.Places, beside, uint64(k), base+uint64(local[here+k]))
		}
	}
	if !how.Others || !how.Payload {
		return
	}
	rest := window(out, total+base-before, take-chosen) // base - before others stand before these
	for r := range uint32(Each) {
		if k := skip + t.Lane() + 32*r - chosen; k < uint32(len(rest)) { // far beyond for one that is chosen
			rest[k] = v[r]
		}
	}
}

// list puts the places in a warp's part of a tile of what is chosen into local, from here on, in order, and then, if how asks for
// them, those of the others. It returns how many are chosen. A warp calls it.
func list(t gpu.Thread, how Selection, mask, here uint32, local []uint16) (chosen uint32) {
	low, high := rowCounts(mask), rowCounts(mask>>16)
	lowTo, highTo := gpu.ScanAdd(t, low), gpu.ScanAdd(t, high)
	lowAll, highAll := gpu.Shuffle(t, lowTo, 31), gpu.Shuffle(t, highTo, 31)
	chosen = addRows(lowAll) + addRows(highAll)
	listHalf(t, how, mask, 0, 0, lowTo-low, lowAll, chosen, here, local)
	listHalf(t, how, mask>>16, selectWarp/2, addRows(lowAll), highTo-high, highAll, chosen, here, local)
	t.WarpBarrier()
	return chosen
}

// rowCounts is how many of an invocation's elements are chosen in each of four rows, a byte each: of a row they are 128 at most.
func rowCounts(mask uint32) (counts uint32) {
	for r := range uint32(4) {
		counts |= uint32(bits.OnesCount32(mask>>(4*r)&15)) << (8 * r)
	}
	return counts
}

func addRows(counts uint32) (sum uint32) {
	for r := range uint32(4) {
		sum += counts >> (8 * r) & 255
	}
	return sum
}

// listHalf lists four rows, from place skip on: row chosen ones before them in the warp, lanes in each row before this lane, rows in
// each.
func listHalf(t gpu.Thread, how Selection, mask, skip, row, lanes, rows, chosen, here uint32, local []uint16) {
	for r := range uint32(4) {
		where := skip + 128*r + 4*t.Lane()
		before := row + lanes>>(8*r)&255
		row += rows >> (8 * r) & 255
		at, other := here+before, here+chosen+where-before // where the next one chosen is noted, and the next other
		for i := range uint32(4) {
			to := other
			if mask&(1<<(4*r+i)) != 0 {
				to = at
				at++
			} else {
				other++
				if !how.Others {
					continue
				}
			}
			local[to&(SelectTile-1)] = uint16(where + i)
		}
	}
}

// found writes how many are chosen in all, and the end behind the last place or how far it is to that.
func found(t gpu.Thread, how Selection, n, all uint64, places, count []uint32) {
	if t.Local().X != 0 {
		return
	}
	if how.Lengths {
		last := all & lastPlace
		if all >>= lastBits; all != 0 {
			setPlace(how.Places, places, all-1, n+1-last)
		}
	}
	count[0] = uint32(all)
	if len(count) > 1 {
		count[1] = uint32(all >> 32)
	}
	if how.Places != 0 && how.End {
		setPlace(how.Places, places, all, n)
	}
}

func setPlace(words uint32, places []uint32, k, place uint64) {
	if words == 1 {
		places[k] = uint32(place)
	} else {
		places[2*k], places[2*k+1] = uint32(place), uint32(place>>32)
	}
}

// SelectAll leaves the elements of x[:n] that a stencil chooses in out, in order, and how many they are in count: one word,
// or a low and a high one. It is one launch of any grid. Without a payload x and out are not looked at; places gets where
// the chosen ones stood.
//
// Workgroups take tiles by ticket and look back at the counts of those before. Where the others follow, it has to be known how many
// are chosen: the first tickets are then for counting, and whoever draws a later one waits until all those are done. state has
// StateLen(n, 4) words and total two, which are 0 when the launch begins; part and local are shared memory of Warps and SelectTile
// elements.
func SelectAll[S gpu.Integer, T any](t gpu.Thread, how Selection, stencil []S, x []T, n uint64, out []T, places, count []uint32, total, state []uint64, part []uint32, local []uint16) {
	if how.Words == 1 {
		n = min(n, uint64(len(stencil))) // which it is; but now no flag of a whole tile needs a check
	}
	tiles, ahead, each := selectTiles(n), uint32(0), uint32(1)
	if how.Others && tiles > 1 {
		each = min(4, max(1, tiles/512)) // tiles that a ticket is to count
		ahead = (tiles + each - 1) / each
	}
	ticket := firstTicket(t, state)
	if n == 0 && ticket == 0 {
		found(t, how, 0, 0, places, count)
	}
	chosen := uint64(0) // in all, if the others follow
	if how.Others {
		for ticket < ahead {
			here := uint32(0)
			for tile := each * ticket; tile < min(each*(ticket+1), tiles); tile++ {
				here += uint32(bits.OnesCount32(stencilled(t, how, stencil, uint64(tile)*SelectTile, n)))
			}
			here = t.BarrierAdd(here)
			if t.Local().X == 0 {
				gpu.AtomicAdd(&total[0], uint64(here))
				gpu.AtomicAddOrdered(&total[1], 1, gpu.Release, gpu.Device)
			}
			ticket = gpu.BarrierBroadcast(t, nextTicket(t, ticket, ahead+tiles, state))
		}
		if ahead > 0 && ticket-ahead < tiles {
			chosen = gpu.BarrierBroadcast(t, counted(t, uint64(ahead), total))
		}
	}
	for ticket-ahead < tiles {
		tile := ticket - ahead
		mask := stencilled(t, how, stencil, uint64(tile)*SelectTile, n)
		next := emit(t, how, tile, ticket, ahead+tiles, n, mask, x, out, places, count, chosen, state, part, local)
		ticket = gpu.BarrierBroadcast(t, next)
	}
}

// counted waits until what so many tickets stand for is counted, and returns how many elements are chosen; only what invocation 0 gets counts.
func counted(t gpu.Thread, tiles uint64, total []uint64) (chosen uint64) {
	if t.Local().X == 0 {
		for gpu.AtomicLoadOrdered(&total[1], gpu.Acquire, gpu.Device) != tiles {
			gpu.Pause(50)
		}
		chosen = gpu.AtomicLoad(&total[0])
	}
	return chosen
}

// SelectIf is SelectAll of the elements that a predicate chooses.
func SelectIf[T any, P Predicate[T]](t gpu.Thread, p P, x []T, n uint64, out []T, count []uint32, state []uint64, part []uint32, local []uint16) {
	how := Selection{Payload: true}
	tile, tiles := firstTicket(t, state), selectTiles(n)
	if n == 0 && tile == 0 {
		found(t, how, 0, 0, nil, count)
	}
	for tile < tiles {
		mask := predicated(t, p, x, uint64(tile)*SelectTile, n)
		next := emit(t, how, tile, tile, tiles, n, mask, x, out, nil, count, 0, state, part, local)
		tile = gpu.BarrierBroadcast(t, next)
	}
}

// predicated is stencilled of a predicate.
func predicated[T any, P Predicate[T]](t gpu.Thread, p P, x []T, base, n uint64) (mask uint32) {
	at := base + uint64(t.Warp()*selectWarp+4*t.Lane())
	for i := range uint32(selectEach) {
		if k := at + uint64(128*(i/4)+i%4); k < n && p.Chosen(x[k]) {
			mask |= 1 << i
		}
	}
	return mask
}
