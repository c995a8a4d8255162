package megakernel_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
)

// TestDrainSeesPartsOfRanges gives a drain a part of what the round has, and memory that no wave has: the one becomes a
// view of the same parameter, the other a parameter of its own.
func TestDrainSeesPartsOfRanges(t *testing.T) {
	g := chain(40)
	want, nodes, _ := g.reached(3)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		copied := g.upload(t, dev)
		waves := reach(g, m, 3)
		args := slices.Clone(waves[1].Drain.Args)
		args[0], args[1] = copied.offsets, copied.arcs
		args[4] = driver.Part(m.lengths.Buffer, m.lengths.Off, 4)
		waves[1].Drain.Args = args
		p, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{Topology: megakernel.Drained, Blocks: 2})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			rec, err := p.Run(context.Background())
			if err != nil || rec.Items != nodes || !slices.Equal(m.read(m.seen), want) {
				t.Errorf("%s: %v, %v", device, rec, err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDrainNextToOtherWaves: what runs once stands in the same launch, so its groups have one size.
func TestDrainNextToOtherWaves(t *testing.T) {
	g := chain(40)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	lists, _ := forms[0].waves(g, m, 3) // which run by items
	lists[1].Drain = reach(g, m, 3)[1].Drain
	waves := append(lists, megakernel.Wave{Program: programs()["Gather"], Domain: megakernel.Fixed(1), Phase: megakernel.After,
		Args: []driver.Arg{megakernel.Round{}, m.offsets, m.arcs, m.depth, m.next, megakernel.Vote{}}})
	_, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{Topology: megakernel.Drained})
	if err == nil || !strings.Contains(err.Error(), "ReachDrain has groups of 256, and waves beside it have 64") {
		t.Errorf("got %v", err)
	}
	p, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{Blocks: 1})
	if err != nil || p.Topology() != megakernel.Cooperative {
		t.Fatalf("auto took %v, %v", p, err)
	}
	p.Close()
	other := g.upload(t, dev)
	clash := reach(g, other, 3)
	clash[1].Drain.Args = slices.Clone(clash[1].Drain.Args)
	clash[1].Drain.Args[2] = megakernel.Temp{ID: 1, Bytes: 8}
	_, err = megakernel.New(context.Background(), dev, clash, nil, megakernel.Options{Topology: megakernel.Drained})
	if err == nil || !strings.Contains(err.Error(), "argument seen is a megakernel.Temp") {
		t.Errorf("got %v", err)
	}
}
