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
	Others  bool   // and the others after all that are chosen, of which total[0] says how many there are
	Places  uint32 // words that each place of a chosen one takes in places: 1, 2, or none
	End     bool   // and n stands behind the last place
}

// sums adds counts.
type sums struct{}

func (sums) Apply(a, b uint64) uint64 { return a + b }
func (sums) Identity() uint64         { return 0 }

// across fetches 16 elements of the tile at base: invocation j of a warp has those from j on, 32 apart.
func across[T any](t gpu.Thread, x []T, base, n uint64) (v [Each]T) {
	at := base + uint64(t.Warp()*warpTile+t.Lane())
	for r := range uint64(Each) {
		if at+32*r < n {
			v[r] = x[at+32*r]
		}
	}
	return v
}

// stencilled is a bit for each element that across fetches: whether a stencil chooses it.
func stencilled[S gpu.Integer](t gpu.Thread, how Selection, stencil []S, base, n uint64) (mask uint32) {
	at := base + uint64(t.Warp()*warpTile+t.Lane())
	for r := range uint32(Each) {
		i := at + uint64(32*r)
		if i >= n {
			continue
		}
		v := S(0)
		for w := range uint64(how.Words) {
			s := stencil[i*uint64(how.Words)+w]
			if how.By == Heads && i > 0 {
				s ^= stencil[(i-1)*uint64(how.Words)+w]
			}
			v |= s
		}
		if v != 0 || how.By != NotZero && i == 0 {
			mask |= 1 << r
		}
	}
	return mask
}

// emit writes what is chosen of a tile, and how many those are in the end.
func emit[T any](t gpu.Thread, how Selection, tile uint32, n uint64, mask uint32, v [Each]T, out []T, places, count []uint32, total, state []uint64, part []uint32) {
	var rank [Each]uint32 // in the warp
	chosen := uint32(0)   // of the warp
	for r := range uint32(Each) {
		votes := t.Ballot(mask>>r&1 != 0)
		rank[r] = chosen + uint32(bits.OnesCount32(votes&(1<<t.Lane()-1)))
		chosen += uint32(bits.OnesCount32(votes))
	}
	if t.Lane() == 0 {
		part[t.Warp()] = chosen
	}
	t.Barrier()
	warps, all := uint32(0), uint32(0)
	for k := range uint32(Warps) {
		if k < t.Warp() {
			warps += part[k]
		}
		all += part[k]
	}
	before := uint64(0)
	if t.Warp() == 0 {
		before = lookBack(t, sums{}, 0, form{ordered: how.InPlace}, state, tile, uint64(all))
	}
	before = gpu.BarrierBroadcast(t, before)
	if uint64(tile)+1 == tilesOf(n) {
		found(t, how, n, before+uint64(all), places, count)
	}
	before += uint64(warps)
	at := uint64(tile)*Tile + uint64(t.Warp()*warpTile+t.Lane())
	for r := range uint32(Each) {
		i, to := at+uint64(32*r), before+uint64(rank[r])
		is := mask>>r&1 != 0
		if is && how.Places != 0 {
			setPlace(how.Places, places, to, i)
		}
		if !is && how.Others {
			to = total[0] + i - to
		}
		if how.Payload && (is || how.Others && i < n) {
			out[to] = v[r]
		}
	}
}

// found writes how many are chosen in all, and the end behind the last place.
func found(t gpu.Thread, how Selection, n, all uint64, places, count []uint32) {
	if t.Local().X != 0 {
		return
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
// Workgroups take tiles by ticket and look back at the counts of those before. state has StateLen(n, 4) words, which are 0
// when the launch begins; part is shared memory of Warps elements.
func SelectAll[S gpu.Integer, T any](t gpu.Thread, how Selection, stencil []S, x []T, n uint64, out []T, places, count []uint32, total, state []uint64, part []uint32) {
	tile := gpu.BarrierBroadcast(t, draw(t, state))
	if n == 0 && tile == 0 {
		found(t, how, 0, 0, places, count)
	}
	for tile < uint32(tilesOf(n)) {
		var v [Each]T
		if how.Payload {
			v = across(t, x, uint64(tile)*Tile, n)
		}
		mask := stencilled(t, how, stencil, uint64(tile)*Tile, n)
		emit(t, how, tile, n, mask, v, out, places, count, total, state, part)
		tile = gpu.BarrierBroadcast(t, draw(t, state))
	}
}

// SelectIf is SelectAll of the elements that a predicate chooses.
func SelectIf[T any, P Predicate[T]](t gpu.Thread, p P, x []T, n uint64, out []T, count []uint32, state []uint64, part []uint32) {
	how := Selection{Payload: true}
	tile := gpu.BarrierBroadcast(t, draw(t, state))
	if n == 0 && tile == 0 {
		found(t, how, 0, 0, nil, count)
	}
	for tile < uint32(tilesOf(n)) {
		v := across(t, x, uint64(tile)*Tile, n)
		at := uint64(tile)*Tile + uint64(t.Warp()*warpTile+t.Lane())
		mask := uint32(0)
		for r := range uint32(Each) {
			if at+uint64(32*r) < n && p.Chosen(v[r]) {
				mask |= 1 << r
			}
		}
		emit(t, how, tile, n, mask, v, out, nil, count, nil, state, part)
		tile = gpu.BarrierBroadcast(t, draw(t, state))
	}
}

// CountAll adds how many elements a stencil chooses to total[0].
func CountAll[S gpu.Integer](t gpu.Thread, how Selection, stencil []S, n uint64, total []uint64) {
	chosen := uint64(0)
	for tile := uint64(t.Group().X); tile < tilesOf(n); tile += uint64(t.Groups().X) {
		chosen += uint64(bits.OnesCount32(stencilled(t, how, stencil, tile*Tile, n)))
	}
	chosen = t.BarrierAdd64(chosen)
	if t.Local().X == 0 && chosen > 0 {
		gpu.AtomicAdd(&total[0], chosen)
	}
}
