package driver

import "fmt"

// Lowering says who decides whether a While goes on.
type Lowering uint8

// The lowerings. Both give the same buffers and the same counts.
const (
	LowerAuto Lowering = iota // the device's choice: its own, if it can
	LoopGraph                 // the device decides; the host only waits
	LoopHost                  // the host reads the flag before every round; such a sequence can Run, not Start
)

func (l Lowering) String() string {
	switch l {
	case LowerAuto:
		return "auto"
	case LoopGraph:
		return "graph"
	case LoopHost:
		return "host"
	}
	return fmt.Sprintf("lowering %d", uint8(l))
}

// Lower forces a lowering on all While loops. It is said before Prepare, which refuses what the
// device cannot do.
func (s *Sequence) Lower(l Lowering) {
	if !s.unprepared("loop") {
		return
	}
	if l > LoopHost {
		s.complain("loop", "", "", fmt.Sprintf("there is no %v", l), "use LowerAuto, LoopGraph or LoopHost")
	}
	s.lower = l
}

// Lowering says how a While runs in its sequence, from Prepare on.
func (l *Loop) Lowering() Lowering {
	if l.seq.absent("loop") != nil {
		return LowerAuto
	}
	l.seq.mu.Lock()
	defer l.seq.mu.Unlock()
	return l.cmd.Lowering
}

// checkLowering refuses what was forced and cannot be.
func (s rules) checkLowering(l *Loop) *Error {
	if s.lower == LoopGraph && !s.dev.Caps().LoopNodes {
		return s.refuse("loop", "", l.cmd.Path, Unsupported, "leave the lowering to the device", "the device cannot decide on its own whether a loop goes on")
	}
	return nil
}

// settleLowering chooses for a loop. The device may still take LoopHost where that is not
// forced, if what the body holds has no place in its own loops.
func (s holds) settleLowering(c *LoopCmd) {
	c.Lowering = s.lower
	if c.Forced = s.lower != LowerAuto; c.Forced {
		return
	}
	if c.Lowering = LoopHost; s.dev.Caps().LoopNodes {
		c.Lowering = LoopGraph
	}
}

// hostLoop returns a loop that the host decides on, nil if there is none.
func (p *Plan) hostLoop() *LoopCmd {
	for _, c := range p.Whiles {
		if c.Lowering == LoopHost {
			return c
		}
	}
	return nil
}
