package session

import (
	"context"
	"encoding/binary"

	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
)

func (s *kernels) batch(ctx context.Context, queries []Query, all []*Reached) error {
	if len(queries) == 1 { // there is nothing to plan
		s.only[0] = 0
		s.groups.Groups = append(s.groups.Groups[:0], plan.QueryGroup{Queries: s.only[:]})
	} else if err := plan.PlanQueries(s.requested(queries), &s.groups); err != nil {
		return err
	}
	groups, err := s.algorithms(ctx, queries)
	if err != nil {
		return err
	}
	for len(groups) > 0 {
		n, sum := 0, 0
		for n < len(groups) && sum+len(groups[n].queries) <= s.o.Queries {
			sum += len(groups[n].queries)
			n++
		}
		if err := s.run(ctx, queries, groups[:n], all); err != nil {
			return err
		}
		groups = groups[n:]
	}
	return nil
}

// requested is what the turns of a batch are planned from.
func (s *kernels) requested(queries []Query) plan.QueryRequest {
	s.kept[0] = plan.KeptGraph{Graph: s.digest, Bytes: uint64(s.graphBytes())}
	s.planning = s.planning[:0]
	for i, q := range queries {
		s.planning = append(s.planning, s.planned(i, q))
	}
	return plan.QueryRequest{Queries: s.planning, Lanes: s.together(), Keep: true, Budget: s.memory.PeakBytes, Kept: s.kept[:]}
}

// algorithms says how the queries of the groups are answered, those of labels one by one.
func (s *kernels) algorithms(ctx context.Context, queries []Query) ([]answered, error) {
	since := s.labelSlots.made.now()
	list := s.ways[:0]
	for _, g := range s.groups.Groups {
		slot, why, err := s.labelled(ctx, s.kinds(queries[g.Queries[0]]), since)
		if err != nil {
			return nil, err
		}
		why += s.stepped
		if slot < 0 {
			list = append(list, answered{g.Queries, slot, why})
			continue
		}
		for i := range g.Queries {
			list = append(list, answered{g.Queries[i : i+1], slot, why})
		}
	}
	s.ways = list
	return list, nil
}

// run answers the queries of one submission: those that labels answer first, then those that are alone.
func (s *kernels) run(ctx context.Context, queries []Query, groups []answered, all []*Reached) error {
	var size shape
	order := s.placed[:0]
	put := func(n *int, which func(answered) bool) {
		for _, g := range groups {
			if !which(g) {
				continue
			}
			s.stage.turn(size.labelled+size.alone+size.together, len(order), len(g.queries))
			*n++
			for _, k := range g.queries {
				s.stage.query(len(order), queries[k])
				if g.slot >= 0 {
					s.stage.slot(len(order), g.slot)
				}
				order = append(order, k)
				all[k].renew(queries[k], s.words(), g.why)
				if g.slot >= 0 {
					all[k].algorithm = Labels
				}
			}
		}
	}
	put(&size.labelled, func(g answered) bool { return g.slot >= 0 })
	put(&size.alone, func(g answered) bool { return g.slot < 0 && len(g.queries) == 1 })
	put(&size.together, func(g answered) bool { return len(g.queries) > 1 })
	s.placed = order
	size.queries, size.counted = len(order), len(order) == 1 && queries[order[0]].Count
	run, err := s.submissions.submit(ctx, size, s.labelSlots.made)
	if err != nil {
		return err
	}
	for i, k := range order {
		from, r := s.answerBytes[4*i*s.slot:], all[k]
		r.Run = run
		r.count = int(binary.LittleEndian.Uint32(from))
		getWords(r.words, from[4*waves.AnswerHead:])
	}
	return nil
}
