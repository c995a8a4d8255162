package session

import (
	"context"
	"errors"
	"math/bits"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
)

// Between returns the nodes that are on a way from a seed of a query to one of some targets: what the seeds reach of what
// reaches the targets. A way may come to a node more than once. It is two searches, in two sessions, one after the other, so
// that the device has one graph at a time.
//
// Errors: those of New and of Reach; targets are refused as seeds are.
func Between(ctx context.Context, dev driver.Device, g *graph.CSR, q Query, targets []uint32, o Options) (*Reached, error) {
	if err := given(dev, g, o); err != nil {
		return nil, err
	}
	q.Count = false
	o.Queries, o.Seeds = 1, max(len(q.Seeds), len(targets), 1)
	r, err := reachOnce(ctx, dev, g, q, o)
	if err != nil {
		return nil, err
	}
	reverse, err := g.Reverse(ctx)
	if err != nil {
		return nil, err
	}
	back, err := reachOnce(ctx, dev, reverse, Query{Seeds: targets, Kinds: q.Kinds}, o)
	if err != nil {
		return nil, err
	}
	r.Run.alsoTook(back.Run)
	r.count = 0
	for i := range r.words {
		r.words[i] &= back.words[i]
		r.count += bits.OnesCount32(r.words[i])
	}
	return r, nil
}

// reachOnce asks a session that is closed again.
func reachOnce(ctx context.Context, dev driver.Device, g *graph.CSR, q Query, o Options) (r *Reached, err error) {
	s, err := New(ctx, dev, g, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Reach(ctx, q)
}
