package megakernel_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/front"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/internal/testing/underway"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/megakernel"
)

// TestNoScheduleShowsARace runs every form under the detectors, with groups and warps in three orders.
func TestNoScheduleShowsARace(t *testing.T) {
	g := random(7, long.Count(90, 300, 300), 3)
	want, _ := g.depths(1)
	schedules := []cpu.Schedule{cpu.Reversed, cpu.Seeded(5), cpu.Seeded(6), cpu.Forward}
	for _, schedule := range schedules[:long.Count(2, 4, 4)] {
		dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Schedule: schedule, Detect: cpu.Everything}})
		if err != nil {
			t.Fatal(err)
		}
		m := g.upload(t, dev)
		for _, f := range forms {
			for _, topology := range topologies {
				for _, o := range []megakernel.Options{{Tail: megakernel.TailNever, Blocks: 2}, {Tail: megakernel.TailAlways, Blocks: 2}, {Blocks: 2}, {Tail: megakernel.TailNever, Blocks: 9}} {
					o.Topology, o.Threads = topology, 64
					waves, deps := f.waves(g, m, 1)
					p, err := megakernel.New(context.Background(), dev, waves, deps, o)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := p.Run(context.Background()); err != nil {
						t.Fatal(err)
					}
					for _, r := range p.Result().Reports {
						t.Errorf("%s, %v: %s: %s", f.name, topology, r.Kernel, r.Text)
					}
					if got := m.read(m.depth); !slices.Equal(got, want) {
						t.Errorf("%s, %v: depths %v, want %v", f.name, topology, got, want)
					}
					if err := p.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

const meeting = `package waves

import "github.com/govyre/vyre/gpu"

//vyre:kernel workgroup=32
func Race(t gpu.Thread, x []uint32) {
	x[0] = t.Local().X
}

//vyre:kernel workgroup=32
func Trap(t gpu.Thread, x []uint32) {
	if x[t.Local().X] == 0 {
		panic("zero")
	}
}
`

// TestWhatGoesWrongNamesTheWaveAndItsLine in a fused program: races, and traps on every device.
func TestWhatGoesWrongNamesTheWaveAndItsLine(t *testing.T) {
	pkg, err := front.Parse(t.Context(), []front.File{{Name: "meet.go", Src: []byte(meeting)}}, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(dev driver.Device, name string) ([]driver.Report, error) {
		t.Helper()
		of := map[string]*ir.Program{}
		for _, k := range pkg.Kernels() {
			of[k.Program.Name()] = k.Program
		}
		ones, zeros := words(t, dev, slices.Repeat([]uint32{1}, 32)), words(t, dev, make([]uint32, 32))
		waves := []megakernel.Wave{{Program: of["Trap"], Args: []driver.Arg{ones}, Domain: megakernel.Fixed(1)}, {Program: of[name], Args: []driver.Arg{zeros}, Domain: megakernel.Fixed(1)}}
		p, err := megakernel.New(t.Context(), dev, waves, []megakernel.Dependency{{Before: 0, After: 1}}, megakernel.Options{Topology: megakernel.Cooperative, Blocks: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		_, err = p.Run(t.Context())
		return p.Result().Reports, err
	}
	dev, err := cpu.Open(cpu.Options{Engine: cpu.Interp, Run: cpu.RunOptions{Detect: cpu.Everything}})
	if err != nil {
		t.Fatal(err)
	}
	reports, err := run(dev, "Race")
	if err != nil || !slices.ContainsFunc(reports, func(r driver.Report) bool {
		return strings.HasPrefix(r.Text, "meet.go:7:7 (wave 1): kernel megakernel: race") && strings.Contains(r.Text, "at meet.go:7:7 (wave 1) by")
	}) {
		t.Errorf("%v, %v", err, reports)
	}
	for _, name := range devices() {
		if _, err := run(open(t, name), "Trap"); err == nil || !strings.Contains(err.Error(), "meet.go:13:3 (wave 1)") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMissingDependencyIsRefused leaves out the barrier between Gather and Keep.
func TestMissingDependencyIsRefused(t *testing.T) {
	g := chain(20)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	waves, _ := forms[2].waves(g, m, 0)
	_, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{})
	if err == nil || !strings.Contains(err.Error(), "add the dependency from wave 1 to wave 2") {
		t.Errorf("got %v", err)
	}
}

// TestBudgetSpentIsAResultAndResumeGoesOn stops one round early, in every topology.
func TestBudgetSpentIsAResultAndResumeGoesOn(t *testing.T) {
	ctx := context.Background()
	for _, device := range devices() {
		dev := open(t, device)
		g := chain(12)
		m := g.upload(t, dev)
		want, levels := g.depths(0)
		for _, f := range forms {
			for _, topology := range topologies {
				waves, deps := f.waves(g, m, 0)
				p, err := megakernel.New(ctx, dev, waves, deps, megakernel.Options{Topology: topology, MaxRounds: levels, Blocks: 2, PollRounds: 4})
				if err != nil {
					t.Fatal(err)
				}
				// The round after the last level finds that nothing is left.
				rec, err := p.Run(ctx)
				if err != nil || rec.Status != megakernel.BudgetSpent || rec.Rounds != levels || !rec.Changed {
					t.Errorf("%s, %s, %v: %v, %v, want the budget spent at %d", device, f.name, topology, rec, err, levels)
				}
				rec, err = p.Resume(ctx)
				if err != nil || rec.Status != megakernel.Converged || rec.Rounds != levels+1 {
					t.Errorf("%s, %s, %v: going on: %v, %v, want convergence at %d", device, f.name, topology, rec, err, levels+1)
				}
				if got := m.read(m.depth); !slices.Equal(got, want) {
					t.Errorf("%s, %s, %v: depths %v, want %v", device, f.name, topology, got, want)
				}
				p.Close()
			}
		}
	}
}

// TestAContextThatEndsBetweenSlicesLosesNothing stops a run before every slice that there is: Resume goes on there, and Run
// begins anew.
func TestAContextThatEndsBetweenSlicesLosesNothing(t *testing.T) {
	g := chain(30)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	want, _ := g.depths(0)
	waves, deps := forms[0].waves(g, m, 0)
	p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{SliceRounds: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	counting, cancel := underway.Counting()
	defer cancel()
	whole, err := p.Run(counting)
	if err != nil {
		t.Fatal(err)
	}
	between := 0
	for n := 1; n <= counting.Times(); n++ {
		for _, how := range []func(context.Context) (megakernel.Record, error){p.Resume, p.Run} {
			ctx, cancel := underway.At(n, 0)
			_, err := p.Run(ctx)
			cancel()
			if err == nil && ctx.Times() < n {
				continue // it took fewer looks this time: who waits looks as often as it wakes up
			}
			if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
				t.Fatalf("ended at look %d: %v, want %v", n, err, driver.Canceled)
			}
			rec, err := how(context.Background())
			if errors.Is(err, driver.InvalidArgument) && strings.Contains(err.Error(), "call Run") {
				continue // it ended within a slice, or before the first
			}
			if err != nil || rec != whole {
				t.Fatalf("ended at look %d: %v, %v, want %v", n, rec, err, whole)
			}
			if got := m.read(m.depth); !slices.Equal(got, want) {
				t.Errorf("ended at look %d: depths %v, want %v", n, got, want)
			}
			between++
		}
	}
	if n := counting.Times(); between <= n || between == 2*n {
		t.Errorf("of %d ends %d were gone on with", n, between-n)
	}
}

// TestNoSeedsMakeNoRound gives a list that is empty from the start.
func TestNoSeedsMakeNoRound(t *testing.T) {
	g := chain(10)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		for _, topology := range topologies {
			waves, _ := forms[0].waves(g, m, 99) // no node has that number, so Clear lists none
			waves[0].Args[0] = driver.U32(99)
			p, err := megakernel.New(context.Background(), dev, waves[1:], nil, megakernel.Options{Topology: topology, Blocks: 2})
			if err != nil {
				t.Fatal(err)
			}
			if err := driver.Write(context.Background(), m.lengths, make([]byte, 12)); err != nil {
				t.Fatal(err)
			}
			rec, err := p.Run(context.Background())
			if err != nil || rec.Rounds != 0 || rec.Status != megakernel.Converged || rec.Changed || rec.Items != 0 {
				t.Errorf("%s, %v: %v, %v, want no rounds", device, topology, rec, err)
			}
			p.Close()
		}
	}
}

// TestBarriersAreThosePlanned compares what the device counted with the plan: one a group and round.
func TestBarriersAreThosePlanned(t *testing.T) {
	g := chain(10)
	dev := open(t, "cuda-sim")
	m := g.upload(t, dev)
	_, levels := g.depths(0)
	for i, perRound := range []uint32{1, 1, 2} {
		waves, deps := forms[i].waves(g, m, 0)
		p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Topology: megakernel.Cooperative, Tail: megakernel.TailNever, Blocks: 3})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := p.Run(context.Background())
		if want := (levels+1)*perRound + 1; err != nil || rec.Barriers != want { // one after the wave before the loop
			t.Errorf("%s: %v, %v, want %d barriers", forms[i].name, rec, err, want)
		}
		p.Close()
	}
}

// TestRunAllocatesNothing, on either side.
func TestRunAllocatesNothing(t *testing.T) {
	g := chain(6)
	dev := open(t, "cuda-sim")
	m := g.upload(t, dev)
	for _, topology := range append(slices.Clone(topologies), megakernel.Drained) {
		waves, deps := forms[0].waves(g, m, 0)
		o := megakernel.Options{Topology: topology, Blocks: 2, Threads: 32}
		if topology == megakernel.Drained {
			waves, deps, o.Threads = reach(g, m, 0), nil, 0
		}
		p, err := megakernel.New(context.Background(), dev, waves, deps, o)
		if err != nil {
			t.Fatal(err)
		}
		run := func() {
			if _, err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 { // rounds enqueued one by one become a graph in the third run
			run()
		}
		before := *dev.Stats()
		heap := testing.AllocsPerRun(20, run)
		after := dev.Stats()
		if n := after.Get(metric.AllocRequests) - before.Get(metric.AllocRequests); n != 0 {
			t.Errorf("%v: %d allocations on the device", topology, n)
		}
		if heap != 0 {
			t.Errorf("%v: %v allocations on the host", topology, heap)
		}
		p.Close()
	}
}

// TestExplainIsStable reads the plan as a person does.
func TestExplainIsStable(t *testing.T) {
	g := chain(10)
	dev := open(t, "cpu")
	m := g.upload(t, dev)
	waves, deps := forms[2].waves(g, m, 0)
	p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Blocks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	text := p.Explain()
	for _, want := range []string{"group before 0: 0 Clear (items, fixed 10)\n", "group every round 0: 1 Gather (workgroups, fixed 1)\n", "group every round 1: 2 Keep (items, fixed 10)\n", "topology cooperative: 2 blocks of 64 threads"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	q, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Blocks: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if q.Explain() != text {
		t.Errorf("equal waves are explained as\n%sand\n%s", text, q.Explain())
	}
}

// TestRunBeginsAnewAfterOneThatWasLeft lets a context end in the middle of a slice, in every topology: how many rounds were
// done is not known then, so Resume refuses, and Run waits for what is under way and begins with round 0.
func TestRunBeginsAnewAfterOneThatWasLeft(t *testing.T) {
	g := chain(700)
	interrupted := 0
	want, _ := g.depths(0)
	for _, device := range devices() {
		dev := open(t, device)
		m := g.upload(t, dev)
		for _, topology := range topologies {
			waves, deps := forms[0].waves(g, m, 0)
			p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Topology: topology, Blocks: 1, Threads: 32})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := p.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // twice in a row
				ctx, cancel := underway.Context(3 * time.Millisecond)
				_, err = p.Run(ctx)
				cancel()
				if err == nil { // it was faster than that
					continue
				}
				interrupted++
				if !errors.Is(err, driver.Canceled) || !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %v: %v, want %v", device, topology, err, driver.Canceled)
				}
				if _, err := p.Resume(context.Background()); !errors.Is(err, driver.InvalidArgument) || !strings.Contains(err.Error(), "call Run") {
					t.Errorf("%s, %v: going on: %v, want a refusal that names Run", device, topology, err)
				}
			}
			rec, err := p.Run(context.Background())
			if err != nil || rec != whole {
				t.Errorf("%s, %v: the next run: %v, %v, want %v", device, topology, rec, err, whole)
			}
			if got := m.read(m.depth); !slices.Equal(got, want) {
				t.Errorf("%s, %v: wrong depths", device, topology)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if interrupted == 0 {
		t.Error("every run was over before its context")
	}
}

// TestNarrowScalarsAreExtended as those of a launch are.
func TestNarrowScalarsAreExtended(t *testing.T) {
	b := build.New("narrow", build.Workgroup(32))
	k, out := b.Scalar("k", ir.I16), b.Buffer("out", ir.U32, ir.RW)
	b.Store(out, b.Global(0), b.Bitcast(ir.U32, b.Add(k, b.I32(1))))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range devices() {
		dev := open(t, device)
		m := chain(3).upload(t, dev)
		for _, topology := range []megakernel.Topology{megakernel.Cooperative, megakernel.HostLoop} {
			plan, err := megakernel.New(context.Background(), dev, []megakernel.Wave{{Program: p, Args: []driver.Arg{driver.I16(-4), m.depth}, Domain: megakernel.Fixed(3)}}, nil, megakernel.Options{Topology: topology})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := plan.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got, want := m.read(m.depth), ^uint32(2); got[2] != want {
				t.Errorf("%s, %v: got %#x, want %#x", device, topology, got[2], want)
			}
			plan.Close()
		}
	}
}
