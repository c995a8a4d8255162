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
func (s *Session) Levels(ctx context.Context, q Query) ([]uint32, error) {
	levels, _, err := s.levels(ctx, q)
	return levels, err
}

func (s *Session) levels(ctx context.Context, q Query) (levels []uint32, run Run, err error) {
	if q, err = s.forLevels(q); err != nil {
		return nil, Run{}, err
	}
	set, by, err := s.sets.take(ctx, 1)
	if err != nil {
		return nil, Run{}, err
	}
	defer s.sets.leave(set, &err)
	return by.levels(ctx, q)
}

// forLevels settles a query for levels, and refuses one that the session cannot answer.
func (s *Session) forLevels(q Query) (Query, error) {
	if err := s.made(); err != nil {
		return q, err
	}
	if s.resident.back == nil {
		return q, s.resident.refuse("the session answers no question about levels", "open it with session.Options.Levels")
	}
	return s.resident.settle(0, q)
}

// levels stay on the device as well, for parents.
func (k *kernels) levels(ctx context.Context, q Query) ([]uint32, Run, error) {
	k.stage.turn(0, 0, 1)
	k.stage.query(0, q)
	run, err := k.submit(ctx, shape{queries: 1, levels: true})
	if err != nil {
		return nil, Run{}, err
	}
	levels := make([]uint32, k.g.Nodes())
	getWords(levels, k.levelBytes)
	return levels, run, nil
}

// levelWaves search for the levels of one query.
func (s *searches) levelWaves(p waves.Programs) []megakernel.Wave {
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
