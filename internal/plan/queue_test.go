package plan_test

import (
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestQueueSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		in   plan.QueueRequest
		want plan.Queue
	}{
		{"a capacity that is given", plan.QueueRequest{Initial: 256, Capacity: 1024, EntryBytes: 16, ControlBytes: 128, Budget: 32768},
			plan.Queue{Capacity: 1024, Bytes: 16384, ResidentBytes: 16512, Occupancy: 2500}},
		{"room for what is created", plan.QueueRequest{Initial: 4, Expansion: 12, EntryBytes: 8, ControlBytes: 64, Budget: 256},
			plan.Queue{Capacity: 16, Bytes: 128, ResidentBytes: 192, Occupancy: 2500}},
		{"as much of it as the budget has", plan.QueueRequest{Initial: 4, Expansion: 1000, EntryBytes: 8, ControlBytes: 64, Budget: 256},
			plan.Queue{Capacity: 24, Bytes: 192, ResidentBytes: 256, Occupancy: 1666}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan.PlanQueue(c.in)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
	if got, err := plan.PlanDrain(65536, 8192); err != nil || got != (plan.Drain{Launches: 8, Items: 8192}) {
		t.Errorf("drain is %+v, %v", got, err)
	}
	if got, err := plan.PlanDrain(100, 8192); err != nil || got != (plan.Drain{Launches: 1, Items: 100}) {
		t.Errorf("drain is %+v, %v", got, err)
	}
}

func TestQueueRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		in   plan.QueueRequest
		kind driver.Kind
		want []string
	}{
		{"nothing", plan.QueueRequest{HostPushes: true}, driver.InvalidArgument, []string{"entry_bytes", "host_participates", "capacity(0, 0)"}},
		{"too many items", plan.QueueRequest{Initial: 5, Capacity: 4, EntryBytes: 1}, driver.InvalidArgument, []string{"too_many_initial(5, 4)"}},
		{"an item that creates more than there is room for", plan.QueueRequest{Capacity: 4, EntryBytes: 1, MostChildren: 5}, driver.InvalidArgument, []string{"capacity(4, 5)"}},
		{"entries beyond 64 bits", plan.QueueRequest{Initial: 1, Expansion: math.MaxUint64, EntryBytes: 1}, driver.InvalidArgument, []string{`overflow("queue entries")`}},
		{"bytes beyond 64 bits", plan.QueueRequest{Capacity: math.MaxUint64, EntryBytes: 2}, driver.InvalidArgument, []string{`overflow("queue bytes")`}},
		{"bytes beyond 64 bits with the control words", plan.QueueRequest{Capacity: math.MaxUint64, EntryBytes: 1, ControlBytes: 1}, driver.InvalidArgument, []string{`overflow("queue bytes")`}},
		{"more than the budget", plan.QueueRequest{Initial: 30, EntryBytes: 8, ControlBytes: 64, Budget: 256}, driver.OutOfMemory, []string{`over_budget("queue", 304, 256)`}},
		{"control words beyond the budget", plan.QueueRequest{Initial: 1, EntryBytes: 8, ControlBytes: 64, Budget: 5}, driver.OutOfMemory, []string{`over_budget("queue", 72, 5)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := plan.PlanQueue(c.in)
			refused(t, err, c.kind, c.want...)
		})
	}
	_, err := plan.PlanDrain(8, 0)
	refused(t, err, driver.InvalidArgument, "drain_chunk")
}
