package exec

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
)

// flight is the state of a runner's run: the one in flight, or the last one.
type flight struct {
	timeline.Submitter
	outcome []driver.LoopResult // of While loops

	open    uint64 // timeline value of the part of a run that is being enqueued; 0 without one
	written bool   // the store of the completion word is enqueued already
	fault   atomic.Pointer[driver.Error]
	hosted  bool           // the host decides on a loop
	fed     chan error     // how carry went
	feed    func()         // carry, as a value: starting it allocates nothing
	aside   bool           // Start has left it alone
	thread  primary.Thread // between Start and Wait of one goroutine
	average time.Duration  // of waits

	// life is held for reading by who waits; Close has it before what they use goes.
	life   sync.RWMutex
	closed bool
}

func (f *flight) init(r *runner) {
	f.outcome = make([]driver.LoopResult, len(r.plan.Whiles))
	f.thread, f.average = primary.Thread{Context: r.x.GPU}, waitFirst
	f.fed, f.feed, f.Quit = make(chan error, 1), r.carry, make(chan struct{})
}
