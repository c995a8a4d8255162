package session

import (
	"context"
)

// Components returns the weak components: nodes that are joined by arcs of the kinds allowed, whichever way those lead. 0 is
// all kinds. The first call prepares the analysis, which takes 4 bytes a node, and in a symmetric graph, where labels are kept
// for sets too, 12. How many there are, and which is the greatest, comes back in 16 bytes; labels do if a call asks for them.
//
// Errors: out of memory, with the bytes needed and those there are; those of the device, after which the session may be
// used again unless the device is lost.
func (s *Session) Components(ctx context.Context, kinds uint32) (_ *Components, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	return componentsOf(ctx, s, kinds, false)
}

// componentsOf counts components.
func componentsOf(ctx context.Context, s *Session, kinds uint32, strong bool) (_ *Components, err error) {
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	c := &Components{s: s, kinds: set.kinds(Query{Kinds: kinds}), strong: strong && !set.symmetric}
	before := set.moved
	if err := by.components(ctx, c); err != nil {
		return nil, err
	}
	set.moved.since(before, &c.Run)
	return c, nil
}

// StrongComponents returns the strong components: nodes of which each leads to every other one along arcs of the kinds allowed.
// 0 is all kinds. In a symmetric graph they are the weak ones. The first call prepares the analysis, which takes 24 bytes
// a node.
//
// Errors: those of Components.
func (s *Session) StrongComponents(ctx context.Context, kinds uint32) (_ *Components, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	return componentsOf(ctx, s, kinds, true)
}
