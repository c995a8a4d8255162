package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// none is the level of a node that nobody found.
const none = ^uint32(0)

// levels gives nodes their level, from either end of an arc.
type levels struct {
	level         []uint32
	filter, round uint32
}

// Arc gives node to the next level, if it has none and the arc is allowed.
func (l levels) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return mask&l.filter != 0 && gpu.AtomicLoad(&l.level[to]) == none && gpu.AtomicCompareExchange(&l.level[to], none, l.round+1) == none
}

// Open reports whether a node has no level.
func (l levels) Open(node uint32) bool { return gpu.AtomicLoad(&l.level[node]) == none }

// Leads reports whether the round goes over from, and the arc is allowed.
func (l levels) Leads(from, mask uint32) bool {
	return mask&l.filter != 0 && gpu.AtomicLoad(&l.level[from]) == l.round
}

// Take gives a node the next level.
func (l levels) Take(node uint32) { gpu.AtomicStore(&l.level[node], l.round+1) }

// levelsAlone is levels for one group alone, whose few claims do not look first whether they are going to be too late: that would be
// one trip to memory more in every round.
type levelsAlone struct{ levels }

// At is the same in another round.
func (l levelsAlone) At(round uint32) levelsAlone {
	l.round = round
	return l
}

// Arc gives node to the next level, if it has none and the arc is allowed. Those of nodes that have one are no greater.
func (l levelsAlone) Arc(t gpu.Thread, from, to, mask uint32) bool {
	next := l.round + 1
	if mask&l.filter == 0 {
		next = none
	}
	return gpu.AtomicMin(&l.level[to], next) == none && next != none
}

// levelsAnyAlone is levelsAlone of a graph whose arcs all have mask 1.
type levelsAnyAlone struct{ levels }

// At is that of levelsAlone.
func (l levelsAnyAlone) At(round uint32) levelsAnyAlone {
	l.round = round
	return l
}

// Arc is that of levelsAlone, with that mask.
func (l levelsAnyAlone) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return levelsAlone(l).Arc(t, from, to, 1)
}

// levelsAny is levels of a graph whose arcs all have mask 1.
type levelsAny struct {
	level         []uint32
	filter, round uint32
}

// Arc, Open, Leads and Take are those of levels, with that mask.
func (l levelsAny) Arc(t gpu.Thread, from, to, mask uint32) bool {
	return levels(l).Arc(t, from, to, 1)
}

// Open is that of levels.
func (l levelsAny) Open(node uint32) bool { return levels(l).Open(node) }

// Leads is that of levels.
func (l levelsAny) Leads(from, mask uint32) bool { return levels(l).Leads(from, 1) }

// Take is that of levels.
func (l levelsAny) Take(node uint32) { levels(l).Take(node) }

// ClearLevels forgets the levels of the query before.
//
//vyre:kernel workgroup=256
func ClearLevels(t gpu.Thread, level []uint32, sums []uint64, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(level)) {
		level[i] = none
	}
	if i < uint32(len(sums)) {
		sums[i] = 0
	}
	if i < 3 {
		lengths[i] = 0
	}
}

// SeedLevels gives the seeds of the query their level, and lists each once.
//
//vyre:kernel workgroup=256
func SeedLevels(t gpu.Thread, stride uint32, turn, staged, offsets, reverse, level []uint32, sums []uint64, list, lengths, filter []uint32) {
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
		list[gpu.AtomicAdd(&lengths[0], 1)] = v
		arcs.Turn{Reverse: arcs.Graph{Offsets: reverse}, Sums: sums}.Seed(arcs.Graph{Offsets: offsets}, v)
	}
}

// RoundLevels is one round in a graph without masks, in the direction that costs less.
//
//vyre:kernel workgroup=256 long=targets,sources
func RoundLevels(t gpu.Thread, round, n, closed, forward, scan uint32, offsets, targets, reverse, sources, level []uint32, sums []uint64, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources}, Sums: sums, Closed: closed, Forward: forward, Scan: scan}
	arcs.RoundBoth(t, levelsAny{level, filter[0], round}, g, turn, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// RoundLevelsOfKinds is one round in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks,sources,sourceMasks
func RoundLevelsOfKinds(t gpu.Thread, round, n, closed, forward, scan uint32, offsets, targets, masks, reverse, sources, sourceMasks, level []uint32, sums []uint64, filter, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	turn := arcs.Turn{Reverse: arcs.Graph{Offsets: reverse, Targets: sources, Masks: sourceMasks}, Sums: sums, Closed: closed, Forward: forward, Scan: scan}
	arcs.RoundBoth(t, levels{level, filter[0], round}, g, turn, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// StayLevels is rounds of one group alone in a graph without masks.
//
//vyre:kernel workgroup=256 long=targets
func StayLevels(t gpu.Thread, round, n, limit, many, forward, scan uint32, offsets, targets, level []uint32, sums []uint64, filter, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets}
	w := levelsAnyAlone{levels{level, filter[0], round}}
	arcs.StayBoth(t, w, g, arcs.Turn{Sums: sums, Forward: forward, Scan: scan}, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}

// StayLevelsOfKinds is rounds of one group alone in a graph with masks.
//
//vyre:kernel workgroup=256 long=targets,masks
func StayLevelsOfKinds(t gpu.Thread, round, n, limit, many, forward, scan uint32, offsets, targets, masks, level []uint32, sums []uint64, filter, list, lengths, edges []uint32, result []uint64) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	w := levelsAlone{levels{level, filter[0], round}}
	arcs.StayBoth(t, w, g, arcs.Turn{Sums: sums, Forward: forward, Scan: scan}, arcs.List{Nodes: list, Lengths: lengths, Edges: edges}, round, n, limit, many, result)
}
