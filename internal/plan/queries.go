package plan

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Query is one question about a graph.
type Query struct {
	ID         uint64
	Graph      [32]byte // its digest
	GraphBytes uint64
	Traversal  uint64 // what queries that run together have to share, such as the arcs that are followed; not 0

	Frontier, Scratch, Output uint64 // bytes
}

// KeptGraph is a graph that is on the device already, and stays.
type KeptGraph struct {
	Graph [32]byte
	Bytes uint64
}

// QueryRequest is what groups of queries are made from.
type QueryRequest struct {
	Queries []Query
	Kept    []KeptGraph
	Lanes   int  // queries that can run together; 0 and 1 are one
	Keep    bool // graphs stay after their last group
	Budget  uint64
}

// QueryGroup is queries that run together.
type QueryGroup struct {
	Queries []int // places in the request, by id
	Upload  bool  // the group uploads its graph
	Release bool  // and nobody needs it any more afterwards
	Bytes   uint64
}

// Queries is groups one after the other.
type Queries struct {
	Groups      []QueryGroup
	PeakBytes   uint64
	Uploads     uint64 // of graphs: those of cold queries, all others are warm
	UploadBytes uint64

	// What is avoided, against each query with a launch, a wait, and an upload of its graph.
	Launches, Waits, GraphBytes uint64

	order, byID []int
}

const queriesOp = "plan queries"

// PlanQueries sorts queries by graph, traversal and id, and lets those run together that have both in common, while
// there are lanes and the budget has room for their frontiers, their outputs, and the scratch of the largest.
//
// Errors: budget, duplicate, graph_digest, traversal, graph_bytes, graph_bytes_differ, overflow, all that there are, as
// driver.Problems; then over_budget.
func PlanQueries(in QueryRequest, into *Queries) error {
	into.reset()
	into.order, into.byID = resize(into.order, len(in.Queries)), resize(into.byID, len(in.Queries))
	for i := range into.order {
		into.order[i], into.byID[i] = i, i
	}
	slices.SortFunc(into.byID, func(i, j int) int {
		return cmp.Or(cmp.Compare(in.Queries[i].ID, in.Queries[j].ID), cmp.Compare(i, j))
	})
	slices.SortFunc(into.order, func(i, j int) int {
		a, b := &in.Queries[i], &in.Queries[j]
		return cmp.Or(bytes.Compare(a.Graph[:], b.Graph[:]), cmp.Compare(a.Traversal, b.Traversal), cmp.Compare(a.ID, b.ID), cmp.Compare(i, j))
	})
	if ps := into.check(in); len(ps) > 0 {
		into.reset()
		return ps
	}
	if err := into.pack(in); err != nil {
		into.reset()
		return err
	}
	n := uint64(len(in.Queries))
	into.Launches, into.Waits = n-uint64(len(into.Groups)), n-uint64(len(into.Groups))
	return nil
}

func (q *Queries) reset() { *q = Queries{Groups: q.Groups[:0], order: q.order, byID: q.byID} }

// check looks for what is wrong with single queries, and adds up what they would upload.
func (q *Queries) check(in QueryRequest) (ps driver.Problems) {
	refuse := func(path, msg, fix string, r Reason) {
		ps = append(ps, Refusal(queriesOp, driver.InvalidArgument, path, msg, fix, r))
	}
	if in.Budget == 0 {
		refuse("budget", "it is 0", "give the bytes that queries may have", Reason{Code: "budget", Index: -1})
	}
	for k, i := range q.byID {
		v := &in.Queries[i]
		if k > 0 && in.Queries[q.byID[k-1]].ID == v.ID {
			refuse(queryPath(v), "it is given twice", "give each query an id of its own", Reason{Code: "duplicate", Index: i})
		}
		if v.Graph == ([32]byte{}) {
			refuse(queryPath(v), "its graph has no digest", "give the graph's", Reason{Code: "graph_digest", Index: i})
		}
		if v.Traversal == 0 {
			refuse(queryPath(v), "its traversal has no key", "give one that is not 0", Reason{Code: "traversal", Index: i})
		}
		if v.GraphBytes == 0 {
			refuse(queryPath(v), "its graph has no bytes", "give the bytes of the graph", Reason{Code: "graph_bytes", Index: i})
		}
		sum, ok := add(q.GraphBytes, v.GraphBytes)
		if _, fits := add(v.GraphBytes, v.Frontier, v.Scratch, v.Output); !ok || !fits {
			return append(ps, Overflow(queriesOp, queryPath(v), "query bytes", i))
		}
		q.GraphBytes = sum
	}
	for k := 1; k < len(q.order); k++ {
		a, b := &in.Queries[q.order[k-1]], &in.Queries[q.order[k]]
		if a.Graph == b.Graph && a.GraphBytes != b.GraphBytes {
			refuse(queryPath(b), fmt.Sprintf("its graph has %d bytes, for query %d the same one has %d", b.GraphBytes, a.ID, a.GraphBytes), "give the bytes of the graph",
				Reason{Code: "graph_bytes_differ", Index: q.order[k], What: fmt.Sprintf("%x", b.Graph[:4]), Numbers: []uint64{a.GraphBytes, b.GraphBytes}})
		}
	}
	return ps
}

func queryPath(v *Query) string { return fmt.Sprintf("query %d", v.ID) }

// pack fills one group after the other.
func (q *Queries) pack(in QueryRequest) error {
	var others uint64 // graphs that stay, beside the one of the group
	for _, k := range in.Kept {
		sum, ok := add(others, k.Bytes)
		if !ok {
			return Overflow(queriesOp, "kept graphs", "kept bytes", -1)
		}
		others = sum
	}
	for first := 0; first < len(q.order); {
		v := &in.Queries[q.order[first]]
		cold := first == 0 || in.Queries[q.order[first-1]].Graph != v.Graph
		kept := slices.ContainsFunc(in.Kept, func(k KeptGraph) bool { return k.Graph == v.Graph })
		graph := v.GraphBytes
		if kept {
			graph = 0 // it is among the others
		}
		g, err := q.group(in, first, others, graph)
		if err != nil {
			return err
		}
		if g.Upload = cold && !kept; g.Upload {
			q.Uploads++
			q.UploadBytes += graph
		}
		first += len(g.Queries)
		if last := first == len(q.order) || in.Queries[q.order[first]].Graph != v.Graph; last && !kept {
			if g.Release = !in.Keep; in.Keep {
				others, _ = add(others, graph) // within the budget, as the group is
			}
		}
		q.PeakBytes = max(q.PeakBytes, g.Bytes)
		q.Groups = append(q.Groups, g)
	}
	q.GraphBytes -= q.UploadBytes
	return nil
}

// group takes as many queries from the first on as can run together.
func (q *Queries) group(in QueryRequest, first int, others, graph uint64) (g QueryGroup, err error) {
	var frontier, scratch, output uint64
	v := &in.Queries[q.order[first]]
	last := first
	for last < len(q.order) && (last == first || last-first < in.Lanes) {
		w := &in.Queries[q.order[last]]
		if w.Graph != v.Graph || w.Traversal != v.Traversal {
			break
		}
		f, ok1 := add(frontier, w.Frontier)
		o, ok2 := add(output, w.Output)
		s := max(scratch, w.Scratch)
		need, ok3 := add(others, graph, f, s, o)
		if !ok1 || !ok2 || !ok3 || need > in.Budget {
			if last > first {
				break
			}
			if !ok3 {
				return g, Overflow(queriesOp, queryPath(w), "resident bytes", q.order[last])
			}
			return g, OverBudget(queriesOp, queryPath(w), "one query", q.order[last], need, in.Budget, "raise the budget, or release graphs")
		}
		frontier, scratch, output, g.Bytes = f, s, o, need
		last++
	}
	g.Queries = q.order[first:last:last]
	return g, nil
}
