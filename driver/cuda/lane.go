package cuda

import (
	"slices"
	"sync"

	"github.com/govyre/vyre/driver/cuda/cu"
)

// lane is where the runs of one runner go: a stream, the event behind the last run, and two
// that device time is measured between.
type lane struct {
	stream   cu.Stream
	end      cu.Event
	from, to cu.Event
}

// lanes hands out lanes and keeps what is given back.
type lanes struct {
	dev  *Device
	mu   sync.Mutex
	idle []*lane
}

// idleLanes bounds what is kept.
const idleLanes = 32

// get returns a lane with nothing on it. The context is current.
func (s *lanes) get() (*lane, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		l := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return l, nil
	}
	s.mu.Unlock()
	drv, l := s.dev.drv, &lane{}
	var err error
	if l.stream, err = drv.StreamCreate(cu.StreamNonBlocking); err == nil {
		if l.end, err = drv.EventCreate(cu.EventBlockingSync | cu.EventDisableTiming); err == nil {
			if l.from, err = drv.EventCreate(0); err == nil {
				l.to, err = drv.EventCreate(0)
			}
		}
	}
	if err != nil {
		// What was made before goes; the first error is the one to report.
		_ = s.destroy(l)
		return nil, err
	}
	return l, nil
}

// put gives a lane back on which nothing runs. The context is current.
func (s *lanes) put(l *lane) error {
	s.mu.Lock()
	if len(s.idle) < idleLanes {
		s.idle = append(s.idle, l)
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	return s.destroy(l)
}

// destroy gives what a lane has to the driver and returns the first refusal.
func (s *lanes) destroy(l *lane) error {
	var errs []error
	for _, e := range []cu.Event{l.end, l.from, l.to} {
		if e != 0 {
			errs = append(errs, s.dev.drv.EventDestroy(e))
		}
	}
	if l.stream != 0 {
		errs = append(errs, s.dev.drv.StreamDestroy(l.stream))
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// drop destroys what is kept; a lost context has done so.
func (s *lanes) drop(note func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.idle {
		if s.dev.lost.Load() == nil {
			note(s.destroy(l))
		}
	}
	s.idle = nil
}
