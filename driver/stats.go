package driver

import (
	"iter"
	"math/bits"

	"github.com/govyre/vyre/internal/metric"
)

// Stats is a device's metrics at one moment.
type Stats struct {
	Device   string
	CacheDir string // where compiled kernels are kept between processes; empty if nowhere
	v        [numMetrics]uint64
}

// Get returns the value of one metric.
func (s *Stats) Get(m Metric) uint64 { return s.v[m] }

// Value returns the metric of a name as Metric.String has it, such as `pool_hits` or `runs{mode="graph"}`; false if there is none.
func (s *Stats) Value(name string) (uint64, bool) {
	for m, v := range s.All() {
		if m.String() == name {
			return v, true
		}
	}
	return 0, false
}

// Sub returns what was counted since prev; gauges stay as they are in s.
func (s *Stats) Sub(prev *Stats) *Stats {
	d := *s
	for m := range numMetrics {
		if !metricTable[m].gauge {
			d.v[m] -= prev.v[m]
		}
	}
	return &d
}

// All yields every metric with its value, those of one name one after the other.
func (s *Stats) All() iter.Seq2[Metric, uint64] {
	return func(yield func(Metric, uint64) bool) {
		for m := range numMetrics {
			if !yield(m, s.v[m]) {
				return
			}
		}
	}
}

// Load says how well launches used their threads; shares are in 1/10000 of the slots.
type Load struct {
	Slots       uint64 // threads launched, saturated
	Used        uint64 // of them with an item of work
	Utilisation uint64
	Waste       uint64
	Density     uint64 // items a slot, not capped
}

// Load compares the items of work that launches were given with their threads.
func (s *Stats) Load() Load {
	items, slots := s.v[metric.DomainItems], s.v[metric.ThreadSlots]
	l := Load{Slots: slots, Used: min(items, slots)}
	if slots == 0 {
		return l
	}
	share := func(n uint64) uint64 {
		hi, lo := bits.Mul64(n, 10000)
		if hi >= slots {
			return 1<<64 - 1
		}
		q, _ := bits.Div64(hi, lo, slots)
		return q
	}
	l.Utilisation, l.Waste, l.Density = share(l.Used), share(slots-l.Used), share(items)
	return l
}

// Mul multiplies, stopping at the largest value.
func Mul(a, b uint64) uint64 { return mulSat(a, b) }

// mulSat multiplies, stopping at the largest value.
func mulSat(a, b uint64) uint64 {
	if hi, lo := bits.Mul64(a, b); hi == 0 {
		return lo
	}
	return 1<<64 - 1
}
