package session

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// BitFlow is a question about sets that move along arcs, where a node takes some things out and puts others in: which
// definitions reach a place, which variables are live there, which expressions are available (Kildall, "A unified approach to
// global program optimization", 1973). Sets are bits, Words words for each node, one node after another.
//
//	reaching definitions   gen: what a node defines     kill: all other definitions of the same variables
//	liveness               gen: what it uses            kill: what it defines                            Backward
//	available expressions  gen: what it computes        kill: what has operands that it changes          Must
type BitFlow struct {
	Words     int
	Gen, Kill []uint64
	Backward  bool // sets go against the arcs
	Must      bool // what holds on all paths to a node, in place of what holds on some

	Entries  []uint32 // nodes to which sets come from elsewhere, too
	Boundary []uint64 // that set, Words words; nil is the empty one
	Kinds    uint32   // of arcs that are allowed; 0 is all
}

// check refuses what is no question about the graph.
func (f *BitFlow) check(s *resident) error {
	want := uint64(s.g.Nodes()) * uint64(max(f.Words, 0))
	switch {
	case f.Words < 1 || want > math.MaxInt32:
		return s.refuse(fmt.Sprintf("sets of %d words for %d nodes", f.Words, s.g.Nodes()), "give a set a word at least; a device indexes 2³¹−1 of all nodes together")
	case uint64(len(f.Gen)) != want || uint64(len(f.Kill)) != want:
		return s.refuse(fmt.Sprintf("%d words are made and %d killed, %d nodes of %d words have %d", len(f.Gen), len(f.Kill), s.g.Nodes(), f.Words, want), "give every node a set of each")
	case f.Boundary != nil && len(f.Boundary) != f.Words:
		return s.refuse(fmt.Sprintf("a boundary of %d words, sets have %d", len(f.Boundary), f.Words), "give one set, for all entries")
	}
	for i, v := range f.Entries {
		if int64(v) >= int64(s.g.Nodes()) {
			return s.refuse(fmt.Sprintf("entry %d is node %d, the graph has %d", i, v, s.g.Nodes()), "nodes count from 0")
		}
	}
	return nil
}

// bitflow moves sets of so many words.
type bitflow struct {
	*analysis
	words                 int
	backward              bool
	in, gen, kill, queued driver.Buffer
	of                    *image // along whose arcs sets go
	back                  *image // the same, if it is the analysis' own
}

// wantBits counts its memory.
func wantBits(s *runner, f BitFlow) *bitflow {
	b := &bitflow{analysis: s.analysis("sets"), words: f.Words, backward: f.Backward}
	words := 8 * int64(len(f.Gen))
	b.want(&b.in, words, "sets")
	b.want(&b.gen, words, "sets made")
	b.want(&b.kill, words, "sets killed")
	b.want(&b.queued, 4*int64(s.g.Nodes()), "sets queued")
	b.of = s.forward
	if f.Backward {
		if b.of = s.back; b.of == nil {
			if b.of = s.turned(); b.of != s.forward {
				b.back = b.of
				b.want(&b.of.memory, b.of.bytes(), "reverse")
			}
		}
	}
	return b
}

func newBits(ctx context.Context, s *runner, f BitFlow) (*bitflow, error) {
	b := wantBits(s, f)
	p, err := waves.UnpackBits()
	if err == nil {
		err = b.open()
	}
	if err != nil {
		return nil, err
	}
	if b.back != nil {
		if err := s.put(ctx, b.back); err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	queued, list, lengths := driver.All(b.queued), driver.All(s.list), driver.All(s.lengths)
	args := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(uint32(f.Words))}, maskedArrays(b.of)...)
	args = append(args, driver.All(b.in), driver.All(b.gen), driver.All(b.kill), queued, driver.All(s.filter), list, lengths, megakernel.Vote{}, megakernel.Edges{})
	return b, b.plan(ctx, []megakernel.Wave{
		{Program: p.List, Phase: megakernel.Before, Domain: megakernel.Fixed(uint32(max(s.g.Nodes(), 3))), Args: []driver.Arg{queued, list, lengths}},
		{Program: p.Round, Domain: megakernel.Spread(lengths, uint32(s.g.Nodes())), Args: args},
	}, nil, megakernel.Options{MaxRounds: uint32(min(max(64*int64(len(f.Gen)), 1<<20), 1<<31))})
}
