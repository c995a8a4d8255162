package queries_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	_ "github.com/govyre/vyre/driver/cudasim"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/plan"
	"github.com/govyre/vyre/megakernel/queries"
)

// deviceFlag is where the tests run; a machine with a GPU has "cuda" as well.
var deviceFlag = flag.String("devices", "cpu,cuda-sim", "devices that the tests run on, with commas between")

// each runs a test on every device; on cpu under all detectors, in several orders of groups and warps.
func each(t *testing.T, test func(t *testing.T, dev driver.Device)) {
	run := func(name string, dev driver.Device, err error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { test(t, dev) })
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range strings.Split(*deviceFlag, ",") {
		if name != "cpu" {
			dev, err := driver.Open(name, driver.OpenOptions{})
			run(name, dev, err)
			continue
		}
		schedules := []cpu.Schedule{cpu.Seeded(7), cpu.Reversed, cpu.Forward, cpu.Seeded(8)}
		for i, s := range schedules[:long.Count(2, 4, 4)] {
			dev, err := cpu.Open(cpu.Options{Run: cpu.RunOptions{Schedule: s, Detect: cpu.Everything}})
			run(fmt.Sprintf("cpu %d", i), dev, err)
		}
	}
}

func generate(t *testing.T, name string) *graph.CSR {
	t.Helper()
	g, err := graph.Generate(name, graph.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// masked is a graph with a chain of each of three kinds through all nodes, in different orders.
func masked(t *testing.T, n int) *graph.CSR {
	t.Helper()
	rows := make([][]uint64, n)
	for kind := range 3 {
		rng := rand.New(rand.NewPCG(uint64(kind), 1))
		order := rng.Perm(n)
		for k := range n - 1 {
			rows[order[k]] = append(rows[order[k]], uint64(order[k+1])<<32|1<<kind)
		}
	}
	offsets, targets, masks := []uint32{0}, []uint32{}, []uint32{}
	for _, r := range rows {
		slices.Sort(r)
		for _, a := range r {
			targets, masks = append(targets, uint32(a>>32)), append(masks, uint32(a))
		}
		offsets = append(offsets, uint32(len(targets)))
	}
	g, err := graph.New(offsets, targets, masks)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// alone is what a query reaches by itself, by a search on one core.
func alone(t *testing.T, q queries.Query) []uint32 {
	t.Helper()
	kinds := q.Kinds
	if kinds == 0 {
		kinds = graph.AllKinds
	}
	levels, err := graph.Levels(q.Graph, q.Seeds, kinds)
	if err != nil {
		t.Fatal(err)
	}
	bits := make([]uint32, (q.Graph.Nodes()+31)/32)
	for v, level := range levels {
		if level != graph.None {
			bits[v/32] |= 1 << (v % 32)
		}
	}
	return bits
}

// draw makes queries about graphs, whose ids do not ascend.
func draw(seed uint64, n int, kinds []uint32, graphs ...*graph.CSR) (list []queries.Query) {
	rng := rand.New(rand.NewPCG(seed, 8))
	for _, id := range rng.Perm(n) {
		q := queries.Query{ID: uint64(id), Graph: graphs[rng.IntN(len(graphs))], Kinds: kinds[rng.IntN(len(kinds))]}
		for range 1 + rng.IntN(3) {
			q.Seeds = append(q.Seeds, rng.Uint32N(uint32(q.Graph.Nodes())))
		}
		list = append(list, q)
	}
	return list
}

func check(t *testing.T, list []queries.Query, answers []queries.Answer) {
	t.Helper()
	if len(answers) != len(list) {
		t.Fatalf("%d answers to %d queries", len(answers), len(list))
	}
	for k, q := range list {
		if want := alone(t, q); answers[k].ID != q.ID || !slices.Equal(answers[k].Bits, want) {
			t.Errorf("query %d, kinds %#x from %v: %d: %x, want %x", q.ID, q.Kinds, q.Seeds, answers[k].ID, answers[k].Bits, want)
		}
		if !answers[k].Reached(q.Seeds[0]) || answers[k].Reached(1<<31) {
			t.Errorf("query %d did not reach its seed, or a node that there is not", q.ID)
		}
	}
}

// TestAnswersAreThoseOfQueriesAlone runs many together, and few, in every topology.
func TestAnswersAreThoseOfQueriesAlone(t *testing.T) {
	topologies := []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop, megakernel.DeviceLoop, megakernel.BackToBack, megakernel.Captured}
	one, err := graph.New([]uint32{0, 0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	graphs := []*graph.CSR{masked(t, 45), generate(t, "road:9x8"), generate(t, "kron:6"), one}
	each(t, func(t *testing.T, dev driver.Device) {
		for k, c := range []struct {
			n     int
			o     queries.Options
			kinds []uint32
		}{
			{40, queries.Options{}, []uint32{0}},
			{12, queries.Options{Lanes: 5}, []uint32{0, 2, 3}},
			{6, queries.Options{Lanes: 1}, []uint32{5, 1}},
			{12, queries.Options{Keep: true}, []uint32{0, 1, 6}},
			{5, queries.Options{Run: megakernel.Options{MaxRounds: 3}}, []uint32{4}},
		} {
			c.o.Run.Topology, c.o.Run.Blocks = topologies[k], uint32(1+k%3)
			s := queries.New(dev, c.o)
			list := draw(uint64(k), c.n, c.kinds, graphs...)
			answers, err := s.Run(context.Background(), list)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			check(t, list, answers)
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if live := dev.Stats().Get(driver.LiveBytes); live != 0 {
				t.Errorf("%d bytes live after Close", live)
			}
		}
	})
}

// ownBytes is what the plan of a group's waves takes beside what plan.Queries counts: a record, and totals.
const ownBytes = 64 + 8

// TestGroupsCountWhatTheirPlanSays: launches, uploads and peak bytes, with graphs that go and graphs that stay.
func TestGroupsCountWhatTheirPlanSays(t *testing.T) {
	graphs := []*graph.CSR{masked(t, 40), generate(t, "road:9x8")}
	each(t, func(t *testing.T, dev driver.Device) {
		for _, keep := range []bool{false, true} {
			s := queries.New(dev, queries.Options{Lanes: 8, Keep: keep, Run: megakernel.Options{Topology: megakernel.Cooperative, Blocks: 2}})
			list := draw(1, 20, []uint32{0}, graphs...)
			for run := range 2 {
				begin := dev.Stats()
				base, peak, groups := begin.Get(driver.LiveBytes), uint64(0), uint64(0)
				s.OnGroup(func() {
					groups++
					peak = max(peak, dev.Stats().Get(driver.LiveBytes)-ownBytes)
				})
				answers, err := s.Run(context.Background(), list)
				if err != nil {
					t.Fatal(err)
				}
				check(t, list, answers)
				p, counted := s.Plan(), dev.Stats().Sub(begin)
				frontier := uint64(0)
				for _, q := range list {
					frontier += 8 * uint64(len(q.Seeds))
				}
				cold := uint64(2)
				if keep && run == 1 {
					cold = 0
				} else {
					base = 0
				}
				if keep && run == 1 && base == 0 {
					t.Error("no graph was kept")
				}
				if p.Uploads != cold || groups != uint64(len(p.Groups)) || p.Launches != 20-groups || p.Waits != p.Launches {
					t.Errorf("%d groups, plan %+v", groups, p)
				}
				if got := counted.Get(driver.LaunchesPlain) + counted.Get(driver.LaunchesGraph); got != groups {
					t.Errorf("%d launches for %d groups", got, groups)
				}
				if got, want := counted.Get(driver.UploadBytes), p.UploadBytes+frontier; got != want {
					t.Errorf("%d bytes were uploaded, want %d", got, want)
				}
				if got, want := counted.Get(driver.Uploads), p.Uploads+groups; got != want {
					t.Errorf("%d uploads, want %d", got, want)
				}
				if peak != p.PeakBytes {
					t.Errorf("peak is %d bytes, want %d", peak, p.PeakBytes)
				}
			}
			if err := s.Close(); err != nil || dev.Stats().Get(driver.LiveBytes) != 0 {
				t.Errorf("%v, %d bytes live", err, dev.Stats().Get(driver.LiveBytes))
			}
		}
	})
}

// TestABudgetMakesGroups: what does not fit together runs one after another.
func TestABudgetMakesGroups(t *testing.T) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := generate(t, "road:9x8")
	list := draw(2, 10, []uint32{0}, g)
	need := uint64(g.Bytes()) + 16*72 + 12 // and 8 a seed, 12 an answer
	for _, c := range []struct {
		budget uint64
		groups int
	}{{0, 1}, {need + 10*(3*8+12), 1}, {need + 3*8 + 12, 10}} {
		s := queries.New(dev, queries.Options{Budget: c.budget})
		answers, err := s.Run(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		check(t, list, answers)
		if n := len(s.Plan().Groups); c.groups == 1 && n != 1 || c.groups > 1 && n < 4 || c.budget > 0 && s.Plan().PeakBytes > c.budget {
			t.Errorf("budget %d: %d groups with %d bytes", c.budget, n, s.Plan().PeakBytes)
		}
	}
	_, err = queries.New(dev, queries.Options{Budget: need}).Run(context.Background(), list)
	var why *plan.Reason
	if !errors.Is(err, driver.OutOfMemory) || !errors.As(err, &why) || why.Code != "over_budget" {
		t.Errorf("got %v", err)
	}
}

func TestRefusals(t *testing.T) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := masked(t, 5)
	run := func(list ...queries.Query) error {
		_, err := queries.New(dev, queries.Options{}).Run(context.Background(), list)
		return err
	}
	seeds := []uint32{1}
	for _, c := range []struct {
		err  error
		want string
	}{
		{run(queries.Query{Seeds: seeds}), "graph_bytes(0)"},
		{run(queries.Query{Graph: &graph.CSR{}, Seeds: seeds}), "graph_bytes(0)"},
		{run(queries.Query{Graph: g}), "seeds(0)"},
		{run(queries.Query{ID: 1, Graph: g, Seeds: seeds}, queries.Query{ID: 2, Graph: g, Seeds: []uint32{0, 5}}), "seeds(1)"},
		{run(queries.Query{ID: 1, Graph: g, Seeds: seeds}, queries.Query{ID: 1, Graph: g, Seeds: seeds}), "duplicate(1)"},
	} {
		var why *plan.Reason
		if !errors.As(c.err, &why) || why.Error() != c.want {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
	s := queries.New(dev, queries.Options{})
	if answers, err := s.Run(context.Background(), nil); err != nil || len(answers) != 0 {
		t.Errorf("no queries: %v, %v", answers, err)
	}
	s.Close()
	if _, err := s.Run(context.Background(), nil); !errors.Is(err, driver.Closed) {
		t.Errorf("after Close: %v", err)
	}
}
