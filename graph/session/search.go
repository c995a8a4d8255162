package session

import (
	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

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
func (s *searches) waves(p waves.Programs) []megakernel.Wave {
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
func (s *searches) laneWaves(p waves.Programs) []megakernel.Wave {
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

func nextTurn(p waves.Programs, turn driver.Range) megakernel.Wave {
	return megakernel.Wave{Program: p.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: []driver.Arg{turn}}
}
