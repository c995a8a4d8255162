package megakernel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	graphs "github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/turned"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/arcs"
)

// bothWays is a graph on a device, with its arcs the other way round.
type bothWays struct {
	g, r                                                 *graphs.CSR
	offsets, targets, masks, reverse, sources, otherMask driver.Range
	level, sums, list, lengths                           driver.Range
	closed                                               uint32
}

func uploadBoth(t *testing.T, dev driver.Device, g *graphs.CSR) *bothWays {
	t.Helper()
	n := g.Nodes()
	r, err := g.Reverse(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ones := slices.Repeat([]uint32{1}, g.Arcs())
	masks, otherMask := ones, ones
	if g.Masks() != nil {
		masks, otherMask = g.Masks(), r.Masks()
	}
	b := &bothWays{g: g, r: r}
	for v := range n {
		if r.Offsets()[v] == r.Offsets()[v+1] {
			b.closed++
		}
	}
	for _, u := range []struct {
		to    *driver.Range
		words []uint32
	}{
		{&b.offsets, g.Offsets()}, {&b.targets, g.Targets()}, {&b.masks, masks}, {&b.reverse, r.Offsets()}, {&b.sources, r.Targets()}, {&b.otherMask, otherMask},
		{&b.level, make([]uint32, n)}, {&b.sums, make([]uint32, 2*arcs.SumsWords)}, {&b.list, make([]uint32, 2*n)}, {&b.lengths, make([]uint32, 3)},
	} {
		*u.to = words(t, dev, u.words)
	}
	return b
}

// search finds the levels from a seed, and compares them with a search on one core.
func (b *bothWays) search(t *testing.T, dev driver.Device, seed, kinds, forward, scan uint32, o megakernel.Options) megakernel.Record {
	t.Helper()
	p, n := programs(), uint32(b.g.Nodes())
	var stay *megakernel.Stay
	if most := arcs.MostAlone(n, forward, scan); most > 0 {
		stay = &megakernel.Stay{Program: p["LevelStay"], Most: most, Args: []driver.Arg{megakernel.Round{}, megakernel.Size{}, megakernel.Limit{}, megakernel.Many{}, driver.U32(kinds), driver.U32(forward), driver.U32(scan),
			b.offsets, b.targets, b.masks, b.level, b.sums, b.list, b.lengths, megakernel.Edges{}, megakernel.Result{}}}
	}
	plan, err := megakernel.New(context.Background(), dev, []megakernel.Wave{
		{Program: p["LevelClear"], Args: []driver.Arg{b.level, b.sums, b.lengths}, Domain: megakernel.Fixed(max(n, arcs.SumsWords)), Phase: megakernel.Before},
		{Program: p["LevelSeed"], Args: []driver.Arg{driver.U32(seed), b.offsets, b.reverse, b.level, b.sums, b.list, b.lengths}, Domain: megakernel.Fixed(1), Phase: megakernel.Before},
		{Program: p["LevelRound"], Args: []driver.Arg{megakernel.Round{}, megakernel.Size{}, driver.U32(kinds), driver.U32(b.closed), driver.U32(forward), driver.U32(scan), b.offsets, b.targets, b.masks,
			b.reverse, b.sources, b.otherMask, b.level, b.sums, b.list, b.lengths, megakernel.Vote{}, megakernel.Edges{}}, Domain: megakernel.Spread(b.lengths, n), Stay: stay},
	}, []megakernel.Dependency{{Before: 0, After: 1}}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	var rec megakernel.Record
	for run := plan.Run; ; run = plan.Resume {
		if rec, err = run(context.Background()); err != nil {
			t.Fatal(err)
		}
		for _, r := range plan.Result().Reports {
			t.Errorf("%s: %s", r.Kernel, r.Text)
		}
		if rec.Status == megakernel.Converged {
			break
		}
	}
	want, err := graphs.Levels(t.Context(), b.g, []uint32{seed}, kinds)
	if err != nil {
		t.Fatal(err)
	}
	if got := (&memory{t: t, dev: dev}).read(b.level); !slices.Equal(got, want) {
		t.Fatalf("forward %d, scan %d, %+v: levels\n%v, want\n%v", forward, scan, o, got, want)
	}
	return rec
}

// TestBothDirectionsFindTheSame levels, in every topology, whether no round goes backward, all of them, or those that
// should; and all topologies decide alike, so that even the arcs that were looked at are as many.
func TestBothDirectionsFindTheSame(t *testing.T) {
	for _, device := range devices() {
		for i, name := range []string{"kron:7", "uniform:7", "skew:128", "grid:9x8", "chain:20"} {
			if device != "cpu" && i > 0 && !long.Enabled() {
				break
			}
			g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 2})
			if err != nil {
				t.Fatal(err)
			}
			dev := open(t, device)
			if device == "cpu" {
				if dev, err = cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: cpu.Seeded(uint64(i)), Detect: cpu.Everything}}); err != nil {
					t.Fatal(err)
				}
			}
			b := uploadBoth(t, dev, g)
			kinds := graphs.AllKinds
			if g.Masks() != nil {
				kinds = 0x13
			}
			for _, c := range []struct{ forward, scan uint32 }{{1, 1 << 25}, {0, 0}, {1 << 20, 1}, {64, 64}, {1, 1}} {
				first, turns := megakernel.Record{}, arcs.Turn{Forward: max(c.forward, 1), Scan: max(c.scan, 1)}
				if c.forward == 0 {
					turns.Forward = 8
				}
				rounds, looked := turned.Search(g, b.r, []uint32{1}, kinds, uint64(turns.Forward), uint64(turns.Scan))
				for k, topology := range topologies {
					o := megakernel.Options{Topology: topology, Blocks: []uint32{1, 2, 3, megakernel.AllBlocks}[k%4]}
					switch topology {
					case megakernel.Cooperative:
						o.Tail = megakernel.TailAlways
					case megakernel.BackToBack:
						o.SliceRounds = 1
					case megakernel.Captured:
						o.MaxRounds = 3
					}
					rec := b.search(t, dev, 1, kinds, c.forward, c.scan, o)
					if rec.Barriers, rec.TailRounds, rec.TailStays = 0, 0, 0; k == 0 {
						if first = rec; first.Edges != looked {
							t.Errorf("%s, %s, %+v: %d arcs were looked at, want %d: %s", device, name, c, first.Edges, looked, rounds)
						}
					} else if rec != first {
						t.Errorf("%s, %s, %+v, %v: record %+v, of the first topology %+v", device, name, c, topology, rec, first)
					}
				}
			}
		}
	}
}

// TestFewerArcsAreLookedAt where a few rounds find nearly all nodes; and never more where lists are short.
func TestFewerArcsAreLookedAt(t *testing.T) {
	dev := open(t, "cpu")
	for _, c := range []struct {
		name string
		less float64 // part of the arcs that a search forward looks at
	}{{"kron:9", 0.75}, {"uniform:9", 0.5}, {"chain:60", 1}, {"grid:20x20", 1}} {
		g, err := generate.Graph(context.Background(), c.name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		b := uploadBoth(t, dev, g)
		o := megakernel.Options{Topology: megakernel.Cooperative, Blocks: 2}
		forward := b.search(t, dev, 0, graphs.AllKinds, 1, 1<<25, o)
		both := b.search(t, dev, 0, graphs.AllKinds, 0, 0, o)
		if both.Items != forward.Items || both.Rounds != forward.Rounds || both.Greatest != forward.Greatest {
			t.Errorf("%s: %v, forward %v", c.name, both, forward)
		}
		part := float64(both.Edges) / float64(forward.Edges)
		if t.Logf("%s: %d arcs of %d", c.name, both.Edges, forward.Edges); part > c.less {
			t.Errorf("%s: %d arcs were looked at, forward %d: %s", c.name, both.Edges, forward.Edges, fmt.Sprintf("%.2f, want %.2f at most", part, c.less))
		}
	}
}
