package device

import (
	"math/bits"
	"slices"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/ir"
)

// unions are those that are staged for a call.
type unions struct {
	own   driver.Range  // the column of the image for them
	pairs driver.Buffer // where they are, if there are too many for that
	stage []uint32      // they, behind their head
	left  int           // pairs that no finished call has united
	have  head          // what the device has
	anew  bool          // how far the call before came is unknown
}

// head is the head of what is staged.
type head struct {
	known bool
	pairs int
	most  uint32
}

// begin stages those that an image brought, which it has in a column.
func (u *unions) begin(im *Image, b driver.Buffer) {
	u.own = im.l.of(b, staged)
	u.stage = slices.Clone(im.words[im.l.at[staged]:][:im.l.len[staged]])
	u.left, u.have = int(im.pending), head{true, int(im.pending), 0}
}

// staging is where they are staged.
func (u *unions) staging() driver.Range {
	if u.pairs != nil {
		return driver.All(u.pairs)
	}
	return u.own
}

// check refuses unions that cannot be, of classes of these types.
func (u *unions) check(types []ir.Type, pending [][2]uint32) error {
	if all := u.left + len(pending); all > maxRows {
		return refused("canonicalise", "%d unions, at most %d are possible in a call", all, maxRows)
	}
	for k, p := range pending {
		if int64(max(p[0], p[1])) >= int64(len(types)) {
			return refused("canonicalise", "union %d is of classes %d and %d of %d", k, p[0], p[1], len(types))
		}
		if a, b := types[p[0]], types[p[1]]; a != b {
			return refused("canonicalise", "union %d is of class %d, which is %v, and class %d, which is %v", k, p[0], a, p[1],
				b)
		}
	}
	return nil
}

// fits reports whether there is room on the host for so many more.
func (u *unions) fits(more int) bool { return closure.StagedHead+2*(u.left+more) <= len(u.stage) }

// widen makes that room: commands that upload what is staged have to be gone.
func (u *unions) widen(more int) {
	stage := make([]uint32, words(u.left+more))
	copy(stage, u.stage)
	u.stage = stage
}

// words is how many words are staged for so many pairs: few sizes, so that few commands are made.
func words(pairs int) int { return closure.StagedHead + 2<<bits.Len(uint(pairs-1)) }

// add stages unions, behind those that a failed call may have left.
func (u *unions) add(pending [][2]uint32) {
	for k, p := range pending {
		copy(u.stage[closure.StagedHead+2*(u.left+k):], p[:])
	}
	u.left += len(pending)
}

// grow makes room on the device for what is staged: plans that have the place of that have to be gone.
func (u *unions) grow(dev vyre.Device) error {
	u.have.known = false
	if u.pairs != nil {
		if err := u.pairs.Close(); err != nil {
			return err
		}
		u.pairs = nil
	}
	b, err := dev.Alloc(4*int64(len(u.stage)), driver.AllocOptions{Label: label + ", unions"})
	if err == nil {
		u.pairs = b
	}
	return err
}

// head writes the head of what is staged for a call with so many more unions and at most so many rounds, and returns
// how many words are to be uploaded: none if the device has them.
func (u *unions) head(more int, most uint32) int {
	if want := (head{true, u.left, most}); more == 0 && !u.anew && u.have == want {
		return 0
	}
	u.have.known = false
	u.stage[closure.StagedPairs], u.stage[closure.StagedMost], u.stage[closure.StagedAnew] = uint32(u.left), most, 0
	if u.anew {
		u.stage[closure.StagedAnew] = 1
	}
	if u.left == 0 {
		return closure.StagedHead
	}
	return min(len(u.stage), words(u.left))
}

// failed says that it is not known how far a call came, and done that it came to its end.
func (u *unions) failed()          { u.have.known, u.anew = false, true }
func (u *unions) done(most uint32) { u.have, u.anew, u.left = head{true, 0, most}, false, 0 }
