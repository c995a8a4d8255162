package megakernel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// form is one way to make a search of waves.
type form struct {
	name  string
	waves func(g *graph, m *memory, seed uint32) ([]megakernel.Wave, []megakernel.Dependency)
}

var forms = []form{
	{"lists", func(g *graph, m *memory, seed uint32) ([]megakernel.Wave, []megakernel.Dependency) {
		p, n := programs(), g.nodes()
		return []megakernel.Wave{
			{Program: p["Clear"], Args: []driver.Arg{driver.U32(seed), m.depth, m.queue, m.lengths}, Domain: megakernel.Fixed(n), Phase: megakernel.Before},
			{Program: p["Expand"], Args: []driver.Arg{megakernel.Round{}, m.offsets, m.arcs, m.depth, m.queue, m.lengths, megakernel.Vote{}}, Domain: megakernel.List(m.lengths, n)},
		}, nil
	}},
	{"sweeps", func(g *graph, m *memory, seed uint32) ([]megakernel.Wave, []megakernel.Dependency) {
		p, n := programs(), g.nodes()
		return []megakernel.Wave{
			{Program: p["Sweep"], Args: []driver.Arg{megakernel.Round{}, m.offsets, m.arcs, m.depth, megakernel.Vote{}}, Domain: megakernel.Fixed(n)},
			{Program: p["Clear"], Args: []driver.Arg{driver.U32(seed), m.depth, m.queue, m.lengths}, Domain: megakernel.Fixed(n), Phase: megakernel.Before},
		}, nil
	}},
	{"workgroups in two groups", func(g *graph, m *memory, seed uint32) ([]megakernel.Wave, []megakernel.Dependency) {
		p, n := programs(), g.nodes()
		return []megakernel.Wave{
			{Program: p["Clear"], Args: []driver.Arg{driver.U32(seed), m.depth, m.queue, m.lengths}, Domain: megakernel.Fixed(n), Phase: megakernel.Before},
			{Program: p["Gather"], Args: []driver.Arg{megakernel.Round{}, m.offsets, m.arcs, m.depth, m.next, megakernel.Vote{}}, Domain: megakernel.Fixed((n + 63) / 64)},
			{Program: p["Keep"], Args: []driver.Arg{m.depth, m.next}, Domain: megakernel.Fixed(n)},
		}, []megakernel.Dependency{{Before: 1, After: 2}}
	}},
}

var topologies = []megakernel.Topology{megakernel.HostLoop, megakernel.BackToBack, megakernel.Captured, megakernel.DeviceLoop, megakernel.Cooperative}

// TestSearchIsTheSameInEveryTopology runs the same waves in every way there is.
func TestSearchIsTheSameInEveryTopology(t *testing.T) {
	graphs := []*graph{random(1, 200, 3), chain(40), star(300), random(2, 64, 1)}
	for _, device := range devices() {
		for _, f := range forms {
			t.Run(device+"/"+f.name, func(t *testing.T) {
				dev := open(t, device)
				for i, g := range graphs {
					if i > 0 && device != "cpu" && !long.Enabled() {
						break
					}
					m := g.upload(t, dev)
					seed := uint32(len(g.offsets) / 3)
					want, levels := g.depths(seed)
					var first *megakernel.Record
					for _, topology := range topologies {
						for _, o := range []megakernel.Options{{Blocks: 3}, {Tail: megakernel.TailNever, Blocks: 1}, {Tail: megakernel.TailAlways, Blocks: 2}, {SliceRounds: 1, Blocks: 2, PollRounds: 2},
							{TailEnter: 3, Blocks: 9, SliceRounds: 4}} {
							if o.Topology = topology; topology != megakernel.Cooperative && (o.Tail != megakernel.TailAuto || o.TailEnter != 0) {
								continue
							}
							rec := search(t, f, g, m, seed, o, want)
							what := fmt.Sprintf("%s, %v, %+v", g.name, topology, o)
							if rec.Rounds != levels+1 || rec.Status != megakernel.Converged {
								t.Errorf("%s: %v, want %d rounds", what, rec, levels+1)
							}
							if rec.Barriers, rec.TailRounds, rec.TailStays = 0, 0, 0; first == nil {
								first = &rec
							} else if rec != *first {
								t.Errorf("%s: record\n%+v, of the first topology\n%+v", what, rec, *first)
							}
						}
					}
				}
			})
		}
	}
}

// search runs a search twice and compares the depths.
func search(t *testing.T, f form, g *graph, m *memory, seed uint32, o megakernel.Options, want []uint32) megakernel.Record {
	t.Helper()
	waves, deps := f.waves(g, m, seed)
	p, err := megakernel.New(context.Background(), m.dev, waves, deps, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}()
	var rec megakernel.Record
	for range 2 {
		if rec, err = p.Run(context.Background()); err != nil {
			t.Fatalf("%s, %+v: %v", g.name, o, err)
		}
		if got := m.read(m.depth); !slices.Equal(got, want) {
			t.Fatalf("%s, %+v: depths\n%v, want\n%v", g.name, o, got, want)
		}
	}
	return rec
}
