package megakernel_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// tried is a search on a device, of which every way was measured.
func tried(t *testing.T, name string) (dev driver.Device, waves []megakernel.Wave, h *megakernel.History) {
	t.Helper()
	dev, err := driver.Open(name, driver.OpenOptions{CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	g := chain(6)
	waves = reach(g, g.upload(t, dev), 0)
	h = new(megakernel.History)
	if err := megakernel.Trial(context.Background(), dev, waves, nil, tryOptions, h, nil); err != nil {
		t.Fatal(err)
	}
	return dev, waves, h
}

var tryOptions = megakernel.Options{Blocks: 1}

// takes makes the times of a way what a test wants, all but equal.
func takes(t *testing.T, h *megakernel.History, name string, ns uint64) {
	t.Helper()
	k := slices.IndexFunc(h.Ways, func(w plan.Way) bool { return w.Name == name })
	if k < 0 {
		t.Fatalf("no way %q in %+v", name, h.Ways)
	}
	for i := range h.Ways[k].Times {
		h.Ways[k].Times[i] = ns + uint64(i)
	}
}

// TestEveryWayIsTried, and gives what evidence needs.
func TestEveryWayIsTried(t *testing.T) {
	for _, name := range devices() {
		dev, waves, h := tried(t, name)
		var names []string
		for _, w := range h.Ways {
			if names = append(names, w.Name); len(w.Times) != 10 || w.PlanningNS == 0 {
				t.Errorf("%s: way %+v", name, w)
			}
		}
		if want := []string{"", "back-to-back", "captured graph", "device loop", "cooperative", "tail", "drained"}; !slices.Equal(names, want) {
			t.Errorf("%s: tried %q, want %q", name, names, want)
		}
		if h.Plans != 0 || h.Rounds == 0 || h.Frontier < 1 || h.Readback != 4*h.Rounds {
			t.Errorf("%s: observed %+v", name, h)
		}
		o := tryOptions
		o.Expected = h
		p, err := megakernel.New(context.Background(), dev, waves, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Explain(), "passes-v1|") || !strings.Contains(p.Explain(), "|reuse=0|") || p.Topology() != megakernel.Drained {
			t.Errorf("%s: nobody knows how many runs there will be, and it took\n%s", name, p.Explain())
		}
		p.Close()
	}
}

// TestAutoGoesByEvidence of times that a test made up, and comes to the right nodes in each.
func TestAutoGoesByEvidence(t *testing.T) {
	dev, waves, h := tried(t, "cpu")
	all := []string{"", "back-to-back", "captured graph", "device loop", "cooperative", "tail", "drained"}
	for _, c := range []struct {
		name  string
		fast  string
		o     func(o *megakernel.Options)
		want  megakernel.Topology
		stays int // tail stays of a run; -1 is any
	}{
		{"drained", "drained", nil, megakernel.Drained, -1},
		{"all blocks", "cooperative", nil, megakernel.Cooperative, 0},
		{"one block", "tail", nil, megakernel.Cooperative, 1},
		{"a captured graph", "captured graph", nil, megakernel.Captured, -1},
		{"the host", "", nil, megakernel.HostLoop, -1},
		{"drained, which rounds forbid", "drained", func(o *megakernel.Options) { o.MaxRounds = 1 << 20 }, megakernel.HostLoop, -1},
		{"a run that is not worth the planning", "drained", func(o *megakernel.Options) { o.Runs = 1 }, megakernel.HostLoop, -1},
		{"no time for planning", "drained", func(o *megakernel.Options) { o.Planning = 1 }, megakernel.HostLoop, -1},
		{"other programs than were tried", "captured graph", func(o *megakernel.Options) { o.Blocks = 2 }, megakernel.Drained, -1},
	} {
		for k, way := range all {
			ns := uint64(1e9)
			if way == c.fast {
				ns = 1e6
			}
			takes(t, h, way, ns)
			h.Ways[k].PlanningNS = 1e6 + uint64(k)
			h.Ways[k].Won = false // no thresholds
		}
		if c.fast == "tail" {
			takes(t, h, "cooperative", 1e8)
		}
		if c.name == "a run that is not worth the planning" {
			h.Ways[6].PlanningNS = 2e9
		}
		o := tryOptions
		o.Expected, o.Runs = h, 1000
		if c.o != nil {
			c.o(&o)
		}
		p, err := megakernel.New(context.Background(), dev, waves, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := p.Run(context.Background())
		if err != nil || p.Topology() != c.want || c.stays >= 0 && int(rec.TailStays) != c.stays {
			t.Errorf("%s: took %v, want %v; %v, %v\n%s", c.name, p.Topology(), c.want, rec, err, p.Explain())
		}
		p.Close()
	}
}

// TestRunsAreHeldAgainstWhatWasProjected: nothing takes a second here, so ten runs show that the evidence is wrong, and
// the next plan takes the default.
func TestRunsAreHeldAgainstWhatWasProjected(t *testing.T) {
	dev, waves, h := tried(t, "cpu")
	for _, w := range h.Ways {
		takes(t, h, w.Name, 4e12)
	}
	takes(t, h, "captured graph", 1e12)
	o := tryOptions
	o.Expected, o.Runs = h, 1000
	topology := func(runs int) megakernel.Topology {
		p, err := megakernel.New(context.Background(), dev, waves, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range runs {
			rec, err := p.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			p.Observe(h, rec)
		}
		return p.Topology()
	}
	if got := topology(9); got != megakernel.Captured {
		t.Errorf("by evidence it took %v", got)
	}
	if got := topology(1); got != megakernel.Captured || h.Plans != 2 || h.PlanRuns != 10 {
		t.Errorf("after nine runs it took %v; %d plans of %d runs", got, h.Plans, h.PlanRuns)
	}
	if got := topology(0); got != megakernel.Drained || !strings.Contains(h.Explain(0), "stale-evidence") {
		t.Errorf("after ten it took %v\n%s", got, h.Explain(0))
	}
}

func TestHistoriesAreKept(t *testing.T) {
	dev, _, h := tried(t, "cuda-sim:0")
	if got := megakernel.KeptHistory(dev, "reach"); len(got.Ways) != 0 || len(megakernel.KeptHistories(dev)) != 0 {
		t.Errorf("before anything was kept: %+v", got)
	}
	if err := megakernel.KeepHistory(dev, "reach", h); err != nil {
		t.Fatal(err)
	}
	if err := megakernel.KeepHistory(dev, "another", &megakernel.History{Plans: 3}); err != nil {
		t.Fatal(err)
	}
	if got := megakernel.KeptHistory(dev, "reach"); got.Explain(0) != h.Explain(0) || got.Programs != h.Programs {
		t.Errorf("kept was %+v", got)
	}
	if all := megakernel.KeptHistories(dev); len(all) != 2 || all["another"].Plans != 3 || len(all["reach"].Ways) != len(h.Ways) {
		t.Errorf("all that are kept: %v", all)
	}
	files, _ := filepath.Glob(filepath.Join(dev.Stats().CacheDir, "histories", "*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte(strings.Replace(string(b), `"model": "`, `"model": "not `, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := megakernel.KeptHistory(dev, "reach"); len(files) != 2 || len(got.Ways) != 0 || len(megakernel.KeptHistories(dev)) != 0 {
		t.Errorf("%d files of another device count", len(files))
	}
}

func TestTrialsAreRefused(t *testing.T) {
	dev := open(t, "cpu")
	g := chain(6)
	waves := reach(g, g.upload(t, dev), 0)
	for _, o := range []megakernel.Options{{Topology: megakernel.Drained}, {Tail: megakernel.TailNever}} {
		err := megakernel.Trial(context.Background(), dev, waves, nil, o, new(megakernel.History), nil)
		var why *megakernel.Reason
		if !errors.As(err, &why) || why.Code != "trial" {
			t.Errorf("%v", err)
		}
	}
	err := megakernel.Trial(context.Background(), dev, waves, nil, megakernel.Options{MaxRounds: 2}, new(megakernel.History), nil)
	if err == nil || !strings.Contains(err.Error(), "budget spent after 2 rounds") {
		t.Errorf("%v", err)
	}
	calls := 0
	want := errors.New("no reset")
	err = megakernel.Trial(context.Background(), dev, waves, nil, megakernel.Options{}, new(megakernel.History), func(context.Context) error {
		if calls++; calls == 3 {
			return want
		}
		return nil
	})
	if !errors.Is(err, want) || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if _, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{Planning: -1}); err == nil || !strings.Contains(err.Error(), "planning may take -1ns") {
		t.Errorf("%v", err)
	}
}

// TestTheFastestDevice is one of those that were tried, each with the same waves.
func TestTheFastestDevice(t *testing.T) {
	simDev, _, sim := tried(t, "cuda-sim:0")
	cpuDev, waves, cpu := tried(t, "cpu")
	expect := func(want driver.Device, line string, both ...megakernel.Tried) {
		t.Helper()
		if got, says := megakernel.Fastest(both...); got != want || says != line {
			t.Errorf("it is %s, %q, want %s, %q", got.Name(), says, want.Name(), line)
		}
	}
	a, b := megakernel.Tried{Device: simDev, History: sim}, megakernel.Tried{Device: cpuDev, History: cpu}
	for _, h := range []*megakernel.History{sim, cpu} {
		for _, w := range h.Ways {
			takes(t, h, w.Name, 20000)
		}
	}
	takes(t, sim, "drained", 9000)
	takes(t, cpu, "", 100)
	expect(cpuDev, "device cpu: cuda-sim:0 9.004µs (drained), cpu 104ns (host loop)", a, b)
	takes(t, cpu, "", 21000)
	expect(simDev, "device cuda-sim:0: cuda-sim:0 9.004µs (drained), cpu 20.004µs (back-to-back)", a, b)
	none := megakernel.Tried{Device: cpuDev, History: new(megakernel.History)}
	expect(simDev, "device cuda-sim:0: there is no evidence of cpu", a, none)
	expect(cpuDev, "device cpu: there is no evidence of cpu", none, a)
	other := new(megakernel.History)
	if err := megakernel.Trial(t.Context(), cpuDev, waves, nil, megakernel.Options{Blocks: 2}, other, nil); err != nil {
		t.Fatal(err)
	}
	expect(simDev, "device cuda-sim:0: that of cpu is of other waves, or other options", a, megakernel.Tried{Device: cpuDev, History: other})
	expect(simDev, "device cuda-sim:0: there is no evidence of cpu", a, megakernel.Tried{Device: cpuDev})
	for _, tried := range [][]megakernel.Tried{nil, {{}}, {a, {History: cpu}}} {
		if got, says := megakernel.Fastest(tried...); got != nil || says != "there is no device" {
			t.Errorf("of %d it is %v, %q", len(tried), got, says)
		}
	}
}
