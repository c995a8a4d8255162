package session

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/little"
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
	if err := s.made(); err != nil {
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

func (k *kernels) bits(ctx context.Context, f BitFlow, gen, kill, in []uint64) (run Run, err error) {
	b, err := k.openBits(ctx, f)
	if err != nil {
		return Run{}, err
	}
	up := k.dev.NewSequence(k.o.Label + " sets")
	for to, words := range map[driver.Buffer][]uint64{b.in: in, b.gen: gen, b.kill: kill} {
		up.Upload(driver.All(to), little.Bytes(words), driver.Always)
	}
	if _, err = up.Once(ctx); err != nil {
		return Run{}, err
	}
	k.moved.uploaded += 8 * uint64(len(in)+len(gen)+len(kill))
	if run, err = b.run(ctx, k.kinds(Query{Kinds: f.Kinds})); err == nil {
		err = k.ended("sets", run)
	}
	if err != nil {
		return run, err
	}
	host := make([]byte, b.in.Len())
	if err := k.read(ctx, driver.All(b.in), host); err != nil {
		return run, err
	}
	for i := range in {
		in[i] = binary.LittleEndian.Uint64(host[8*i:])
	}
	return run, nil
}

// openBits prepares it, if it is not.
func (k *kernels) openBits(ctx context.Context, f BitFlow) (*bitflow, error) {
	if b := k.flows.made; b != nil && (b.words != f.Words || b.backward != f.Backward) {
		if err := k.flows.drop(k.runner); err != nil {
			return nil, err
		}
	}
	return k.flows.get(k.runner, func() (*bitflow, error) { return newBits(ctx, k.runner, f) })
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
