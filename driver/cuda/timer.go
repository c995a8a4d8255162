package cuda

import (
	"slices"
	"sync"
	"time"

	"github.com/govyre/vyre/driver/cuda/cu"
)

// timer is what device time is measured with: events around the work, and around all of the run
// if its transfers are timed.
type timer struct {
	from, to   cu.Event
	begin, end cu.Event // 0 unless transfers are timed
}

func (t *timer) events() []cu.Event { return []cu.Event{t.from, t.to, t.begin, t.end} }

// timers hands out timers and keeps what is given back.
type timers struct {
	dev  *Device
	mu   sync.Mutex
	idle []cu.Event
}

// idleEvents bounds what is kept.
const idleEvents = 128

// get returns a timer. The context is current.
func (p *timers) get(transfers bool) (t timer, err error) {
	places := []*cu.Event{&t.from, &t.to}
	if transfers {
		places = append(places, &t.begin, &t.end)
	}
	for _, at := range places {
		if *at, err = p.event(); err != nil {
			_ = p.put(t) // the first error is the one to report
			return timer{}, err
		}
	}
	return t, nil
}

func (p *timers) event() (cu.Event, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		e := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return e, nil
	}
	p.mu.Unlock()
	return p.dev.gpu.Driver.EventCreate(0)
}

// put gives a timer back that nothing will record any more. The context is current.
func (p *timers) put(t timer) error {
	var errs []error
	for _, e := range t.events() {
		if e == 0 {
			continue
		}
		p.mu.Lock()
		keep := len(p.idle) < idleEvents
		if keep {
			p.idle = append(p.idle, e)
		}
		p.mu.Unlock()
		if !keep {
			errs = append(errs, p.dev.gpu.Driver.EventDestroy(e))
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}

// drop destroys what is kept; a lost context has done so.
func (p *timers) drop(note func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.idle {
		if !p.dev.gpu.Lost() {
			note(p.dev.gpu.Driver.EventDestroy(e))
		}
	}
	p.idle = nil
}

// between returns the time from one event to another, which both have passed.
func (d *Device) between(from, to cu.Event) (time.Duration, bool) {
	ms, err := d.gpu.Driver.EventElapsedTime(from, to)
	if err != nil || !(ms >= 0 && ms < 1e12) { // neither negative nor NaN nor infinite
		return 0, false
	}
	return time.Duration(float64(ms)*1e6 + 0.5), true
}
