package plan

import (
	"fmt"
	"math/bits"

	"github.com/govyre/vyre/driver"
)

// ExpansionRequest is what the queue of expansion waves is sized from. The waves run one after another, so it is as
// large as the largest of them needs.
type ExpansionRequest struct {
	Degrees Degrees
	Active  []uint64 // items of each wave
	Repeat  bool     // an item may be active several times
	Visited bool     // a bitset keeps nodes from entering twice
	Budget  uint64   // bytes of the queue
}

// What a queue of expansion waves is made of, in bytes.
const (
	ExpansionEntry   = 4
	ExpansionControl = 16
)

const expansionOp = "plan expansion"

// PlanExpansion sizes a queue that holds the active items and all that they can expand to, or as much of it as the
// budget has. A queue that was cut so can turn out too small.
//
// Errors: active_count, overflow of "active expansion", over_budget.
func PlanExpansion(in ExpansionRequest) (Queue, error) {
	var initial, capacity uint64
	for i, active := range in.Active {
		if active == 0 {
			return Queue{}, Refusal(expansionOp, driver.InvalidArgument, fmt.Sprintf("wave %d", i), "it has no active items", "leave it out", Reason{Code: "active_count", Index: i})
		}
		expansion, ok := in.Degrees.Expansion(active, in.Repeat)
		total, fits := add(active, expansion)
		if !ok || !fits {
			return Queue{}, Overflow(expansionOp, fmt.Sprintf("wave %d", i), "active expansion", i)
		}
		if in.Visited {
			total, active = min(total, in.Degrees.Nodes), min(active, in.Degrees.Nodes)
		}
		initial, capacity = max(initial, active), max(capacity, total)
	}
	return PlanQueue(QueueRequest{Initial: initial, Expansion: capacity - initial, EntryBytes: ExpansionEntry, ControlBytes: ExpansionControl, Budget: in.Budget})
}

// Expansion bounds what so many active items lead to, and says whether 64 bits hold that. Items that do not repeat are
// at worst those with the most edges.
func (d *Degrees) Expansion(active uint64, repeat bool) (uint64, bool) {
	all, ok := mul(active, d.Max)
	if repeat || active == 0 {
		return all, ok
	}
	if rank := bits.Len64(active - 1); rank < len(d.Largest) {
		return d.Largest[rank], true
	}
	if !ok {
		return d.Edges, true
	}
	return min(all, d.Edges), true
}
