package session

import (
	"context"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// partLanes is what it takes to search a graph in parts for several queries together: a word of lanes a node, which stays on the
// device, and the round of a visit in which a node was listed, by which it is known what has to be gone on from in other parts.
type partLanes struct {
	seen, queued, staged, turn, counts driver.Buffer
	nowhere                            driver.Buffer // the visit of no part
	stage                              stage
	seed, answer                       *megakernel.Plan // make sets of seeds, and the set of a lane
}

// wantLanes counts their memory, if there is to be any.
func (p *parts) wantLanes() {
	s, lanes, l := p.s, p.laidOut.lanes, &p.lanes
	if lanes == 1 {
		return
	}
	seen, queued := s.laneBytes(lanes)
	p.want(&l.seen, seen, "lanes")
	p.want(&l.queued, queued, "queued")
	p.want(&l.staged, 4*int64(lanes*s.stride), "queries")
	p.want(&l.turn, 4, "turn")
	p.want(&l.counts, 4*int64(lanes), "counts of lanes")
	p.want(&l.nowhere, 4*waves.VisitWords, "no visit")
	l.stage = stage{s.resident, make([]byte, 4*lanes*s.stride)}
}

// closeLanes takes what was listed out of the queue.
func (p *parts) closeLanes(visit driver.Buffer, phase megakernel.Phase) megakernel.Wave {
	return megakernel.Wave{Program: p.programs.Lanes.Close, Phase: phase, Domain: p.s.nodeDomain(), Args: ranges(visit, p.lanes.queued, p.reached, p.done)}
}

// planLanes plans what is done before visits, and after them.
func (p *parts) planLanes() (err error) {
	if p.laidOut.lanes == 1 {
		return nil
	}
	s, l, programs := p.s, &p.lanes, p.programs.Lanes
	seed := append([]driver.Arg{driver.U32(uint32(s.stride))}, ranges(l.turn, l.staged, l.seen, l.queued, p.list, p.lengths, p.filter)...)
	l.seed, err = p.planned([]megakernel.Wave{
		{Program: programs.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: seed},
		p.closeLanes(l.nowhere, megakernel.EveryRound),
	}, nil, 0)
	if err == nil {
		l.answer, err = p.planned([]megakernel.Wave{
			{Program: programs.Answer, Domain: s.nodeDomain(), Args: ranges(l.turn, l.seen, p.front, l.counts)},
			{Program: programs.Next, Phase: megakernel.After, Domain: megakernel.Fixed(1), Args: ranges(l.turn)},
		}, nil, 0)
	}
	return err
}

// together answers queries that allow the same kinds of arcs: each part that is visited is searched for all of them.
func (e partEngine) together(ctx context.Context, queries []Query, group []int, all []*Reached) error {
	p := e.p
	began, s, l := p.begins(), p.s, &p.lanes
	l.stage.turn(0, 0, len(group))
	for k, i := range group {
		l.stage.query(k, queries[i])
	}
	staged := 4 * len(group) * s.stride
	if err := p.s.write(ctx, driver.Part(l.staged, 0, int64(staged)), l.stage.bytes[:staged]); err != nil {
		return err
	}
	err := p.recorded(ctx, "begin together", func(q *driver.Sequence) {
		for _, b := range []driver.Buffer{l.seen, l.queued, l.turn, l.counts, l.nowhere, p.reached, p.done, p.lengths} {
			q.Fill(driver.All(b), 0, 4)
		}
	})
	if err != nil {
		return err
	}
	var run Run
	if _, err = p.s.finish(ctx, l.seed); err != nil {
		return err
	}
	if err = p.search(ctx, lanesPart, &run); err != nil {
		return err
	}
	for _, i := range group {
		all[i].renew(queries[i], s.words(), p.why())
		if _, err = p.s.finish(ctx, l.answer); err != nil {
			return err
		}
		if queries[i].Count {
			continue
		}
		set, err := p.s.readWords(ctx, driver.All(p.front))
		if err != nil {
			return err
		}
		copy(all[i].words, set)
	}
	counts, err := p.s.readWords(ctx, driver.All(l.counts))
	if err != nil {
		return err
	}
	p.answered(&run, began)
	for k, i := range group {
		all[i].Run, all[i].count = run, int(counts[k])
	}
	return nil
}
