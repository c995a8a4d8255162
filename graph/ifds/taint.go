package ifds

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
)

// Taint is session.Taint along realisable paths: a value that enters a procedure by one call does not leave it to another. Values
// of a source in the midst of a program may return to all callers of its procedure, and what goes through something that all
// procedures can reach may be read by any.
//
// For each set of sanitizers that sources have, a session finds what calls come to, for all those sources at once: on the device
// or on one core of the host, by the rules of NewSession and the engine, budget and topology of the options; Tainted says which.
// The sources are then searched for, 64 together, in a graph that has the program's nodes twice.
// Paths are those of fewest arcs where passing by a call counts as one, inside of calls, too, and go through these calls unless they
// get too long (see MaxSteps). Within procedures that call themselves a path uses what was known before, in an order that a
// device may not find twice: then paths of one finding may differ from run to run, and each of them is realisable.
//
// Errors: those of session.Taint; those of Solve.
func Taint(ctx context.Context, dev driver.Device, g *graph.CSR, q session.TaintQuery, o session.Options) (*session.Tainted, error) {
	parts, err := q.Parts(dev, g)
	if err != nil {
		return nil, err
	}
	all := &session.Tainted{Counts: make([]int, len(q.Sources))}
	err = g.Read(func() error { // paths are looked for when sessions are closed
		for _, part := range parts {
			if err := taintPart(ctx, dev, g, q, part, o, all); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all.Findings, func(a, b session.Finding) int {
		return cmp.Or(cmp.Compare(a.Sink, b.Sink), cmp.Compare(a.Label, b.Label))
	})
	all.Findings = slices.CompactFunc(all.Findings, func(a, b session.Finding) bool { return a.Sink == b.Sink && a.Label == b.Label })
	for i, f := range all.Findings {
		all.Counts[f.Label]++
		if i >= q.Paths {
			all.Findings[i].Path = nil
		}
	}
	return all, nil
}

// taintPart adds the findings of sources that have the same sanitizers, some of them twice: then the one with the shorter path
// comes first.
func taintPart(ctx context.Context, dev driver.Device, g *graph.CSR, q session.TaintQuery, part session.TaintPart, o session.Options, all *session.Tainted) error {
	var seeds []uint32
	within := session.TaintQuery{Paths: 2 * q.Paths}
	for _, label := range part.Labels {
		source := session.Source{Label: q.Sources[label].Label}
		for _, v := range part.Seeds(q, label) {
			seeds, source.Nodes = append(seeds, v), append(source.Nodes, 2*v)
		}
		within.Sources = append(within.Sources, source)
	}
	for _, v := range q.Sinks {
		within.Sinks = append(within.Sinks, 2*v, 2*v+1)
	}
	in := Options{Kinds: q.Kinds, Unbalanced: true, Label: o.Label, Engine: o.Engine, Budget: o.Budget, Topology: o.Topology, Seeds: len(seeds), ordered: true}
	through, err := part.Graph(ctx, g)
	if err != nil {
		return err
	}
	s, bytes, err := solveOnce(ctx, dev, through, seeds, in)
	if err != nil {
		return err
	}
	all.Tabulated, all.Why, all.Bytes = s.Run.Engine, s.Why, max(all.Bytes, bytes)
	c, err := newContexts(ctx, s)
	if err != nil {
		return err
	}
	found, err := session.Taint(ctx, dev, c.graph, within, o)
	if err != nil {
		return err
	}
	all.Searches += found.Searches
	all.Bytes = max(all.Bytes, found.Bytes)
	slices.SortStableFunc(found.Findings, func(a, b session.Finding) int {
		return cmp.Compare(uint(len(a.Path)-1), uint(len(b.Path)-1)) // without a path last
	})
	for i := range found.Findings {
		f := &found.Findings[i]
		f.Sink, f.Label, f.Path = f.Sink/2, part.Labels[f.Label], c.path(f.Path)
	}
	all.Findings = append(all.Findings, found.Findings...)
	return nil
}

// solveOnce opens a session for one question.
func solveOnce(ctx context.Context, dev driver.Device, g *graph.CSR, seeds []uint32, o Options) (*Solution, uint64, error) {
	s, err := NewSession(ctx, dev, g, o)
	if err != nil {
		return nil, 0, err
	}
	solution, err := s.Solve(ctx, seeds)
	return solution, s.Bytes(), errors.Join(err, s.Close())
}
