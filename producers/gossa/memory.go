package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/govyre/vyre/graph/files"
)

const (
	// mostUncollected is how large the heap may be before it is collected although little of it is used: what loading and SSA of
	// a large program take anyway.
	mostUncollected = 2500 << 20
	// mostUnused is how much of the heap may be garbage, in percent of what is used. Go's own is 100.
	mostUnused = 400
)

// collectLess makes the garbage collector wait longer while the heap is small. What gossa makes of a program is used until its
// end, and to look at it again whenever the heap has doubled takes a quarter of all its time. The heap does not grow beyond
// mostUncollected for that, nor beyond half of the machine's memory. Where the environment says what the collector has to do, it
// does that.
func collectLess() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	room := uint64(min(mostUncollected, files.HalfOfMemory()))
	debug.SetGCPercent(mostUnused)
	var again func(**byte)
	again = func(**byte) { // after each collection
		debug.SetGCPercent(unusedFor(liveHeap(), room))
		runtime.SetFinalizer(new(*byte), again) // what has no pointer may be put together with other objects
	}
	runtime.SetFinalizer(new(*byte), again)
}

// unusedFor is how many percent of what is used the heap may grow by, until it is as large as room.
func unusedFor(used, room uint64) int {
	grown := max(room, used) - used
	return int(min(max(100*grown/max(used, 1), 100), mostUnused))
}

func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
