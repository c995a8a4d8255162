package session

import (
	"context"
	"fmt"
	"math"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/turn"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// sessionRoom is what a session may take beside what is counted: control words.
const sessionRoom = 64 << 10

// DeviceBytes returns what a session of a graph is planned to take, on a device with cooperative launches unless the options
// name another topology; the largest number if there can be none. A graph that Verify refuses counts as one that is not symmetric.
//
// Errors: that of the context.
func DeviceBytes(ctx context.Context, g *graph.CSR, o Options) (uint64, error) {
	if err := planning(ctx); err != nil {
		return 0, err
	}
	if g == nil {
		return math.MaxUint64, nil
	}
	if o.Topology == megakernel.Auto {
		o.Topology = megakernel.Drained
	}
	f := newFootprint(g, o.settled(nil))
	if f.o.Levels {
		f.back = &image{g: g} // as large as the reverse
		both, err := g.Symmetric(ctx)
		f.shallow = err == nil && (o.sets || wideShape(g))
		if err := planning(ctx); err != nil {
			return 0, err
		}
		if both {
			f.back = f.forward
		}
	}
	p, err := plan.PlanSession(f.request())
	if err != nil {
		return math.MaxUint64, nil
	}
	return p.PeakBytes, nil
}

// footprint is what the memory that a session takes follows from. A copy with other options says what those would take.
type footprint struct {
	g      *graph.CSR
	o      Options
	digest [32]byte // that tells graphs of one plan apart: a session has one graph, whose own takes time

	forward *image
	back    *image // with the arcs the other way round: forward itself where that is the same; nil without Options.Levels

	stride, slot int  // words of a query, of an answer
	drained      bool // a query alone is a drain, or may become one
	shallow      bool // a search reaches much of the graph in few levels (see wideShape)
	native       bool // the host's cores are the session's engine, so that parallel sets take nothing on the device
}

func newFootprint(g *graph.CSR, o Options) footprint {
	f := footprint{g: g, o: o, digest: [32]byte{1}, forward: &image{g: g}}
	f.size()
	return f
}

// size is what follows from the graph and the options.
func (f *footprint) size() {
	f.o.Seeds = min(f.o.Seeds, f.g.Nodes())
	f.stride, f.slot = waves.QueryHead+f.o.Seeds, waves.AnswerHead+f.words()
	f.drained = f.o.Topology == megakernel.Drained
}

// twice reports whether the session has a graph the other way round beside the other.
func (f *footprint) twice() bool { return f.back != nil && f.back != f.forward }

// words is how many words of 32 bits a set of nodes has.
func (f *footprint) words() int { return (f.g.Nodes() + 31) / 32 }

// together is how many queries run together at most.
func (f *footprint) together() int { return min(f.o.Queries, 64) }

// sets reports whether searches for levels keep what they find in sets.
func (f *footprint) sets() bool { return f.shallow && f.back != nil }

// wide reports whether lanes have words of 64 bits.
func (f *footprint) wide() bool { return f.together() > 32 }

// laneBytes is what so many lanes take: a word a node, and the round in which it was listed. One query has no lanes.
func (f *footprint) laneBytes(lanes int) (seen, queued int64) {
	n := int64(f.g.Nodes())
	switch {
	case lanes == 1:
		return 0, 0
	case lanes > 32:
		return 8 * n, 4 * n
	}
	return 4 * n, 4 * n
}

// graphBytes is what the graph takes on the device.
func (f *footprint) graphBytes() int64 {
	n := f.forward.bytes()
	if f.twice() {
		n += f.back.bytes()
	}
	return n
}

// arcBytes is what an arc takes on the device.
func (f *footprint) arcBytes() uint64 {
	if f.g.Masks() != nil {
		return 8
	}
	return 4
}

// request is what the session's memory is planned from.
func (f *footprint) request() plan.SessionRequest {
	return plan.SessionRequest{Graph: f.digest, GraphBytes: uint64(f.graphBytes()), Runs: uint64(f.o.Queries), FrontierBytes: 4 * uint64(f.stride),
		ScratchBytes: f.scratchBytes() + f.moreBytes(), OutputBytes: 4 * uint64(f.slot), Budget: f.o.Budget, Staged: true, KeepAll: true}
}

// scratchBytes is what the session takes whatever the queries are.
func (f *footprint) scratchBytes() uint64 {
	n := uint64(f.g.Nodes())
	seen, queued := f.laneBytes(f.together())
	bytes := 4*uint64(f.words()) + 8*n + 4*(3+1) + turnBytes + sessionRoom + uint64(seen+queued)
	if f.back != nil {
		bytes += 4*n + 8*arcs.SumsWords
		if f.sets() {
			bytes += 4 * levelSets * uint64(f.words())
		}
	}
	if f.drained {
		bytes += 8 * arcs.Slots(n, uint64(f.g.Arcs()))
	}
	return bytes
}

// moreBytes is what the parallel sets beside the first take.
func (f *footprint) moreBytes() uint64 {
	if f.native {
		return 0
	}
	return uint64(f.o.Parallel-1) * (f.scratchBytes() + 4*uint64(f.o.Queries)*uint64(f.stride+f.slot))
}

// planned is what query i needs.
func (f *footprint) planned(i int, q Query) plan.Query {
	return plan.Query{ID: uint64(i), Graph: f.digest, GraphBytes: uint64(f.graphBytes()), Traversal: uint64(f.kinds(q)),
		Frontier: 4 * uint64(f.stride), Scratch: f.scratchBytes(), Output: 4 * uint64(f.slot)}
}

// kinds are those that a query allows. Where all arcs have mask 1, nothing else makes a difference.
func (f *footprint) kinds(q Query) uint32 {
	switch {
	case q.Kinds == 0:
		return graph.AllKinds
	case f.g.Masks() != nil:
		return q.Kinds
	case q.Kinds&1 != 0:
		return graph.AllKinds
	}
	return graph.AllKinds &^ 1
}

// seedDomain is a seed of each query, answerDomain groups with a thread for each word of an answer, nodeDomain groups whose warps
// go over the nodes, and add up once each: there are no more than are resident about, since they all add to one word.
func (f *footprint) seedDomain() megakernel.Domain {
	return megakernel.Fixed(uint32(max(f.o.Seeds, 1)))
}

func (f *footprint) answerDomain() megakernel.Domain {
	return megakernel.Fixed(uint32((f.words() + 255) / 256))
}

func (f *footprint) nodeDomain() megakernel.Domain {
	return megakernel.Fixed(uint32(min((f.words()+31)/32, 1024)))
}

// planning is the error of a plan that its context has ended or does not let begin.
func planning(ctx context.Context) error {
	if err := turn.Err(ctx); err != nil {
		return fmt.Errorf("graph: planning: %w", err)
	}
	return nil
}

// turnBytes is how much stands before the queries: the number of the turn, which begins with 0, and so comes to the device with them.
const turnBytes = 16
