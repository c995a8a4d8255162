package prim

import (
	"fmt"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/driver"
)

// Step is a primitive in a sequence.
type Step struct {
	of       *made
	room     uint64 // elements that the ranges hold, and the primitive was made for
	nowhere  vyre.Range
	launches []launch
}

// launch is a kernel of the step. Its parameters n and at are those of the length.
type launch struct {
	step  *driver.Step
	n, at int
}

// SetLength changes how many elements the next runs take. It answers like the setters of a vyre.Step, and refuses more than
// the ranges hold or the primitive was made for.
func (s *Step) SetLength(l Length) error {
	if s == nil || s.of == nil {
		return unrecorded()
	}
	if err := s.admit(l); err != nil {
		return err
	}
	for _, k := range s.launches {
		if err := k.step.SetArg(k.n, driver.U64(l.n)); err != nil {
			return err
		}
		if err := k.step.SetArg(k.at, s.where(l)); err != nil {
			return err
		}
	}
	return nil
}

// begin begins a step on ranges of which the shortest has so many elements. What is wrong with the length is reported by
// Prepare; the step is recorded all the same.
func (m *made) step(seq *vyre.Sequence, l Length, room int, any vyre.Range) *Step {
	s := &Step{of: m, room: min(m.max, uint64(room)), nowhere: vyre.Range{Buffer: any.Buffer}}
	if err := s.admit(l); err != nil {
		seq.Refuse(err)
	}
	return s
}

// where is the range that kernels get for a length: empty where the host knows it.
func (s *Step) where(l Length) vyre.Range {
	if l.onDevice {
		return l.at
	}
	return s.nowhere
}

// admit refuses a length that is known to be too large.
func (s *Step) admit(l Length) *vyre.Error {
	switch {
	case l.onDevice && l.at.Buffer == nil:
		return s.of.refuse("the buffer of a length is nil", "pass prim.At a buffer of one element, or a number by prim.N")
	case l.onDevice && l.at.Len == 0:
		return s.of.refuse("the buffer of a length has no elements", "pass prim.At a buffer of one element, or a number by prim.N")
	case l.onDevice || l.n <= s.room:
		return nil
	case int64(l.n) < 0:
		return s.of.refuse(fmt.Sprintf("length %d is negative", int64(l.n)), "")
	case l.n > s.of.max:
		return s.of.refuse(fmt.Sprintf("length %d is above %d", int64(l.n), s.of.max), "make the primitive for as many elements as there can be")
	}
	return s.of.refuse(fmt.Sprintf("length %d, and a range of %d elements", l.n, s.room), "pass ranges of at least as many elements")
}

// apart refuses ranges that the step writes if they share bytes with others of it. A launch refuses that of its own ranges, but ranges
// of a step of several launches may meet in none of them.
func (s *Step) apart(seq *vyre.Sequence, written []vyre.Range, read ...vyre.Range) {
	for i, w := range written {
		for _, o := range append(written[i+1:len(written):len(written)], read...) {
			if w.Overlaps(o) {
				seq.Refuse(s.of.refuse(fmt.Sprintf("%v is written and shares bytes with %v", w, o), "pass separate ranges"))
				return
			}
		}
	}
}

// launched notes a launch whose parameters are op-specific, and then n and at.
func (s *Step) launched(k *driver.Step, n int) { s.launches = append(s.launches, launch{k, n, n + 1}) }
