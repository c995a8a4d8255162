package driver

import (
	"context"
	"errors"
)

// Settle waits for the run in flight, if there is one, so that the sequence can run again. What comes of the run is
// dropped, errors and all, but for what it delivers to host memory. It is for sequences that are kept: a call whose
// context ended leaves its run, and the next one begins with Settle. Without a run it costs a lock.
//
// Errors: Canceled, if ctx ends before the run, which goes on; Busy, while another goroutine starts or waits for it.
func (s *Sequence) Settle(ctx context.Context) error {
	if err := s.absent("settle"); err != nil {
		return err
	}
	s.mu.Lock()
	p := s.flying
	s.mu.Unlock()
	if p == nil {
		return nil
	}
	if _, err := runsOf(s).wait(ctx, p); errors.Is(err, Canceled) && !isEnded(err) || errors.Is(err, Busy) {
		return err
	}
	return nil // whoever runs a sequence that was closed meanwhile hears of that
}
