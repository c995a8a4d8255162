package device

import (
	"math/bits"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/egraph/device/internal/closure"
	"github.com/govyre/vyre/megakernel"
)

// unions are those that are staged for a call.
type unions struct {
	pairs driver.Buffer // where they are, if there are too many for the image's own column
	stage []uint32      // they, behind their head
	left  int           // pairs that no finished call has united
	have  head          // what the device has
}

// head is the head of what is staged.
type head struct {
	known bool
	pairs int
	most  uint32
}

// staging is where unions are staged.
func (s *Session) staging() driver.Range {
	if s.pairs != nil {
		return driver.All(s.pairs)
	}
	return s.im.l.of(s.image, staged)
}

// check refuses unions that cannot be.
func (s *Session) check(pending [][2]uint32, o Options) error {
	if o.Topology >= megakernel.Drained {
		return refused("canonicalise", "topology %v has no rounds", o.Topology)
	}
	if all := s.left + len(pending); all > maxRows {
		return refused("canonicalise", "%d unions, at most %d are possible in a call", all, maxRows)
	}
	types := s.im.types
	for k, p := range pending {
		if int64(max(p[0], p[1])) >= int64(len(types)) {
			return refused("canonicalise", "union %d is of classes %d and %d of %d", k, p[0], p[1], len(types))
		}
		if a, b := types[p[0]], types[p[1]]; a != b {
			return refused("canonicalise", "union %d is of class %d, which is %v, and class %d, which is %v", k, p[0], a, p[1], b)
		}
	}
	return nil
}

// stageCall stages the unions of a call, behind those that a failed one may have left, and returns how many words are to be uploaded.
func (s *Session) stageCall(pending [][2]uint32, o Options) (words int, err error) {
	all := s.left + len(pending)
	if need := closure.StagedHead + 2*all; need > len(s.stage) {
		if err := s.forget(); err != nil {
			return 0, err
		}
		stage := make([]uint32, closure.StagedHead+2<<bits.Len(uint(all-1)))
		copy(stage, s.stage)
		s.stage = stage
	}
	for k, p := range pending {
		copy(s.stage[closure.StagedHead+2*(s.left+k):], p[:])
	}
	s.left = all
	if err := s.grow(); err != nil {
		return 0, err
	}
	if want := (head{true, all, o.MaxRounds}); len(pending) == 0 && !s.anew && s.have == want {
		return 0, nil
	}
	s.have.known = false
	s.stage[closure.StagedPairs], s.stage[closure.StagedMost], s.stage[closure.StagedAnew] = uint32(all), o.MaxRounds, 0
	if s.anew {
		s.stage[closure.StagedAnew] = 1
	}
	if all == 0 {
		return closure.StagedHead, nil
	}
	return min(len(s.stage), closure.StagedHead+2<<bits.Len(uint(all-1))), nil
}

// grow makes room on the device for what is staged. Plans have the place of that, so they are made anew.
func (s *Session) grow() error {
	if 4*int64(len(s.stage)) <= s.staging().Len {
		return nil
	}
	s.have.known = false
	if err := s.forget(); err != nil {
		return err
	}
	for how, p := range s.plans {
		if err := p.Close(); err != nil {
			return err
		}
		delete(s.plans, how)
	}
	if s.pairs != nil {
		if err := s.pairs.Close(); err != nil {
			return err
		}
		s.pairs = nil
	}
	b, err := s.dev.Alloc(4*int64(len(s.stage)), driver.AllocOptions{Label: label + ", unions"})
	if err == nil {
		s.pairs = b
	}
	return err
}
