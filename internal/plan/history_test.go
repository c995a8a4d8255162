package plan_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/internal/plan"
)

var (
	base   = plan.Offered{Version: 1}
	coop   = plan.Offered{Name: "cooperative", Version: 1, Instead: "topology"}
	tail   = plan.Offered{Name: "tail", Version: 1, Needs: "cooperative"}
	passes = []plan.Offered{coop, tail}
)

// ran makes a history of runs in three ways: 1000 to 1090, 500 to 545, and 250 to 272 ns.
func ran() *plan.History {
	h := &plan.History{Plans: 2, PlanRuns: 200}
	h.ObserveRounds(10, 5, 1, 64, 40)
	for k, way := range []plan.Offered{base, coop, tail} {
		h.Begin(plan.Key{1}, way, 100+uint64(k)*1000, 64*uint64(k))
		for i := range uint64(10) {
			h.Ran(way.Name, (1000+10*i)>>k, 0)
		}
	}
	return h
}

// chosen is what a history chooses.
func chosen(t *testing.T, h *plan.History, runs uint64) (plan.PassRequest, plan.Passes) {
	t.Helper()
	in := h.Request(passes, runs)
	var p plan.Passes
	if err := plan.PlanPasses(in, &p); err != nil {
		t.Fatal(err)
	}
	return in, p
}

func TestEvidenceIsOfPessimisticEnds(t *testing.T) {
	h := ran()
	in, p := chosen(t, h, 0)
	if in.Sample != (plan.PassSample{Frontier: 64, Reuse: 100, Readback: 40, BaselineNS: 1040}) {
		t.Errorf("sample %+v", in.Sample)
	}
	// The least of ten without, the ninth of ten with; planning is what each takes more than what it needs.
	for k, want := range []plan.Pass{
		{Name: "cooperative", Instead: "topology", Speedup: 1000 * 10000 / 540, PlanningNS: 1000, ScratchBytes: 64, Frontier: 64, Reuse: 100, Readback: 40},
		{Name: "tail", Needs: "cooperative", Speedup: 500 * 10000 / 270, PlanningNS: 1000, ScratchBytes: 64, Frontier: 64, Reuse: 100, Readback: 40},
	} {
		if in.Passes[k] != want {
			t.Errorf("pass %+v, want %+v", in.Passes[k], want)
		}
	}
	if !p.Known() || len(p.Taken) != 2 || p.Projected(1040) != 1040*10000/p.Projection {
		t.Errorf("%+v", p)
	}
	if _, p := chosen(t, h, 1); len(p.Taken) != 0 || !p.Known() {
		t.Errorf("for a single run, planning costs more than it saves: %+v", p)
	}
	if _, p := chosen(t, h, 5); p.Verdicts[0] != plan.ReuseBelowThreshold {
		t.Errorf("five runs, where it won with a hundred: %+v", p)
	}
}

func TestNothingIsKnownWithoutTenRuns(t *testing.T) {
	for what, change := range map[string]func(h *plan.History, offered []plan.Offered){
		"nine runs without":   func(h *plan.History, _ []plan.Offered) { h.Ways[0].Times = h.Ways[0].Times[:9] },
		"nine runs with":      func(h *plan.History, _ []plan.Offered) { h.Ways[1].Times = h.Ways[1].Times[:9] },
		"no such runs":        func(h *plan.History, _ []plan.Offered) { h.Ways = h.Ways[:2] },
		"another version":     func(_ *plan.History, offered []plan.Offered) { offered[1].Version++ },
		"of other programs":   func(h *plan.History, _ []plan.Offered) { h.Begin(plan.Key{2}, base, 1, 1) },
		"a new version began": func(h *plan.History, _ []plan.Offered) { h.Begin(plan.Key{1}, plan.Offered{Version: 2}, 1, 1) },
	} {
		h, offered := ran(), slices.Clone(passes)
		change(h, offered)
		var p plan.Passes
		if err := plan.PlanPasses(h.Request(offered, 100), &p); err != nil || p.Known() {
			t.Errorf("%s: %+v, %v", what, p, err)
		}
	}
	var none plan.History
	if in, p := chosen(t, &none, 100); p.Known() || len(p.Taken) != 0 || in.Sample.BaselineNS != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}

// TestWhatDoesNotHoldIsDisplaced: ten runs that take a third more than was projected, by a clock that says so.
func TestWhatDoesNotHoldIsDisplaced(t *testing.T) {
	h := ran()
	in, p := chosen(t, h, 0)
	projected := p.Projected(in.Sample.BaselineNS)
	for k := range 10 {
		if _, p := chosen(t, h, 0); !p.Known() {
			t.Fatalf("stale after %d runs", k)
		}
		h.Ran("tail", projected*4/3, projected)
	}
	if _, p := chosen(t, h, 0); p.Known() || p.Verdicts[1] != plan.StaleEvidence || slices.Contains(p.Taken, 1) {
		t.Fatalf("after ten runs of a third more: %+v", p)
	}
	if text := h.Explain(0); !strings.Contains(text, "not chosen by evidence: of some passes there is none") || !strings.Contains(text, "+33.") || !strings.Contains(text, "stale-evidence") {
		t.Errorf("it explains\n%s", text)
	}
	for range 10 { // by default, or in a trial
		h.Ran("tail", projected*4/3, 0)
	}
	if in, p := chosen(t, h, 0); !p.Known() || in.Passes[1].Speedup >= 18000 {
		t.Errorf("after ten runs more it goes by them: %+v", in.Passes[1])
	}
}

func TestWhatHoldsStays(t *testing.T) {
	h := ran()
	for _, ns := range []uint64{300, 200} { // 20 % more, 20 % less
		for range 30 {
			h.Ran("tail", ns, 250)
		}
		if _, p := chosen(t, h, 0); !p.Known() || len(h.Ways[2].Times) != 32 || len(h.Ways[2].Projected) != 10 {
			t.Errorf("%d ns of 250: %+v", ns, h.Ways[2])
		}
	}
	if text := h.Explain(0); !strings.HasPrefix(text, "200 runs of 2 plans; frontier 64, readback 40 bytes, baseline 1.04µs\nchosen by evidence: ") || strings.Count(text, "\n") != 6 {
		t.Errorf("it explains\n%s", text)
	}
}

func TestHistoriesAreReadAsTheyWereWritten(t *testing.T) {
	h := ran()
	h.Ran("tail", 300, 250)
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var got plan.History
	if err := json.Unmarshal(b, &got); err != nil || !reflect.DeepEqual(&got, h) || !got.Plausible() {
		t.Errorf("%v, %+v", err, got)
	}
	for what, change := range map[string]func(h *plan.History){
		"negative":         func(h *plan.History) { h.Frontier = -1 },
		"twice":            func(h *plan.History) { h.Ways[1].Offered = h.Ways[0].Offered },
		"too many":         func(h *plan.History) { h.Ways[1].Times = make([]uint64, 33) },
		"no time":          func(h *plan.History) { h.Ways[1].Times[3] = 0 },
		"half a job":       func(h *plan.History) { h.Ways[2].Projected = nil },
		"nothing promised": func(h *plan.History) { h.Ways[2].Projected = []uint64{0} },
	} {
		h := ran()
		h.Ran("tail", 300, 250)
		if change(h); h.Plausible() {
			t.Errorf("%s is plausible", what)
		}
	}
}
