package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// levelBits gives nodes their level in a graph of which a few rounds find most: what was found, and lists, are sets.
type levelBits struct {
	level, found, front []uint32
	now, next           uint32 // words of front
	filter, round       uint32
}

func newLevelBits(level, found, front, filter []uint32, round uint32) levelBits {
	words := uint32(len(found))
	return levelBits{level, found, front, words * (round % 3), words * ((round + 1) % 3), filter[0], round}
}

// Arc gives node to the next level, if it has none and the arc is allowed.
func (l levelBits) Arc(t gpu.Thread, from, to, mask uint32) bool {
	w, bit := to/32, uint32(1)<<(to%32)
	if mask&l.filter == 0 || gpu.AtomicLoad(&l.found[w])&bit != 0 || gpu.AtomicOr(&l.found[w], bit)&bit != 0 {
		return false
	}
	gpu.AtomicOr(&l.front[l.next+w], bit)
	l.level[to] = l.round + 1
	return true
}

// Open reports whether a node has no level.
func (l levelBits) Open(node uint32) bool { return l.found[node/32]>>(node%32)&1 == 0 }

// Leads reports whether the round goes over from, and the arc is allowed.
func (l levelBits) Leads(from, mask uint32) bool {
	return mask&l.filter != 0 && l.front[l.now+from/32]>>(from%32)&1 != 0
}

// Take gives a node the next level.
func (l levelBits) Take(node uint32) { l.level[node] = l.round + 1 }

// levelBitsAny is levelBits of a graph whose arcs all have mask 1.
type levelBitsAny levelBits

// Arc is that of levelBits, with that mask.
func (l levelBitsAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return levelBits(l).Arc(t, from, to, 1)
}

// Open is that of levelBits.
func (l levelBitsAny) Open(node uint32) bool { return levelBits(l).Open(node) }

// Leads is that of levelBits, with that mask.
func (l levelBitsAny) Leads(from, mask uint32) bool { return levelBits(l).Leads(from, 1) }

// Take is that of levelBits.
func (l levelBitsAny) Take(node uint32) { levelBits(l).Take(node) }

// ClearLevelBits forgets the levels of the query before. Closed are nodes that no arc comes to, and bits of no node.
//
//vyre:kernel workgroup=256
func ClearLevelBits(t gpu.Thread, level, closed, found, front []uint32, sums []uint64, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(level)) {
		level[i] = none
	}
	if i < uint32(len(found)) {
		found[i] = closed[i]
	}
	if i < uint32(len(front)) {
		front[i] = 0
	}
	if i < uint32(len(sums)) {
		sums[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
	}
}

// SeedLevelBits gives the seeds of the query their level, and lists each once.
//
//vyre:kernel workgroup=256
func SeedLevelBits(t gpu.Thread, stride uint32, turn, staged, offsets, reverse, level, found, front []uint32, sums []uint64, list, lengths, filter []uint32) {
	i := t.Global().X
	query := staged[turn[0]*stride+FirstWord] * stride
	if i == 0 {
		filter[0] = staged[query+KindsWord]
	}
	if i >= staged[query] {
		return
	}
	v := staged[query+QueryHead+i]
	if gpu.AtomicExchange(&level[v], 0) == none {
		gpu.AtomicOr(&found[v/32], 1<<(v%32))
		gpu.AtomicOr(&front[v/32], 1<<(v%32))
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
		arcs.Turn{Reverse: arcs.Graph{Offsets: reverse}, Sums: sums}.Seed(arcs.Graph{Offsets: offsets}, v)
	}
}

// RoundLevelBits is one round in a graph without masks, in the direction that costs less.
//
//vyre:kernel workgroup=256 long=targets,sources
func RoundLevelBits(t gpu.Thread, round, n, closed, forward, scan uint32, offsets, targets, reverse, sources, level, found, front []uint32, sums []uint64, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources}, Sums: sums, Closed: closed, Forward: forward, Scan: scan}
	w := levelBitsAny(newLevelBits(level, found, front, filter, round))
	arcs.RoundBits(t, w, g, turn, found, front, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// RoundLevelBitsOfKinds is one round in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks,sources,sourceMasks
func RoundLevelBitsOfKinds(t gpu.Thread, round, n, closed, forward, scan uint32, offsets, targets, masks, reverse, sources, sourceMasks, level, found, front []uint32, sums []uint64, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources, Masks: sourceMasks}, Sums: sums, Closed: closed, Forward: forward, Scan: scan}
	w := newLevelBits(level, found, front, filter, round)
	arcs.RoundBits(t, w, g, turn, found, front, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}
