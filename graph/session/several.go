package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/plan"
)

// Question is a query about one of several graphs.
type Question struct {
	Graph *graph.CSR
	Query
}

// Schedule is how the questions about several graphs were put together.
type Schedule = plan.Queries

// Ask answers questions about several graphs, in their order, with one graph after the other on the device, each uploaded
// once. What each needs is planned before the first: as many queries of a graph run together as have room in
// Options.Budget, and the plan is returned with the answers. Of the options, Queries is how many that is at most, and
// Seeds follows from the questions. For a graph that is asked again and again open a Session, which stays.
//
// Errors: those of New and of Batch; out of memory, before anything runs, if one query has no room.
func Ask(ctx context.Context, dev driver.Device, list []Question, o Options) ([]*Reached, *Schedule, error) {
	in, graphs, err := questions(ctx, dev, list, o)
	if err != nil {
		return nil, nil, err
	}
	p := new(plan.Queries)
	if err := plan.PlanQueries(in, p); err != nil {
		return nil, nil, err
	}
	answers := make([]*Reached, len(list))
	var of []int // questions about the graph whose groups these are
	most := 0
	for _, g := range p.Groups {
		of, most = append(of, g.Queries...), max(most, len(g.Queries))
		if !g.Release {
			continue
		}
		s := graphs[in.Queries[of[0]].Graph]
		s.o.Queries = most
		if err := askOne(ctx, dev, s.resident, list, of, answers); err != nil {
			return nil, nil, err
		}
		of, most = of[:0], 0
	}
	return answers, p, nil
}

// asked is what is known of a graph before it is uploaded.
type asked struct {
	*resident      // that has nothing on the device yet
	seeds, queries int
}

// questions is what their order is planned from, and the graphs by their digests.
func questions(ctx context.Context, dev driver.Device, list []Question, o Options) (plan.QueryRequest, map[[32]byte]*asked, error) {
	if dev == nil {
		return plan.QueryRequest{}, nil, given(dev, nil, o)
	}
	o, err := o.budgeted(dev)
	if err != nil {
		return plan.QueryRequest{}, nil, err
	}
	o = o.settled(dev)
	in := plan.QueryRequest{Budget: o.Budget}
	graphs, digests := map[[32]byte]*asked{}, map[*graph.CSR][32]byte{}
	for i, q := range list {
		if q.Graph == nil {
			return in, nil, (&resident{footprint: footprint{o: o}, dev: dev}).refuse(fmt.Sprintf("question %d is about no graph", i), "give it one")
		}
		if _, known := digests[q.Graph]; !known {
			if digests[q.Graph], err = q.Graph.Digest(ctx); err != nil {
				return in, nil, (&resident{footprint: footprint{o: o}, dev: dev}).canceled(err)
			}
		}
		d := digests[q.Graph]
		if graphs[d] == nil {
			graphs[d] = &asked{seeds: 1}
		}
		graphs[d].seeds = max(graphs[d].seeds, len(q.Seeds))
		graphs[d].queries++
	}
	for i, q := range list {
		g := graphs[digests[q.Graph]]
		if g.resident == nil {
			of := o
			of.Seeds, of.Queries, of.Levels = g.seeds, min(o.Queries, g.queries), false
			if g.resident, err = prepared(ctx, dev, q.Graph, of); err != nil {
				return in, nil, err
			}
			g.digest = digests[q.Graph]
			in.Lanes = max(in.Lanes, g.together())
		}
		settled, err := g.settle(i, q.Query)
		if err != nil {
			return in, nil, err
		}
		in.Queries = append(in.Queries, g.planned(i, settled))
	}
	return in, graphs, nil
}

// askOne answers the questions about one graph.
func askOne(ctx context.Context, dev driver.Device, sized *resident, list []Question, of []int, answers []*Reached) (err error) {
	s, err := New(ctx, dev, sized.g, sized.o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	queries := make([]Query, len(of))
	for k, i := range of {
		queries[k] = list[i].Query
	}
	some, err := s.Batch(ctx, queries)
	for k := range some {
		answers[of[k]] = some[k]
	}
	return err
}
