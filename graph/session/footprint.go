package session

import (
	"context"
	"fmt"
	"math"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/turn"
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
	s := &Session{g: g, o: o.settled(nil), digest: [32]byte{1}} // sizes do not depend on which digest it is
	s.size()
	if s.o.Levels {
		s.back = &image{g: g} // as large as the reverse
		both, _ := g.Symmetric(ctx)
		if err := planning(ctx); err != nil {
			return 0, err
		}
		if both {
			s.back = &s.forward
		}
	}
	p, err := plan.PlanSession(s.request())
	if err != nil {
		return math.MaxUint64, nil
	}
	return p.PeakBytes, nil
}

// words is how many words of 32 bits a set of nodes has.
func (s *Session) words() int { return (s.g.Nodes() + 31) / 32 }

// together is how many queries run together at most.
func (s *Session) together() int { return min(s.o.Queries, 64) }

// wide reports whether lanes have words of 64 bits.
func (s *Session) wide() bool { return s.together() > 32 }

// laneBytes is what so many lanes take: a word a node, and the round in which it was listed. One query has no lanes.
func (s *Session) laneBytes(lanes int) (seen, queued int64) {
	n := int64(s.g.Nodes())
	switch {
	case lanes == 1:
		return 0, 0
	case lanes > 32:
		return 8 * n, 4 * n
	}
	return 4 * n, 4 * n
}

// graphBytes is what the graph takes on the device.
func (s *Session) graphBytes() int64 {
	n := s.forward.bytes()
	if s.twice() {
		n += s.back.bytes()
	}
	return n
}

// request is what the session's memory is planned from.
func (s *Session) request() plan.SessionRequest {
	return plan.SessionRequest{Graph: s.digest, GraphBytes: uint64(s.graphBytes()), Runs: uint64(s.o.Queries), FrontierBytes: 4 * uint64(s.stride),
		ScratchBytes: s.scratchBytes() + s.moreBytes(), OutputBytes: 4 * uint64(s.slot), Budget: s.o.Budget, Staged: true, KeepAll: true}
}

// scratchBytes is what the session takes whatever the queries are.
func (s *Session) scratchBytes() uint64 {
	n := uint64(s.g.Nodes())
	seen, queued := s.laneBytes(s.together())
	bytes := 4*uint64(s.words()) + 8*n + 4*(3+1) + turnBytes + sessionRoom + uint64(seen+queued)
	if s.back != nil {
		bytes += 4 * (n + arcs.SumsWords)
	}
	if s.drains() {
		bytes += 8 * arcs.Slots(n, uint64(s.g.Arcs()))
	}
	return bytes
}

// planning is the error of a plan that its context has ended or does not let begin.
func planning(ctx context.Context) error {
	if err := turn.Err(ctx); err != nil {
		return fmt.Errorf("graph: planning: %w", err)
	}
	return nil
}
