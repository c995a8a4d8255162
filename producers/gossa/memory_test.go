package main

import (
	"runtime/debug"
	"testing"
)

// TestHeapMayGrowWhileItIsSmall: five times what is used, no more than there is room for, and at least twice.
func TestHeapMayGrowWhileItIsSmall(t *testing.T) {
	for _, c := range []struct {
		used, room uint64
		percent    int
	}{
		{0, 1000, 400}, {1, 1000, 400}, {200, 1000, 400}, {250, 1000, 300}, {400, 1000, 150}, {500, 1000, 100}, {999, 1000, 100}, {5000, 1000, 100},
	} {
		if got := unusedFor(c.used, c.room); got != c.percent {
			t.Errorf("%d used, room for %d: %d %%, want %d", c.used, c.room, got, c.percent)
		}
	}
}

// TestEnvironmentDecidesAboutTheCollector, where it does.
func TestEnvironmentDecidesAboutTheCollector(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			debug.SetGCPercent(50)
			t.Setenv(name, "50MiB")
			collectLess()
			if got := debug.SetGCPercent(50); got != 50 {
				t.Errorf("the heap may grow by %d %%, want 50", got)
			}
		})
	}
}
