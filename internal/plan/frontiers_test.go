package plan_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

func TestFrontiersBecomeWavesOfLayersAndKinds(t *testing.T) {
	in := plan.FrontierRequest{
		Nodes: []plan.FrontierNode{{30, plan.SemanticFrontier, 6}, {10, plan.ParserFrontier, 4}, {20, plan.SemanticFrontier, 0}, {5, plan.DiagnosticFrontier, 2}, {40, plan.SemanticFrontier, 1}, {8, plan.ParserFrontier, 3}},
		// 10 before 30 and 5; 8 before 40; 30 before 5, named twice.
		Order: []plan.FrontierOrder{{10, 30}, {10, 5}, {8, 40}, {30, 5}, {30, 5}},
		Each:  plan.Envelope{Frontier: 8, Scratch: 16, Output: 32},
	}
	var f plan.Frontiers
	var p plan.FrontierPlanner
	if err := p.Plan(in, &f); err != nil {
		t.Fatal(err)
	}
	want := []plan.FrontierWave{
		{0, plan.ParserFrontier, []int{5, 1}, 7, plan.Envelope{Frontier: 56, Scratch: 112, Output: 32}},
		{0, plan.SemanticFrontier, []int{2}, 0, plan.Envelope{Output: 32}},
		{1, plan.SemanticFrontier, []int{0, 4}, 7, plan.Envelope{Frontier: 56, Scratch: 112, Output: 32}},
		{2, plan.DiagnosticFrontier, []int{3}, 2, plan.Envelope{Frontier: 16, Scratch: 32, Output: 32}},
	}
	if !reflect.DeepEqual(f.Waves, want) {
		t.Errorf("waves are %+v", f.Waves)
	}
	if deps := []plan.Dependency{{0, 2}, {0, 3}, {2, 3}}; !slices.Equal(f.Dependencies, deps) || f.Barriers != 2 {
		t.Errorf("dependencies are %v with %d barriers, want %v and 2", f.Dependencies, f.Barriers, deps)
	}
	if n := testing.AllocsPerRun(10, func() { p.Plan(in, &f) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFrontiersHaveBytesByItem(t *testing.T) {
	var f plan.Frontiers
	err := new(plan.FrontierPlanner).Plan(plan.FrontierRequest{
		Nodes: []plan.FrontierNode{{1, plan.ParserFrontier, 4}, {2, plan.SemanticFrontier, 6}},
		Order: []plan.FrontierOrder{{1, 2}},
		Each:  plan.Envelope{Frontier: 8, Scratch: 16, Output: 32},
	}, &f)
	want := []plan.Envelope{{Frontier: 32, Scratch: 64, Output: 32}, {Frontier: 48, Scratch: 96, Output: 32}}
	if err != nil || len(f.Waves) != 2 || f.Waves[0].Bytes != want[0] || f.Waves[1].Bytes != want[1] || f.Barriers != 1 {
		t.Errorf("got %+v, %v; want bytes %v", f, err, want)
	}
}

func TestFrontiersRefuse(t *testing.T) {
	one := plan.FrontierNode{ID: 7, Active: 1}
	for _, c := range []struct {
		name string
		in   plan.FrontierRequest
		want []string
	}{
		{"nothing", plan.FrontierRequest{}, []string{"empty"}},
		{"twice, and strangers", plan.FrontierRequest{Nodes: []plan.FrontierNode{one, {ID: 3}, one}, Order: []plan.FrontierOrder{{7, 4}, {3, 7}, {9, 8}}},
			[]string{"duplicate(2)", "unknown(0, 4)", "unknown(2, 9)", "unknown(2, 8)"}},
		{"a circle", plan.FrontierRequest{Nodes: []plan.FrontierNode{one, {ID: 3}, {ID: 5}}, Order: []plan.FrontierOrder{{7, 3}, {3, 7}}}, []string{"cycle(2, 1→0→1)"}},
		{"one that waits for itself", plan.FrontierRequest{Nodes: []plan.FrontierNode{one, {ID: 3}}, Order: []plan.FrontierOrder{{7, 7}}}, []string{"cycle(1, 0→0)"}},
		{"items", plan.FrontierRequest{Nodes: []plan.FrontierNode{one, {ID: 8, Active: math.MaxUint64}}}, []string{`overflow("active items")`}},
		{"bytes", plan.FrontierRequest{Nodes: []plan.FrontierNode{{Active: 2}}, Each: plan.Envelope{Scratch: 1 << 63}}, []string{`overflow("wave bytes")`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f plan.Frontiers
			refused(t, new(plan.FrontierPlanner).Plan(c.in, &f), driver.InvalidArgument, c.want...)
			if len(f.Waves)+len(f.Dependencies) != 0 {
				t.Errorf("it left %+v", f)
			}
		})
	}
}

// TestFrontiersKeepTheirOrder: each node is in one wave of its kind, and each dependency leads to a later layer, and is one
// of the waves'.
func TestFrontiersKeepTheirOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var p plan.FrontierPlanner
	for range 300 {
		var in plan.FrontierRequest
		n := 1 + rng.IntN(40)
		for _, k := range rng.Perm(n) {
			in.Nodes = append(in.Nodes, plan.FrontierNode{ID: uint64(3 * k), Kind: plan.FrontierKind(rng.IntN(4)), Active: uint64(rng.IntN(5))})
		}
		for range rng.IntN(2 * n) {
			if a, b := rng.IntN(n), rng.IntN(n); a != b {
				in.Order = append(in.Order, plan.FrontierOrder{Before: uint64(3 * min(a, b)), After: uint64(3 * max(a, b))})
			}
		}
		var f plan.Frontiers
		if err := p.Plan(in, &f); err != nil {
			t.Fatal(err)
		}
		waveOf := map[uint64]int{}
		for w, wave := range f.Waves {
			sum := uint64(0)
			for _, k := range wave.Nodes {
				node := in.Nodes[k]
				if _, twice := waveOf[node.ID]; twice || node.Kind != wave.Kind {
					t.Fatalf("%+v: node %+v is in wave %+v", in, node, wave)
				}
				waveOf[node.ID] = w
				sum += node.Active
			}
			if sum != wave.Active || wave.Layer > f.Barriers {
				t.Fatalf("%+v: wave %+v has %d items", in, wave, sum)
			}
		}
		want := map[plan.Dependency]bool{}
		for _, d := range in.Order {
			e := plan.Dependency{Before: waveOf[d.Before], After: waveOf[d.After]}
			want[e] = true
			if f.Waves[e.Before].Layer >= f.Waves[e.After].Layer {
				t.Fatalf("%+v: %v is not kept by %+v", in, d, f.Waves)
			}
		}
		if len(waveOf) != n || len(want) != len(f.Dependencies) {
			t.Fatalf("%d nodes and %d dependencies, want %d and %d", len(waveOf), len(f.Dependencies), n, len(want))
		}
		for _, d := range f.Dependencies {
			if !want[d] {
				t.Fatalf("no node has dependency %v", d)
			}
		}
	}
}
