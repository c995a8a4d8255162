package exec

import (
	"errors"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/cu"
	"github.com/govyre/vyre/internal/metric"
)

// image is one executable of a segment's graph, and what it was made of.
type image struct {
	graph    cu.Graph
	exec     cu.GraphExec
	launches []madeLaunch // by Plan.Launches, from the segment's first on
	loops    []madeLoop
	copies   []madeCopy
}

// madeLaunch is a launch as an image has it, at its nodes: more than one if it is in a Repeat
// that was unrolled.
type madeLaunch struct {
	is    bool // it is one of the segment's
	empty bool // there is no node
	nodes []cu.GraphNode
}

// madeLoop is a Repeat as an image has it.
type madeLoop struct {
	c        *driver.LoopCmd
	count    uint64
	unrolled bool
}

// madeCopy is a copy, as an image has it, between the device and memory of the user, which a
// setter may replace.
type madeCopy struct {
	op   *op
	part int // index in Pieces or Views
	node cu.GraphNode
	copy cu.Copy
}

// moved takes over where the user's memory is, and reports whether that is somewhere else.
func (m *madeCopy) moved() bool {
	was := m.copy
	if m.op.up != nil {
		m.copy.SrcHost = pieceAt(m.op.up.Pieces[m.part])
	} else {
		m.copy.DstHost = viewAt(m.op.down.Views[m.part])
	}
	return m.copy.SrcHost != was.SrcHost || m.copy.DstHost != was.DstHost
}

// make builds and instantiates an image, and brings it to the device. What a failure leaves is
// destroyed.
func (s *segment) make(resident bool) (*image, error) {
	drv, im := s.r.x.GPU.Driver, &image{launches: make([]madeLaunch, s.launches[1]-s.launches[0])}
	err := s.fill(im, resident)
	if err == nil {
		if im.exec, err = drv.GraphInstantiate(im.graph); err == nil {
			err = drv.GraphUpload(im.exec, s.r.Stream.Handle)
		}
	}
	if err != nil {
		_ = s.destroy(im) // the first error is the one to report
		return nil, err
	}
	return im, nil
}

// destroy gives an image back. Nothing of it runs.
func (s *segment) destroy(im *image) (first error) {
	if im == nil || s.r.x.GPU.Lost() {
		return nil
	}
	if im.exec != 0 {
		first = s.r.x.GPU.Driver.GraphExecDestroy(im.exec)
	}
	if im.graph != 0 {
		if err := s.r.x.GPU.Driver.GraphDestroy(im.graph); first == nil {
			first = err
		}
	}
	im.exec, im.graph = 0, 0
	return first
}

// drop gives both images back.
func (s *segment) drop() error { return errors.Join(s.destroy(s.full), s.destroy(s.resident)) }

// made returns a launch as an image has it; nil if it is not one of the segment's.
func (s *segment) made(im *image, c *driver.LaunchCmd) *madeLaunch {
	if i := c.Index - s.launches[0]; i >= 0 && i < len(im.launches) && im.launches[i].is {
		return &im.launches[i]
	}
	return nil
}

// change brings the images up to date with the setters. A launch that changed is changed in them;
// where the driver refuses, or where the change is one of their shape, they are made anew. It looks
// at no launch that did not change. The launches are bound.
func (s *segment) change() error {
	x, p := s.r.x, s.r.plan
	anew := s.reshaped()
	var err error
	if !anew {
		if anew, err = s.relaunch(); err == nil && !anew {
			anew, err = s.rehost()
		}
	}
	if err != nil || !anew {
		return err
	}
	x.GPU.Count(metric.GraphRebuilds, 1)
	x.GPU.Say("graph of %q is made anew", p.Label)
	if err := s.remake(); err != nil {
		return x.GPU.Complete("start", p.Label, err)
	}
	return nil
}

// images calls f with each of them, until it fails.
func (s *segment) images(f func(*image) error) error {
	err := f(s.full)
	if err == nil && s.resident != nil {
		err = f(s.resident)
	}
	return err
}

// refuses reports whether the driver refuses a change, as opposed to the device being lost by it.
func (s *segment) refuses(err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	if e := s.r.x.GPU.ErrorOf("start", s.r.plan.Label, err); e.Sticky {
		return false, e
	}
	return true, nil
}

// relaunch changes the launches that setters changed. It reports whether the driver refused.
func (s *segment) relaunch() (refused bool, err error) {
	r := s.r
	for c := range r.plan.ChangedSince(s.gen) {
		l := &r.launches[c.Index]
		if c.Changed <= s.gen || s.made(s.full, c) == nil {
			continue
		}
		r.x.GPU.Count(metric.GraphUpdates, 1)
		r.records.ownBlock(l)
		refused, err := s.refuses(s.images(func(im *image) error {
			for _, n := range s.made(im, c).nodes {
				if err := r.x.GPU.Driver.GraphExecKernelNodeSetParams(im.exec, n, &l.call); err != nil {
					return err
				}
			}
			return nil
		}))
		if refused || err != nil {
			return refused, err
		}
	}
	return false, nil
}

// rehost changes the copies between the device and memory of the user that is another one now. It
// reports whether the driver refused.
func (s *segment) rehost() (refused bool, err error) {
	if s.r.plan.Rehosted <= s.gen {
		return false, nil
	}
	return s.refuses(s.images(func(im *image) error {
		for i := range im.copies {
			m := &im.copies[i]
			if !m.moved() {
				continue
			}
			if im == s.full {
				s.r.x.GPU.Count(metric.GraphUpdates, 1)
			}
			if err := s.r.x.GPU.Driver.GraphExecMemcpyNodeSetParams(im.exec, m.node, &m.copy); err != nil {
				m.copy.SrcHost, m.copy.DstHost = nil, nil // it is not there yet
				return err
			}
		}
		return nil
	}))
}

// reshaped reports whether an image has other nodes, or may need other edges, than the operations
// have now.
func (s *segment) reshaped() bool {
	r := s.r
	for c := range r.plan.ChangedSince(s.gen) {
		m := s.made(s.full, c)
		if m != nil && (m.empty != c.Grid.Empty() || r.overlap && c.Moved > s.gen) {
			return true
		}
	}
	if r.transfers.rerouted > s.gen {
		return true
	}
	for _, m := range s.full.loops {
		if m.unrolled && m.count != m.c.Count {
			return true
		}
	}
	return false
}

// remake replaces the images. The old ones stay, and stay out of date, if that fails.
func (s *segment) remake() error {
	full, err := s.make(false)
	if err != nil {
		return err
	}
	old := s.full
	s.full = full
	err = s.destroy(old)
	if s.resident != nil {
		old, s.resident = s.resident, nil // made again when it is needed
		err = errors.Join(err, s.destroy(old))
	}
	return err
}
