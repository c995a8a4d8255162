package driver

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/internal/metric"
)

// Tally is a set of metrics that is counted into. Whoever runs has one of its own, so that
// processors do not wait for each other's cache lines.
type Tally struct {
	_ [64]byte
	v [numMetrics]atomic.Uint64
	_ [64]byte
}

// Count adds n to a counter.
func (t *Tally) Count(m Metric, n uint64) { t.v[m].Add(n) }

// Gauge moves a gauge by n and returns where it is, as far as this tally moved it.
func (t *Tally) Gauge(m Metric, n int64) int64 { return int64(t.v[m].Add(uint64(n))) }

// addSat adds n to a counter that stops at the largest value instead of wrapping.
func (t *Tally) addSat(m Metric, n uint64) {
	for {
		was := t.v[m].Load()
		if t.v[m].CompareAndSwap(was, addSat(was, n)) {
			return
		}
	}
}

func addSat(a, b uint64) uint64 {
	if sum, carry := bits.Add64(a, b, 0); carry == 0 {
		return sum
	}
	return 1<<64 - 1
}

// Counters holds a device's metrics while it runs: a tally for everybody, and one for each
// sequence. Their sums are the metrics.
type Counters struct {
	Tally

	mu   sync.Mutex
	all  []*Tally
	idle []*Tally           // of all: those of closed sequences, for the next ones
	base [numMetrics]uint64 // of counters: what they were at the last reset
}

// High raises a gauge to n, if it is lower.
func (c *Counters) High(m Metric, n int64) {
	for {
		was := c.v[m].Load()
		if int64(was) >= n || c.v[m].CompareAndSwap(was, uint64(n)) {
			return
		}
	}
}

// takeTally returns a tally that nobody else counts into, until dropTally.
func (c *Counters) takeTally() *Tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.idle) - 1; last >= 0 {
		t := c.idle[last]
		c.idle = c.idle[:last]
		return t
	}
	t := &Tally{}
	c.all = append(c.all, t)
	return t
}

// dropTally keeps what a tally has counted, for the sums and for the next who takes it.
func (c *Counters) dropTally(t *Tally) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, t)
}

// Now returns where a gauge is.
func (c *Counters) Now(m Metric) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int64(c.sum(m))
}

// sum returns what the tallies have together. The caller holds mu.
func (c *Counters) sum(m Metric) uint64 {
	v := c.v[m].Load()
	for _, t := range c.all {
		if n := t.v[m].Load(); m == metric.ThreadSlots || m == metric.DomainItems {
			v = addSat(v, n)
		} else {
			v += n
		}
	}
	return v
}

func (c *Counters) snapshot(device string) *Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &Stats{Device: device}
	for m := range numMetrics {
		s.v[m] = c.sum(m) - c.base[m]
	}
	return s
}

func (c *Counters) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for m := range numMetrics {
		if !metricTable[m].gauge {
			c.base[m] = c.sum(m)
		}
	}
}
