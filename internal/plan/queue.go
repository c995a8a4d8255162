package plan

import (
	"fmt"

	"github.com/govyre/vyre/driver"
)

// QueueRequest is what a queue on the device is sized from, whose items create items.
type QueueRequest struct {
	Initial      uint64 // items before the first is taken
	Capacity     uint64 // items; 0 is as many as Expansion asks for and the budget has
	Expansion    uint64 // items that may be created before others are taken
	EntryBytes   uint64
	ControlBytes uint64
	Budget       uint64
	MostChildren uint64 // that one item may create: a queue of less could never take them
	HostPushes   bool   // the host would put items into a queue that runs
}

// Queue is the size of a queue.
type Queue struct {
	Capacity      uint64 // items
	Bytes         uint64 // of them
	ResidentBytes uint64 // with the control words
	Occupancy     uint64 // of the initial items, in 1/10000
}

const queueOp = "plan queue"

// PlanQueue sizes a queue.
//
// Errors: entry_bytes, too_many_initial, capacity, host_participates, overflow, all that there are, as driver.Problems;
// then over_budget.
func PlanQueue(in QueueRequest) (Queue, error) {
	var ps driver.Problems
	refuse := func(path, msg, fix string, r Reason) {
		r.Index = -1
		ps = append(ps, Refusal(queueOp, driver.InvalidArgument, path, msg, fix, r))
	}
	if in.EntryBytes == 0 {
		refuse("entry", "an entry has no bytes", "give the bytes of an item", Reason{Code: "entry_bytes"})
	}
	if in.HostPushes {
		refuse("host", "the host would push into a queue that runs", "push before the launch, or from the items",
			Reason{Code: "host_participates"})
	}
	wanted, ok := add(in.Initial, in.Expansion)
	if in.Capacity == 0 && !ok {
		ps = append(ps, Overflow(queueOp, "expansion", "queue entries", -1))
	}
	if in.Capacity > 0 && in.Initial > in.Capacity {
		refuse("initial items", fmt.Sprintf("%d items do not fit %d entries", in.Initial, in.Capacity), "raise the capacity",
			Reason{Code: "too_many_initial", Numbers: []uint64{in.Initial, in.Capacity}})
	}
	if ok && max(in.Capacity, wanted) == 0 || in.Capacity > 0 && in.MostChildren > in.Capacity {
		refuse("capacity", fmt.Sprintf("%d entries, and an item may create %d", in.Capacity, in.MostChildren),
			"give room for what one item creates", Reason{Code: "capacity", Numbers: []uint64{in.Capacity, in.MostChildren}})
	}
	if len(ps) > 0 {
		return Queue{}, ps
	}
	q := Queue{Capacity: in.Capacity}
	if q.Capacity == 0 {
		q.Capacity = max(in.Initial, min(wanted, (in.Budget-min(in.ControlBytes, in.Budget))/in.EntryBytes), in.MostChildren)
	}
	q.Bytes, ok = mul(q.Capacity, in.EntryBytes)
	if !ok {
		return Queue{}, Overflow(queueOp, "capacity", "queue bytes", -1)
	}
	if q.ResidentBytes, ok = add(q.Bytes, in.ControlBytes); !ok {
		return Queue{}, Overflow(queueOp, "capacity", "queue bytes", -1)
	}
	if q.ResidentBytes > in.Budget {
		return Queue{}, OverBudget(queueOp, "capacity", "queue", -1, q.ResidentBytes, in.Budget, "raise the budget or begin with fewer items")
	}
	q.Occupancy = share(in.Initial, q.Capacity, 10000)
	return q, nil
}

// Drain is how a full queue is emptied by launches that take so many items at most.
type Drain struct {
	Launches uint64
	Items    uint64 // of each; the last may have fewer
}

// PlanDrain divides a queue's capacity into launches.
//
// Errors: drain_chunk if a launch takes nothing.
func PlanDrain(capacity, most uint64) (Drain, error) {
	if most == 0 {
		return Drain{}, Refusal(queueOp, driver.InvalidArgument, "launch", "a launch takes no items", "let it take at least one",
			Reason{Code: "drain_chunk", Index: -1})
	}
	return Drain{Launches: ceilDiv(capacity, most), Items: min(most, capacity)}, nil
}
