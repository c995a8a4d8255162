package exec

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// flight is the run of a plan that is in flight, or the last one.
type flight struct {
	*lowered
	timeline.Submitter
	outcome []driver.LoopResult // of While loops

	open    uint64 // timeline value of the part of a run that is being enqueued; 0 without one
	written bool   // the store of the completion word is enqueued already
	fault   atomic.Pointer[driver.Error]
	hosted  bool           // the host decides on a loop
	thread  primary.Thread // between Start and Wait of one goroutine
	average time.Duration  // of waits

	// life is held for reading by who waits; Close has it before what they use goes.
	life   sync.RWMutex
	closed bool
}

func (f *flight) init(l *lowered) {
	f.lowered, f.outcome = l, make([]driver.LoopResult, len(l.plan.Whiles))
	f.thread, f.average, f.Quit = primary.Thread{Context: l.x.GPU}, waitFirst, make(chan struct{})
}
