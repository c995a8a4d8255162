package megakernel

import "github.com/govyre/vyre/driver"

// Commands records a run of a plan into sequences of the caller's: many runs one after another in one
// submission, or a loop of the caller's own around the rounds. Such a run begins with round 0, may
// take all rounds that are allowed, and leaves no record with the host. It uses the plan's control
// words, so runs of one plan follow each other, whoever records them.
type Commands struct {
	// Begin records what comes before the rounds; where the device drives them, the whole run.
	Begin func(*driver.Sequence)
	// Round records one round, which does nothing once the run is over, and End what comes after the last
	// one. Both are nil where Begin has everything.
	Round, End func(*driver.Sequence)
	// Going is a u32 that is 0 when no round is to follow; it goes with Round.
	Going driver.Range
}

// Commands returns the commands of the plan's topology.
func (p *Plan) Commands() Commands {
	switch r := p.runner.(type) {
	case *oneLaunch:
		return Commands{Begin: func(s *driver.Sequence) { s.Launch(r.kernel, driver.Groups(p.blocks), r.args...) }}
	case *drain:
		return Commands{Begin: func(s *driver.Sequence) { s.Launch(r.kernel, driver.Groups(p.blocks), r.args...) }}
	case *whiles:
		if p.o.Topology == DeviceLoop {
			return Commands{Begin: func(s *driver.Sequence) {
				r.opening(s)
				s.While(r.goes(), int(p.o.MaxRounds), func() { r.launches(s, EveryRound) })
				r.launches(s, After)
			}}
		}
		return r.pieces()
	case *polled:
		return r.pieces()
	}
	panic("BUG: a runner that has no commands")
}

// pieces are the commands of the launched forms.
func (l *loop) pieces() Commands {
	return Commands{
		Begin: l.opening,
		Round: func(s *driver.Sequence) { l.launches(s, EveryRound) },
		End:   func(s *driver.Sequence) { l.launches(s, After) },
		Going: l.goes(),
	}
}

// opening records the first launch of a run of all rounds, and what runs before them.
func (l *loop) opening(s *driver.Sequence) {
	rounds := driver.U32(l.o.MaxRounds)
	s.Launch(l.begin, driver.Groups(1), driver.All(l.ctl), driver.All(l.rec), driver.U32(0), rounds, rounds)
	l.launches(s, Before)
}
