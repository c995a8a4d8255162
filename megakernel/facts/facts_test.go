package facts_test

import (
	"cmp"
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
	"github.com/govyre/vyre/internal/long"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/facts"
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
			dev, err := driver.Open(long.Device(name), driver.OpenOptions{})
			run(name, dev, err)
			continue
		}
		schedules := []cpu.Schedule{cpu.Seeded(7), cpu.Reversed, cpu.Forward, cpu.Seeded(8), cpu.Seeded(9)}
		for i, s := range schedules[:long.Count(2, 5, 5)] {
			dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: s, Detect: cpu.Everything}})
			run(fmt.Sprintf("cpu %d", i), dev, err)
		}
	}
}

// source is a graph as it is given, with ids that do not ascend.
type source struct {
	name    string
	nodes   []facts.Node
	edges   []facts.Edge
	payload []byte
}

// id is the id of node n.
func id(n int) uint64 { return uint64(n)*2654435761%1000003 + 5 }

func ofArcs(name string, n int, arcs ...[3]int) source {
	s := source{name: name}
	for k := range n {
		s.nodes = append(s.nodes, facts.Node{ID: id(k), Kind: plan.FactKind(k % 5), Offset: uint64(len(s.payload)), Bytes: uint64(k % 7)})
		for range k % 7 {
			s.payload = append(s.payload, byte(k))
		}
	}
	for _, a := range arcs {
		s.edges = append(s.edges, facts.Edge{From: id(a[0]), To: id(a[1]), Kind: uint32(a[2])})
	}
	return s
}

func random(seed uint64, n, edges int) source {
	rng := rand.New(rand.NewPCG(seed, 4))
	var arcs [][3]int
	for range edges {
		arcs = append(arcs, [3]int{rng.IntN(n), min(rng.IntN(n), rng.IntN(n)), 1 << rng.IntN(3)})
	}
	return ofArcs(fmt.Sprintf("random %d of %d", seed, n), n, arcs...)
}

func star(n int) source {
	var arcs [][3]int
	for k := 1; k < n; k++ {
		arcs = append(arcs, [3]int{0, k, 1}, [3]int{k, 0, 2})
	}
	return ofArcs("star", n, arcs...)
}

func sources() []source {
	return []source{
		ofArcs("one node", 1),
		ofArcs("no edges", 40),
		ofArcs("a cycle with edges named twice", 3, [3]int{0, 1, 1}, [3]int{1, 2, 2}, [3]int{2, 0, 1}, [3]int{0, 1, 1}, [3]int{0, 1, 2}),
		star(90), random(1, 70, 200), random(2, 300, 700),
	}
}

// run is what a run has to find: ids of the last wave, or with visited of all, and the most nodes of two
// waves that follow each other.
func (s source) run(active []uint64, o facts.Options) (found []uint64, peak int) {
	type edge = facts.Edge
	edges := slices.Clone(s.edges)
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	edges = slices.Compact(edges)
	seen := map[uint64]bool{}
	list := slices.Clone(active)
	if o.Visited {
		slices.Sort(list)
		list = slices.Compact(list)
	}
	for _, v := range list {
		seen[v] = true
	}
	peak = len(list)
	waves := o.Waves
	if waves == 0 && !o.Visited {
		waves = 1
	}
	for w := uint32(0); len(list) > 0 && (waves == 0 || w < waves); w++ {
		var next []uint64
		for _, v := range list {
			for _, e := range edges {
				if e.From == v && (o.Kinds == 0 || e.Kind&o.Kinds != 0) && !(o.Visited && seen[e.To]) {
					seen[e.To] = true
					next = append(next, e.To)
				}
			}
		}
		peak = max(peak, len(list)+len(next))
		list = next
	}
	if o.Visited {
		list = nil
		for v := range seen {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return list, peak
}

// some are up to n ids of the graph, the same for a seed.
func (s source) some(seed uint64, n int, repeat bool) (ids []uint64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	for _, k := range rng.Perm(len(s.nodes))[:min(n, len(s.nodes))] {
		ids = append(ids, s.nodes[k].ID)
	}
	if repeat {
		ids = append(ids, ids[0], ids[len(ids)/2])
	}
	return ids
}

func load(t *testing.T, dev driver.Device, s source, o facts.Options) *facts.Resident {
	t.Helper()
	r, err := facts.Load(context.Background(), dev, s.nodes, s.edges, s.payload, o)
	if err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return r
}

var topologies = []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop, megakernel.BackToBack, megakernel.DeviceLoop, megakernel.Captured}

// TestRunsFindWhatAWalkFinds compares with a walk over maps, and the queue with the room that it has.
func TestRunsFindWhatAWalkFinds(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		k := len(t.Name()) // every device has other combinations
		for _, s := range sources() {
			for _, o := range []facts.Options{
				{}, {Kinds: 5}, {Repeat: true}, {Waves: 3}, {Waves: 4, Repeat: true, Active: 9, Kinds: 3},
				{Visited: true}, {Visited: true, Kinds: 1, Repeat: true}, {Visited: true, Waves: 2}, {Visited: true, Waves: 1, Active: 7},
			} {
				o.Run.Topology, o.Run.Blocks, k = topologies[k/3%len(topologies)], uint32(1+k%4), k+1
				if k%3 != 0 && !long.Exhaustive() {
					continue
				}
				most := 6
				if o.Repeat && !o.Visited {
					o.Active = uint64(min(most, len(s.nodes)) + 2)
				}
				if o.Waves > 1 && !o.Visited {
					most = 3 // what repeats grows fast
				}
				if o.Repeat && o.Visited {
					o.Active = uint64(len(s.nodes)) + 2
				}
				r := load(t, dev, s, o)
				for seed := range uint64(2) {
					active := s.some(seed, most, o.Repeat)
					want, peak := s.run(active, o)
					got, err := r.Run(context.Background(), active)
					if err != nil {
						t.Fatalf("%s, %+v: %v", s.name, o, err)
					}
					if !slices.Equal(got.Nodes, want) {
						t.Errorf("%s, %+v: found %v, want %v", s.name, o, got.Nodes, want)
					}
					if got.Peak != uint64(peak) || got.Peak > r.Queue().Capacity {
						t.Errorf("%s, %+v: the queue had %d nodes, want %d and at most %d", s.name, o, got.Peak, peak, r.Queue().Capacity)
					}
					for _, found := range r.Plan().Result().Reports {
						t.Errorf("%s, %+v: %s", s.name, o, found.Text)
					}
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// TestAGraphIsUploadedOnce counts bytes: a cold run uploads the graph, a warm one only what it begins with.
func TestAGraphIsUploadedOnce(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		s := random(3, 200, 500)
		for _, o := range []facts.Options{{Visited: true}, {Waves: 2, Active: 5}} {
			for _, topology := range []megakernel.Topology{megakernel.HostLoop, megakernel.Cooperative} {
				o.Run.Topology = topology
				before := dev.Stats()
				r := load(t, dev, s, o)
				loaded := dev.Stats()
				if got := loaded.Get(driver.UploadBytes) - before.Get(driver.UploadBytes); got != r.Layout().ResidentBytes {
					t.Errorf("%d bytes were uploaded, the graph has %d", got, r.Layout().ResidentBytes)
				}
				predicted := r.DeviceBytes() + r.Plan().Predicted(megakernel.Record{}).DeviceBytes
				if got := loaded.Get(driver.LiveBytes) - before.Get(driver.LiveBytes); got != predicted {
					t.Errorf("%d bytes live on the device, want %d", got, predicted)
				}
				for range 2 {
					begin := dev.Stats()
					if _, err := r.Run(context.Background(), s.some(5, 5, false)); err != nil {
						t.Fatal(err)
					}
					run := dev.Stats().Sub(begin)
					if run.Get(driver.UploadBytes) != 16+4*5 || run.Get(driver.Uploads) != 1 || run.Get(driver.AllocRequests) != 0 {
						t.Errorf("a run made %d uploads of %d bytes and %d allocations, want 1 of 36 and none", run.Get(driver.Uploads), run.Get(driver.UploadBytes), run.Get(driver.AllocRequests))
					}
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
				if got := dev.Stats().Get(driver.LiveBytes); got != before.Get(driver.LiveBytes) {
					t.Errorf("%d bytes live after Close, before there were %d", got, before.Get(driver.LiveBytes))
				}
			}
		}
	})
}

// TestColumnsHoldTheGraph reads a graph back.
func TestColumnsHoldTheGraph(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		s := random(4, 50, 120)
		r := load(t, dev, s, facts.Options{})
		defer r.Close()
		c, f := r.Columns(), r.Layout()
		read := func(from driver.Range) []byte {
			b := make([]byte, from.Len)
			if err := driver.ReadInto(context.Background(), from, b); err != nil {
				t.Fatal(err)
			}
			return b
		}
		ids, offsets, sizes, kinds := words[uint64](read(c.IDs)), words[uint64](read(c.Offsets)), words[uint64](read(c.Bytes)), words[uint32](read(c.Kinds))
		payload := read(c.Payload)
		for at, place := range f.Order {
			n := s.nodes[place]
			if ids[at] != n.ID || offsets[at] != n.Offset || sizes[at] != n.Bytes || kinds[at] != uint32(n.Kind) {
				t.Errorf("node %d is %d, %d, %d, %d; want %+v", at, ids[at], offsets[at], sizes[at], kinds[at], n)
			}
			if got := payload[offsets[at]:][:sizes[at]]; !slices.Equal(got, s.payload[n.Offset:][:n.Bytes]) {
				t.Errorf("payload of node %d is %x", n.ID, got)
			}
		}
		if !slices.Equal(words[uint32](read(c.Starts)), f.Rows[:50]) || !slices.Equal(words[uint32](read(c.Targets)), f.To) || !slices.Equal(words[uint32](read(c.EdgeKinds)), f.Kinds) {
			t.Error("edges differ from the layout")
		}
	})
}

func words[T uint32 | uint64](b []byte) (list []T) {
	size := 4
	if any(T(0)) == any(uint64(0)) {
		size = 8
	}
	for ; len(b) > 0; b = b[size:] {
		v := T(0)
		for k := range size {
			v |= T(b[k]) << (8 * k)
		}
		list = append(list, v)
	}
	return list
}

// TestAQueueThatIsTooSmallSaysSo: a budget below the worst case is enough for some runs, and refuses others, which
// leave it as it was.
func TestAQueueThatIsTooSmallSaysSo(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		s := star(100)
		for _, o := range []facts.Options{{Active: 1}, {Visited: true, Active: 1}, {Waves: 3, Active: 1}} {
			o.QueueBudget = 16 + 4*60
			r := load(t, dev, s, o)
			if got := r.Queue(); got.Capacity != 60 || got.ResidentBytes != o.QueueBudget {
				t.Errorf("%+v: queue is %+v", o, got)
			}
			for range 2 {
				_, err := r.Run(context.Background(), []uint64{id(0)})
				var why *plan.Reason
				if !errors.Is(err, driver.OutOfMemory) || !errors.As(err, &why) || why.Code != "over_budget" || why.Numbers[0] <= why.Numbers[1] {
					t.Errorf("%+v: got %v", o, err)
				}
				if o.Waves != 0 || o.Visited {
					continue
				}
				got, err := r.Run(context.Background(), []uint64{id(7)})
				if err != nil || !slices.Equal(got.Nodes, []uint64{id(0)}) || got.Peak != 2 {
					t.Errorf("%+v: a run that fits: %+v, %v", o, got, err)
				}
			}
			r.Close()
		}
	})
}

func TestRefusals(t *testing.T) {
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	s := random(5, 20, 30)
	r := load(t, dev, s, facts.Options{Active: 3})
	ctx := context.Background()
	run := func(ids ...uint64) error {
		_, err := r.Run(ctx, ids)
		return err
	}
	try := func(nodes []facts.Node, o facts.Options) error {
		_, err := facts.Load(ctx, dev, nodes, s.edges, s.payload, o)
		return err
	}
	a, b := s.nodes[3].ID, s.nodes[4].ID
	for _, c := range []struct {
		err  error
		want string
	}{
		{run(), "active_count(0, 3)"},
		{run(a, b, s.nodes[5].ID, s.nodes[6].ID), "active_count(4, 3)"},
		{run(a, b, a), "duplicate(0)"},
		{run(a, 1<<40), "unknown(1, 1099511627776)"},
		{try(nil, facts.Options{}), "empty"},
		{try(s.nodes[:19], facts.Options{}), "unknown"},
		{try(s.nodes, facts.Options{Budget: 100}), `over_budget("resident graph"`},
		{try(s.nodes, facts.Options{Budget: 50}), "payload_over_budget"},
		{try(s.nodes, facts.Options{QueueBudget: 40}), `over_budget("queue", 96, 40)`},
	} {
		var why *plan.Reason
		if !errors.As(c.err, &why) || !strings.HasPrefix(why.Error(), c.want) {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
	live := dev.Stats().Get(driver.LiveBytes)
	if err := r.Close(); err != nil || live == 0 || dev.Stats().Get(driver.LiveBytes) != 0 {
		t.Errorf("%v, %d bytes live", err, dev.Stats().Get(driver.LiveBytes))
	}
}
