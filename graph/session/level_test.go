package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/turned"
	"github.com/govyre/vyre/megakernel"
)

// TestSessionLevelsAreThoseOfASearch, between batches, of graphs that turn the direction and of others.
func TestSessionLevelsAreThoseOfASearch(t *testing.T) {
	for _, device := range devices() {
		for i, name := range []string{"random", "random with masks", "kron:7", "grid:9x7", "skew:64"} {
			g := graphtest.RandomGraph(t, 4, long.Count(80, 300, 300), name != "random")
			if !strings.HasPrefix(name, "random") {
				g = graphtest.Generated(t, name)
			}
			for k, topology := range checkedTopologies() {
				if topology != megakernel.Auto && (i != 1 || device == "cuda-sim") || device == "cuda-sim" && i > 1 {
					continue // what is simulated takes a hundred times as long, and megakernel has run them all
				}
				for _, sets := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/%s/%v/%v", device, name, topology, sets), func(t *testing.T) {
						t.Parallel()
						dev := checked(t, device, cpu.Seeded(uint64(k)))
						before := dev.Stats().Get(metric.LiveBytes)
						o := session.Options{Engine: session.WavesEngine, Queries: 2, Levels: true, Topology: topology}
						if sets {
							o.SetSets()
						}
						s, err := session.New(t.Context(), dev, g, o)
						if err != nil {
							t.Fatal(err)
						}
						const room = 64 << 10 // for control words
						if live, peak := dev.Stats().Get(metric.LiveBytes)-before, s.Memory().PeakBytes; live > peak || live+room < peak {
							t.Errorf("%d bytes live, planned %d", live, peak)
						}
						s.OnRun(func(r driver.Result) {
							for _, f := range r.Reports {
								t.Errorf("%s: %s", f.Kernel, f.Text)
							}
						})
						for _, q := range randomQueries(uint64(i), 3, g.Nodes()) {
							kinds := q.Kinds
							if kinds == 0 {
								kinds = graph.AllKinds
							}
							want, err := graph.Levels(t.Context(), g, q.Seeds, kinds)
							if err != nil {
								t.Fatal(err)
							}
							got, err := s.Levels(t.Context(), q)
							if err != nil || !slices.Equal(got, want) {
								t.Errorf("%+v: %v, %v, want %v", q, got, err, want)
							}
							r, err := s.Reach(t.Context(), q)
							if err != nil {
								t.Fatal(err)
							}
							matches(t, g, q, r)
						}
						if err := s.Close(); err != nil || dev.Stats().Get(metric.LiveBytes) != before {
							t.Errorf("%v, %d bytes live, %d before", err, dev.Stats().Get(metric.LiveBytes), before)
						}
					})
				}
			}
		}
	}
}

// TestTurnsOfNamedGraphs: the direction of each round, and the arcs that are looked at, are what is known, and the kernels'.
func TestTurnsOfNamedGraphs(t *testing.T) {
	for i, c := range []struct {
		name     string
		directed bool
		source   uint32
		rounds   string
		looked   uint64
		long     bool
	}{
		{"kron:10", false, 1008, "FBBF", 3300, false},
		{"kron:16", false, 47220, "FBBFF", 138493, false},
		{"road:1024x1024", false, 0, strings.Repeat("F", 2127), 2478616, true},
		{"skew:1048576", false, 0, strings.Repeat("F", 10) + "BBBB" + strings.Repeat("F", 6), 1836675, true},
		{"kron:20", false, 488384, "FBBBF", 1899143, true},
		{"kron:20", true, 488384, "FBBFFF", 1642188, true},
		{"uniform:20", false, 0, "FFFFBB", 2562596, true},
		{"uniform:22", false, 0, "FFFFBBF", 23202501, true},
		{"kron:23", false, 1140620, "FBBBFFF", 13739553, true},
	} {
		t.Run(fmt.Sprintf("%s/%v", c.name, c.directed), func(t *testing.T) {
			if c.looked > 10e6 && !long.Exhaustive() {
				t.Skip("it takes ten minutes; run with -long -exhaustive")
			}
			if c.long && !long.Turn(i, 0) {
				t.Skip("a search of millions of arcs, in turn; run with -long")
			}
			p, err := generate.Parse(c.name)
			if err != nil {
				t.Fatal(err)
			}
			o := generate.Options{Seed: 1, Directed: c.directed}
			g := graphtest.Must(p.Build(t.Context(), o))
			back, seeds := g, []uint32{c.source}
			if !graphtest.Must(g.Symmetric(t.Context())) {
				back = graphtest.Must(g.Reverse(t.Context()))
			}
			if rounds, looked := turned.Search(g, back, seeds, graph.AllKinds, 8, 1); rounds != c.rounds || looked != c.looked {
				t.Errorf("%s, and %d arcs, want %s and %d", rounds, looked, c.rounds, c.looked)
			}
			dev, want := graphtest.OpenDevice(t, "cpu"), graphtest.Must(graph.Levels(t.Context(), g, seeds, graph.AllKinds))
			for k, topology := range []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop, megakernel.BackToBack, megakernel.Captured, megakernel.DeviceLoop} {
				for _, sets := range []bool{false, true} {
					if g.Nodes() > 1024 && (sets || k > 0) {
						break
					}
					o := session.Options{Engine: session.WavesEngine, Levels: true, Topology: topology}
					if sets {
						o.SetSets()
					}
					s, err := session.New(t.Context(), dev, g, o)
					if err != nil {
						t.Fatal(err)
					}
					levels, run, err := s.LevelsRun(t.Context(), session.Query{Seeds: seeds})
					if err != nil || !slices.Equal(levels, want) || run.Record.Edges != c.looked || run.Record.Rounds != uint32(len(c.rounds)) {
						t.Errorf("%v, sets %v: %v, %d arcs in %d rounds, want %d in %d, and its levels", topology, sets, err, run.Record.Edges, run.Record.Rounds, c.looked, len(c.rounds))
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
}

// TestLongRowsOfAShortListAreWalked, by all groups, or by one each where they are more than are shared; and those of a longer list.
func TestLongRowsOfAShortListAreWalked(t *testing.T) {
	const leaves, aside = 10_000, 60_000
	for i, c := range []struct{ list, hubs uint32 }{{1, 1}, {600, 3}, {700, 63}, {800, 64}, {4096, 2}, {4097, 2}} {
		if !long.Turn(i, 3) {
			continue
		}
		t.Run(fmt.Sprintf("%d of %d", c.hubs, c.list), func(t *testing.T) {
			// 0 ▶ the list, whose first nodes lead to many leaves; arcs aside keep the search from going backward.
			offsets, targets := []uint32{0}, []uint32(nil)
			row := func(first, n, within uint32) {
				for i := range n {
					targets = append(targets, first+i%within)
				}
				offsets = append(offsets, uint32(len(targets)))
			}
			row(1, c.list, c.list)
			for k := range c.list {
				if k < c.hubs {
					row(1+c.list+k*7, 2049+k*9, leaves)
				} else {
					row(1+c.list+leaves-1, 1, 1)
				}
			}
			for range leaves {
				row(0, 0, 1)
			}
			for k := range uint32(aside) {
				row(1+c.list+leaves+k-k%20, 20, 20)
			}
			g, err := graph.New(t.Context(), offsets, targets, nil)
			if err != nil {
				t.Fatal(err)
			}
			seeds := []uint32{0}
			rounds, looked := turned.Search(g, graphtest.Must(g.Reverse(t.Context())), seeds, graph.AllKinds, 8, 1)
			if rounds != "FFF" {
				t.Fatalf("%d nodes: the rounds go %s", c.list, rounds)
			}
			want := graphtest.Must(graph.Levels(t.Context(), g, seeds, graph.AllKinds))
			for _, device := range devices() {
				o := session.Options{Engine: session.WavesEngine, Levels: true, Topology: megakernel.Cooperative}
				o.SetSets()
				s, err := session.New(t.Context(), graphtest.OpenDevice(t, device), g, o)
				if err != nil {
					t.Fatal(err)
				}
				levels, run, err := s.LevelsRun(t.Context(), session.Query{Seeds: seeds})
				if err != nil || !slices.Equal(levels, want) || run.Record.Edges != looked {
					t.Errorf("%s, %d nodes of which %d have long rows: %v, %d arcs, want %d", device, c.list, c.hubs, err, run.Record.Edges, looked)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestLevelsAreRefused(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	g := graphtest.Generated(t, "chain:50")
	without, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine})
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	if _, err := without.Levels(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "open it with session.Options.Levels") {
		t.Errorf("%v", err)
	}
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Levels: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Levels(t.Context(), session.Query{Seeds: []uint32{50}}); err == nil || !strings.Contains(err.Error(), "seed 0 is node 50") {
		t.Errorf("%v", err)
	}
	s.Close()
	if _, err := s.Levels(t.Context(), session.Query{}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("%v", err)
	}
}

// TestTheReverseOfTheReverse is the graph itself, and has the arcs the other way round once.
func TestTheReverseOfTheReverse(t *testing.T) {
	for _, masks := range []bool{false, true} {
		g := graphtest.RandomGraph(t, 8, 60, masks)
		r := graphtest.Must(g.Reverse(t.Context()))
		if err := graphtest.Check(r); err != nil {
			t.Fatal(err)
		}
		if graphtest.Must(graphtest.Must(r.Reverse(t.Context())).Digest(t.Context())) != graphtest.Must(g.Digest(t.Context())) || graphtest.Must(r.Digest(t.Context())) == graphtest.Must(g.Digest(t.Context())) || r.Arcs() != g.Arcs() {
			t.Errorf("%d arcs, reversed %d", g.Arcs(), r.Arcs())
		}
		for u := range uint32(60) {
			targets, kinds := g.Row(u)
			for k, v := range targets {
				back, backKinds := r.Row(v)
				if at, found := slices.BinarySearch(back, u); !found || masks && backKinds[at] != kinds[k] {
					t.Errorf("arc %d → %d is missing", u, v)
				}
			}
		}
	}
	if n := graphtest.Must(new(graph.CSR).Reverse(t.Context())).Nodes(); n != 0 {
		t.Errorf("the reverse of nothing has %d nodes", n)
	}
}

// TestTurnsGoByWhatWasMeasured: the least and the greatest costs change rounds and arcs, and never levels; what Calibrate keeps of a
// device is what its sessions turn by.
func TestTurnsGoByWhatWasMeasured(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	for _, name := range []string{"kron:9", "skew:4096", "road:32x32"} {
		g := graphtest.Generated(t, name)
		q := session.Query{Seeds: []uint32{uint32(g.Nodes() / 3)}}
		want := graphtest.Must(graph.Levels(t.Context(), g, q.Seeds, graph.AllKinds))
		arcs := map[uint64]bool{}
		for _, c := range [][2]uint32{{0, 0}, {8, 1}, {1, 1}, {64, 1}, {1, 64}, {64, 64}} {
			s, err := session.New(t.Context(), dev, g, session.Options{Engine: session.WavesEngine, Queries: 1, Levels: true, Topology: megakernel.Cooperative, Costs: &megakernel.Costs{LaunchRead: 1, Forward: c[0], Scan: c[1]}})
			if err != nil {
				t.Fatal(err)
			}
			levels, run, err := s.LevelsRun(t.Context(), q)
			if err != nil || !slices.Equal(levels, want) {
				t.Errorf("%s, costs %v: other levels, %v", name, c, err)
			}
			arcs[run.Record.Edges] = true
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if name == "kron:9" && (len(arcs) < 2 || len(arcs) > 5) {
			t.Errorf("%s: %v arcs, want some that differ, and the same by what is usual and by 0", name, arcs)
		}
	}
	kept, err := driver.Open("cuda-sim", driver.OpenOptions{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	turns := func() [2]uint32 {
		s, err := session.New(t.Context(), kept, graphtest.Generated(t, "kron:5"), session.Options{Queries: 1, Levels: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		forward, scan := s.TurnCosts()
		return [2]uint32{forward, scan}
	}
	if got := turns(); got != [2]uint32{} {
		t.Errorf("unmeasured: %v", got)
	}
	costs := graphtest.Must(megakernel.Calibrate(t.Context(), kept))
	if got := turns(); got != [2]uint32{costs.Forward, costs.Scan} || got[0] == 0 {
		t.Errorf("measured %+v, and turned by %v", costs, got)
	}
}
