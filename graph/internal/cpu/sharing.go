package cpu

import (
	"math/bits"
	"time"
)

// sharing says whether a list is walked faster by the caller alone or by several workers. That depends on how far apart the
// cores are and on who else wants them, more than on the graph, so both are tried as a search goes, by the size of the list.
type sharing struct{ sizes [bitsSurely - bitsTried]sized }

// sized is what is known of lists of 2^k nodes and more, but less than twice as many.
type sized struct {
	turn uint32
	cost [2]float64 // nanoseconds a node, alone and shared; 0 until it was tried
}

const (
	bitsTried  = 7  // lists of less than 2^7 nodes are walked alone
	bitsSurely = 12 // and those of 2^12 and more shared out
	otherTurn  = 32 // one list in so many goes the way that was slower last
)

// choose decides, and reports whether it should hear how long it took.
func (h *sharing) choose(nodes int) (shared, timed bool) {
	k := bits.Len(uint(nodes)) - 1 - bitsTried
	if k < 0 || k >= len(h.sizes) {
		return k >= 0, false
	}
	s := &h.sizes[k]
	s.turn++
	faster := s.cost[1] <= s.cost[0]
	return faster != (s.turn%otherTurn == 0), true
}

// took hears how long it took. What a worker lost to others of the machine for once counts little.
func (h *sharing) took(nodes int, shared bool, d time.Duration) {
	way := 0
	if shared {
		way = 1
	}
	known := &h.sizes[bits.Len(uint(nodes))-1-bitsTried].cost[way]
	each := max(1e-3, float64(d)/float64(nodes))
	if *known == 0 {
		*known = each
		return
	}
	*known += (min(each, 2**known) - *known) / 8
}
