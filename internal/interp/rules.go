package interp

import (
	"github.com/govyre/vyre/internal/exact"
	"github.com/govyre/vyre/internal/launch"
	"github.com/govyre/vyre/internal/matrix"
	"github.com/govyre/vyre/ir"
)

// rules are the decisions of the language that a device gets wrong most easily, in one table. Kernels are
// prepared with the standard rules; the tests of this package prepare others, to see that the conformance
// suite notices each.
type rules struct {
	// eval returns the evaluation of a pure op, also where an atomic, a vote, a reduction or a scan combines with it.
	eval func(ir.Op) exact.Func
	// copies orders the copies dst[i] ← src[i] of carried values; temp is a free slot, and the result says whether it is used.
	copies func(dst, src []int32, temp int32) ([]move, bool)
	// element returns which of n elements is the e-th of an access to vec elements from first on; false if there is none.
	element func(first, e, vec, n uint64) (uint64, bool)
	// value makes the value of an element of a type from its raw bits.
	value func(t ir.Type, raw uint64) uint64
	// shuffled returns what a lane reads from the values v of n lanes.
	shuffled func(v *lanes, from uint64, n int) uint64
	// mulAdd makes a matrix product of what the lanes of a warp hold.
	mulAdd func(f matrix.Form, g matrix.Generation, a *[32][4]uint32, b *[32][2]uint32, c, d *[32][4]uint32)
	// round is called where a round of a loop ends, with the lanes that broke out and those that go again.
	round func(f *frame)
	// records tells whether a trap is recorded after an earlier one, nil if there is none.
	records func(earlier *launch.Trap) bool
}

// standard is what the language says.
var standard = rules{
	eval:   func(op ir.Op) exact.Func { return exact.Of(op) },
	copies: parallel,
	element: func(first, e, _, n uint64) (uint64, bool) {
		return first + e, first+e < n
	},
	value:    value,
	shuffled: exact.ReadLane,
	mulAdd:   matrix.MulAdd,
	round:    func(*frame) {},
	records:  func(earlier *launch.Trap) bool { return earlier == nil },
}
