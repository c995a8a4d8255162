package driver

import "iter"

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
