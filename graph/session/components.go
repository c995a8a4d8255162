package session

import (
	"context"
)

// Components returns the weak components: nodes that are joined by arcs of the kinds allowed, whichever way those lead. 0 is
// all kinds. The first call prepares the analysis, which takes 4 bytes a node, and in a symmetric graph, where labels are kept
// for sets too, 12.
//
// Errors: out of memory, with the bytes needed and those there are; those of the device, after which the session may be
// used again unless the device is lost.
func (s *Session) Components(ctx context.Context, kinds uint32) (_ *Components, err error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	before := set.moved
	labels, run, err := by.weak(ctx, set.kinds(Query{Kinds: kinds}))
	if err != nil {
		return nil, err
	}
	set.moved.since(before, &run)
	return partition(labels, run), nil
}

// StrongComponents returns the strong components: nodes of which each leads to every other one along arcs of the kinds allowed.
// 0 is all kinds. In a symmetric graph they are the weak ones. The first call prepares the analysis, which takes 12 bytes
// a node, and the graph a second time if the session was not opened for levels.
//
// Nodes without a cycle are taken away first, from both ends. The rest takes one turn for each component in the longest line
// of such as have ever smaller nodes before them; Run has the rounds of all turns together.
//
// Errors: those of Components.
func (s *Session) StrongComponents(ctx context.Context, kinds uint32) (_ *Components, err error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	ask := by.strong
	if set.symmetric {
		ask = by.weak
	}
	before := set.moved
	labels, run, err := ask(ctx, set.kinds(Query{Kinds: kinds}))
	if err != nil {
		return nil, err
	}
	set.moved.since(before, &run)
	return partition(labels, run), nil
}
