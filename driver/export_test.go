package driver

import (
	"iter"
	"slices"
)

// Counted yields what a tally has counted.
func (t *Tally) Counted() iter.Seq2[Metric, uint64] {
	return func(yield func(Metric, uint64) bool) {
		for m := range numMetrics {
			if !yield(m, t.v[m].Load()) {
				return
			}
		}
	}
}

// LaneCount is how many rows of a batch run at the same time.
var LaneCount = laneCount

// ForceStaticKey makes all static sets of the pool have one key.
func (p *Pool) ForceStaticKey() {
	p.statics.key = func(uint64, [][]byte) [32]byte { return [32]byte{1} }
}

// RowsShare reports whether rows of a batch share what one of them writes.
func RowsShare(rows []Row) bool {
	a, _ := sharedByRows(rows)
	return a != nil
}

// ParseDebugList is what reads OpenOptions.Debug.
func ParseDebugList(list string) (Debug, error) { return parseDebug(list) }

// GroupSizes returns the candidates of a program by the model, best first, and the costs of the powers of two, by size.
func GroupSizes(c *Caps, r Resources, declared int, items uint64) (best []int, costs []uint64) {
	all, _ := groupSizes(c, r, declared, items)
	for _, s := range all {
		best = append(best, s.threads)
	}
	slices.SortFunc(all, func(a, b groupSize) int { return a.threads - b.threads })
	for _, s := range all {
		costs = append(costs, s.cost)
	}
	return best, costs
}

// Fastest is the rule by which medians decide; the first is the declared size.
var Fastest = fastest

// TuningKey is the key of a decision.
var TuningKey = tuningKey

// Encode returns the bytes that are kept, and Decode reads them.
func (t *Tuning) Encode() []byte        { return t.encode() }
func (t *Tuning) Decode(b []byte) error { return t.decode(b) }

// Encode returns the bytes that are kept, and Decode reads them.
func (c *Costs) Encode() []byte        { return c.encode() }
func (c *Costs) Decode(b []byte) error { return c.decode(b) }
