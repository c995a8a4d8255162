package plan_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// same returns n waves with one envelope.
func same(n int, e plan.Envelope) (waves []plan.Envelope) {
	for range n {
		waves = append(waves, e)
	}
	return waves
}

func TestGroupsFitTheBudget(t *testing.T) {
	const graph = 1000*16 + 4000*8
	for _, c := range []struct {
		name string
		in   plan.GroupRequest
		want plan.Groups
	}{
		{"a diamond with room",
			plan.GroupRequest{Waves: []plan.Envelope{{1024, 512, 256}, {2048, 1024, 512}, {4096, 2048, 1024}, {8192, 4096, 2048}},
				Dependencies: diamond, Graph: graph, Budget: 131072, Readback: 1 << 20, ScratchFactor: 4},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0}, {1, 2}, {3}}, Count: 2}, Bytes: []uint64{3328, 19968, 26624},
				Peak: plan.Envelope{8192, 4096, 2048}, Width: 2, Readback: 1 << 20, Required: 74624, LowerBound: 3, Optimal: true}},
		{"what waves put out is read back",
			plan.GroupRequest{Waves: same(2, plan.Envelope{1024, 512, 3072}), Graph: graph, Budget: 131072, ScratchFactor: 4},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0, 1}}}, Bytes: []uint64{12288},
				Peak: plan.Envelope{2048, 1024, 6144}, Width: 2, Readback: 6144, Required: 60288, LowerBound: 1, Optimal: true}},
		{"a chain",
			plan.GroupRequest{Waves: []plan.Envelope{{128, 64, 32}, {256, 128, 64}, {512, 256, 128}}, Dependencies: chain(3),
				Graph: 256*16 + 512*8, Budget: 1 << 20, Readback: 16, ScratchFactor: 4},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0}, {1}, {2}}, Count: 2}, Bytes: []uint64{416, 832, 1664},
				Peak: plan.Envelope{512, 256, 128}, Width: 1, Readback: 128, Required: 8192 + 1664, LowerBound: 3, Optimal: true}},
		{"free waves without room stand one behind the other",
			plan.GroupRequest{Waves: same(3, plan.Envelope{10, 10, 10}), Budget: 100, ScratchFactor: 4},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0}, {1}, {2}}, Count: 2}, Bytes: []uint64{60, 60, 60},
				Peak: plan.Envelope{10, 10, 10}, Width: 1, Readback: 10, Required: 60, LowerBound: 2}},
		{"a wave with slack moves before a layer is split",
			plan.GroupRequest{Waves: same(4, plan.Envelope{10, 10, 10}), Dependencies: []plan.Dependency{{0, 3}}, Budget: 120, ScratchFactor: 4},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0, 1}, {2, 3}}, Count: 1}, Bytes: []uint64{120, 120},
				Peak: plan.Envelope{20, 20, 20}, Width: 2, Readback: 20, Required: 120, LowerBound: 2, Optimal: true}},
		{"a factor of 0 takes scratch as it is",
			plan.GroupRequest{Waves: same(1, plan.Envelope{10, 10, 10}), Budget: 30},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0}}}, Bytes: []uint64{30},
				Peak: plan.Envelope{10, 10, 10}, Width: 1, Readback: 10, Required: 30, LowerBound: 1, Optimal: true}},
		{"waves of no bytes need no budget",
			plan.GroupRequest{Waves: same(2, plan.Envelope{}), Graph: 5, Budget: 5},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0, 1}}}, Bytes: []uint64{0}, Width: 2, Required: 5, LowerBound: 1, Optimal: true}},
		{"the bytes of all waves may pass 64 bits",
			plan.GroupRequest{Waves: same(3, plan.Envelope{Frontier: 1 << 63}), Budget: math.MaxUint64},
			plan.Groups{Barriers: plan.Barriers{Groups: [][]int{{0}, {1}, {2}}, Count: 2}, Bytes: []uint64{1 << 63, 1 << 63, 1 << 63},
				Peak: plan.Envelope{Frontier: 1 << 63}, Width: 1, Required: 1 << 63, LowerBound: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p plan.GroupPlanner
			var got plan.Groups
			if err := p.Plan(c.in, &got); err != nil {
				t.Fatal(err)
			}
			want := c.want
			want.PerRound = want.Count + 1
			if !reflect.DeepEqual(plain(got), plain(want)) {
				t.Errorf("got  %+v\nwant %+v", plain(got), plain(want))
			}
		})
	}
}

// plain leaves out what the barrier tests look at and the storage that is kept.
func plain(g plan.Groups) plan.Groups {
	g.Barriers = plan.Barriers{Groups: g.Groups, Count: g.Count, PerRound: g.PerRound}
	return g
}

func TestGroupsRefuse(t *testing.T) {
	hundred, ten := plan.Envelope{100, 100, 100}, plan.Envelope{10, 10, 10}
	huge := plan.Envelope{math.MaxUint64, 1, 1}
	for _, c := range []struct {
		name string
		in   plan.GroupRequest
		kind driver.Kind
		want []string
		path string
	}{
		{"a graph beyond the budget", plan.GroupRequest{Waves: same(1, ten), Graph: 1600, Budget: 1000, ScratchFactor: 4}, driver.OutOfMemory,
			[]string{`over_budget("resident graph", 1600, 1000)`}, "graph"},
		{"a wave beyond the budget", plan.GroupRequest{Waves: []plan.Envelope{hundred}, Budget: 500, ScratchFactor: 4}, driver.OutOfMemory,
			[]string{`over_budget("one wave", 600, 500)`}, "wave 0"},
		{"one behind a small wave", plan.GroupRequest{Waves: []plan.Envelope{ten, hundred}, Budget: 500, ScratchFactor: 4}, driver.OutOfMemory,
			[]string{`over_budget("one wave", 600, 500)`}, "wave 1"},
		{"bytes beyond 64 bits", plan.GroupRequest{Waves: []plan.Envelope{ten, huge}, Budget: 500}, driver.InvalidArgument,
			[]string{`overflow("wave bytes")`}, "wave 1"},
		{"scratch beyond 64 bits", plan.GroupRequest{Waves: []plan.Envelope{{0, 1 << 62, 0}}, Budget: 500, ScratchFactor: 4}, driver.InvalidArgument,
			[]string{`overflow("wave bytes")`}, "wave 0"},
		{"no waves", plan.GroupRequest{Budget: 500}, driver.InvalidArgument, []string{"empty"}, "waves"},
		{"all of the input, and no budget", plan.GroupRequest{Waves: []plan.Envelope{huge, ten}, Dependencies: []plan.Dependency{{0, 0}}}, driver.InvalidArgument,
			[]string{"self(0)", `overflow("wave bytes")`}, ""},
		{"as many bytes as there are numbers", plan.GroupRequest{Waves: []plan.Envelope{{math.MaxUint64, 0, 0}}, Budget: math.MaxUint64}, driver.OutOfMemory,
			[]string{`over_budget("one wave", 18446744073709551615, 18446744073709551614)`}, "wave 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := plan.Groups{Width: 3, Bytes: []uint64{1}}
			err := new(plan.GroupPlanner).Plan(c.in, &got)
			refused(t, err, c.kind, c.want...)
			if len(got.Groups)+len(got.Bytes)+got.Width > 0 {
				t.Errorf("something is left: %+v", got)
			}
			one, ok := err.(*driver.Error)
			if ps, is := err.(driver.Problems); is && len(ps) == 1 {
				one, ok = ps[0], true
			}
			if ok && one.Path != c.path {
				t.Errorf("path is %q, want %q", one.Path, c.path)
			}
		})
	}
}

func TestOverBudgetSaysNeedAndHave(t *testing.T) {
	err := new(plan.GroupPlanner).Plan(plan.GroupRequest{Waves: []plan.Envelope{{100, 100, 100}}, Budget: 200}, new(plan.Groups))
	e, ok := err.(*driver.Error)
	if !ok || e.Requested != 300 || e.Available != 200 {
		t.Errorf("error is %#v", err)
	}
	if want := "vyre: plan groups: out of memory: at wave 0: one wave needs 300 bytes of 200; fix: raise the budget or divide the wave"; e.Error() != want {
		t.Errorf("text is %q, want %q", e, want)
	}
}

func TestEnvelopeBytes(t *testing.T) {
	if n, ok := (plan.Envelope{16, 16, 16}).Bytes(4); n != 96 || !ok {
		t.Errorf("%d bytes, %v", n, ok)
	}
	if _, ok := (plan.Envelope{math.MaxUint64, 1, 1}).Bytes(4); ok {
		t.Error("a sum beyond 64 bits is no size")
	}
}

func randomGroups(r *rand.Rand) plan.GroupRequest {
	waves := 1 + r.IntN(60)
	in := plan.GroupRequest{Dependencies: randomWaves(r, waves, r.IntN(2*waves)), Graph: r.Uint64N(100), ScratchFactor: 1 + r.Uint64N(4)}
	for range waves {
		in.Waves = append(in.Waves, plan.Envelope{Frontier: r.Uint64N(100), Scratch: r.Uint64N(40), Output: r.Uint64N(100)})
	}
	in.Budget = in.Graph + 100 + 160 + 100 + r.Uint64N(1000)
	return in
}

func TestRandomGroupsKeepDependenciesAndCapacity(t *testing.T) {
	optimal := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		in := randomGroups(r)
		var p plan.GroupPlanner
		var got, again plan.Groups
		if err := p.Plan(in, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, d := range in.Dependencies {
			if got.GroupOf[d.Before] >= got.GroupOf[d.After] {
				t.Fatalf("seed %d: %v is not kept by %v", seed, d, got.Groups)
			}
		}
		placed := 0
		for g, list := range got.Groups {
			var bytes uint64
			for _, w := range list {
				n, _ := in.Waves[w].Bytes(in.ScratchFactor)
				bytes += n
			}
			if placed += len(list); bytes != got.Bytes[g] || in.Graph+bytes > in.Budget || len(list) == 0 {
				t.Fatalf("seed %d: group %d of %d waves has %d bytes, beside a graph of %d in %d", seed, g, len(list), bytes, in.Graph, in.Budget)
			}
		}
		if placed != len(in.Waves) || len(got.Groups) < got.LowerBound || got.Optimal != (len(got.Groups) == got.LowerBound) {
			t.Fatalf("seed %d: %d waves placed, %d groups, at least %d", seed, placed, len(got.Groups), got.LowerBound)
		}
		if got.Optimal {
			optimal++
		}
		r.Shuffle(len(in.Dependencies), func(i, j int) {
			in.Dependencies[i], in.Dependencies[j] = in.Dependencies[j], in.Dependencies[i]
		})
		if err := p.Plan(in, &again); err != nil || !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: the order of dependencies changes the plan", seed)
		}
	}
	if optimal < 150 {
		t.Errorf("only %d of 300 plans reach their lower bound", optimal)
	}
}

func TestGroupsWithRoomAreTheLayers(t *testing.T) {
	for seed := range uint64(100) {
		in := randomGroups(rand.New(rand.NewPCG(seed, 4)))
		in.Budget = 1 << 30
		var groups plan.Groups
		var layers plan.Barriers
		if err := new(plan.GroupPlanner).Plan(in, &groups); err != nil {
			t.Fatal(err)
		}
		if err := new(plan.BarrierPlanner).Plan(len(in.Waves), in.Dependencies, &layers); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(groups.Groups, layers.Groups) || !groups.Optimal {
			t.Fatalf("seed %d: groups are %v, layers %v", seed, groups.Groups, layers.Groups)
		}
	}
}

// thousandWaves have ten thousand dependencies.
func thousandWaves() plan.GroupRequest {
	return plan.GroupRequest{Waves: same(1000, plan.Envelope{10, 10, 10}), Dependencies: randomWaves(rand.New(rand.NewPCG(1, 1)), 1000, 10000), Budget: 100}
}

func TestGroupsPlannedAgainAllocateNothing(t *testing.T) {
	for _, in := range []plan.GroupRequest{randomGroups(rand.New(rand.NewPCG(5, 5))), thousandWaves()} {
		var p plan.GroupPlanner
		var got plan.Groups
		if n := testing.AllocsPerRun(10, func() {
			if err := p.Plan(in, &got); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v allocations for %d waves", n, len(in.Waves))
		}
	}
}

func BenchmarkGroups(b *testing.B) {
	in := thousandWaves()
	var p plan.GroupPlanner
	var got plan.Groups
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Plan(in, &got); err != nil {
			b.Fatal(err)
		}
	}
}
