package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Words of the head of a question about nodes near others. The host writes all of them, and the waves count in the first. Before
// the head are seeds, the first of them last, and behind it the nodes that are told, seeds first.
const (
	NearCount = 0 // nodes that are told
	NearArcs  = 1 // at most so many arcs away
	NearKinds = 2 // of arcs that are allowed
	NearSeeds = 3
	NearHead  = 4

	NearWords = 3 // of a node that is told: its number, how many arcs away it is, and the kinds of the last of them
)

// near finds nodes that are at most so many arcs away, and tells each once.
type near struct {
	masked      uint32 // 0: every mask is 1, and there are none
	round       uint32
	away, kinds []uint32 // by node: in how many arcs, and the kinds of the last of them
	head        uint32   // where it is in asked
	asked       []uint32
}

// Arc tells a node that had not been found, and adds the kinds of every arc of a shortest path to it. There is nothing to go on
// from where the question ends.
func (w near) Arc(t gpu.Thread, from, to, mask uint32) bool {
	if w.masked == 0 {
		mask = 1
	}
	next := w.round + 1
	if mask&w.asked[w.head+NearKinds] == 0 || next > w.asked[w.head+NearArcs] || gpu.AtomicLoad(&w.away[to]) < next {
		return false
	}
	before := gpu.AtomicCompareExchange(&w.away[to], none, next)
	if before < next {
		return false
	}
	gpu.AtomicOr(&w.kinds[to], mask)
	if before == next {
		return false
	}
	at := w.head + NearHead + NearWords*gpu.AtomicAdd(&w.asked[w.head+NearCount], 1)
	w.asked[at], w.asked[at+1] = to, next
	return next < w.asked[w.head+NearArcs]
}

// SeedNear tells the seeds, each of which the host has once, and lists them.
//
//vyre:kernel workgroup=256
func SeedNear(t gpu.Thread, head uint32, asked, away, list, lengths []uint32) {
	i, n := t.Global().X, asked[head+NearSeeds]
	if i == 0 {
		asked[head+NearCount] = n
		lengths[0], lengths[1], lengths[2] = n, 0, 0
	}
	if i >= n {
		return
	}
	v, at := asked[head-1-i], head+NearHead+NearWords*i
	list[i], away[v] = v, 0
	asked[at], asked[at+1] = v, 0
}

// RoundNear goes along the arcs of the nodes that the round before found.
//
//vyre:kernel workgroup=256 long=targets,masks
func RoundNear(t gpu.Thread, round, n, masked uint32, offsets, targets, masks []uint32, head uint32, asked, away, kinds, list, lengths, weight, edges []uint32) {
	g := arcs.Graph{Offsets: offsets, Targets: targets, Masks: masks}
	w := near{masked: masked, round: round, away: away, kinds: kinds, head: head, asked: asked}
	arcs.Round(t, w, g, arcs.List{Nodes: list, Lengths: lengths, Weight: weight, Edges: edges}, round, n)
}

// TellNear completes what is told, and forgets it otherwise, so that the next question finds all nodes as this one did.
//
//vyre:kernel workgroup=256
func TellNear(t gpu.Thread, head uint32, asked, away, kinds []uint32) {
	at := head + NearHead + NearWords*t.Global().X
	v := asked[at]
	asked[at+2] = kinds[v]
	away[v], kinds[v] = none, 0
}
