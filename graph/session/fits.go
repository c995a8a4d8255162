package session

import (
	"errors"
	"fmt"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// layout compares what searches need with the budget, before anything is allocated, and returns the parts that the graph has to be
// in, nil if it stays whole.
func (s *resident) layout() (*laidOut, error) {
	wide, err := s.g.WideOffsets() != nil || s.o.partArcs > 0, error(nil)
	if !wide {
		err = s.planMemory()
	}
	if over := (*driver.Error)(nil); !wide && (!s.o.Parts || !errors.As(err, &over) || over.Kind != driver.OutOfMemory) {
		return nil, err
	}
	if !wide && s.smallerBatches() {
		return nil, nil
	}
	cut := newCutter(s)
	l, err := cut.inParts()
	if err == nil && !s.o.Parts && l.held < l.parts() { // it is in parts because kernels count no more arcs
		all := *l
		all.held = l.parts()
		err = cut.overBudget(all.total(), l.how())
	}
	return l, err
}

// planMemory plans them.
func (s *resident) planMemory() (err error) {
	var over *driver.Error
	if s.memory, err = plan.PlanSession(s.request()); errors.As(err, &over) && over.Kind == driver.OutOfMemory {
		over.Label, over.Device, over.Fix = s.o.Label, s.dev.Name(), s.lesser()
	}
	return err
}

// smallerBatches makes the graph fit as a whole by fewer queries of a submission, 32 or one, if that is enough: a graph that stays on
// the device answers one query after another sooner than the link brings its parts.
func (s *resident) smallerBatches() bool {
	asked := s.o.Queries
	for _, queries := range []int{32, 1} {
		if queries >= asked {
			continue
		}
		s.o.Queries = queries
		if p, err := plan.PlanSession(s.request()); err == nil {
			s.memory, s.stepped = p, fmt.Sprintf("; there is memory for %d queries of a batch at a time, not for %d", queries, asked)
			return true
		}
	}
	s.o.Queries = asked
	return false
}

// lesser says with what the session would fit, and what else there is.
func (s *resident) lesser() string {
	var ways []string
	try := func(what string, levels bool) {
		less := s.footprint
		less.o.Queries, less.o.Seeds, less.o.Parallel = 1, 1, 1
		if less.size(); !levels {
			less.back = nil
		}
		if p, err := plan.PlanSession(less.request()); err == nil {
			ways = append(ways, fmt.Sprintf("%s it needs %d bytes", what, p.PeakBytes))
		}
	}
	if s.o.Queries > 1 || s.o.Parallel > 1 {
		try("for one query of one seed at a time", s.back != nil)
	}
	if s.back != nil {
		try("for one query of one seed without levels", false)
	}
	if l, err := newCutter(s).inParts(); err == nil {
		ways = append(ways, l.how())
	}
	return strings.Join(append(ways, fmt.Sprintf("the graph takes %d of it, and on the cores of the host (NativeEngine, device cpu) nothing", s.graphBytes())), "; ")
}
