package plan

import (
	"fmt"

	"github.com/govyre/vyre/driver"
)

// MemoryRequest is what the memory of a shape and a topology is computed from.
type MemoryRequest struct {
	Nodes, Edges         uint64
	NodeBytes, EdgeBytes uint64 // of the graph's layout, for each
	Envelope             Envelope
	// Exact says that the programs are known: scratch stands as given, and is not estimated from shape and topology.
	Exact  bool
	Budget uint64

	Shape    Shape
	Topology Topology
	Next     Topology // what a cooperative plan gives way to, by predicted time; Auto is HostLoop
	Asked    bool     // the topology is the caller's wish and gives way to nothing
}

// Memory is the memory of a plan, part by part.
type Memory struct {
	Graph, Frontier, Scratch, Output uint64
	Required                         uint64 // all four

	Shape      Shape
	Topology   Topology
	Downgraded bool // these are not what was asked for, as that did not fit
}

const memoryOp = "plan memory"

// PlanMemory computes what a shape and a topology need. What does not fit the budget gives way: cooperative to the next
// topology, then any shape to Sparse.
//
// Errors: overflow of "node layout bytes", "edge layout bytes", "graph layout bytes", "scratch bytes" or "required
// bytes"; over_budget if Sparse does not fit either.
func PlanMemory(in MemoryRequest) (Memory, error) {
	m, err := in.need(in.Shape, in.Topology)
	if err != nil || m.Required <= in.Budget {
		return m, err
	}
	shape, topology := in.Shape, in.Topology
	if topology == Cooperative && !in.Asked {
		if topology = in.Next; topology == Auto || topology == Cooperative {
			topology = HostLoop
		}
		if m, err = in.need(shape, topology); err != nil {
			return Memory{}, err
		}
	}
	if m.Required > in.Budget && shape != Sparse {
		shape = Sparse
		if m, err = in.need(shape, topology); err != nil {
			return Memory{}, err
		}
	}
	if m.Required > in.Budget {
		return Memory{}, in.refuse(m)
	}
	m.Downgraded = true
	return m, nil
}

// need computes one candidate.
func (in *MemoryRequest) need(shape Shape, topology Topology) (Memory, error) {
	m := Memory{Frontier: in.Envelope.Frontier, Output: in.Envelope.Output, Shape: shape, Topology: topology}
	nodes, ok := mul(in.Nodes, in.NodeBytes)
	if !ok {
		return Memory{}, Overflow(memoryOp, "graph", "node layout bytes", -1)
	}
	edges, ok := mul(in.Edges, in.EdgeBytes)
	if !ok {
		return Memory{}, Overflow(memoryOp, "graph", "edge layout bytes", -1)
	}
	if m.Graph, ok = add(nodes, edges); !ok {
		return Memory{}, Overflow(memoryOp, "graph", "graph layout bytes", -1)
	}
	if m.Scratch, ok = in.scratch(shape, topology); !ok {
		return Memory{}, Overflow(memoryOp, topology.String(), "scratch bytes", -1)
	}
	if m.Required, ok = add(m.Graph, m.Frontier, m.Scratch, m.Output); !ok {
		return Memory{}, Overflow(memoryOp, topology.String(), "required bytes", -1)
	}
	return m, nil
}

// scratch estimates: what keeps several forms of a frontier, or the state of all rounds, has more of it.
func (in *MemoryRequest) scratch(shape Shape, topology Topology) (uint64, bool) {
	s := in.Envelope.Scratch
	switch {
	case in.Exact:
		return s, true
	case topology == Cooperative:
		return mul(s, 4)
	case shape == WarpSparse:
		return max(s, 32), true // a counter for each lane, at least
	case shape == Hybrid:
		return mul(s, 3)
	case shape == Dense:
		return mul(s, 2)
	case shape == BlockDense:
		return mul(max(s, 1024), 2)
	}
	return s, true
}

func (in *MemoryRequest) refuse(m Memory) *driver.Error {
	what := m.Shape.String()
	if in.Asked {
		what = m.Topology.String() + ", " + what
	}
	e := OverBudget(memoryOp, "memory", what, -1, m.Required, in.Budget, "raise the budget or divide the graph")
	e.Msg += fmt.Sprintf(", with %d nodes and %d edges", in.Nodes, in.Edges)
	r := e.Err.(*Reason)
	r.Numbers = append(r.Numbers, in.Nodes, in.Edges)
	return e
}

// pressure is the part of the budget that is required, in 1/10000, and at most all of it.
func pressure(required, budget uint64) uint64 {
	switch {
	case required == 0:
		return 0
	case budget == 0 || required >= budget:
		return 10000
	}
	return share(required, budget, 10000)
}
