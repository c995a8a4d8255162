package megakernel_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// reach makes the waves of a search that only marks nodes, which needs no rounds.
func reach(g *graph, m *memory, seed uint32) []megakernel.Wave {
	return reachBy(g, m, seed, programs())
}

// reachBy takes programs of some size of group.
func reachBy(g *graph, m *memory, seed uint32, p map[string]*ir.Program) []megakernel.Wave {
	words := (g.nodes() + 31) / 32
	return []megakernel.Wave{
		{Program: p["ReachClear"], Args: []driver.Arg{driver.U32(seed), m.seen, m.queue, m.lengths}, Domain: megakernel.Fixed(max(words, 3)), Phase: megakernel.Before},
		{Program: p["ReachRound"], Args: []driver.Arg{megakernel.Round{}, megakernel.Size{}, m.offsets, m.arcs, m.seen, m.queue, m.lengths, megakernel.Vote{}, megakernel.Edges{}},
			Domain: megakernel.Spread(m.lengths, g.nodes()),
			Stay:   &megakernel.Stay{Program: p["ReachStay"], Args: []driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}, m.offsets, m.arcs, m.seen, m.queue, m.lengths, megakernel.Edges{}, megakernel.Result{}}},
			Drain: &megakernel.Drain{Program: p["ReachDrain"], Args: []driver.Arg{m.offsets, m.arcs, m.seen, m.queue, m.lengths, megakernel.Slots{}, megakernel.Control{}},
				Slots: arcs.Slots(uint64(g.nodes()), uint64(len(g.arcs)))}},
	}
}

// reached is the answer, as bits, with the number of nodes and of arcs that leave them.
func (g *graph) reached(seed uint32) (seen []uint32, nodes, edges uint64) {
	seen = make([]uint32, (g.nodes()+31)/32)
	depth, _ := g.depths(seed)
	for v, d := range depth {
		if d != ^uint32(0) {
			seen[v/32] |= 1 << (v % 32)
			nodes++
			edges += uint64(g.offsets[v+1] - g.offsets[v])
		}
	}
	return seen, nodes, edges
}

// TestReachIsTheSameInRoundsAndDrained runs one definition of an arc in all six topologies.
func TestReachIsTheSameInRoundsAndDrained(t *testing.T) {
	hubs := random(3, 400, 2)
	for _, device := range devices() {
		dev := open(t, device)
		for i, g := range []*graph{fromArcs("one node", 1, nil), random(1, 150, 3), complete(70), chain(70), star(300), hubs, star(32*arcs.Split + 50)} {
			if i > 2 && device != "cpu" && !long.Enabled() {
				break
			}
			m := g.upload(t, dev)
			seed := g.nodes() / 3
			want, nodes, edges := g.reached(seed)
			_, levels := g.depths(seed)
			var first *megakernel.Record
			for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
				for _, o := range []megakernel.Options{{Blocks: 1}, {Blocks: 3}, {Blocks: 2, Tail: megakernel.TailNever}, {Blocks: 2, Tail: megakernel.TailAlways},
					{Blocks: 3, TailEnter: 2}, {Blocks: 2, SliceRounds: 1, Tail: megakernel.TailAlways},
					{Blocks: 7, Tail: megakernel.TailNever}} {
					if o.Topology = topology; topology != megakernel.Cooperative && (o.Tail != megakernel.TailAuto || o.TailEnter != 0) {
						continue
					}
					p, err := megakernel.New(context.Background(), dev, reach(g, m, seed), nil, o)
					if err != nil {
						t.Fatal(err)
					}
					for range 2 {
						rec, err := p.Run(context.Background())
						if err != nil {
							t.Fatalf("%s, %s, %v: %v", device, g.name, topology, err)
						}
						if got := m.read(m.seen); !slices.Equal(got, want) {
							t.Errorf("%s, %s, %v: reached %x, want %x", device, g.name, topology, got, want)
						}
						if rec.Items != nodes || rec.Edges != edges || rec.Results != nodes || rec.Changed != (nodes > 1) || rec.Status != megakernel.Converged {
							t.Errorf("%s, %s, %v: %#v, want %d nodes and %d arcs", device, g.name, topology, rec, nodes, edges)
						}
						if topology == megakernel.Drained {
							continue
						}
						if rec.Barriers, rec.TailRounds, rec.TailStays = 0, 0, 0; first == nil {
							first = &rec
						} else if rec != *first {
							t.Errorf("%s, %s, %+v: record\n%+v, of the first topology\n%+v", device, g.name, o, rec, *first)
						}
						if rec.Rounds != levels+1 {
							t.Errorf("%s, %s, %+v: %d rounds, want %d", device, g.name, o, rec.Rounds, levels+1)
						}
					}
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// TestSpreadWavesGoOnAloneWithoutAFormForIt runs the wave itself in one block, several rounds a stay.
func TestSpreadWavesGoOnAloneWithoutAFormForIt(t *testing.T) {
	dev := open(t, "cpu")
	for _, g := range []*graph{chain(70), random(1, 150, 3), star(300)} {
		m := g.upload(t, dev)
		want, nodes, _ := g.reached(0)
		for _, o := range []megakernel.Options{{}, {TailEnter: 2}, {Tail: megakernel.TailAlways}, {Tail: megakernel.TailAlways, SliceRounds: 3}} {
			o.Topology, o.Blocks = megakernel.Cooperative, 3
			waves := reach(g, m, 0)
			waves[1].Stay = nil
			p, err := megakernel.New(t.Context(), dev, waves, nil, o)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := p.Run(t.Context())
			if err != nil || rec.Items != nodes || !slices.Equal(m.read(m.seen), want) {
				t.Errorf("%s, %+v: %+v, %v; want %d nodes", g.name, o, rec, err, nodes)
			}
			p.Close()
		}
	}
}

// complete has an arc from every node to every other.
func complete(n uint32) *graph {
	var all [][2]uint32
	for a := range n {
		for b := range n {
			if a != b {
				all = append(all, [2]uint32{a, b})
			}
		}
	}
	return fromArcs("complete", int(n), all)
}

// TestDrainHasNoRaceUnderAnySchedule: items are handed over, and the end is found, in whatever order warps run.
func TestDrainHasNoRaceUnderAnySchedule(t *testing.T) {
	g := random(9, 200, 3)
	want, nodes, _ := g.reached(5)
	schedules := []cpu.Schedule{cpu.Forward, cpu.Reversed}
	for seed := range long.Seeds(t, 2, 4, 200) {
		schedules = append(schedules, cpu.Seeded(seed))
	}
	for _, schedule := range schedules {
		dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
		if err != nil {
			t.Fatal(err)
		}
		m := g.upload(t, dev)
		p, err := megakernel.New(context.Background(), dev, reach(g, m, 5), nil, megakernel.Options{Topology: megakernel.Drained, Blocks: 3})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := p.Run(context.Background())
		if err != nil || rec.Items != nodes {
			t.Errorf("%v: %v, %v", schedule, rec, err)
		}
		for _, r := range p.Result().Reports {
			t.Errorf("%v: %s", schedule, r.Text)
		}
		if got := m.read(m.seen); !slices.Equal(got, want) {
			t.Errorf("%v: reached %x, want %x", schedule, got, want)
		}
		p.Close()
	}
}

// TestRoundsHaveNoRaceUnderAnySchedule runs a search with rows for a lane, a warp and a group, in all
// topologies, with one block alone always, never, and now and then.
func TestRoundsHaveNoRaceUnderAnySchedule(t *testing.T) {
	g := hub(random(11, 300, 3), 32*arcs.Split+20)
	want, nodes, edges := g.reached(5)
	schedules := []cpu.Schedule{cpu.Forward, cpu.Reversed}
	for seed := range long.Seeds(t, 1, 2, 60) {
		schedules = append(schedules, cpu.Seeded(seed))
	}
	for _, schedule := range schedules {
		dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
		if err != nil {
			t.Fatal(err)
		}
		m := g.upload(t, dev)
		for _, o := range []megakernel.Options{{Topology: megakernel.HostLoop}, {Topology: megakernel.DeviceLoop}, {Topology: megakernel.Captured},
			{Topology: megakernel.Cooperative, TailEnter: 20}, {Topology: megakernel.Cooperative, Tail: megakernel.TailAlways}, {Topology: megakernel.Cooperative, Tail: megakernel.TailNever}} {
			o.Blocks = 3
			p, err := megakernel.New(context.Background(), dev, reach(g, m, 5), nil, o)
			if err != nil {
				t.Fatal(err)
			}
			rec, err := p.Run(context.Background())
			if err != nil || rec.Items != nodes || rec.Edges != edges {
				t.Errorf("%v, %+v: %v, %v; want %d items and %d edges", schedule, o, rec, err, nodes, edges)
			}
			if (rec.TailRounds != 0) != (o.Topology == megakernel.Cooperative && o.Tail != megakernel.TailNever) {
				t.Errorf("%v, %+v: %d rounds of one block alone", schedule, o, rec.TailRounds)
			}
			for _, r := range p.Result().Reports {
				t.Errorf("%v, %+v: %s", schedule, o, r.Text)
			}
			if got := m.read(m.seen); !slices.Equal(got, want) {
				t.Errorf("%v, %+v: reached %x, want %x", schedule, o, got, want)
			}
			p.Close()
		}
	}
}

// hub gives the last node of a graph, which is made to be reached from node 5, an arc to each of n more nodes.
func hub(g *graph, n uint32) *graph {
	var all [][2]uint32
	last := g.nodes() - 1
	for v := range g.nodes() {
		for _, w := range g.arcs[g.offsets[v]:g.offsets[v+1]] {
			all = append(all, [2]uint32{v, w})
		}
	}
	all = append(all, [2]uint32{5, last})
	for k := range n {
		all = append(all, [2]uint32{last, last + 1 + k})
	}
	return fromArcs("hub", int(g.nodes()+n), all)
}

// TestStayThatCannotBeIsRefused says what is wrong.
func TestStayThatCannotBeIsRefused(t *testing.T) {
	g := chain(9)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	change := func(f func(*megakernel.Wave)) []megakernel.Wave {
		waves := reach(g, m, 0)
		f(&waves[1])
		return waves
	}
	for _, c := range []struct {
		name, want string
		waves      []megakernel.Wave
	}{
		{"no program", "give it a kernel that calls arcs.Stay", change(func(w *megakernel.Wave) { w.Stay.Program = nil })},
		{"another domain", "it goes on with a list, and the domain is fixed 9", change(func(w *megakernel.Wave) { w.Domain = megakernel.Fixed(9) })},
		{"a bound for a buffer", "a bound of a stay is u32, the parameter is a buffer of u32", change(func(w *megakernel.Wave) { w.Stay.Args[4] = megakernel.Many{} })},
		{"a result of u32", "the result of a stay is a buffer of u64, the parameter is a buffer of u32", change(func(w *megakernel.Wave) { w.Stay.Args[4] = megakernel.Result{} })},
		{"a limit of the wave", "a megakernel.Limit is for the form for one block alone", change(func(w *megakernel.Wave) { w.Args[1] = megakernel.Limit{} })},
		{"a size for a buffer", "the size of a domain is u32, the parameter is a buffer of u32", change(func(w *megakernel.Wave) { w.Args[2] = megakernel.Size{} })},
		{"another size of group", "its workgroups have 512 invocations, those of wave 1 ReachRound have 256", change(func(w *megakernel.Wave) { w.Stay.Program = programsOf(512)["ReachStay"] })},
		{"a result that is added to", "the result of a stay is only stored", change(func(w *megakernel.Wave) {
			w.Stay = &megakernel.Stay{Program: programs()["AddResult"], Args: []driver.Arg{megakernel.Result{}}}
		})},
	} {
		_, err := megakernel.New(context.Background(), dev, c.waves, nil, megakernel.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestDrainThatCannotBeIsRefused says what is missing.
func TestDrainThatCannotBeIsRefused(t *testing.T) {
	g := chain(9)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	change := func(f func(*megakernel.Drain)) []megakernel.Wave {
		waves := reach(g, m, 0)
		f(waves[1].Drain)
		return waves
	}
	none := reach(g, m, 0)
	none[1].Drain = nil
	two := append(reach(g, m, 0), megakernel.Wave{Program: programs()["Keep"], Args: []driver.Arg{m.depth, m.next}, Domain: megakernel.Fixed(9)})
	for _, c := range []struct {
		name, want string
		waves      []megakernel.Wave
	}{
		{"no drain", "it has no form without rounds", none},
		{"two waves", "a drain has one wave", two},
		{"no slots", "its drain has 0 slots", change(func(d *megakernel.Drain) { d.Slots = 0 })},
		{"no cooperative kernel", "Keep is no cooperative kernel", change(func(d *megakernel.Drain) { d.Program = programs()["Keep"] })},
		{"no queue", "it has 1 of Slots{} and Control{}", change(func(d *megakernel.Drain) { d.Args[6] = m.depth })},
		{"slots elsewhere", "slots are a buffer of u64, argument offsets is a buffer of u32", change(func(d *megakernel.Drain) { d.Args[0] = megakernel.Slots{} })},
		{"too few arguments", "it has 6 arguments for 7 parameters", change(func(d *megakernel.Drain) { d.Args = d.Args[:6] })},
	} {
		_, err := megakernel.New(context.Background(), dev, c.waves, nil, megakernel.Options{Topology: megakernel.Drained})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestRoundsOfOneWarp: lists of a few nodes, of rows that the lanes of one suffice for, that they do not, and that a warp or
// a group walks, in lists that grow and shrink. Nothing but the tail differs from rounds of all blocks.
func TestRoundsOfOneWarp(t *testing.T) {
	mesh := func(name string, width, length uint32, across bool) *graph {
		var all [][2]uint32
		for v := range width * length {
			if v >= width {
				all = append(all, [2]uint32{v, v - width}, [2]uint32{v - width, v})
			}
			if across && v%width > 0 {
				all = append(all, [2]uint32{v, v - 1}, [2]uint32{v - 1, v})
			}
			if v < width && v > 0 {
				all = append(all, [2]uint32{0, v})
			}
		}
		return fromArcs(name, int(width*length), all)
	}
	whorls := func(leaves ...uint32) *graph { // a chain with leaves at some of its nodes
		n := uint32(4 * len(leaves))
		var all [][2]uint32
		for v := range n - 1 {
			all = append(all, [2]uint32{v, v + 1})
		}
		next := n
		for k, many := range leaves {
			for range many {
				all = append(all, [2]uint32{uint32(4 * k), next})
				next++
			}
		}
		return fromArcs("whorls", int(next), all)
	}
	checked, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(4), Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	devs := []driver.Device{checked}
	for _, name := range devices() {
		devs = append(devs, open(t, name))
	}
	for _, g := range []*graph{chain(70), mesh("12 rails", 12, 9, false), mesh("17 rails", 17, 5, false), mesh("grid", 12, 9, true), whorls(3, 9, 0, 40, 70, 5, 400, 1, 2, 3), whorls(1, 32*arcs.Split+9, 2)} {
		for _, dev := range devs {
			if dev.Caps().Simulated && g.nodes() > 200 && !long.Enabled() {
				continue
			}
			m := g.upload(t, dev)
			want, nodes, edges := g.reached(0)
			var all megakernel.Record
			for k, o := range []megakernel.Options{{Tail: megakernel.TailNever}, {Tail: megakernel.TailAlways}, {Tail: megakernel.TailAlways, SliceRounds: 3}, {TailEnter: 12}, {TailEnter: 1}} {
				o.Topology, o.Blocks = megakernel.Cooperative, 2
				p, err := megakernel.New(t.Context(), dev, reach(g, m, 0), nil, o)
				if err != nil {
					t.Fatal(err)
				}
				rec, err := p.Run(t.Context())
				if err != nil || rec.Items != nodes || rec.Edges != edges || !slices.Equal(m.read(m.seen), want) || rec.TailRounds == 0 && o.Tail == megakernel.TailAlways {
					t.Errorf("%s on %s, %+v: %+v, %v; want %d nodes and %d arcs", g.name, dev.Name(), o, rec, err, nodes, edges)
				}
				for _, r := range p.Result().Reports {
					t.Errorf("%s on %s, %+v: %s", g.name, dev.Name(), o, r.Text)
				}
				if rec.Barriers, rec.TailRounds, rec.TailStays = 0, 0, 0; k == 0 {
					all = rec
				} else if rec != all {
					t.Errorf("%s on %s, %+v: %+v, of all blocks %+v", g.name, dev.Name(), o, rec, all)
				}
				p.Close()
			}
		}
	}
}
