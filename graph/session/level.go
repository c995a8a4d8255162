package session

import (
	"context"
)

// Levels returns the level of each node: 0 for the seeds of the query, None where nothing leads to. Rounds go backward, from
// nodes without a level, where that looks at fewer arcs (see arcs.RoundBoth).
//
// Errors: those of Batch; a session that was not opened for it.
func (s *Session) Levels(ctx context.Context, q Query) ([]uint32, error) {
	levels, _, err := levelsOf(ctx, s, q)
	return levels, err
}

func levelsOf(ctx context.Context, s *Session, q Query) (levels []uint32, run Run, err error) {
	if err := made(s); err != nil {
		return nil, Run{}, err
	}
	if q, err = s.resident.forLevels(q); err != nil {
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
func (s *resident) forLevels(q Query) (Query, error) {
	if s.back == nil {
		return q, s.refuse("the session answers no question about levels", "open it with session.Options.Levels")
	}
	return s.settle(0, q)
}
