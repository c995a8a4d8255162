package exec

import (
	"sync"
	"time"
	"unsafe"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda/internal/primary"
	"github.com/govyre/vyre/internal/cu"
)

// mark is a place in a run where the clock is looked at.
type mark uint8

const (
	markBegin mark = iota // of all
	markFrom              // the work begins here
	markTo
	markEnd
	marks
)

// clock has the times of a run's marks. The stream records an event at each. A graph that has all of them stores
// there what the GPU's clock says instead.
type clock struct {
	events  [marks]cu.Event // 0 where there is no mark
	stamps  *[marks]uint64  // in staging; nil if no graph has marks
	stamped bool            // by the run
}

const stampBytes = int64(unsafe.Sizeof([marks]uint64{}))

// reset makes the stamps ready for a run whose marks a graph has.
func (c *clock) reset() {
	*c.stamps, c.stamped = [marks]uint64{}, true
}

// read takes the times of a run that has ended. The context is current if that asks the driver.
func (c *clock) read(drv cu.Driver, res *driver.Result) {
	if c.stamped {
		between(func(m mark) uint64 { return c.stamps[m] }, res)
		return
	}
	told(func(from, to mark) (time.Duration, bool) {
		if c.events[from] == 0 || c.events[to] == 0 {
			return 0, false
		}
		return elapsed(drv, c.events[from], c.events[to])
	}, res)
}

// between takes the times of a run from what the clock said at its marks; 0 where there is no mark.
func between(stamp func(mark) uint64, res *driver.Result) {
	told(func(from, to mark) (time.Duration, bool) {
		a, b := stamp(from), stamp(to)
		return time.Duration(b - a), a != 0 && b >= a
	}, res)
}

// told takes the times of a run from how long it was between two marks.
func told(took func(from, to mark) (time.Duration, bool), res *driver.Result) {
	res.Device, res.HasDevice = took(markFrom, markTo)
	in, first := took(markBegin, markFrom)
	out, second := took(markTo, markEnd)
	if res.HasTransfers = first && second; res.HasTransfers {
		res.TransferIn, res.TransferOut = in, out
	}
}

// asks reports whether to read takes calls of the driver.
func (c *clock) asks() bool { return !c.stamped && c.events[markFrom] != 0 }

// elapsed returns the time from one event to another, which have both passed.
func elapsed(drv cu.Driver, from, to cu.Event) (time.Duration, bool) {
	ms, err := drv.EventElapsedTime(from, to)
	if err != nil || !(ms >= 0 && ms < 1e12) { // neither negative nor NaN nor infinite
		return 0, false
	}
	return time.Duration(float64(ms)*1e6 + 0.5), true
}

// timers hands out events for clocks, and keeps what is given back.
type timers struct {
	gpu  *primary.Context
	mu   sync.Mutex
	idle []cu.Event
}

// idleEvents bounds what is kept.
const idleEvents = 128

// get returns events for the marks around the work, and for those around all of a run if its transfers are timed.
// The context is current.
func (p *timers) get(transfers bool) (events [marks]cu.Event, err error) {
	for m := range marks {
		if transfers || m == markFrom || m == markTo {
			if events[m], err = p.event(); err != nil {
				_ = p.put(events[:]) // the first error is the one to report
				return [marks]cu.Event{}, err
			}
		}
	}
	return events, nil
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
	return p.gpu.Driver.EventCreate(0)
}

// put gives events back that nothing will record any more. The context is current.
func (p *timers) put(events []cu.Event) (first error) {
	for _, e := range events {
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
			if err := p.gpu.Driver.EventDestroy(e); first == nil {
				first = err
			}
		}
	}
	return first
}

// drop destroys what is kept; a lost context has done so.
func (p *timers) drop(note func(error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.idle {
		if !p.gpu.Lost() {
			note(p.gpu.Driver.EventDestroy(e))
		}
	}
	p.idle = nil
}
