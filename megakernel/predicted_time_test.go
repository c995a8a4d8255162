package megakernel_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel"
)

var predicted = flag.String("predicted", "", "compare predicted times with measured ones over these generated graphs, with semicolons between, or of the usual ones for \"all\", on the last of the devices")

const usualGraphs = "chain:4000;ladder:4000x16;grid:1024x1024;road:1024x1024;uniform:16;skew:65536"

// lastDevice opens the device to measure on.
func lastDevice(t *testing.T) driver.Device {
	t.Helper()
	if *predicted == "" {
		t.Skip("asked for by -predicted")
	}
	all := devices()
	return open(t, all[len(all)-1])
}

// way is a topology with how often the host looks.
type way struct {
	topology megakernel.Topology
	k        uint32
}

func (w way) String() string {
	if w.k == 0 {
		return w.topology.String()
	}
	return fmt.Sprintf("%v k=%d", w.topology, w.k)
}

// waysOf lists what a device can do.
func waysOf(dev driver.Device) []way {
	list := []way{{megakernel.HostLoop, 0}}
	polled := func(t megakernel.Topology, ks ...uint32) {
		for _, k := range ks {
			list = append(list, way{t, k})
		}
	}
	polled(megakernel.BackToBack, 4, 16, 64)
	if dev.Caps().Graphs {
		polled(megakernel.Captured, 1, 4, 16, 64)
	}
	if dev.Caps().LoopNodes {
		polled(megakernel.DeviceLoop, 0)
	}
	polled(megakernel.Cooperative, 0)
	return append(list, way{megakernel.Drained, 0})
}

// searched is a graph on a device with its right result.
type searched struct {
	t    *testing.T
	dev  driver.Device
	g    *graph
	m    *memory
	want []uint32
}

// median is the middle one of ten wall times, after some runs that are observed into w.
func (s *searched) median(o megakernel.Options, w *plan.History) (*megakernel.Plan, time.Duration) {
	s.t.Helper()
	p, err := megakernel.New(context.Background(), s.dev, reach(s.g, s.m, 0), nil, o)
	if err != nil {
		s.t.Fatal(err)
	}
	defer p.Close()
	var wall []time.Duration
	for k := range 14 {
		rec, err := p.Run(context.Background())
		if err != nil {
			s.t.Fatal(err)
		}
		if k == 3 {
			p.Observe(w, rec)
		}
		if k >= 4 {
			wall = append(wall, p.Result().Wall)
		}
	}
	if !slices.Equal(s.m.read(s.m.seen), s.want) {
		s.t.Errorf("%s, %v: wrong nodes", s.g.name, p.Topology())
	}
	slices.Sort(wall)
	return p, wall[len(wall)/2]
}

// TestPredictedTimes compares, in lines of tables, what the cost model says with what was measured. What is known of the
// work comes from one run of the cooperative topology, which is what Auto takes first where rounds are asked for.
func TestPredictedTimes(t *testing.T) {
	dev := lastDevice(t)
	costs, err := megakernel.Calibrate(context.Background(), dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %+v", dev.Caps().Model, *costs)
	names := *predicted
	if names == "all" {
		names = usualGraphs
	}
	var errors []float64
	for _, name := range strings.Split(names, ";") {
		csr, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := &searched{t: t, dev: dev, g: &graph{name: name, offsets: csr.Offsets(), arcs: csr.Targets()}}
		s.m = s.g.upload(t, dev)
		s.want, _, _ = s.g.reached(0)
		errors = append(errors, s.compare(costs)...)
	}
	t.Logf("mean relative error of %d predictions: %.1f %%", len(errors), 100*mean(errors))
}

func mean(list []float64) (m float64) {
	for _, v := range list {
		m += v / float64(len(list))
	}
	return m
}

// compare measures one graph in every way, and what Auto takes.
func (s *searched) compare(costs *plan.Costs) (errors []float64) {
	var w plan.History
	s.median(megakernel.Options{Topology: megakernel.Cooperative, Costs: costs}, &w)
	s.t.Logf("%s: %.0f rounds, %.0f of one block, %.2f us of work in a round", s.g.name, w.Rounds, w.TailRounds, w.GroupNS/1e3)
	best, bestOfRounds := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for _, how := range waysOf(s.dev) {
		var none plan.History
		_, took := s.median(megakernel.Options{Topology: how.topology, PollRounds: how.k, Costs: costs}, &none)
		best = min(best, took)
		if how.topology == megakernel.Drained {
			w.ObserveDrain(none.DrainNS)
			s.t.Logf("| %s | %v | | %.3f | |", s.g.name, how, took.Seconds()*1e3)
			continue
		}
		bestOfRounds = min(bestOfRounds, took)
		says := costs.Predict(how.topology, uint64(how.k), s.dev.Caps().Units, 1, w.Workload)
		off := (says - float64(took)) / float64(took)
		errors = append(errors, math.Abs(off))
		s.t.Logf("| %s | %v | %.3f | %.3f | %+.0f %% |", s.g.name, how, says/1e6, took.Seconds()*1e3, 100*off)
	}
	s.t.Logf("%s: mean relative error %.1f %%", s.g.name, 100*mean(errors))
	for _, o := range []struct {
		what string
		o    megakernel.Options
		best time.Duration
	}{{"auto, rounds asked for", megakernel.Options{MaxRounds: 1 << 20}, bestOfRounds}, {"auto", megakernel.Options{}, best}} {
		o.o.Costs, o.o.Expected = costs, &w
		var none plan.History
		p, took := s.median(o.o, &none)
		s.t.Logf("| %s | %s: %v | %.3f of the best, bound 1.10 |", s.g.name, o.what, p.Topology(), float64(took)/float64(o.best))
	}
	return errors
}

// TestBareCosts prints the duties of the bare loop: what a group with its barrier costs where nothing is to be done, a
// barrier of the grid, a round of one block, and what the host takes to enqueue a run that was prepared.
func TestBareCosts(t *testing.T) {
	dev := lastDevice(t)
	costs, err := megakernel.Calibrate(context.Background(), dev)
	if err != nil {
		t.Fatal(err)
	}
	const groups = 64
	var enqueued time.Duration // least of the last plan's runs
	least := func(n int) float64 {
		p := emptyGroups(t, dev, n)
		defer p.Close()
		var all, enqueue []time.Duration
		for range 23 {
			if _, err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			all, enqueue = append(all, p.Result().Device), append(enqueue, p.Result().Enqueue)
		}
		enqueued = slices.Min(enqueue[3:])
		return float64(slices.Min(all[3:]))
	}
	units := uint32(dev.Caps().Units)
	bare, launch := bareBarrier(t, dev, units, 0)
	group := (least(1+groups) - least(1)) / groups
	t.Logf("%s, %d blocks of 256", dev.Caps().Model, dev.Caps().Units)
	t.Logf("P1: a group and its barrier %.3f us, %.2f of a bare barrier; bounds 1.2 us, 1.45", group/1e3, group/bare)
	for _, blocks := range []uint32{1, 8, units} {
		ns, _ := bareBarrier(t, dev, blocks, 0)
		line := fmt.Sprintf("P2: a barrier of a grid of %d blocks %.3f us", blocks, ns/1e3)
		if *twin != "" {
			line += fmt.Sprintf(", that of cooperative groups %.3f us", twinBarrier(t, blocks)/1e3)
		}
		t.Log(line)
	}
	first, _ := bareBarrier(t, dev, units, 8)
	t.Logf("    a barrier of the first 8 of %d blocks %.3f us", units, first/1e3)
	t.Logf("P3: an empty round of one block %.3f us, %.2f of a bare barrier; bounds 0.3 us, 0.35", costs.EmptyTail/1e3, costs.EmptyTail/bare)
	t.Logf("    enqueueing a prepared run with its read takes %v, a launch by hand with as much read %v: %.2f times; bound 1.2", enqueued, launch, float64(enqueued)/float64(launch))
}

// bareBarrier is the time of a barrier of a grid of so many blocks, or of the first of them, in nanoseconds; and what a run
// of the kernel that has it takes the host to enqueue, with a read of as much as a record has.
func bareBarrier(t *testing.T, dev driver.Device, blocks, first uint32) (ns float64, enqueue time.Duration) {
	t.Helper()
	b := build.New("barriers", build.Workgroup(256))
	n := b.Scalar("n", ir.U32)
	b.For(b.U32(0), n, b.U32(1), func(build.Value, build.Label) {
		if first > 0 {
			b.OpImm(ir.OpBarrierFirst, first)
		} else {
			b.GridBarrier()
		}
	})
	program, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	k, err := dev.Compile(context.Background(), program, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	record, err := dev.Alloc(megakernel.RecordBytes, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	const many = 1000
	least := func(barriers uint32) float64 {
		s := dev.NewSequence("barriers")
		defer s.Close()
		s.Launch(k, driver.Groups(blocks), driver.U32(barriers))
		s.Read(driver.All(record), make([]byte, megakernel.RecordBytes))
		var all, queued []time.Duration
		for range 23 {
			r, err := s.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			all, queued = append(all, r.Device), append(queued, r.Enqueue)
		}
		enqueue = slices.Min(queued[3:])
		return float64(slices.Min(all[3:]))
	}
	return (least(many) - least(0)) / many, enqueue
}

// twinBarrier is the time of a barrier of cooperative groups, which the program made of testdata/search.cu measures.
func twinBarrier(t *testing.T, blocks uint32) (ns float64) {
	t.Helper()
	text, err := exec.Command(*twin, "barriers", fmt.Sprint(blocks)).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", *twin, err, text)
	}
	if _, err := fmt.Sscan(string(text), &ns); err != nil {
		t.Fatalf("%s says %q: %v", *twin, text, err)
	}
	return ns
}

// emptyGroups makes a plan of one round of n groups that do nothing.
func emptyGroups(t *testing.T, dev driver.Device, n int) *megakernel.Plan {
	t.Helper()
	b := build.New("nothing", build.Workgroup(256)) // but for one store, since barriers with nothing between are one
	o := b.Buffer("word", ir.U32, ir.RW)
	b.Store(o, b.Global(0), b.Global(0))
	program, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	word, err := dev.Alloc(4, driver.AllocOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { word.Close() })
	var waves []megakernel.Wave
	var deps []megakernel.Dependency
	for i := range n {
		waves = append(waves, megakernel.Wave{Program: program, Args: []driver.Arg{driver.All(word)}, Domain: megakernel.Fixed(1)})
		if i > 0 {
			deps = append(deps, megakernel.Dependency{Before: i - 1, After: i})
		}
	}
	p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Topology: megakernel.Cooperative, Tail: megakernel.TailNever, Threads: 256})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
