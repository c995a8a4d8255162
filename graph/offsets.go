package graph

import (
	"sync/atomic"
	"unsafe"

	"github.com/govyre/vyre/graph/internal/limits"
)

// offset is where a row starts: 64 bits where 32 do not count the arcs.
type offset interface{ uint32 | uint64 }

// offsets are where rows start, and at the end the number of arcs: one more than there are nodes, or none if there are no nodes.
// At most one of the two is there.
type offsets struct {
	narrow []uint32
	wide   []uint64
}

// newOffsets takes degrees of nodes, with one entry more, and makes the starts of their rows of them.
func newOffsets(degrees []uint32) offsets {
	var arcs uint64
	for _, d := range degrees {
		arcs += uint64(d)
	}
	if arcs <= limits.NarrowArcs {
		startRows(degrees, degrees)
		return offsets{narrow: degrees}
	}
	wide := make([]uint64, len(degrees))
	startRows(wide, degrees)
	return offsets{wide: wide}
}

// startRows adds up degrees, of which the last one is none. Both may be the same memory.
func startRows[O offset](starts []O, degrees []uint32) {
	var total O
	for i, d := range degrees {
		starts[i] = total
		total += O(d)
	}
}

// settled is the same offsets in the width that their number of arcs has.
func (o offsets) settled() offsets {
	switch n := o.len(); {
	case n == 0 || (o.wide != nil) == (o.at(n-1) > limits.NarrowArcs):
		return o
	case o.wide != nil:
		return offsets{narrow: converted[uint32](o.wide)}
	}
	return offsets{wide: converted[uint64](o.narrow)}
}

func converted[To, From offset](starts []From) []To {
	to := make([]To, len(starts))
	for i, v := range starts {
		to[i] = To(v)
	}
	return to
}

// len returns how many there are.
func (o *offsets) len() int { return max(len(o.narrow), len(o.wide)) }

// at returns where row u starts, which is where the one before it ends.
func (o *offsets) at(u int) uint64 {
	if o.wide != nil {
		return o.wide[u]
	}
	return uint64(o.narrow[u])
}

// row returns which arcs a node has.
func (o *offsets) row(u uint32) (first, last uint64) {
	if o.wide != nil {
		return o.wide[u], o.wide[u+1]
	}
	return uint64(o.narrow[u]), uint64(o.narrow[u+1])
}

// take returns the next free place of a row whose start counts up while it is filled. A portion that is all of the work has
// nobody beside it.
func (o *offsets) take(p Portion, u uint32) uint64 {
	switch {
	case o.wide != nil && p.parts > 1:
		return atomic.AddUint64(&o.wide[u], 1) - 1
	case o.wide != nil:
		o.wide[u]++
		return o.wide[u] - 1
	case p.parts > 1:
		return uint64(atomic.AddUint32(&o.narrow[u], 1) - 1)
	}
	o.narrow[u]++
	return uint64(o.narrow[u] - 1)
}

// filled is when all rows are: every start has moved to the end of its row, where the next one starts.
func (o *offsets) filled() {
	shift(o.narrow)
	shift(o.wide)
}

func shift[O offset](starts []O) {
	if len(starts) > 0 {
		copy(starts[1:], starts)
		starts[0] = 0
	}
}

// set says where row u starts.
func (o *offsets) set(u int, at uint64) {
	if o.wide != nil {
		o.wide[u] = at
	} else {
		o.narrow[u] = uint32(at)
	}
}

// width is how many bytes one has.
func (o *offsets) width() int {
	if o.wide != nil {
		return int(unsafe.Sizeof(o.wide[0]))
	}
	return int(unsafe.Sizeof(o.narrow[0]))
}

// bytes are all of them, little endian.
func (o *offsets) bytes() []byte {
	if o.wide != nil {
		return bytesOf(o.wide)
	}
	return bytesOf(o.narrow)
}
