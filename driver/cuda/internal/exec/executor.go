package exec

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/pinned"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/driver/cuda/internal/transfer"
)

// Parts are what runs need of a device.
type Parts struct {
	GPU      *primary.Context
	Memory   *memory.Heap
	Pinned   *pinned.Pool
	Streams  *timeline.Streams
	Deferred *timeline.Deferred
	Rings    *transfer.Rings
	SM       int // of the target
}

// Executor runs plans on one GPU.
type Executor struct {
	Parts
	watching bool // every command is waited for
	timers   timers
	loops    own
	movers   own
}

// New returns an executor. It makes no call.
func New(p Parts) *Executor {
	x := &Executor{Parts: p, watching: p.GPU.Debug().Sync}
	x.timers.gpu = p.GPU
	x.loops = own{gpu: p.GPU, sm: p.SM, text: loopText}
	x.movers = own{gpu: p.GPU, sm: p.SM, text: movesText, carries: true}
	return x
}

// Prepare makes a plan ready: a stream, staging for its transfers, arguments for its launches, and
// executables of the loops that the device decides on.
func (x *Executor) Prepare(p *driver.Plan, timed bool) (driver.Runner, error) {
	return x.newRunner(p, false, timed, driver.CaptureOptions{})
}

// Capture makes an executable of all of a plan, and one without what a run may leave out.
func (x *Executor) Capture(p *driver.Plan, timed bool, o driver.CaptureOptions) (driver.Runner, error) {
	return x.newRunner(p, true, timed, o)
}

// Warm makes the first stream, and loads the package's own kernels. The context is current.
func (x *Executor) Warm() error {
	s, err := x.Streams.Get()
	if err != nil {
		return err
	}
	x.Streams.Put(s)
	if x.GPU.Caps.Graphs {
		_, err = x.movers.get(moveEntry)
	}
	if err == nil && x.GPU.Caps.LoopNodes {
		_, err = x.loops.get(loopEntry)
	}
	return err
}

// Drop gives back what is kept for runs; a lost context has taken it.
func (x *Executor) Drop(note func(error)) {
	x.loops.drop(note)
	x.movers.drop(note)
	x.timers.drop(note)
}
