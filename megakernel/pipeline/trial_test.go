package pipeline_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/megakernel"
	"github.com/govyre/vyre/megakernel/pipeline"
)

// TestPipelinesGoByEvidence of a trial whose times a test made up, and leave the same bits whatever that says.
func TestPipelinesGoByEvidence(t *testing.T) {
	const n = 70
	for _, dev := range devices(t) {
		name := dev.Name()
		x, y := dev.buffer(numbers(n)...), dev.buffer(make([]uint32, n)...)
		one, two := megakernel.Temp{ID: 1, Bytes: 4 * n}, megakernel.Temp{ID: 2, Bytes: 4 * n}
		stages := []pipeline.Stage{stage("Scale", n, x, one, driver.U32(3)), stage("Shift", n, one, two, driver.U32(1)), stage("Neighbour", n, two, y)}
		h := new(megakernel.History)
		if err := pipeline.Trial(t.Context(), dev, stages, pipeline.Options{}, h); err != nil {
			t.Fatal(err)
		}
		var want []uint32
		run := func(o pipeline.Options, stages []pipeline.Stage) *pipeline.Pipeline {
			t.Helper()
			p, err := pipeline.New(t.Context(), dev, stages, o)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := dev.read(y); want == nil {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%s, %+v: other bits than apart", name, o)
			}
			if o.Expected != nil {
				p.Observe(h)
			}
			return p
		}
		run(pipeline.Options{Fusion: pipeline.Separate}, stages)
		fast := func(name string) {
			for k := range h.Ways {
				w := &h.Ways[k]
				if w.Won, w.PlanningNS = false, 1e3; len(w.Times) < 10 {
					t.Fatalf("way %+v", w)
				}
				for i := range w.Times {
					if w.Times[i] = 1e9 + uint64(i); w.Name == name {
						w.Times[i] = 1e6 + uint64(i)
					}
				}
			}
		}
		for _, c := range []struct {
			fast              string
			runs              uint64
			fusion            pipeline.Fusion
			launches, inlined int
		}{
			{"", 100, pipeline.Fused, 3, 0},
			{"barriers", 100, pipeline.Fused, 1, 0},
			{"inlined", 100, pipeline.Fused, 1, 1},
			{"", 100, pipeline.Barriers, 1, 0}, // somebody decided
		} {
			fast(c.fast)
			p := run(pipeline.Options{Expected: h, Runs: c.runs, Fusion: c.fusion}, stages)
			if got := strings.Count(p.Explain(), ", inlined"); p.Launches() != c.launches || got != c.inlined || strings.Contains(p.Explain(), "passes-v1|") != (c.fusion == pipeline.Fused) {
				t.Errorf("%s: %q is fast: %d launches, %d inlined, want %d and %d\n%s", name, c.fast, p.Launches(), got, c.launches, c.inlined, p.Explain())
			}
		}
		if h.Plans != 4 || h.PlanRuns != 4 {
			t.Errorf("%s: %d runs of %d pipelines were observed, want 4 of 4", name, h.PlanRuns, h.Plans)
		}
		// Other stages than were measured, and a history that says nothing.
		fast("")
		want = nil
		other := []pipeline.Stage{stages[0], stage("Shift", n, one, y, driver.U32(1))}
		if p := run(pipeline.Options{Expected: h, Runs: 100}, other); p.Launches() != 1 {
			t.Errorf("%s: evidence of other stages counted\n%s", name, p.Explain())
		}
		want = nil
		if p := run(pipeline.Options{Expected: new(megakernel.History), Runs: 100}, stages); p.Launches() != 1 {
			t.Errorf("%s: no evidence counted\n%s", name, p.Explain())
		}
	}
}

// TestTrialsTryEveryWay, and none that somebody asked for.
func TestTrialsTryEveryWay(t *testing.T) {
	dev := open(t, "cpu")
	err := pipeline.Trial(t.Context(), dev, nil, pipeline.Options{Fusion: pipeline.Barriers}, new(megakernel.History))
	if err == nil || !strings.Contains(err.Error(), "all of them are tried") {
		t.Errorf("got %v", err)
	}
	if err := pipeline.Trial(t.Context(), dev, nil, pipeline.Options{}, new(megakernel.History)); err == nil {
		t.Error("no stages were tried")
	}
}
