package megakernel_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/internal/cusim"
	"github.com/govyre/vyre/internal/metric"
	"github.com/govyre/vyre/internal/plan"
	"github.com/govyre/vyre/megakernel"
)

// calibrated opens a device that keeps costs in a directory of the test's, and calibrates it.
func calibrated(t *testing.T, name string) (driver.Device, *plan.Costs, string) {
	t.Helper()
	dir := t.TempDir()
	dev, err := driver.Open(name, driver.OpenOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	if megakernel.KeptCosts(dev) != nil {
		t.Fatal("there are costs before anything was measured")
	}
	costs, err := megakernel.Calibrate(context.Background(), dev)
	if err != nil {
		t.Fatal(err)
	}
	return dev, costs, dir
}

func TestCalibrationMeasuresEverythingThatThereIs(t *testing.T) {
	for _, name := range devices() {
		dev, c, _ := calibrated(t, name)
		t.Logf("%s: %+v", name, *c)
		if c.LaunchRead <= 0 || c.GraphRead+c.GraphNode <= 0 || c.LoopStart+c.LoopRound+c.GraphNode <= 0 || c.EmptyTail <= 0 {
			t.Errorf("%s: a round took nothing: %+v", name, c)
		}
		if c.Forward < 1 || c.Forward > 64 || c.Scan < 1 || c.Scan > 64 {
			t.Errorf("%s: an arc costs %d, a node %d", name, c.Forward, c.Scan)
		}
		last := 0
		for i, b := range c.GridBarrier {
			if b.Blocks <= last && (i == 0 || b.Blocks != 0) || b.Blocks != 0 && b.NS <= 0 {
				t.Errorf("%s: barriers of %+v, want rising numbers of blocks, and times", name, c.GridBarrier)
			}
			last = b.Blocks
		}
		if n := dev.Stats().Get(metric.LiveBytes); n != 0 {
			t.Errorf("%s: %d bytes were not given back", name, n)
		}
	}
}

// TestAutoGoesByKeptCostsOnceThereWasARun: before that nothing is known of the rounds, and costs would say little.
func TestAutoGoesByKeptCostsOnceThereWasARun(t *testing.T) {
	dev, costs, _ := calibrated(t, "cuda-sim")
	kept := megakernel.KeptCosts(dev)
	if kept == nil || *kept != *costs {
		t.Fatalf("kept are %+v, measured %+v", kept, costs)
	}
	g := chain(5)
	m := g.upload(t, dev)
	made := func(o megakernel.Options) *megakernel.Plan {
		o.Blocks = 1
		waves, deps := forms[0].waves(g, m, 0)
		p, err := megakernel.New(context.Background(), dev, waves, deps, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	if p := made(megakernel.Options{}); p.Topology() != megakernel.Cooperative || strings.Contains(p.Explain(), "measured") {
		t.Errorf("without a run it took\n%s", p.Explain())
	}
	var w plan.History
	p := made(megakernel.Options{Topology: megakernel.HostLoop})
	rec, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if p.Observe(&w, rec); w.Runs != 1 || w.Rounds != float64(rec.Rounds) || w.GroupNS < 0 || w.GroupNS > float64(p.Result().Wall)/w.Rounds {
		t.Errorf("observed %+v of %v in %v", w, rec, p.Result().Wall)
	}
	if p := made(megakernel.Options{Expected: &w}); !strings.Contains(p.Explain(), "|source=measured|") {
		t.Errorf("with kept costs and a run it took\n%s", p.Explain())
	}
}

// TestKeptCostsThatAreNoneDoNotCount damages the file in several ways; the next calibration writes it anew.
func TestKeptCostsThatAreNoneDoNotCount(t *testing.T) {
	dev, _, dir := calibrated(t, "cuda-sim")
	files, err := filepath.Glob(filepath.Join(dir, "costs", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for what, text := range map[string]string{
		"empty":          "",
		"cut off":        string(whole[:len(whole)/2]),
		"other version":  strings.Replace(string(whole), `"version": 2`, `"version": 1`, 1),
		"other device":   strings.Replace(string(whole), `"model": "`, `"model": "not `, 1),
		"no such turn":   strings.Replace(string(whole), `"Scan": `, `"Scan": 9`, 1),
		"no launch time": strings.Replace(string(whole), `"LaunchRead": `, `"LaunchRead": -`, 1),
		"too long":       string(whole) + strings.Repeat(" ", 1<<16),
	} {
		if text == string(whole) {
			t.Fatalf("%s: nothing was changed in\n%s", what, whole)
		}
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c := megakernel.KeptCosts(dev); c != nil {
			t.Errorf("%s: %+v", what, c)
		}
	}
	if _, err := megakernel.Calibrate(context.Background(), dev); err != nil || megakernel.KeptCosts(dev) == nil {
		t.Errorf("after another calibration: %v", err)
	}
}

// TestCostsThatCannotBeKept come with the error.
func TestCostsThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	dev, err := driver.Open("cuda-sim", driver.OpenOptions{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if err := os.WriteFile(filepath.Join(dir, "costs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	costs, err := megakernel.Calibrate(context.Background(), dev)
	if err == nil || !strings.Contains(err.Error(), "were measured, and could not be kept") || costs == nil || costs.LaunchRead <= 0 {
		t.Errorf("%+v, %v", costs, err)
	}
}

// TestAutoDrainsWhatNeedsNoRounds, unless rounds are asked for or drains were slower.
func TestAutoDrainsWhatNeedsNoRounds(t *testing.T) {
	dev := open(t, "cpu")
	g := chain(30)
	m := g.upload(t, dev)
	costs := plan.Costs{Launch: 2000, LaunchRead: 8000, GraphNode: 1000, GraphRead: 9000, LoopStart: 10000, LoopRound: 2000,
		CoopRead: 12000, GridBarrier: [4]plan.BarrierCost{{Blocks: 132, NS: 1000}}} // 100 rounds: 212,000
	known := func(drain float64) *plan.History {
		return &plan.History{Workload: plan.Workload{Rounds: 100, GroupNS: 1000, Runs: 1, DrainNS: drain}}
	}
	for _, c := range []struct {
		name string
		o    megakernel.Options
		want megakernel.Topology
	}{
		{"nothing known", megakernel.Options{}, megakernel.Drained},
		{"rounds bounded", megakernel.Options{MaxRounds: 1 << 20}, megakernel.Cooperative},
		{"slices", megakernel.Options{SliceRounds: 1 << 20}, megakernel.Cooperative},
		{"a budget", megakernel.Options{Budget: 1 << 30}, megakernel.Cooperative},
		{"costs, and no drain yet", megakernel.Options{Costs: &costs, Expected: known(0)}, megakernel.Drained},
		{"a drain that took less", megakernel.Options{Costs: &costs, Expected: known(211_000)}, megakernel.Drained},
		{"a drain that took more", megakernel.Options{Costs: &costs, Expected: known(213_000)}, megakernel.Cooperative},
	} {
		c.o.Blocks = 2
		p, err := megakernel.New(context.Background(), dev, reach(g, m, 0), nil, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Topology() != c.want {
			t.Errorf("%s: took %v, want %v\n%s", c.name, p.Topology(), c.want, p.Explain())
		}
		var w plan.History
		rec, err := p.Run(context.Background())
		if p.Observe(&w, rec); err != nil || (w.DrainNS > 0) != (c.want == megakernel.Drained) || (w.Runs > 0) == (w.DrainNS > 0) {
			t.Errorf("%s: observed %+v, %v", c.name, w, err)
		}
		p.Close()
	}
}

// TestDrainCountsWhatItsPlanPredicts: one launch, whatever runs before and after.
func TestDrainCountsWhatItsPlanPredicts(t *testing.T) {
	for _, device := range devices() {
		dev := open(t, device)
		g := chain(9)
		m := g.upload(t, dev)
		waves := append(reach(g, m, 0), megakernel.Wave{Program: programs()["Keep"], Args: []driver.Arg{m.depth, m.next}, Domain: megakernel.Fixed(9), Phase: megakernel.After})
		before := dev.Stats()
		p, err := megakernel.New(context.Background(), dev, waves, nil, megakernel.Options{Topology: megakernel.Drained, Blocks: 2})
		if err != nil {
			t.Fatal(err)
		}
		begin := dev.Stats()
		rec, err := p.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		predicted := p.Predicted(rec)
		for _, d := range predicted.Check(megakernel.Tally(before, begin, dev.Stats(), rec)) {
			t.Errorf("%s: %v", device, d)
		}
		if predicted.Launches != 1 || predicted.Unknown != plan.Rounds|plan.GridBarriers {
			t.Errorf("%s: predicted %+v", device, predicted)
		}
		p.Close()
	}
}

// TestAutoGoesByTheCostsOfTheDevice where nothing was calibrated and there was a run. That a GPU is simulated, and its times
// mean nothing, is kept from the planner.
func TestAutoGoesByTheCostsOfTheDevice(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ simulated, measured bool }{{false, true}, {true, false}, {false, true}} {
		dev, err := cuda.Open(cuda.Options{Driver: cusim.New(cusim.Config{Models: []cusim.Model{cusim.Tiny}}), Simulated: c.simulated, OpenOptions: driver.OpenOptions{CacheDir: dir}})
		if err != nil {
			t.Fatal(err)
		}
		g := chain(5)
		waves, deps := forms[0].waves(g, g.upload(t, dev), 0)
		w := plan.History{Workload: plan.Workload{Rounds: 5, GroupNS: 1000, Runs: 1}}
		p, err := megakernel.New(context.Background(), dev, waves, deps, megakernel.Options{Blocks: 1, Expected: &w})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(p.Explain(), "|source=measured|"); got != c.measured || p.Topology() == megakernel.DeviceLoop {
			t.Errorf("simulated %v: it took\n%s", c.simulated, p.Explain())
		}
		if files, err := filepath.Glob(filepath.Join(dir, "tune", "*", "*.bin")); err != nil || len(files) != 1 {
			t.Errorf("kept are %v, %v; want the costs, once", files, err)
		}
		p.Close()
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}
