package session

import (
	"context"
	"slices"
)

// BitSets are the answer to a BitFlow: the least sets, or with Must the greatest.
type BitSets struct {
	Run Run
	f   BitFlow
	in  []uint64
}

// In returns what comes to a node, by arcs that lead to it, or with Backward by those that leave it; with Must everything where
// nothing does. It must not be written. It is nil of a node that the graph does not have.
func (b *BitSets) In(node uint32) []uint64 {
	at := int(node) * b.f.Words
	if at >= len(b.in) {
		return nil
	}
	return b.in[at : at+b.f.Words : at+b.f.Words]
}

// Out returns what leaves a node: that without what it kills, and with what it makes.
func (b *BitSets) Out(node uint32) []uint64 {
	at := int(node) * b.f.Words
	if at >= len(b.in) {
		return nil
	}
	out := make([]uint64, b.f.Words)
	for w := range out {
		out[w] = b.f.Gen[at+w] | b.in[at+w]&^b.f.Kill[at+w]
	}
	return out
}

// BitFlow moves sets along arcs until nothing changes. The first call prepares the analysis, and so does
// one with another number of words or another direction: it takes 24 bytes a node and word and 4 a node, and against the arcs
// the graph a second time, unless the session was opened for levels or the graph is symmetric.
//
// Errors: sets of another length than the nodes have; an entry that is no node; those of Components.
func (s *Session) BitFlow(ctx context.Context, f BitFlow) (_ *BitSets, err error) {
	if err := made(s); err != nil {
		return nil, err
	}
	if err := f.check(s.resident); err != nil {
		return nil, err
	}
	set := s.sets.first()
	by, err := set.answering(ctx)
	if err != nil {
		return nil, err
	}
	defer set.exit(&err)
	b := &BitSets{f: f, in: make([]uint64, len(f.Gen))}
	gen, kill := f.Gen, f.Kill
	if f.Must {
		// What does not hold on all paths is what fails on some: of complements, those are the least sets. What leaves a node
		// then is what it kills and does not make, and what comes to it and it does not make.
		gen, kill = make([]uint64, len(f.Gen)), f.Gen
		for i := range gen {
			gen[i] = f.Kill[i] &^ f.Gen[i]
		}
	}
	for _, v := range f.Entries {
		for w := range f.Words {
			x := uint64(0)
			if f.Boundary != nil {
				x = f.Boundary[w]
			}
			if f.Must {
				x = ^x
			}
			b.in[int(v)*f.Words+w] = x
		}
	}
	before := set.moved
	if b.Run, err = by.bits(ctx, f, gen, kill, b.in); err != nil {
		return nil, err
	}
	set.moved.since(before, &b.Run)
	if f.Must {
		for i, x := range b.in {
			b.in[i] = ^x
		}
	}
	b.f.Gen, b.f.Kill = slices.Clone(f.Gen), slices.Clone(f.Kill) // the caller's are for the next question
	return b, nil
}
