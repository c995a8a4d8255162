package driver

import (
	"math/bits"

	"github.com/govyre/vyre/internal/metric"
)

// launchCount is what launches of one step count: that they happened, and how well they used
// their threads.
type launchCount struct {
	ran, skipped, coop uint64
	slots, items       uint64 // saturated
}

func (c *LaunchCmd) count(n uint64) launchCount {
	if n == 0 {
		return launchCount{}
	}
	if c.Grid.Empty() {
		return launchCount{skipped: n}
	}
	l := launchCount{ran: n, slots: mulSat(c.slots(), n)}
	if l.items = l.slots; c.Domain > 0 {
		l.items = mulSat(c.Domain, n)
	}
	if c.Kernel.Flags()&Resident != 0 {
		l.coop = n
	}
	return l
}

// CountLaunch counts n launches of one step.
func (t *Tally) CountLaunch(l *LaunchCmd, graph bool, n uint64) {
	c := l.count(n)
	t.countLaunches(c, graph)
	if c.slots == 1<<64-1 {
		t.Count(metric.SlotSaturations, 1)
	}
}

func (t *Tally) countLaunches(c launchCount, graph bool) {
	how := Metric(metric.LaunchesPlain)
	if graph {
		how = metric.LaunchesGraph
	}
	if c.skipped > 0 {
		t.Count(metric.LaunchesSkipped, c.skipped)
	}
	if c.ran == 0 {
		return
	}
	t.Count(how, c.ran)
	if c.coop > 0 {
		t.Count(metric.CoopLaunches, c.coop)
	}
	t.addSat(metric.ThreadSlots, c.slots)
	t.addSat(metric.DomainItems, c.items)
}

// LaunchSum is what several launches count together. It changes by one launch at a time and is
// counted as a whole, so that neither takes longer where there are more of them.
type LaunchSum struct {
	each               []launchCount
	ran, skipped, coop uint64
	slots, items       wide
	large              int // of each: those that many runs together may saturate
}

// Each of at most largeSlots runs of a launch with fewer threads than that saturates nothing.
const largeSlots = 1 << 32

// Reset makes the sum that of no launches.
func (s *LaunchSum) Reset() { *s = LaunchSum{each: s.each[:0]} }

// Add adds n launches of one step and returns its place.
func (s *LaunchSum) Add(l *LaunchCmd, n uint64) (at int) {
	s.each = append(s.each, launchCount{})
	at = len(s.each) - 1
	s.Set(at, l, n)
	return at
}

// Set changes what the step at a place counts.
func (s *LaunchSum) Set(at int, l *LaunchCmd, n uint64) {
	was, is := s.each[at], l.count(n)
	s.each[at] = is
	s.ran += is.ran - was.ran
	s.skipped += is.skipped - was.skipped
	s.coop += is.coop - was.coop
	s.slots.replace(was.slots, is.slots)
	s.items.replace(was.items, is.items)
	if was.slots >= largeSlots {
		s.large--
	}
	if is.slots >= largeSlots {
		s.large++
	}
}

// CountSum counts n times what a sum stands for.
func (t *Tally) CountSum(s *LaunchSum, graph bool, n uint64) {
	t.countLaunches(launchCount{ran: n * s.ran, skipped: n * s.skipped, coop: n * s.coop,
		slots: mulSat(s.slots.saturated(), n), items: mulSat(s.items.saturated(), n)}, graph)
	if s.large == 0 && n < largeSlots {
		return
	}
	for i := range s.each {
		if mulSat(s.each[i].slots, n) == 1<<64-1 {
			t.Count(metric.SlotSaturations, 1)
		}
	}
}

// wide is a sum that does not saturate, so that what was added can be taken out again.
type wide struct{ hi, lo uint64 }

func (w *wide) replace(was, is uint64) {
	var carry, borrow uint64
	w.lo, carry = bits.Add64(w.lo, is, 0)
	w.lo, borrow = bits.Sub64(w.lo, was, 0)
	w.hi += carry - borrow
}

func (w *wide) saturated() uint64 {
	if w.hi > 0 {
		return 1<<64 - 1
	}
	return w.lo
}
