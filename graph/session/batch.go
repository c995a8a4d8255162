package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// shape is what a submission depends on.
type shape struct {
	counted         bool // of the only query, how many nodes it reaches is read, and not which
	labelled        int  // turns of one query that labels answer
	alone, together int  // turns of one query, and of more
	queries         int
	levels          bool // of the only query
}

// submission is queries in turns, prepared.
type submission struct {
	stage *driver.Sequence // uploads; and all the rest, where the device drives the rounds
	read  *driver.Sequence // nil if stage reads, too
	turns []turns

	uploads, reads uint64 // bytes
}

// turns are runs of a plan.
type turns struct {
	p *megakernel.Plan
	n int
}

// mostSubmissions is how many are kept. A batch of queries of many different kinds has a shape of its own.
const mostSubmissions = 64

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
	if err := s.made(); err != nil {
		return err
	}
	if q, err = s.settle(0, q); err != nil {
		return err
	}
	if into == nil {
		return s.refuse("there is no answer to put it into", "pass a pointer to an empty one, or call Reach")
	}
	set, by, err := s.asking(ctx, 1)
	if err != nil {
		return err
	}
	defer s.leave(set, &err)
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
	if err := s.made(); err != nil {
		return nil, err
	}
	if queries, err = s.settleAll(queries); err != nil {
		return nil, err
	}
	set, by, err := s.asking(ctx, len(queries))
	if err != nil {
		return nil, err
	}
	defer s.leave(set, &err)
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

func (w waved) batch(ctx context.Context, queries []Query, all []*Reached) error {
	s := w.s
	if len(queries) == 1 { // there is nothing to plan
		s.only[0] = 0
		s.groups.Groups = append(s.groups.Groups[:0], plan.QueryGroup{Queries: s.only[:]})
	} else if err := plan.PlanQueries(s.turns(queries), &s.groups); err != nil {
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

// turns is what the turns of a batch are planned from.
func (s *Session) turns(queries []Query) plan.QueryRequest {
	s.kept[0] = plan.KeptGraph{Graph: s.digest, Bytes: uint64(s.graphBytes())}
	s.planning = s.planning[:0]
	for i, q := range queries {
		s.planning = append(s.planning, s.planned(i, q))
	}
	return plan.QueryRequest{Queries: s.planning, Lanes: s.together(), Keep: true, Budget: s.memory.PeakBytes, Kept: s.kept[:]}
}

// planned is what query i needs.
func (s *Session) planned(i int, q Query) plan.Query {
	return plan.Query{ID: uint64(i), Graph: s.digest, GraphBytes: uint64(s.graphBytes()), Traversal: uint64(s.kinds(q)),
		Frontier: 4 * uint64(s.stride), Scratch: s.scratchBytes(), Output: 4 * uint64(s.slot)}
}

// answered is queries of one turn.
type answered struct {
	queries []int
	slot    int    // of the labels that answer its only query; -1 if it is a search
	why     string // that algorithm
}

// algorithms says how the queries of the groups are answered, those of labels one by one.
func (s *Session) algorithms(ctx context.Context, queries []Query) ([]answered, error) {
	since := s.labelClock()
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
func (s *Session) run(ctx context.Context, queries []Query, groups []answered, all []*Reached) error {
	var size shape
	order := s.placed[:0]
	stage := func(n *int, which func(answered) bool) {
		for _, g := range groups {
			if !which(g) {
				continue
			}
			s.stageTurn(size.labelled+size.alone+size.together, len(order), len(g.queries))
			*n++
			for _, k := range g.queries {
				s.stageQuery(len(order), queries[k])
				if g.slot >= 0 {
					s.stageSlot(len(order), g.slot)
				}
				order = append(order, k)
				all[k].renew(queries[k], s.words(), g.why)
				if g.slot >= 0 {
					all[k].algorithm = Labels
				}
			}
		}
	}
	stage(&size.labelled, func(g answered) bool { return g.slot >= 0 })
	stage(&size.alone, func(g answered) bool { return g.slot < 0 && len(g.queries) == 1 })
	stage(&size.together, func(g answered) bool { return len(g.queries) > 1 })
	s.placed = order
	size.queries, size.counted = len(order), len(order) == 1 && queries[order[0]].Count
	run, err := s.submit(ctx, size)
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

// stageTurn puts down which queries a turn answers, stageQuery what a query is.
func (s *Session) stageTurn(turn, first, count int) {
	putWords(s.queryBytes[4*(turn*s.stride+waves.FirstWord):], []uint32{uint32(first), uint32(count)})
}

func (s *Session) stageQuery(at int, q Query) {
	to := s.queryBytes[4*at*s.stride:]
	putWords(to, []uint32{uint32(len(q.Seeds)), s.kinds(q)})
	putWords(to[4*waves.QueryHead:], q.Seeds)
}

// stageSlot puts down which labels answer a query, in the place of its kinds.
func (s *Session) stageSlot(at, slot int) {
	putWords(s.queryBytes[4*(at*s.stride+waves.KindsWord):], []uint32{uint32(slot)})
}

// submit runs what is staged. Rounds are counted where the host drives them; elsewhere nobody reads the record.
func (s *Session) submit(ctx context.Context, size shape) (Run, error) {
	b, err := s.submission(size)
	if err != nil {
		return Run{}, err
	}
	run := Run{Engine: WavesEngine, Topology: b.turns[0].p.Topology(), Uploaded: b.uploads, Read: b.reads}
	s.last = b.stage
	run.Result, err = b.stage.Run(ctx)
	if s.ran != nil {
		s.ran(run.Result)
	}
	if err != nil {
		return run, err
	}
	s.moved.uploaded += b.uploads
	if b.read == nil {
		s.moved.read += b.reads
		s.totals.add(run)
		return run, nil
	}
	for _, t := range b.turns {
		if err := s.rounds(ctx, t.p, t.n, &run); err != nil {
			return run, err
		}
	}
	s.last = b.read
	last, err := b.read.Run(ctx)
	if run.add(last); err == nil {
		s.moved.read += b.reads
		s.totals.add(run)
	}
	return run, err
}

// rounds runs turns one after another, where the host drives the rounds, and adds them up.
func (s *Session) rounds(ctx context.Context, p *megakernel.Plan, n int, run *Run) error {
	for range n {
		s.last = p
		rec, err := p.Run(ctx)
		run.Record.Rounds += rec.Rounds
		run.Record.Edges += rec.Edges
		run.add(p.Result())
		if err == nil && rec.Status != megakernel.Converged {
			err = s.refuse(fmt.Sprintf("a search is at no end after %d rounds", rec.Rounds), "that is not possible: each round reaches a node")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// submission returns what runs so many queries in such turns, and prepares it if it is the first time.
func (s *Session) submission(size shape) (*submission, error) {
	if b := s.submissions[size]; b != nil {
		return b, nil
	}
	if len(s.submissions) == mostSubmissions {
		if err := s.forget(); err != nil {
			return nil, err
		}
	}
	b := &submission{stage: s.dev.NewSequence(fmt.Sprintf("%s, batch of %d queries", s.o.Label, size.queries))}
	s.submissions[size] = b
	from, to := driver.Part(s.answers, 0, int64(4*size.queries*s.slot)), s.answerBytes[:4*size.queries*s.slot]
	if size.counted {
		from, to = driver.Part(s.answers, 0, 4*waves.AnswerHead), s.answerBytes[:4*waves.AnswerHead]
	}
	if size.levels {
		b.turns, from, to = []turns{{s.leveled, 1}}, driver.All(s.level), s.levelBytes
	}
	if size.labelled > 0 {
		b.turns = append(b.turns, turns{s.labels.p, size.labelled})
	}
	for _, t := range []turns{{s.one, size.alone}, {s.many, size.together}} {
		if t.n > 0 {
			b.turns = append(b.turns, t)
		}
	}
	asked := turnBytes + 4*size.queries*s.stride
	b.uploads, b.reads = uint64(asked), uint64(len(to))
	b.stage.Upload(driver.Part(s.questions, 0, int64(asked)), s.questionBytes[:asked], driver.Always)
	last := b.stage
	if slices.ContainsFunc(b.turns, func(t turns) bool { return t.p.Commands().Round != nil }) {
		b.read = s.dev.NewSequence(fmt.Sprintf("%s, answers of %d queries", s.o.Label, size.queries))
		last = b.read
	} else {
		for _, t := range b.turns {
			b.stage.Repeat(t.n, func() { t.p.Commands().Begin(b.stage) })
		}
	}
	last.Read(from, to)
	err := b.stage.Prepare()
	if err == nil {
		err = last.Prepare()
	}
	if err != nil {
		delete(s.submissions, size)
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// forget closes all submissions.
func (s *Session) forget() (err error) {
	for _, b := range s.submissions {
		err = errors.Join(err, b.close())
	}
	clear(s.submissions)
	return err
}

func (b *submission) close() error {
	if b.read == nil {
		return b.stage.Close()
	}
	return errors.Join(b.stage.Close(), b.read.Close())
}
