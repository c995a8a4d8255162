package plan_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

const noBound = math.MaxUint64

// taken are the names of what was chosen.
func taken(in plan.PassRequest, p *plan.Passes) (names []string) {
	for _, i := range p.Taken {
		names = append(names, in.Passes[i].Name)
	}
	return names
}

func TestPassesThatSaveAreTaken(t *testing.T) {
	fusion := plan.Pass{Name: "fusion", Frontier: 1, Reuse: 1, Readback: 1, PlanningNS: 20000, ScratchBytes: 4096, Speedup: 15000}
	capture := plan.Pass{Name: "capture", Frontier: 4096, Reuse: 8, Readback: 65536, PlanningNS: 40000, ScratchBytes: 8192, Speedup: 20000}
	equal := func(name string, frontier uint64) plan.Pass {
		return plan.Pass{Name: name, Frontier: frontier, PlanningNS: 10, Speedup: 20000}
	}
	// Of a baseline of 1 ms once, one saves what it is projected to, less planning.
	for _, c := range []struct {
		name                          string
		in                            plan.PassRequest
		want                          []string
		planning, scratch, projection uint64
		verdicts                      []plan.Verdict
	}{
		{"fusion and capture", plan.PassRequest{Passes: []plan.Pass{fusion, capture}, Sample: plan.PassSample{4096, 8, 65536, 1e6}, PlanningNS: noBound, ScratchBytes: noBound},
			[]string{"capture", "fusion"}, 60000, 12288, 30000, []plan.Verdict{plan.Taken, plan.Taken}},
		{"mandatory ones first", plan.PassRequest{Passes: []plan.Pass{
			{Name: "a", Frontier: 1000, Reuse: 4, PlanningNS: 100, ScratchBytes: 64, Speedup: 18000, Mandatory: true},
			{Name: "b", Frontier: 1, Reuse: 1, Readback: 4096, PlanningNS: 20, ScratchBytes: 16, Speedup: 12000},
			{Name: "c", Frontier: 1, Reuse: 64, PlanningNS: 50, ScratchBytes: 32, Speedup: 25000, Mandatory: true},
		}, Sample: plan.PassSample{2000, 128, 8192, 1000}, PlanningNS: 200, ScratchBytes: 128},
			[]string{"c", "a", "b"}, 170, 112, 54000, []plan.Verdict{plan.Taken, plan.Taken, plan.Taken}},
		{"a threshold is no merit", plan.PassRequest{Passes: []plan.Pass{equal("z", 1), equal("y", 9)}, Sample: plan.PassSample{10, 1, 0, 1e6}, PlanningNS: noBound, ScratchBytes: noBound},
			[]string{"y", "z"}, 20, 0, 40000, []plan.Verdict{plan.Taken, plan.Taken}},
		{"two small ones instead of a large one", plan.PassRequest{Passes: []plan.Pass{
			{Name: "a", PlanningNS: 60, Speedup: 10160}, {Name: "b", PlanningNS: 50, Speedup: 10120}, {Name: "c", PlanningNS: 50, Speedup: 10120},
		}, Sample: plan.PassSample{0, 1, 0, 10160}, PlanningNS: 100},
			[]string{"b", "c"}, 100, 0, 10241, []plan.Verdict{plan.PlanningBudgetExceeded, plan.Taken, plan.Taken}},
		{"no evidence", plan.PassRequest{Passes: []plan.Pass{{Name: "a", Unknown: plan.NoEvidence, Speedup: 90000}, {Name: "b", Unknown: plan.StaleEvidence, Speedup: 90000}},
			Sample: plan.PassSample{1, 1, 1, 1e6}}, nil, 0, 0, 10000, []plan.Verdict{plan.NoEvidence, plan.StaleEvidence}},
		{"every threshold, in order", plan.PassRequest{Passes: []plan.Pass{
			{Name: "a", Speedup: 20000, Frontier: 2, Reuse: 2, Readback: 2}, {Name: "b", Speedup: 20000, Reuse: 2, Readback: 2}, {Name: "c", Speedup: 20000, Readback: 2},
			{Name: "d", Speedup: 10000, Frontier: 2}, {Name: "e", Speedup: 20000, PlanningNS: 5e5, Frontier: 2},
		}, Sample: plan.PassSample{1, 1, 1, 1e6}, PlanningNS: noBound},
			nil, 0, 0, 10000, []plan.Verdict{plan.FrontierBelowThreshold, plan.ReuseBelowThreshold, plan.ReadbackBelowThreshold, plan.NotProfitable, plan.NotProfitable}},
		{"alternatives, and one that needs the slower", plan.PassRequest{Passes: []plan.Pass{
			{Name: "coop", Instead: "t", Speedup: 30000}, {Name: "drain", Instead: "t", Speedup: 35000}, {Name: "tail", Needs: "coop", Speedup: 15000},
		}, Sample: plan.PassSample{0, 1, 0, 1e6}},
			[]string{"coop", "tail"}, 0, 0, 45000, []plan.Verdict{plan.Taken, plan.OtherTaken, plan.Taken}},
		{"alternatives, and one that needs what is not worth it", plan.PassRequest{Passes: []plan.Pass{
			{Name: "coop", Instead: "t", Speedup: 30000}, {Name: "drain", Instead: "t", Speedup: 50000}, {Name: "tail", Needs: "coop", Speedup: 15000},
		}, Sample: plan.PassSample{0, 1, 0, 1e6}},
			[]string{"drain"}, 0, 0, 50000, []plan.Verdict{plan.OtherTaken, plan.Taken, plan.NeedsAnother}},
		{"scratch, and what pays no more beside another", plan.PassRequest{Passes: []plan.Pass{
			{Name: "a", Speedup: 100000, ScratchBytes: 9}, {Name: "b", Speedup: 20000, PlanningNS: 400000}, {Name: "c", Speedup: 20000, ScratchBytes: 10},
		}, Sample: plan.PassSample{0, 1, 0, 1e6}, PlanningNS: noBound, ScratchBytes: 9},
			[]string{"a"}, 0, 9, 100000, []plan.Verdict{plan.Taken, plan.NotProfitable, plan.ScratchBudgetExceeded}},
	} {
		var p plan.Passes
		if err := plan.PlanPasses(c.in, &p); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(taken(c.in, &p), c.want) || p.PlanningNS != c.planning || p.ScratchBytes != c.scratch || p.Projection != c.projection || !slices.Equal(p.Verdicts, c.verdicts) {
			t.Errorf("%s: %v, %+v", c.name, taken(c.in, &p), p)
		}
		if n := testing.AllocsPerRun(5, func() { plan.PlanPasses(c.in, &p) }); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

func TestPassesAreRefused(t *testing.T) {
	must := plan.Pass{Name: "must", Mandatory: true, PlanningNS: 10000, ScratchBytes: 10}
	for _, c := range []struct {
		in   plan.PassRequest
		kind driver.Kind
		want string
	}{
		{plan.PassRequest{Passes: []plan.Pass{must}, PlanningNS: 9999, ScratchBytes: 10}, driver.OutOfMemory, `over_budget("planning", 10000, 9999)`},
		{plan.PassRequest{Passes: []plan.Pass{must}, PlanningNS: 10000, ScratchBytes: 9}, driver.OutOfMemory, `over_budget("scratch", 10, 9)`},
		{plan.PassRequest{Passes: []plan.Pass{{Name: "a"}, {Name: "a"}}}, driver.InvalidArgument, `duplicate("a")`},
		{plan.PassRequest{Passes: []plan.Pass{{Name: "a", Needs: "b"}}}, driver.InvalidArgument, `unknown("a")`},
		{plan.PassRequest{Passes: []plan.Pass{{Name: "a", Needs: "a"}}}, driver.InvalidArgument, `unknown("a")`},
		{plan.PassRequest{Passes: []plan.Pass{{Name: "a", Needs: "b", Mandatory: true}, {Name: "b"}}}, driver.InvalidArgument, `needs("a")`},
		{plan.PassRequest{Passes: []plan.Pass{{Name: "a", Instead: "x", Mandatory: true}, {Name: "b", Instead: "x", Mandatory: true}}}, driver.InvalidArgument, `alternatives("b")`},
		{plan.PassRequest{Sample: plan.PassSample{BaselineNS: 1 << 32, Reuse: 1 << 32}}, driver.InvalidArgument, `overflow("nanoseconds of all runs")`},
	} {
		var p plan.Passes
		refused(t, plan.PlanPasses(c.in, &p), c.kind, c.want)
		if len(p.Taken)+len(p.Verdicts)+len(p.Saved) != 0 {
			t.Errorf("%s: it left %+v", c.want, p)
		}
	}
}

// drawn is a request of n passes with all there is in small numbers, so that budgets and alternatives bind.
func drawn(rng *rand.Rand, n int) plan.PassRequest {
	in := plan.PassRequest{Sample: plan.PassSample{rng.Uint64N(4), rng.Uint64N(4), rng.Uint64N(4), rng.Uint64N(1000)}, PlanningNS: rng.Uint64N(400), ScratchBytes: rng.Uint64N(40)}
	for i := range n {
		p := plan.Pass{Name: fmt.Sprint(rng.IntN(10), "-", i), Speedup: 9000 + rng.Uint64N(30000), PlanningNS: rng.Uint64N(100), ScratchBytes: rng.Uint64N(10), Frontier: rng.Uint64N(2), Reuse: rng.Uint64N(2)}
		if rng.IntN(3) == 0 {
			p.Instead = fmt.Sprint(rng.IntN(3))
		}
		if i > 0 && rng.IntN(4) == 0 {
			p.Needs = in.Passes[rng.IntN(i)].Name
		}
		if p.Mandatory = rng.IntN(8) == 0; p.Mandatory {
			p.PlanningNS, p.ScratchBytes, p.Needs, p.Instead = 1, 1, "", ""
		}
		in.Passes = append(in.Passes, p)
	}
	return in
}

// net is what a set of passes saves, less planning, by the definition; nil if the set is not allowed.
func net(in plan.PassRequest, p *plan.Passes, mask int) *big.Int {
	projection := uint64(10000)
	var planning, scratch uint64
	has := map[string]bool{}
	alternatives := map[string]int{}
	for i, q := range in.Passes {
		if mask>>i&1 != 0 {
			has[q.Name] = true
			alternatives[q.Instead]++
			planning, scratch = planning+q.PlanningNS, scratch+q.ScratchBytes
			if q.Instead != "" && alternatives[q.Instead] > 1 {
				return nil
			}
		} else if q.Mandatory {
			return nil
		}
	}
	if planning > in.PlanningNS || scratch > in.ScratchBytes {
		return nil
	}
	order := make([]int, 0, len(in.Passes))
	for i, q := range in.Passes {
		if mask>>i&1 != 0 {
			if q.Needs != "" && !has[q.Needs] {
				return nil
			}
			alone := p.Saved[i] > 0 && q.Speedup > 10000 && in.Sample.Frontier >= q.Frontier && in.Sample.Reuse >= q.Reuse && in.Sample.Readback >= q.Readback
			if !alone && !q.Mandatory {
				return nil
			}
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, k int) int {
		a, b := in.Passes[i], in.Passes[k]
		switch {
		case a.Mandatory != b.Mandatory && a.Mandatory, a.Mandatory == b.Mandatory && p.Saved[i] > p.Saved[k], a.Mandatory == b.Mandatory && p.Saved[i] == p.Saved[k] && a.Name < b.Name:
			return -1
		}
		return 1
	})
	for _, i := range order {
		projection = projection * in.Passes[i].Speedup / 10000
	}
	gain := uint64(0)
	if all := in.Sample.BaselineNS * in.Sample.Reuse; projection > 10000 {
		gain = all * (projection - 10000) / projection
	}
	return new(big.Int).Sub(new(big.Int).SetUint64(gain), new(big.Int).SetUint64(planning))
}

// checkPasses holds a choice against all sets there are.
func checkPasses(t *testing.T, in plan.PassRequest) {
	t.Helper()
	var p, other plan.Passes
	if err := plan.PlanPasses(in, &p); err != nil {
		return
	}
	mask := 0
	for _, i := range p.Taken {
		mask |= 1 << i
	}
	got := net(in, &p, mask)
	if got == nil {
		t.Fatalf("%v of %+v is not allowed", taken(in, &p), in)
	}
	free := 0
	for i := range in.Passes {
		if p.Verdicts[i] == "" || (p.Verdicts[i] == plan.Taken) != (mask>>i&1 != 0) {
			t.Fatalf("%v of %+v: verdicts %v", taken(in, &p), in, p.Verdicts)
		}
		if !in.Passes[i].Mandatory {
			free++
		}
	}
	for m := 0; free <= 16 && m < 1<<len(in.Passes); m++ {
		if best := net(in, &p, m); best != nil && best.Cmp(got) > 0 {
			t.Fatalf("%v saves %v, set %b of %+v saves %v", taken(in, &p), got, m, in, best)
		}
	}
	if err := plan.PlanPasses(in, &other); err != nil || !slices.Equal(p.Taken, other.Taken) {
		t.Fatalf("chosen again: %v, then %v", p.Taken, other.Taken)
	}
}

func TestPassesSaveMoreThanAnyOtherSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 12))
	for range 300 {
		checkPasses(t, drawn(rng, rng.IntN(9)))
	}
	for range 30 {
		checkPasses(t, drawn(rng, 17+rng.IntN(20))) // one after another
	}
}

//ci:inputs 5000
func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), 5)
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		if n >= 0 && n <= 10 {
			checkPasses(t, drawn(rand.New(rand.NewPCG(seed, 2)), n))
		}
	})
}
