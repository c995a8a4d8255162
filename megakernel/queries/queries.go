package queries

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/plan"
)

// Lanes is how many queries run together at most: the bits of a word.
const Lanes = 32

// Query asks which nodes can be reached from seeds, which are among them.
type Query struct {
	ID    uint64
	Graph *graph.CSR
	Kinds uint32 // arcs are followed that have a bit of these; 0 is all
	Seeds []uint32
}

// Answer is what a query reached.
type Answer struct {
	ID   uint64
	Bits []uint32 // a bit a node
}

// Reached reports whether a node was reached.
func (a *Answer) Reached(node uint32) bool {
	return uint64(node) < 32*uint64(len(a.Bits)) && a.Bits[node/32]>>(node%32)&1 != 0
}

// Options adjusts a session. The zero value is right for most.
type Options struct {
	Label  string // appears in errors and profiles; empty is "queries"
	Budget uint64 // bytes of graphs and queries; 0 is no bound but the device's
	Lanes  int    // queries that run together at most; 0 is Lanes
	Keep   bool   // graphs stay on the device until Close, for the next Run
	Run    megakernel.Options
}

// Session answers queries.
type Session struct {
	dev    driver.Device
	o      Options
	plan   plan.Queries
	kept   []*resident // in the order in which they came
	held   *resident   // of the groups that run, if it does not stay
	ready  func()      // called when all that a group needs is on the device; nil but in tests
	closed bool
}

// New returns a session that has taken nothing of the device yet.
func New(dev driver.Device, o Options) *Session {
	if o.Label == "" {
		o.Label = "queries"
	}
	if o.Budget == 0 {
		o.Budget = math.MaxUint64
	}
	if o.Lanes <= 0 || o.Lanes > Lanes {
		o.Lanes = Lanes
	}
	o.Run.Label = o.Label
	return &Session{dev: dev, o: o}
}

// Plan is how the last queries ran: their groups, bytes, and what was avoided. It must not be changed.
func (s *Session) Plan() *plan.Queries { return &s.plan }

// Run answers queries, in the order in which they are given.
func (s *Session) Run(ctx context.Context, list []Query) ([]Answer, error) {
	in, err := s.request(list)
	if err != nil {
		return nil, err
	}
	if err := plan.PlanQueries(in, &s.plan); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(list))
	for _, g := range s.plan.Groups {
		if err = s.group(ctx, list, in, g, answers); err != nil {
			break
		}
	}
	if s.held != nil { // of a group that failed
		if e := s.release(); err == nil {
			err = e
		}
	}
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// request says what the queries need.
func (s *Session) request(list []Query) (plan.QueryRequest, error) {
	in := plan.QueryRequest{Lanes: s.o.Lanes, Keep: s.o.Keep, Budget: s.o.Budget}
	var found driver.Problems
	refuse := func(i int, code, msg, fix string) {
		e := plan.Refusal("queries", driver.InvalidArgument, fmt.Sprintf("query %d", list[i].ID), msg, fix, plan.Reason{Code: code, Index: i})
		e.Label, e.Device = s.o.Label, s.dev.Name()
		found = append(found, e)
	}
	if s.closed {
		return in, &driver.Error{Op: "queries", Label: s.o.Label, Device: s.dev.Name(), Kind: driver.Closed, Msg: "the session was closed"}
	}
	digests := map[*graph.CSR][32]byte{}
	for _, r := range s.kept {
		digests[r.csr] = r.digest
		in.Kept = append(in.Kept, plan.KeptGraph{Graph: r.digest, Bytes: uint64(r.csr.Bytes())})
	}
	for i, q := range list {
		if q.Graph == nil || q.Graph.Nodes() == 0 {
			refuse(i, "graph_bytes", "its graph has no nodes", "give a graph that has some")
			continue
		}
		if len(q.Seeds) == 0 {
			refuse(i, "seeds", "it has no seeds", "leave it out")
		}
		if k := slices.IndexFunc(q.Seeds, func(v uint32) bool { return uint64(v) >= uint64(q.Graph.Nodes()) }); k >= 0 {
			refuse(i, "seeds", fmt.Sprintf("seed %d is %d, the graph has %d nodes", k, q.Seeds[k], q.Graph.Nodes()), "give nodes of the graph")
		}
		if _, known := digests[q.Graph]; !known {
			digests[q.Graph] = q.Graph.Digest()
		}
		n := uint64(q.Graph.Nodes())
		in.Queries = append(in.Queries, plan.Query{ID: q.ID, Graph: digests[q.Graph], GraphBytes: uint64(q.Graph.Bytes()), Traversal: 1 + uint64(q.Kinds),
			Frontier: seedBytes * uint64(len(q.Seeds)), Scratch: scratchBytes(n), Output: outputBytes(n)})
	}
	if len(found) > 0 {
		return in, found
	}
	return in, nil
}

// group runs one group.
func (s *Session) group(ctx context.Context, list []Query, in plan.QueryRequest, g plan.QueryGroup, answers []Answer) error {
	first := g.Queries[0]
	r, err := s.graph(ctx, list[first].Graph, in.Queries[first].Graph)
	if err != nil {
		return err
	}
	if err := s.search(ctx, r, list, g.Queries, answers); err != nil {
		return err
	}
	if g.Release {
		return s.release()
	}
	return nil
}

// graph returns a graph that is on the device, or uploads it.
func (s *Session) graph(ctx context.Context, csr *graph.CSR, digest [32]byte) (*resident, error) {
	if s.held != nil && s.held.digest == digest {
		return s.held, nil
	}
	for _, r := range s.kept {
		if r.digest == digest {
			return r, nil
		}
	}
	r, err := upload(ctx, s.dev, s.o.Label, csr, digest)
	if err != nil {
		return nil, err
	}
	if s.o.Keep {
		s.kept = append(s.kept, r)
	} else {
		s.held = r
	}
	return r, nil
}

// release gives back the graph that does not stay.
func (s *Session) release() error {
	r := s.held
	s.held = nil
	return r.memory.Close()
}

// Close gives back graphs that were kept.
func (s *Session) Close() error {
	s.closed = true
	var first error
	for _, r := range s.kept {
		if err := r.memory.Close(); err != nil && first == nil {
			first = err
		}
	}
	s.kept = nil
	return first
}
