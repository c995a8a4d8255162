package waves

import (
	"github.com/govyre/vyre/gpu"
	"github.com/govyre/vyre/megakernel/arcs"
)

// sets moves sets of bits along arcs, so many words a node: what comes to a node, less what it kills, with what it makes.
//
// A word that changes while it is read here may be seen or not. If it is not, its node is in the next list.
type sets struct {
	in, gen, kill         []uint64
	queued, masks         []uint32
	filter, masked, words uint32
	round                 uint32
}

// Arc joins what leaves from to what comes to node, and lists that if it is more than before.
func (b sets) Arc(t gpu.Thread, from, node, k uint32) bool {
	if b.masked == 0 && b.filter&1 == 0 || b.masked != 0 && b.masks[k]&b.filter == 0 {
		return false
	}
	grown := false
	for w := range b.words {
		i, j := from*b.words+w, node*b.words+w
		x := b.gen[i] | gpu.AtomicLoad(&b.in[i])&^b.kill[i]
		if x&^gpu.AtomicLoad(&b.in[j]) != 0 && x&^gpu.AtomicOr(&b.in[j], x) != 0 {
			grown = true
		}
	}
	return grown && gpu.AtomicMax(&b.queued[node], b.round+2) != b.round+2
}

// ListAll lists all nodes for the first round.
//
//vyre:kernel workgroup=256
func ListAll(t gpu.Thread, queued, list, lengths []uint32) {
	i := t.Global().X
	if i < uint32(len(queued)) {
		queued[i] = 0
		list[i] = i
	}
	if i < 3 {
		lengths[i] = 0
		if i == 0 {
			lengths[i] = uint32(len(queued))
		}
	}
}

// RoundBits is a round of sets of bits.
//
//vyre:kernel workgroup=256
func RoundBits(t gpu.Thread, round, n, words, masked uint32, offsets, targets, masks []uint32, in, gen, kill []uint64, queued, filter, list, lengths, vote, edges []uint32) {
	b := sets{in: in, gen: gen, kill: kill, queued: queued, masks: masks, filter: filter[0], masked: masked, words: words, round: round}
	arcs.RoundNumbered(t, b, arcs.Graph{Offsets: offsets, Targets: targets}, arcs.List{Nodes: list, Lengths: lengths, Weight: vote, Edges: edges}, round, n)
}
