package session

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/internal/waves"
	"github.com/govyre/vyre/megakernel"
)

// nearby answers which nodes are near others. Seeds, the head of a question and what is told are side by side, so that a question is
// one upload, and a short answer one read:
//
//	seeds, the first of them last | head | node, arcs, kinds | node, arcs, kinds …
//	      └────── written ───────────┘
//	                              └─ read ─────────────────┘ and the rest, if there is any
type nearby struct {
	*analysis
	away, kinds driver.Buffer // by node; outside of runs no node is away
	asked       driver.Buffer
	at          int64  // of the head, in asked
	host        []byte // what is written, and read
	clear       bool   // away and kinds are as a run needs them
}

// nearFirst is how many bytes of what is told come with the head.
const nearFirst = 4 << 10

func newNearby(ctx context.Context, s *runner) (*nearby, error) {
	n := &nearby{analysis: s.analysis("nearby"), at: (4*int64(s.o.Seeds) + 255) / 256 * 256}
	nodes := int64(s.g.Nodes())
	n.want(&n.away, 4*nodes, "nodes away")
	n.want(&n.kinds, 4*nodes, "kinds of arcs to them")
	n.want(&n.asked, n.at+4*waves.NearHead+4*waves.NearWords*nodes, "nodes nearby")
	p, err := waves.UnpackNear()
	if err == nil {
		err = n.open()
	}
	if err != nil {
		return nil, err
	}
	head, asked := driver.U32(uint32(n.at/4)), driver.All(n.asked)
	away, kinds, list, lengths := driver.All(n.away), driver.All(n.kinds), driver.All(s.list), driver.All(s.lengths)
	round := append([]driver.Arg{megakernel.Round{}, megakernel.Size{}}, maskedArrays(s.forward)...)
	return n, n.plan(ctx, []megakernel.Wave{
		{Program: p.Seed, Phase: megakernel.Before, Domain: s.seedDomain(), Args: []driver.Arg{head, asked, away, list, lengths}},
		{Program: p.Round, Domain: megakernel.Spread(lengths, uint32(nodes)), Args: append(round, head, asked, away, kinds, list, lengths, megakernel.Vote{}, megakernel.Edges{})},
		{Program: p.Tell, Phase: megakernel.After, Domain: megakernel.Counted(driver.Part(n.asked, n.at, 4), uint32(nodes)), Args: []driver.Arg{head, asked, away, kinds}},
	}, nil, megakernel.Options{})
}

// ask runs a question, and reads the answer.
func (n *nearby) ask(ctx context.Context, q Query, arcs uint32) ([]Nearby, Run, error) {
	if err := n.begin(ctx, q, arcs); err != nil {
		return nil, Run{}, err
	}
	run, err := n.s.finish(ctx, n.p)
	if err != nil {
		return nil, run, err
	}
	n.s.totals.add(run)
	first := min(4*waves.NearHead+nearFirst, n.asked.Len()-n.at)
	host := n.room(first)
	if err := n.s.read(ctx, driver.Part(n.asked, n.at, first), host); err != nil {
		return nil, run, err
	}
	n.clear = true
	list := make([]Nearby, binary.LittleEndian.Uint32(host[4*waves.NearCount:]))
	if all := 4*waves.NearHead + 4*waves.NearWords*int64(len(list)); all > first {
		host = append(n.room(all)[:0], host...)[:all]
		if err := n.s.read(ctx, driver.Part(n.asked, n.at+first, all-first), host[first:]); err != nil {
			return nil, run, err
		}
	}
	host = host[4*waves.NearHead:]
	for i := range list {
		var words [waves.NearWords]uint32
		getWords(words[:], host[4*waves.NearWords*i:])
		list[i] = Nearby{Node: words[0], Arcs: words[1], Kinds: words[2]}
	}
	return list, run, nil
}

// begin uploads a question. What a run that failed has left is cleared first.
func (n *nearby) begin(ctx context.Context, q Query, arcs uint32) error {
	if !n.clear {
		clear := n.s.dev.NewSequence(n.s.o.Label + " nearby")
		clear.Fill(driver.All(n.away), ^uint64(0), 4)
		clear.Fill(driver.All(n.kinds), 0, 4)
		if _, err := clear.Once(ctx); err != nil {
			return err
		}
	}
	n.clear = false
	seeds := slices.Clone(q.Seeds)
	slices.Sort(seeds)
	seeds = slices.Compact(seeds)
	k := len(seeds)
	host := n.room(int64(4 * (k + waves.NearHead)))
	for i, v := range seeds {
		putWords(host[4*(k-1-i):], []uint32{v})
	}
	putWords(host[4*k:], []uint32{waves.NearArcs: arcs, waves.NearKinds: n.s.kinds(q), waves.NearSeeds: uint32(k)})
	return n.s.write(ctx, driver.Part(n.asked, n.at-int64(4*k), int64(len(host))), host)
}

// room is memory of the host for so many bytes.
func (n *nearby) room(bytes int64) []byte {
	if int64(cap(n.host)) < bytes {
		n.host = make([]byte, bytes)
	}
	return n.host[:bytes]
}

func (k *kernels) near(ctx context.Context, q Query, arcs uint32) ([]Nearby, Run, error) {
	n, err := k.nearby.get(k.runner, func() (*nearby, error) { return newNearby(ctx, k.runner) })
	if err != nil {
		return nil, Run{}, err
	}
	return n.ask(ctx, q, arcs)
}

// near needs a few rows of the graph, which the host has: no part comes to the device for them.
func (e partEngine) near(ctx context.Context, q Query, arcs uint32) ([]Nearby, Run, error) {
	if e.p.near == nil {
		e.p.near = newNative(e.p.s, "the rows of a few nodes are nearer on the host than in parts")
	}
	return e.p.near.near(ctx, q, arcs)
}
