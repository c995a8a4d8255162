package driver_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/govyre/vyre/driver"
)

// TestTheModelChoosesGroupSizes by the slots of the busiest unit, for programs of 40 registers on 132 units of 9.0.
func TestTheModelChoosesGroupSizes(t *testing.T) {
	for _, c := range []struct {
		items  uint64
		costs  string // of 32, 64, 128, 256, 512, 1024
		choice int
	}{
		{1 << 20, "[7968 8000 8064 8192 8192 8192]", 256},
		{100_000, "[768 768 768 768 1024 1024]", 256},
		{4096, "[32 64 128 256 512 1024]", 32},
		{1, "[32 64 128 256 512 1024]", 32},
		{0, "[0 0 0 0 0 0]", 256}, // nobody knows how many
	} {
		best, costs := driver.GroupSizes(model("sm_90"), driver.Resources{Registers: 40}, 256, c.items)
		if got := fmt.Sprint(costs); got != c.costs || best[0] != c.choice {
			t.Errorf("%d items: costs %s, best %v; want %s and %d", c.items, got, best, c.costs, c.choice)
		}
	}
}

// TestOnlySizesThatRunAreCandidates: registers, a grid's longest axis, and sizes that are no powers of two.
func TestOnlySizesThatRunAreCandidates(t *testing.T) {
	for _, c := range []struct {
		name     string
		regs     int
		declared int
		items    uint64
		want     int // how many
	}{
		{"all", 32, 64, 1 << 20, 6},
		{"and the declared one", 32, 96, 1 << 20, 7},
		{"255 registers leave room for 256 threads", 255, 32, 1 << 20, 4},
		{"a grid too long for small groups", 32, 32, 1 << 40, 1},
		{"a grid too long for all", 32, 32, math.MaxUint64, 0},
		{"more registers than a thread has", 256, 32, 1, 0},
	} {
		if best, _ := driver.GroupSizes(model("sm_90"), driver.Resources{Registers: c.regs}, c.declared, c.items); len(best) != c.want {
			t.Errorf("%s: %v, want %d", c.name, best, c.want)
		}
	}
}

// TestEqualCostsAreDecidedInOrder: by occupancy, then by the distance from 256, then for the smaller size.
func TestEqualCostsAreDecidedInOrder(t *testing.T) {
	for _, c := range []struct {
		regs, declared int
		want           string
	}{
		{128, 320, "[256 128 64 32 512 320]"}, // 320 threads leave a part of the registers unused
		{32, 192, "[256 128 64 512 1024 192 32]"},
	} {
		if best, _ := driver.GroupSizes(model("sm_90"), driver.Resources{Registers: c.regs}, c.declared, 0); fmt.Sprint(best) != c.want {
			t.Errorf("%d registers: %v, want %s", c.regs, best, c.want)
		}
	}
}
