package session

import (
	"context"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/internal/driven"
)

// Drive stages queries, and lends the search of a query alone to a function that drives the rounds in its own way. It is
// for package internal/protocols, by which `vyre evidence` compares that with the session's plan. Until the function
// returns, no other call of the session is answered. The function closes what it makes of the search before it returns.
//
// Errors: those of Batch; more queries than Options.Queries; a graph in parts; that of the function.
func (s *Session) Drive(ctx context.Context, queries []Query, do func(*driven.Search) error) (err error) {
	if err := made(s); err != nil {
		return err
	}
	if queries, err = s.resident.settleAll(queries); err != nil {
		return err
	}
	if most := s.resident.o.Queries; len(queries) == 0 || len(queries) > most {
		return s.resident.refuse(fmt.Sprintf("%d queries are to be driven, and the session has memory for %d", len(queries), most), "pass at least one, and raise session.Options.Queries")
	}
	first := s.sets.first()
	k, err := first.begin(ctx, "a search that is driven", func(*runner) uint64 { return 0 })
	if err != nil {
		return err
	}
	defer first.exit(&err)
	for i, q := range queries {
		k.stage.turn(i, i, 1)
		k.stage.query(i, q)
	}
	staged := turnBytes + 4*len(queries)*k.stride
	if err := k.write(ctx, driver.Part(k.questions, 0, int64(staged)), k.questionBytes[:staged]); err != nil {
		return err
	}
	search, err := k.driven(ctx, len(queries))
	if err != nil {
		return err
	}
	k.last = k.one // which do may leave on the device
	return do(search)
}

// driven describes the search of so many staged queries.
func (s *searches) driven(ctx context.Context, queries int) (*driven.Search, error) {
	p, err := waves.Unpack(s.g.Masks() != nil, s.wide())
	if err != nil {
		return nil, err
	}
	image, err := s.forward.host(ctx)
	if err != nil {
		return nil, err
	}
	slot, answers := 4*s.slot, driver.Part(s.answers, 0, int64(4*queries*s.slot))
	return &driven.Search{
		Waves: s.waves(p), Dependencies: dependencies, Plan: s.one,
		Graph: s.forward.memory, Image: image,
		Seen: driver.All(s.seen), List: driver.All(s.list), Lengths: driver.All(s.lengths), Filter: driver.All(s.filter),
		Restart: func(q *driver.Sequence) {
			q.Fill(answers, 0, 4)
			q.Fill(s.turn, 0, 4)
		},
		Answers: answers,
		Set: func(all []byte, query int) []byte {
			return all[query*slot+4*waves.AnswerHead : (query+1)*slot]
		},
	}, nil
}
