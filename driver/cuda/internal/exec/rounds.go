package exec

import (
	"context"
	"encoding/binary"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/memory"
	"github.com/govyre/vyre/driver/cuda/internal/timeline"
	"github.com/govyre/vyre/internal/metric"
)

// rounds goes through the rounds of a loop that holds what only the host decides on, or has to enqueue again for each.
func (r *runner) rounds(s *segment) error {
	if s.loop.kind == kindWhile {
		return r.while(s)
	}
	for range s.loop.loop.Count {
		if err := r.round(s); err != nil {
			return err
		}
	}
	return nil
}

// goOn is asked before each round of a loop: it fails where Close has given the run up, and where the context has
// ended of a run that the host decides about. That stops after a whole number of rounds.
func (r *flight) goOn(c *loop) error {
	if r.GaveUp.Load() {
		return timeline.ErrGaveUp
	}
	if err := r.host.Err(); err != nil {
		return &driver.Error{Op: "run", Label: r.plan.Label, Device: r.x.GPU.Name(), Path: c.Path, Kind: driver.Canceled,
			Msg: "the loop was stopped between two rounds, and the run with it", Err: err}
	}
	return nil
}

// round enqueues a round of a loop.
func (r *runner) round(s *segment) error {
	if err := r.goOn(s.loop.loop); err != nil {
		return err
	}
	for _, b := range s.body {
		if err := b.launch(); err != nil {
			return err
		}
	}
	r.plan.Tally.Count(metric.LoopIterations, 1)
	return nil
}

// while fetches the flag before every round and waits for it.
func (r *runner) while(s *segment) error {
	c := s.loop.loop
	var out driver.LoopResult
	for {
		set, err := r.flagSet(c.LoopCmd)
		if err != nil {
			return err
		}
		if out.Converged = !set; !set || out.Iterations == c.Count {
			break
		}
		if err := r.round(s); err != nil {
			return err
		}
		out.Iterations++
	}
	r.outcome[c.Index] = out
	return nil
}

// flagSet fetches the flag of a loop. What was enqueued so far becomes a part of the run that
// ends here, with a timeline value of its own. The round under way is waited for when the context has ended, too.
func (r *flight) flagSet(c *driver.LoopCmd) (bool, error) {
	flag, value := r.transfers.flag, r.open
	err := r.x.GPU.Driver.MemcpyDtoHAsync(unsafe.Pointer(&flag[0]), memory.AddressOf(c.Flag), 4, r.Stream.Handle)
	if err == nil {
		err = r.endPart(false)
	}
	if err != nil {
		e := r.faulted(err)
		e.Path = c.Path
		return false, e
	}
	if !r.await(r.host, false, value, &r.thread) {
		return false, timeline.ErrGaveUp
	}
	if fault := r.ending(value); fault != nil {
		fault.Path = c.Path
		return false, fault
	}
	if err := r.thread.Bind("start", r.plan.Label); err != nil {
		return false, err
	}
	if err := r.beginPart(context.Background()); err != nil {
		return false, err // given up
	}
	return binary.LittleEndian.Uint32(flag) != 0, nil
}
