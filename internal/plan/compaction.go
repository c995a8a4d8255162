package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
)

// Slot is a place for a result, of which a part means something.
type Slot struct {
	Slot                 uint64
	Meaningful, Capacity uint64 // bytes
}

// Record is where a slot's bytes stand among the compact ones.
type Record struct{ Slot, Offset, Bytes uint64 }

// Compaction is which results are put side by side, and what that saves.
type Compaction struct {
	Records  []Record // by slot
	Direct   []Record // read where they are, from offset 0 of their slot
	Full     uint64   // bytes of all slots
	Selected uint64   // bytes that are read
	Avoided  uint64
	Share    uint64 // avoided of full, in 1/10000
	order    []int32
}

// Side is how many bytes stand side by side.
func (c *Compaction) Side() uint64 {
	if n := len(c.Records); n > 0 {
		return c.Records[n-1].Offset + c.Records[n-1].Bytes
	}
	return 0
}

const compactionOp = "plan compaction"

// PlanCompaction puts results of at most limit bytes side by side, in the order of their slots, and lets larger ones be
// read where they are. Empty ones are left out.
//
// Errors: duplicate, meaningful_over_capacity, overflow; all that there are, as driver.Problems.
func PlanCompaction(slots []Slot, limit uint64, into *Compaction) error {
	*into = Compaction{Records: into.Records[:0], Direct: into.Direct[:0], order: resize(into.order, len(slots))}
	for i := range into.order {
		into.order[i] = int32(i)
	}
	slices.SortFunc(into.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(slots[i].Slot, slots[j].Slot), cmp.Compare(i, j))
	})
	if ps := into.check(slots); len(ps) > 0 {
		return ps
	}
	var offset uint64
	for _, i := range into.order {
		s := slots[i]
		into.Full += s.Capacity
		into.Selected += s.Meaningful
		switch {
		case s.Meaningful == 0:
		case s.Meaningful <= limit:
			into.Records = append(into.Records, Record{s.Slot, offset, s.Meaningful})
			offset += s.Meaningful
		default:
			into.Direct = append(into.Direct, Record{s.Slot, 0, s.Meaningful})
		}
	}
	into.Avoided = into.Full - into.Selected
	if into.Full > 0 {
		into.Share = share(into.Avoided, into.Full, 10000)
	}
	return nil
}

func (c *Compaction) check(slots []Slot) (ps driver.Problems) {
	var full uint64
	for at, i := range c.order {
		s := slots[i]
		refuse := func(msg, fix string, r Reason) {
			r.Index = int(i)
			ps = append(ps, Refusal(compactionOp, driver.InvalidArgument, fmt.Sprintf("slot %d", s.Slot), msg, fix, r))
		}
		if at > 0 && slots[c.order[at-1]].Slot == s.Slot {
			refuse("it is given twice", "give each slot once", Reason{Code: "duplicate"})
		}
		if s.Meaningful > s.Capacity {
			refuse(fmt.Sprintf("%d of its %d bytes mean something", s.Meaningful, s.Capacity), "give the bytes that were written",
				Reason{Code: "meaningful_over_capacity", Numbers: []uint64{s.Meaningful, s.Capacity}})
		}
		sum, ok := add(full, s.Capacity)
		if !ok {
			return append(ps, Overflow(compactionOp, fmt.Sprintf("slot %d", s.Slot), "slot bytes", int(i)))
		}
		full = sum
	}
	return ps
}
