package speedup

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// claim marks nodes that are reached along allowed arcs. A graph without masks is searched with all of them.
type claim struct{ seen []uint32 }

// Arc marks node to.
func (c claim) Arc(t gpu.Thread, from, to, mask uint32) bool {
	bit := uint32(1) << (to % 32)
	return gpu.AtomicOr(&c.seen[to/32], bit)&bit == 0
}

// allowed is the same along the arcs that have a kind in common with the filter.
type allowed struct {
	seen   []uint32
	filter uint32
}

// Arc marks node to if the arc is allowed.
func (a allowed) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if mask&a.filter == 0 {
		return false
	}
	return claim{a.seen}.Arc(t, from, to, mask)
}

// Begin marks the seeds and nothing else, lists them for the first round, and goes on to the next repetition.
//
//vyre:kernel workgroup=256
func Begin(t gpu.Thread, first, seeds, seen, list, lengths, turn []uint32) {
	i := t.Global().X
	if i < uint32(len(seen)) {
		seen[i] = first[i]
	}
	if i < uint32(len(seeds)) {
		list[i] = seeds[i]
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[0] = uint32(len(seeds))
			turn[0]++
		}
	}
}

// Round is one round of a search along all arcs.
//
//vyre:kernel workgroup=256
func Round(t gpu.Thread, round, n uint32, offsets, targets, seen, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Round(t, claim{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// RoundOfKinds is one round of a search along the arcs that the filter allows.
//
//vyre:kernel workgroup=256
func RoundOfKinds(t gpu.Thread, round, n, filter uint32, offsets, targets, masks, seen, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Round(t, allowed{seen, filter}, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// Stay is rounds of one group alone, along all arcs.
//
//vyre:kernel workgroup=256
func Stay(t gpu.Thread, round, n, limit, many uint32, offsets, targets, seen, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Stay(t, claim{seen}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// StayOfKinds is the same along the arcs that the filter allows.
//
//vyre:kernel workgroup=256
func StayOfKinds(t gpu.Thread, round, n, limit, many, filter uint32, offsets, targets, masks, seen, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Stay(t, allowed{seen, filter}, g, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// Drain is the search along all arcs without rounds.
//
//vyre:kernel workgroup=256
func Drain(t gpu.Thread, offsets, targets, seen, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	arcs.Drain(t, claim{seen}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}

// DrainOfKinds is the search along the arcs that the filter allows without rounds.
//
//vyre:kernel workgroup=256
func DrainOfKinds(t gpu.Thread, filter uint32, offsets, targets, masks, seen, list, lengths []uint32, slots []uint64, control []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	arcs.Drain(t, allowed{seen, filter}, g, list, lengths[0], arcs.Queue{Slots: slots, Control: control})
}

// Fold adds the digest of a repetition up, as graph.Fold does, in the slot of that repetition. A word of the set is 64
// bits.
//
//vyre:kernel workgroup=256
func Fold(t gpu.Thread, seen, turn []uint32, slots []uint64) {
	const golden = 0x9E3779B97F4A7C15
	var a, b uint64
	words := uint32(len(seen)) / 2
	for i := t.Group().X*256 + t.Local().X; i < words; i += t.Groups().X * 256 {
		w := uint64(seen[2*i]) | uint64(seen[2*i+1])<<32
		at := golden * (uint64(i) + 1)
		a += mix64(mix64(at) ^ w)
		b += mix64(mix64(at+1) ^ w)
	}
	a = gpu.ReduceAdd(t, a)
	b = gpu.ReduceAdd(t, b)
	if t.Lane() == 0 {
		gpu.AtomicAdd(&slots[2*turn[0]], a)
		gpu.AtomicAdd(&slots[2*turn[0]+1], b)
	}
}

// mix64 is that of package graph.
func mix64(z uint64) uint64 {
	z ^= z >> 30
	z *= 0xBF58476D1CE4E5B9
	z ^= z >> 27
	z *= 0x94D049BB133111EB
	return z ^ z>>31
}

// Sweep is a round of the naive protocol: the nodes of a frontier that the host sent look along their arcs, and mark
// in next what they found.
//
//vyre:kernel workgroup=256
func Sweep(t gpu.Thread, offsets, targets, frontier, next, seen, changed []uint32) {
	v := t.Global().X
	if v+1 < uint32(len(offsets)) && frontier[v/32]>>(v%32)&1 == 1 {
		for k := offsets[v]; k < offsets[v+1]; k++ {
			step(t, claim{seen}.Arc(t, v, targets[k], 0), targets[k], next, changed)
		}
	}
}

// SweepOfKinds is the same along the arcs that the filter allows.
//
//vyre:kernel workgroup=256
func SweepOfKinds(t gpu.Thread, filter uint32, offsets, targets, masks, frontier, next, seen, changed []uint32) {
	v := t.Global().X
	if v+1 < uint32(len(offsets)) && frontier[v/32]>>(v%32)&1 == 1 {
		for k := offsets[v]; k < offsets[v+1]; k++ {
			step(t, allowed{seen, filter}.Arc(t, v, targets[k], masks[k]), targets[k], next, changed)
		}
	}
}

// step marks a node that was found for the next round.
func step(t gpu.Thread, found bool, v uint32, next, changed []uint32) {
	if found {
		gpu.AtomicOr(&next[v/32], 1<<(v%32))
		gpu.AtomicOr(&changed[0], 1)
	}
}

// Scale is the first of three stages that follow each other.
//
//vyre:kernel workgroup=256
func Scale(t gpu.Thread, x, y []uint32) {
	if i := t.Global().X; i < uint32(len(y)) {
		y[i] = 3 * x[i]
	}
}

// Shift is the second one: each item reads what the same item stored.
//
//vyre:kernel workgroup=256
func Shift(t gpu.Thread, x, y []uint32) {
	if i := t.Global().X; i < uint32(len(y)) {
		y[i] = x[i] + 1
	}
}

// Neighbour is the last one: it reads what another item stored, too.
//
//vyre:kernel workgroup=256
func Neighbour(t gpu.Thread, x, y []uint32) {
	if i := t.Global().X; i < uint32(len(y)) {
		y[i] = x[i] ^ x[min(i+1, uint32(len(x))-1)]
	}
}
