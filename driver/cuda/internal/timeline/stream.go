package timeline

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/pause"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// Stream is a queue of the GPU, shared by the runs of some sequences.
type Stream struct {
	Handle cu.Stream
	gpu    *primary.Context
	word   *uint32 // the completion word, pinned; nil without the store
	wordAt cu.Ptr  // where the GPU finds it
	users  int     // who has the stream; under Streams.mu
	idle   bool    // the GPU does nothing between calls

	turn     Gate          // held alone from a value to its store
	issued   atomic.Uint64 // the last value
	enqueued atomic.Uint64 // the last value whose run is wholly in the stream
	ended    atomic.Uint64 // the last value known to have ended by other means than the word
	asked    atomic.Int64  // when the driver was asked about the stream, after start

	mu     sync.Mutex
	mark   cu.Event // after all runs up to marked
	marked uint64
}

// start is what times of asked count from.
var start = time.Now()

// Word is where the GPU stores the completion word; 0 without the store.
func (s *Stream) Word() cu.Ptr { return s.wordAt }

// Over reports whether a run has ended, as far as can be seen without a call.
func (s *Stream) Over(value uint64) bool {
	return s.Finished(value) || s.gpu.Lost()
}

// Finished is Over for a run that did not go with its device.
func (s *Stream) Finished(value uint64) bool {
	return s.word != nil && flagged(value, s.word, &s.issued) || s.ended.Load() >= value
}

// flagged loads the word before the last value: in between the word can only fall behind, so a
// run that is seen as ended has ended.
func flagged(value uint64, word *uint32, issued *atomic.Uint64) bool {
	w := atomic.LoadUint32(word)
	return passed(value, issued.Load(), w)
}

// passed reports whether a value has ended on a stream that has issued so many and whose word
// is this. Less than 2³² runs are between the two, whatever the age of the value, so the
// distance, and not the sign of a difference, says how far the word is behind.
func passed(value, issued uint64, word uint32) bool {
	return value <= issued-uint64(uint32(issued)-word)
}

// End notes that runs up to a value have ended.
func (s *Stream) End(value uint64) {
	for {
		was := s.ended.Load()
		if was >= value || s.ended.CompareAndSwap(was, value) {
			return
		}
	}
}

// Spin looks for the end of a run for so long. The thread is released before others are let run: a
// goroutine that yields while locked parks its thread, which costs more than binding again.
func (s *Stream) Spin(value uint64, most time.Duration, t *primary.Thread) bool {
	if s.word == nil || s.idle {
		return false // what there is to look at, or what lets it come about, takes a call
	}
	const looksAtOnce = 16 // between two looks at the clock
	every := pause.YieldEvery()
	begin, yield := time.Now(), every
	for looks := 1; ; looks++ {
		if s.Over(value) {
			return true
		}
		if looks%looksAtOnce != 0 {
			continue
		}
		passed := time.Since(begin)
		if passed >= most {
			return false
		}
		if passed >= yield {
			t.Release()
			runtime.Gosched()
			yield = passed + every
		}
	}
}

// Ask asks the driver whether the runs have ended. The context is current. A fault of the
// device comes out as an error.
func (s *Stream) Ask() error {
	s.asked.Store(int64(time.Since(start)))
	last := s.enqueued.Load()
	var over bool
	var err error
	if s.word != nil {
		over, err = s.gpu.Driver.StreamQuery(s.Handle)
	} else {
		over, err = s.gpu.Driver.EventQuery(s.mark)
	}
	if err == nil && over {
		s.End(last)
	}
	return err
}

// Due reports whether the driver was not asked for a while.
func (s *Stream) Due() bool {
	const interval = time.Millisecond
	return time.Since(start)-time.Duration(s.asked.Load()) >= interval
}

// Begin takes the stream's turn and the next value, unless ctx ends or quit is closed before. The
// caller enqueues a run and finishes it.
func (s *Stream) Begin(ctx context.Context, quit <-chan struct{}) (value uint64, err error) {
	if err := s.turn.Lock(ctx, quit, true); err != nil {
		return 0, err
	}
	return s.issued.Add(1), nil
}

// Finish ends the run of a value, and gives the turn away; written says that the store of the completion word is enqueued
// already. If enqueuing failed, or does now, all that got into the stream ends before anyone may touch its memory.
func (s *Stream) Finish(value uint64, failed, written bool) error {
	defer s.turn.Unlock(true)
	var err error
	if !failed && !written {
		if s.word != nil {
			err = s.gpu.Driver.StreamWriteValue32(s.Handle, s.wordAt, uint32(value))
		} else if err = s.record(value); err == nil {
			s.enqueued.Store(value)
			return nil
		}
		failed = err != nil
	}
	if failed {
		s.settle(value)
	}
	s.enqueued.Store(value)
	return err
}

// settle waits for everything in the stream, and notes the end of a run by hand.
func (s *Stream) settle(value uint64) {
	s.Empty("start")
	if s.word != nil {
		atomic.StoreUint32(s.word, uint32(value))
	}
	s.End(value)
}

// Empty waits for everything in the stream, after an error that leaves open what is in it. Where that cannot be waited for the
// device is lost, and whoever asks learns that: what is in the stream may yet run, over memory that has other uses by then. What
// made the wait necessary is reported by the caller.
func (s *Stream) Empty(op string) {
	const tries = 3
	var e *driver.Error
	for range tries {
		if s.gpu.Lost() {
			return
		}
		err := s.gpu.Enter(op, "")
		if err == nil {
			if err = s.gpu.Driver.StreamSynchronize(s.Handle); err != nil {
				err = s.gpu.ErrorOf(op, "", err)
			}
			s.gpu.Leave()
		}
		if err == nil {
			return
		}
		e = s.gpu.Fail(err).(*driver.Error)
	}
	s.gpu.Lose(e)
}

// record puts the mark after what is in the stream.
func (s *Stream) record(value uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.gpu.Driver.EventRecord(s.mark, s.Handle); err != nil {
		return err
	}
	s.marked = value
	return nil
}

// Follow lets the stream wait for a run of another one, all of which is enqueued. The mark of
// that is recorded only now: most runs are never waited for by another stream.
func (s *Stream) Follow(o *Stream, value uint64) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.marked < value {
		last := o.enqueued.Load()
		if err := s.gpu.Driver.EventRecord(o.mark, o.Handle); err != nil {
			return err
		}
		o.marked = last
	}
	s.gpu.Count(metric.OrderWaits, 1)
	return s.gpu.Driver.StreamWaitEvent(s.Handle, o.mark)
}

// release lets a stream of another library wait for what is in this one, which ends with a value. The turn is the caller's.
func (s *Stream) release(other cu.Stream, value uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.gpu.Driver.EventRecord(s.mark, s.Handle); err != nil {
		return err
	}
	s.marked = value
	s.gpu.Count(metric.OrderWaits, 1)
	return s.gpu.Driver.StreamWaitEvent(other, s.mark)
}

// Block sleeps until what is in the stream has ended. The context is current.
func (s *Stream) Block() error {
	last := s.enqueued.Load()
	if s.word != nil {
		if err := s.record(last); err != nil {
			return err
		}
	}
	if err := s.gpu.Driver.EventSynchronize(s.mark); err != nil {
		return err
	}
	s.End(last)
	return nil
}
