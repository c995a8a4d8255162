package interp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/matrix"
)

// Run executes one launch. What happened inside it, a trap included, is in the Result;
// the error says that the launch was refused (*launch.ContractError, *launch.StateError) or could not
// end (*BudgetError, *BarrierError, *launch.CanceledError, *ProofError). After an error that
// is not a refusal, buffers hold what the run wrote until then and the Result what it
// had counted and found.
//
// Run is safe for concurrent use if no two runs touch the same memory.
func (k *Kernel) Run(ctx context.Context, in launch.Launch, o Options) (*Result, error) {
	if err := k.contract.Check(&in); err != nil {
		return nil, err
	}
	var generation matrix.Generation
	if k.products {
		var err error
		if generation, err = matrix.Resolve(k.p, o.Matrix); err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.p.Name(), err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, &launch.CanceledError{Kernel: k.p.Name(), Err: err}
	}
	l, _ := k.states.Get().(*flight)
	if l == nil {
		l = &flight{k: k, code: k.code}
	}
	l.matrix = generation
	l.bind(ctx, &in, o)
	defer func() {
		l.release()
		k.states.Put(l)
	}()
	if l.total == 0 {
		return &Result{}, nil
	}
	alive := l.total
	if !l.coop {
		alive = min(alive, uint64(l.window())*uint64(l.active()))
	}
	if need := float64(alive) * float64(l.groupBytes()); need > float64(l.o.MaxState) {
		return nil, &launch.StateError{Kernel: k.p.Name(), Groups: alive, Need: int64(min(need, math.MaxInt64/2)), Limit: l.o.MaxState}
	}
	l.work()
	return l.result(), l.err
}

// window is the number of groups that one worker of a launch without grid barriers
// keeps alive at once.
func (l *flight) window() int {
	if l.o.Schedule.order == drawn {
		return seededGroups
	}
	return 1
}

// active returns the number of workers of this launch.
func (l *flight) active() int { return l.meet.workers }

// work runs all workers, one of them on the calling goroutine, and returns when every
// one has ended.
func (l *flight) work() {
	var others sync.WaitGroup
	for _, x := range l.workers[1:l.active()] {
		others.Add(1)
		go func() {
			defer others.Done()
			x.drive()
		}()
	}
	l.workers[0].drive()
	others.Wait()
}

// fail ends the launch with err, unless it has ended with another error already.
func (l *flight) fail(err error) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
	l.stop.Store(true)
	l.meet.abort()
}

func (l *flight) result() *Result {
	r := &Result{Result: launch.Result{Trap: l.trap, Traces: l.traces, TracesDropped: l.dropped, Checks: l.checks}, StateBytes: l.stateUsed.Load(), GridBarriers: l.meet.rounds}
	for _, x := range l.workers[:l.active()] {
		r.Rows += x.rows
		r.LaneRows += x.laneRows
		r.GroupBarriers += x.groupBarriers
		r.OutOfBounds += x.outOfBounds
		if x.det != nil {
			x.det.settle()
			r.Reports = append(r.Reports, x.det.reports.sorted()...)
		}
	}
	return r
}

// seeded returns a stream of random bits; the same seed and stream number give the same.
func seeded(seed, stream uint64) *rand.PCG { return rand.NewPCG(seed, stream) }
