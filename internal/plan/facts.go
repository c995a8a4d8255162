package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/driver"
)

// FactKind says what a node of a graph of tokens and facts is.
type FactKind uint32

// The kinds that have names.
const (
	Token FactKind = iota
	Macro
	Semantic
	Fact
	Diagnostic
)

// FactNode is a node of a graph of tokens and facts, with its part of the payload.
type FactNode struct {
	ID            uint64
	Kind          FactKind
	Offset, Bytes uint64 // of the payload
}

// FactEdge leads from one node to another.
type FactEdge struct {
	From, To uint64 // ids
	Kind     uint32 // bits, as in the masks of a graph's arcs
}

// FactRequest is what such a graph is laid out from.
type FactRequest struct {
	Nodes                []FactNode
	Edges                []FactEdge
	NodeBytes, EdgeBytes uint64 // of a record
	Payload              uint64 // bytes
	Budget               uint64 // bytes that the graph may have; 0 is any
}

// Facts is the graph in compressed rows.
type Facts struct {
	Order []int    // places in the request, by id: node n of the rows is the one at Order[n]
	Rows  []uint32 // first edge of each node, and the end of the last row
	To    []uint32 // nodes that the edges of a row lead to, by (to, kind), each once
	Kinds []uint32 // of edges

	NodeBytes, EdgeBytes, ResidentBytes uint64
	Degrees                             Degrees
}

// Degrees is what is known of the degrees of a graph: enough to bound what some of its nodes expand to.
type Degrees struct {
	Nodes, Edges uint64
	Max          uint64
	Largest      [16]uint64 // sum of the 2^i largest degrees, of all if there are fewer
}

// FactPlanner lays out graphs. It keeps its working storage between calls; the zero value is ready. One goroutine uses
// it at a time.
type FactPlanner struct {
	ids     []uint64
	arcs    []arc
	degrees []uint32
}

type arc struct{ from, to, kind uint32 }

const factsOp = "plan facts"

// Plan sorts nodes by id and edges by row, drops edges that are named twice, and adds up bytes and degrees. It takes
// time O((nodes + edges)·log(nodes + edges)) and allocates nothing when repeated with sizes not above earlier ones.
//
// Errors: record_width, index_overflow, duplicate, unknown, payload_overflow, payload_bounds; all that there are, as
// driver.Problems. Then overflow, payload_over_budget, over_budget.
func (p *FactPlanner) Plan(in FactRequest, into *Facts) error {
	into.reset()
	if len(in.Nodes) > math.MaxInt32 || len(in.Edges) > math.MaxInt32 {
		return driver.Problems{Refusal(factsOp, driver.InvalidArgument, "graph", fmt.Sprintf("%d nodes and %d edges need more than 31 bits", len(in.Nodes), len(in.Edges)),
			"divide the graph", Reason{Code: "index_overflow", Index: -1, Numbers: []uint64{uint64(len(in.Nodes)), uint64(len(in.Edges))}})}
	}
	ps := p.nodes(in, into)
	if ps = append(ps, p.edges(in)...); len(ps) > 0 {
		into.reset()
		return ps
	}
	p.rows(len(in.Nodes), into)
	if !into.addUp(in) {
		into.reset()
		return Overflow(factsOp, "graph", "resident bytes", -1)
	}
	if err := into.fit(in); err != nil {
		into.reset()
		return err
	}
	into.Degrees = p.summary(into.Rows)
	return nil
}

// fit compares the graph with its budget.
func (f *Facts) fit(in FactRequest) error {
	const fix = "raise the budget, or divide the graph"
	switch {
	case in.Budget == 0 || f.ResidentBytes <= in.Budget:
		return nil
	case in.Payload > in.Budget:
		e := OverBudget(factsOp, "payload", "payload", -1, in.Payload, in.Budget, fix)
		e.Err = &Reason{Code: "payload_over_budget", Index: -1, Numbers: []uint64{in.Payload, in.Budget}}
		return e
	}
	return OverBudget(factsOp, "graph", "resident graph", -1, f.ResidentBytes, in.Budget, fix)
}

func (p *FactPlanner) nodes(in FactRequest, into *Facts) (ps driver.Problems) {
	if in.NodeBytes == 0 || in.EdgeBytes == 0 {
		ps = append(ps, Refusal(factsOp, driver.InvalidArgument, "records", fmt.Sprintf("records of %d and %d bytes", in.NodeBytes, in.EdgeBytes),
			"give the bytes of a node and of an edge", Reason{Code: "record_width", Index: -1, Numbers: []uint64{in.NodeBytes, in.EdgeBytes}}))
	}
	into.Order = resize(into.Order, len(in.Nodes))
	for i := range into.Order {
		into.Order[i] = i
	}
	slices.SortFunc(into.Order, func(i, j int) int {
		return cmp.Or(cmp.Compare(in.Nodes[i].ID, in.Nodes[j].ID), cmp.Compare(i, j))
	})
	p.ids = resize(p.ids, len(in.Nodes))
	for at, i := range into.Order {
		n := in.Nodes[i]
		p.ids[at] = n.ID
		refuse := func(code, msg, fix string, numbers ...uint64) {
			ps = append(ps, Refusal(factsOp, driver.InvalidArgument, fmt.Sprintf("node %d", n.ID), msg, fix, Reason{Code: code, Index: i, Numbers: numbers}))
		}
		if at > 0 && p.ids[at-1] == n.ID {
			refuse("duplicate", "it is given twice", "give each node once")
		}
		if end, ok := add(n.Offset, n.Bytes); !ok {
			refuse("payload_overflow", "its payload ends beyond 2^64-1", "give offset and bytes inside the payload", n.Offset, n.Bytes)
		} else if end > in.Payload {
			refuse("payload_bounds", fmt.Sprintf("its payload ends at %d of %d bytes", end, in.Payload), "give offset and bytes inside the payload", end, in.Payload)
		}
	}
	return ps
}

// edges turns ids into places and sorts by row.
func (p *FactPlanner) edges(in FactRequest) (ps driver.Problems) {
	p.arcs = resize(p.arcs, len(in.Edges))
	for i, e := range in.Edges {
		place := func(id uint64) uint32 {
			at, ok := slices.BinarySearch(p.ids, id)
			if !ok {
				ps = append(ps, Refusal(factsOp, driver.InvalidArgument, fmt.Sprintf("edge %d", i), fmt.Sprintf("it is %d→%d, and there is no node %d", e.From, e.To, id),
					"give all nodes", Reason{Code: "unknown", Index: i, Numbers: []uint64{id}}))
			}
			return uint32(at)
		}
		p.arcs[i] = arc{place(e.From), place(e.To), e.Kind}
	}
	slices.SortFunc(p.arcs, func(a, b arc) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind))
	})
	p.arcs = slices.Compact(p.arcs)
	return ps
}

// rows writes the sorted edges.
func (p *FactPlanner) rows(nodes int, into *Facts) {
	into.Rows = zeroed(into.Rows, nodes+1)
	for _, a := range p.arcs {
		into.Rows[a.from+1]++
		into.To = append(into.To, a.to)
		into.Kinds = append(into.Kinds, a.kind)
	}
	for n := range nodes {
		into.Rows[n+1] += into.Rows[n]
	}
}

func (f *Facts) addUp(in FactRequest) bool {
	var ok [3]bool
	f.NodeBytes, ok[0] = mul(uint64(len(f.Order)), in.NodeBytes)
	f.EdgeBytes, ok[1] = mul(uint64(len(f.To)), in.EdgeBytes)
	f.ResidentBytes, ok[2] = add(f.NodeBytes, f.EdgeBytes, in.Payload)
	return !slices.Contains(ok[:], false)
}

// summary adds up the largest degrees.
func (p *FactPlanner) summary(rows []uint32) Degrees {
	p.degrees = resize(p.degrees, len(rows)-1)
	for n := range p.degrees {
		p.degrees[n] = rows[n+1] - rows[n]
	}
	slices.Sort(p.degrees)
	d := Degrees{Nodes: uint64(len(p.degrees)), Edges: uint64(rows[len(rows)-1])}
	var sum uint64
	rank := 0
	for n, degree := range slices.Backward(p.degrees) {
		if n == len(p.degrees)-1 {
			d.Max = uint64(degree)
		}
		sum += uint64(degree)
		if len(p.degrees)-n == 1<<rank {
			d.Largest[rank] = sum
			if rank++; rank == len(d.Largest) {
				return d
			}
		}
	}
	for ; rank < len(d.Largest); rank++ {
		d.Largest[rank] = sum
	}
	return d
}

func (f *Facts) reset() {
	*f = Facts{Order: f.Order[:0], Rows: f.Rows[:0], To: f.To[:0], Kinds: f.Kinds[:0]}
}
