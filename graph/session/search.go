package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// plans makes the plans of all searches.
func (s *Session) plans(ctx context.Context) error {
	p, err := waves.Unpack(s.g.Masks() != nil, s.wide())
	if err != nil {
		return err
	}
	if s.one, err = s.plan(ctx, s.waves(p), dependencies, "", s.alone()); err != nil {
		return err
	}
	in := megakernel.Options{Topology: s.inRounds(), Blocks: s.blocks()}
	if s.together() > 1 {
		if s.many, err = s.plan(ctx, s.laneWaves(p), dependencies, " together", in); err != nil {
			return err
		}
	}
	if s.back != nil {
		s.leveled, err = s.plan(ctx, s.levelWaves(p), dependencies[:1], " levels", in)
	}
	return err
}

// plan makes a plan that the session closes.
func (s *Session) plan(ctx context.Context, list []megakernel.Wave, deps []megakernel.Dependency, label string, o megakernel.Options) (*megakernel.Plan, error) {
	o.Label = s.o.Label + label
	p, err := megakernel.New(ctx, s.dev, list, deps, o)
	if err == nil {
		s.closers = append(s.closers, p)
	}
	return p, err
}

// The waves, by number, and what waits for what.
const (
	clearWave = iota
	seedWave
	roundWave
	answerWave
	nextWave
)

var dependencies = []megakernel.Dependency{{Before: clearWave, After: seedWave}, {Before: answerWave, After: nextWave}}

// waves search for one query.
func (s *Session) waves(p waves.Programs) []megakernel.Wave {
	turn, seen, list, lengths, filter := s.turn, driver.All(s.seen), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	arrays := s.forward.arrays()
	with := func(first []driver.Arg, last ...driver.Arg) []driver.Arg {
		args := append(first, arrays...)
		return append(append(args, seen, filter, list, lengths), last...)
	}
	round := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, megakernel.Vote{}, megakernel.Edges{})
	stay := with([]driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}}, megakernel.Edges{}, megakernel.Result{})
	drain := with(nil, megakernel.Slots{}, megakernel.Control{})
	return []megakernel.Wave{
		clearWave: {Program: p.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.words(), 3))), Args: []driver.Arg{stride, slot, turn, staged, seen, lengths, answers}},
		seedWave:  {Program: p.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, list, lengths, filter}},
		roundWave: {Program: p.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round,
			Stay:  &megakernel.Stay{Program: p.Stay, Args: stay},
			Drain: &megakernel.Drain{Program: p.Drain, Args: drain, Slots: arcs.Slots(uint64(s.g.Nodes()), uint64(s.g.Arcs()))}},
		answerWave: {Program: p.Answer, Phase: megakernel.After, Domain: s.answerDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// laneWaves search for several queries together.
func (s *Session) laneWaves(p waves.Programs) []megakernel.Wave {
	turn, seen, queued, list, lengths, filter := s.turn, driver.All(s.lanes), driver.All(s.queued), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	staged, answers, slot, stride := s.staged, driver.All(s.answers), driver.U32(uint32(s.slot)), driver.U32(uint32(s.stride))
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, s.forward.arrays()...)
	round = append(round, seen, queued, filter, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return []megakernel.Wave{
		clearWave: {Program: p.Lanes.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), s.together(), 3))),
			Args: []driver.Arg{stride, slot, turn, staged, seen, queued, lengths, answers}},
		seedWave:   {Program: p.Lanes.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{stride, turn, staged, seen, queued, list, lengths, filter}},
		roundWave:  {Program: p.Lanes.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round},
		answerWave: {Program: p.Lanes.Answer, Phase: megakernel.After, Domain: s.nodeDomain(), Args: []driver.Arg{stride, slot, turn, staged, seen, answers}},
		nextWave:   nextTurn(p, turn),
	}
}

// seedDomain is a seed of each query, answerDomain groups with a thread for each word of an answer, nodeDomain groups whose warps
// go over the nodes, and add up once each: there are no more than are resident about, since they all add to one word.
func (s *Session) seedDomain() megakernel.Domain { return megakernel.Fixed(uint32(max(s.o.Seeds, 1))) }

func (s *Session) answerDomain() megakernel.Domain {
	return megakernel.Fixed(uint32((s.words() + 255) / 256))
}

func (s *Session) nodeDomain() megakernel.Domain {
	return megakernel.Fixed(uint32(min((s.words()+31)/32, 1024)))
}

func nextTurn(p waves.Programs, turn driver.Range) megakernel.Wave {
	return megakernel.Wave{Program: p.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: []driver.Arg{turn}}
}
