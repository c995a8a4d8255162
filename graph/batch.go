package graph

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// submission is a batch of so many queries, prepared.
type submission struct {
	queries []byte // staged
	answers []byte
	stage   *driver.Sequence // uploads; and all the rest, where the device drives the rounds
	read    *driver.Sequence // nil if stage reads, too
}

// Reach answers one query.
func (s *Session) Reach(ctx context.Context, q Query) (*Reached, error) {
	all, err := s.Batch(ctx, []Query{q})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Batch answers queries, in their order. As many as SessionOptions.Queries are one submission, with one wait.
//
// Errors: a seed that is no node, or more seeds than a query may have, before anything runs; those of the device. After
// one the session may be used again, unless the device is lost.
func (s *Session) Batch(ctx context.Context, queries []Query) ([]*Reached, error) {
	for i, q := range queries {
		if err := s.check(i, q); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closers == nil {
		return nil, s.refuse("the session is closed", "open another one")
	}
	all := make([]*Reached, 0, len(queries))
	for len(queries) > 0 {
		n := min(len(queries), s.o.Queries)
		answers, err := s.run(ctx, queries[:n])
		if err != nil {
			return nil, err
		}
		all = append(all, answers...)
		queries = queries[n:]
	}
	return all, nil
}

func (s *Session) check(i int, q Query) error {
	if len(q.Seeds) > s.o.Seeds {
		return s.refuse(fmt.Sprintf("query %d has %d seeds, at most %d are possible", i, len(q.Seeds), s.o.Seeds), "raise SessionOptions.Seeds; seeds that are listed twice count twice")
	}
	for k, v := range q.Seeds {
		if int64(v) >= int64(s.g.Nodes()) {
			return s.refuse(fmt.Sprintf("query %d: seed %d is node %d, the graph has %d", i, k, v, s.g.Nodes()), "nodes count from 0")
		}
	}
	return nil
}

// run answers queries of one submission.
func (s *Session) run(ctx context.Context, queries []Query) ([]*Reached, error) {
	b, err := s.submission(len(queries))
	if err != nil {
		return nil, err
	}
	for i, q := range queries {
		to := b.queries[4*i*s.stride:]
		kinds := q.Kinds
		if kinds == 0 {
			kinds = AllKinds
		}
		putWords(to, []uint32{uint32(len(q.Seeds)), kinds})
		putWords(to[4*waves.QueryHead:], q.Seeds)
	}
	if _, err := b.stage.Run(ctx); err != nil {
		return nil, err
	}
	if b.read != nil {
		if err := s.rounds(ctx, len(queries)); err != nil {
			return nil, err
		}
		if _, err := b.read.Run(ctx); err != nil {
			return nil, err
		}
	}
	answers := make([]*Reached, len(queries))
	for i := range answers {
		from := b.answers[4*i*s.slot:]
		r := &Reached{words: make([]uint32, s.words()), count: int(binary.LittleEndian.Uint32(from))}
		for k := range r.words {
			r.words[k] = binary.LittleEndian.Uint32(from[4*(waves.AnswerHead+k):])
		}
		answers[i] = r
	}
	return answers, nil
}

// rounds runs queries one after another, where the host drives the rounds.
func (s *Session) rounds(ctx context.Context, n int) error {
	for range n {
		rec, err := s.plan.Run(ctx)
		if err == nil && rec.Status != megakernel.Converged {
			err = s.refuse(fmt.Sprintf("a search is at no end after %d rounds", rec.Rounds), "that is not possible: each round reaches a node")
		}
		if err != nil {
			if failed := s.plan.Reset(ctx); failed != nil {
				return failed
			}
			return err
		}
	}
	return nil
}

// submission returns what runs so many queries, and prepares it if it is the first time.
func (s *Session) submission(n int) (*submission, error) {
	if b := s.submissions[n]; b != nil {
		return b, nil
	}
	b := &submission{queries: make([]byte, 4*n*s.stride), answers: make([]byte, 4*n*s.slot)}
	sequence := func(what string) *driver.Sequence {
		q := s.dev.NewSequence(fmt.Sprintf("%s, %s of %d queries", s.o.Label, what, n))
		s.closers = append(s.closers, q)
		return q
	}
	b.stage = sequence("batch")
	b.stage.Upload(driver.Part(s.staged, 0, int64(len(b.queries))), b.queries, driver.Always)
	b.stage.Fill(driver.All(s.turn), 0, 4)
	last := b.stage
	if c := s.plan.Commands(); c.Round == nil {
		b.stage.Repeat(n, func() { c.Begin(b.stage) })
	} else {
		last = sequence("answers")
		b.read = last
	}
	last.Read(driver.Part(s.answers, 0, int64(len(b.answers))), b.answers)
	if err := b.stage.Prepare(); err != nil {
		return nil, err
	}
	if err := last.Prepare(); err != nil {
		return nil, err
	}
	s.submissions[n] = b
	return b, nil
}
