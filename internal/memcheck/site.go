package memcheck

import (
	"math"

	"github.com/govyre/vyre/ir"
)

// Site is an access that is checked. Its check traces up to three numbers, of 64 bits each.
type Site struct {
	Row    ir.Row // of the program that was instrumented
	Op     ir.Op
	Pos    ir.Pos
	Object ir.ObjectInfo

	kind   kind
	index  ir.Type
	i, j   ir.Row // of what the source wrote, if it is not the index
	within ir.Row // of a part: the condition that i is below its length
}

// kind is what a check traces.
type kind uint8

const (
	whole kind = iota // the index, and the length of the object in elements, or in records
	part              // of a part: i, its length and 1; or the index, the length of the object and 0, where i is below the length of the part
	inner             // of an array in records: i, the number of records, and j
)

// Found is what the checks of a site have noted in a launch, or in several launches of one command.
type Found struct {
	Site   uint32
	Times  uint64
	Linear uint64    // the smallest invocation, by its linear id in the grid
	Values [3]uint64 // of its first check
}

// Tally collects what checks note, by site. The zero Tally is ready.
type Tally []Found

// Note counts a check. Those of one invocation have to come in their order; then the outcome depends on no other order.
func (t *Tally) Note(f Found) {
	for uint32(len(*t)) <= f.Site {
		*t = append(*t, Found{Site: uint32(len(*t))})
	}
	if f.Times == 0 {
		return
	}
	old := &(*t)[f.Site]
	times := old.Times + f.Times
	if old.Times == 0 || f.Linear < old.Linear {
		*old = f
	}
	old.Times = times
}

// beyond is an element number that no object has.
const beyond = 1 << 62

// Place is what a check found.
type Place struct {
	Index int64  // the one that is out of bounds
	Len   uint64 // what it exceeds
	Inner bool   // they are of an array in a record
	Part  bool   // they are of a part of the object
	Path  string // what the source calls the element
}

// Read tells what a check of the site traced.
func (s *Site) Read(v [3]uint64) Place {
	n := int64(s.Object.Count())
	switch {
	case s.kind == part:
		return Place{Index: int64(v[0]), Len: v[1], Part: v[2] != 0, Path: s.Object.PathInside(int64(v[0]), 0)}
	case s.kind == inner:
		i, j := int64(v[0]), int64(v[2])
		at := Place{Index: i, Len: v[1], Path: s.Object.PathInside(i, j)}
		if i >= 0 && uint64(i) < at.Len {
			at.Index, at.Len, at.Inner = j, uint64(n), true
		}
		return at
	}
	at := Place{Index: s.element(v[0], v[1]), Len: v[1]}
	at.Path = s.Object.Path(at.Index)
	if n > 1 && at.Index >= 0 {
		at.Index /= n
	}
	return at
}

// element returns the first element out of bounds that an index names, negative if that is.
func (s *Site) element(bits, length uint64) int64 {
	n := int64(s.lanes())
	switch i := int64(bits); {
	case s.index.IsSigned() && i < 0:
		return max(i, math.MinInt64/4) * n
	case bits >= beyond/4:
		return math.MaxInt64
	case n > 1 && length < beyond:
		return max(i*n, int64(length))
	default:
		return i * n
	}
}
