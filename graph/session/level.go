package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// Levels returns the level of each node: 0 for the seeds of the query, None where nothing leads to. Rounds go backward, from
// nodes without a level, where that looks at fewer arcs (see arcs.RoundBoth).
//
// Errors: those of Batch; a session that was not opened for it.
func (s *Session) Levels(ctx context.Context, q Query) (levels []uint32, err error) {
	if q, err = s.forLevels(q); err != nil {
		return nil, err
	}
	set, by, err := s.asking(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer s.leave(set, &err)
	levels, _, err = by.levels(ctx, q)
	return levels, err
}

// forLevels settles a query for levels, and refuses one that the session cannot answer.
func (s *Session) forLevels(q Query) (Query, error) {
	if err := s.made(); err != nil {
		return q, err
	}
	if s.back == nil {
		return q, s.refuse("the session answers no question about levels", "open it with session.Options.Levels")
	}
	return s.settle(0, q)
}

// levels stay on the device as well, for parents.
func (w waved) levels(ctx context.Context, q Query) ([]uint32, Run, error) {
	s := w.s
	s.stageTurn(0, 0, 1)
	s.stageQuery(0, q)
	run, err := s.submit(ctx, shape{queries: 1, levels: true})
	if err != nil {
		return nil, Run{}, err
	}
	levels := make([]uint32, s.g.Nodes())
	getWords(levels, s.levelBytes)
	return levels, run, nil
}

// levelWaves search for the levels of one query.
func (s *Session) levelWaves(p waves.Programs) []megakernel.Wave {
	turn, level, sums, list, lengths, filter := s.turn, driver.All(s.level), driver.All(s.sums), driver.All(s.list), driver.All(s.lengths), driver.All(s.filter)
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, s.forward.arrays()...)
	round = append(append(round, s.back.arrays()...), level, sums, filter, list, lengths, megakernel.Vote{}, megakernel.Edges{})
	stay := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}}, s.forward.arrays()...)
	stay = append(stay, level, sums, filter, list, lengths, megakernel.Edges{}, megakernel.Result{})
	var alone *megakernel.Stay // none if every list is long enough to go backward from
	if most := arcs.MostAlone(uint32(s.g.Nodes()), arcs.Beta); most > 0 {
		alone = &megakernel.Stay{Program: p.Levels.Stay, Args: stay, Most: most}
	}
	return []megakernel.Wave{
		clearWave: {Program: p.Levels.Clear, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), arcs.SumsWords))), Args: []driver.Arg{level, sums, lengths}},
		seedWave: {Program: p.Levels.Seed, Phase: megakernel.Before, Domain: s.seedDomain(),
			Args: []driver.Arg{driver.U32(uint32(s.stride)), turn, s.staged, level, list, lengths, filter}},
		roundWave: {Program: p.Levels.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: round, Stay: alone},
	}
}
