package session

import (
	"context"
)

// Reach answers one query.
func (s *Session) Reach(ctx context.Context, q Query) (*Reached, error) {
	r := &Reached{}
	if err := s.ReachInto(ctx, q, r); err != nil {
		return nil, err
	}
	return r, nil
}

// ReachInto answers one query into an answer that is not needed any more, or into an empty one, whose memory it takes. Asked
// again like this a session allocates nothing. After an error the answer is worth nothing.
func (s *Session) ReachInto(ctx context.Context, q Query, into *Reached) (err error) {
	if err := made(s); err != nil {
		return err
	}
	if q, err = s.resident.settle(0, q); err != nil {
		return err
	}
	if into == nil {
		return s.resident.refuse("there is no answer to put it into", "pass a pointer to an empty one, or call Reach")
	}
	set, by, err := s.sets.take(ctx, 1)
	if err != nil {
		return err
	}
	defer s.sets.leave(set, &err)
	set.asked[0], set.answer[0] = q, into
	err = by.batch(ctx, set.asked[:], set.answer[:])
	set.asked[0], set.answer[0] = Query{}, nil
	return err
}

// Batch answers queries, in their order. Those that allow the same kinds of arcs are one search, as many as are possible
// together: 32, or 64 in a session of more queries than 32. In a symmetric graph the first one for some kinds of arcs makes
// labels, which answer it and later ones: see Reached.Algorithm. As many as Options.Queries are one submission, with one
// wait.
//
// Errors: a seed that is no node, or more different seeds than a query may have, before anything runs; those of the device. After
// one the session may be used again, unless the device is lost.
func (s *Session) Batch(ctx context.Context, queries []Query) (all []*Reached, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	if queries, err = s.resident.settleAll(queries); err != nil {
		return nil, err
	}
	set, by, err := s.sets.take(ctx, len(queries))
	if err != nil {
		return nil, err
	}
	defer s.sets.leave(set, &err)
	all = make([]*Reached, len(queries))
	list := make([]Reached, len(queries))
	for i := range all {
		all[i] = &list[i]
	}
	if err = by.batch(ctx, queries, all); err != nil {
		return nil, err
	}
	return all, nil
}
