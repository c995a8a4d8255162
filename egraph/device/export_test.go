package device

import (
	"context"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph"
)

// OpenMasked is Open with signatures masked.
func OpenMasked(ctx context.Context, dev vyre.Device, im *Image, keep uint32) (*Session, error) {
	return open(ctx, dev, im, keep)
}

// BuildWith is Build with a table of so many slots, a power of two.
func BuildWith(g *egraph.Graph, slots uint64) (*Image, error) {
	s := sourceOf(g)
	return s.image(slots)
}

// BuildChanged is Build of changed columns.
func BuildChanged(g *egraph.Graph, change func(c *egraph.Columns, pending *[][2]egraph.Class)) (*Image, error) {
	s := sourceOf(g)
	change(&s.Columns, &s.pending)
	return s.image(0)
}

// Child is the range of child k of a row of up to three children, on the device.
func (s *Session) Child(row, k int) driver.Range {
	return driver.Part(s.image, 4*(s.im.l.at[rows]+int64(4*row+1+k)), 4)
}

// Words returns everything that was read.
func (r *Result) Words() []uint32 {
	if r.rows {
		return r.s.read
	}
	return r.s.read[len(r.s.read)-r.s.readWords(false):]
}
