package session

import (
	"context"
)

// Levels returns the level of each node: 0 for the seeds of the query, None where nothing leads to. Rounds go backward, from
// nodes without a level, where that looks at fewer arcs (see arcs.RoundBoth).
//
// Errors: those of Batch; a session that was not opened for it.
func (s *Session) Levels(ctx context.Context, q Query) ([]uint32, error) {
	q.Count = false
	var all []uint32
	_, err := levelsOf(ctx, s, q, func(levels []uint32) error {
		all = levels
		return nil
	})
	return all, err
}

// levelsOf finds the levels of a query. With Count, they are there until use returns.
func levelsOf(ctx context.Context, s *Session, q Query, use func(levels []uint32) error) (run Run, err error) {
	if err := made(s); err != nil {
		return Run{}, err
	}
	if q, err = s.resident.forLevels(q); err != nil {
		return Run{}, err
	}
	set, by, err := s.sets.take(ctx, 1)
	if err != nil {
		return Run{}, err
	}
	defer s.sets.leave(set, &err)
	levels, run, err := by.levels(ctx, q)
	if err != nil {
		return Run{}, err
	}
	return run, use(levels)
}

// forLevels settles a query for levels, and refuses one that the session cannot answer.
func (s *resident) forLevels(q Query) (Query, error) {
	if s.back == nil {
		return q, s.refuse("the session answers no question about levels", "open it with session.Options.Levels")
	}
	return s.settle(0, q)
}
