package plan_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/plan"
)

// chain makes each wave wait for the one before it.
func chain(waves int) (deps []plan.Dependency) {
	for w := 1; w < waves; w++ {
		deps = append(deps, plan.Dependency{Before: w - 1, After: w})
	}
	return deps
}

// fan makes all other waves wait for wave 0.
func fan(waves int) (deps []plan.Dependency) {
	for w := 1; w < waves; w++ {
		deps = append(deps, plan.Dependency{Before: 0, After: w})
	}
	return deps
}

// upTo returns from … to-1.
func upTo(from, to int) (ids []int) {
	for ; from < to; from++ {
		ids = append(ids, from)
	}
	return ids
}

var diamond = []plan.Dependency{{0, 1}, {0, 2}, {1, 3}, {2, 3}}

func TestBarriersAreTheFewestThatKeepDependencies(t *testing.T) {
	for _, c := range []struct {
		name            string
		waves           int
		deps            []plan.Dependency
		groups          [][]int
		count, perRound int
	}{
		{"free waves share a group", 4, nil, [][]int{{0, 1, 2, 3}}, 0, 1},
		{"a chain has a barrier between each two", 4, chain(4), [][]int{{0}, {1}, {2}, {3}}, 3, 4},
		{"the middle of a diamond is one group", 4, diamond, [][]int{{0}, {1, 2}, {3}}, 2, 3},
		{"a wide fan is two groups", 1025, fan(1025), [][]int{{0}, upTo(1, 1025)}, 1, 2},
		{"waves are listed by id, not as they were found", 5, []plan.Dependency{{3, 0}, {3, 1}}, [][]int{{2, 3, 4}, {0, 1}}, 1, 2},
		{"a dependency may be named twice", 2, []plan.Dependency{{0, 1}, {0, 1}}, [][]int{{0}, {1}}, 1, 2},
		{"one wave", 1, nil, [][]int{{0}}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p plan.BarrierPlanner
			var got plan.Barriers
			if err := p.Plan(c.waves, c.deps, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Groups, c.groups) {
				t.Errorf("groups are %v, want %v", got.Groups, c.groups)
			}
			if got.Count != c.count || got.PerRound != c.perRound {
				t.Errorf("%d barriers, %d a round; want %d and %d", got.Count, got.PerRound, c.count, c.perRound)
			}
		})
	}
}

func TestHeightIsTheLongestPathToASink(t *testing.T) {
	deps := []plan.Dependency{{0, 1}, {1, 2}, {0, 2}, {3, 2}}
	var got plan.Barriers
	if err := new(plan.BarrierPlanner).Plan(5, deps, &got); err != nil {
		t.Fatal(err)
	}
	if want := []int{2, 1, 0, 1, 0}; !reflect.DeepEqual(got.Height, want) {
		t.Errorf("heights are %v, want %v", got.Height, want)
	}
}

// refused checks that err is of a kind and has exactly these reasons, and that each finding names a place and a fix.
func refused(t *testing.T, err error, kind driver.Kind, want ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error is %v, want one of kind %v", err, kind)
	}
	list, ok := err.(driver.Problems)
	if !ok {
		list = driver.Problems{err.(*driver.Error)}
	}
	var got []string
	for _, e := range list {
		var r *plan.Reason
		if !errors.As(e, &r) {
			t.Fatalf("%v has no reason", e)
		}
		got = append(got, r.Error())
		if e.Op == "" || e.Path == "" || e.Msg == "" || e.Fix == "" || e.Kind != kind {
			t.Errorf("%#v lacks something", e)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("reasons are %q, want %q", got, want)
	}
}

func TestBarriersRefuse(t *testing.T) {
	for _, c := range []struct {
		name  string
		waves int
		deps  []plan.Dependency
		want  []string
	}{
		{"no waves", 0, nil, []string{"empty"}},
		{"fewer than none", -1, nil, []string{"empty"}},
		{"more than are numbered", math.MaxInt32 + 1, nil, []string{`overflow("waves")`}},
		{"a wave that is not there", 2, []plan.Dependency{{0, 2}}, []string{"bad_wave(0, 0→2)"}},
		{"a negative wave", 2, []plan.Dependency{{0, 1}, {-1, 1}}, []string{"bad_wave(1, -1→1)"}},
		{"a wave that waits for itself", 2, []plan.Dependency{{1, 1}}, []string{"self(1)"}},
		{"two that wait for each other", 2, []plan.Dependency{{0, 1}, {1, 0}}, []string{"cycle(2, 0→1→0)"}},
		{"a cycle with waves behind it", 6, []plan.Dependency{{0, 1}, {3, 2}, {1, 3}, {2, 1}, {3, 4}}, []string{"cycle(4, 1→3→2→1)"}},
		{"everything at once", 3, []plan.Dependency{{0, 0}, {0, 9}, {1, 2}, {2, 1}}, []string{"self(0)", "bad_wave(1, 0→9)", "cycle(2, 1→2→1)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := plan.Barriers{Groups: [][]int{{7}}, Count: 3}
			refused(t, new(plan.BarrierPlanner).Plan(c.waves, c.deps, &got), driver.InvalidArgument, c.want...)
			if len(got.Groups)+got.Count > 0 {
				t.Errorf("something is left: %v", got)
			}
		})
	}
}

func TestALongCycleIsShownInPart(t *testing.T) {
	deps := append(chain(100), plan.Dependency{Before: 99, After: 0})
	err := new(plan.BarrierPlanner).Plan(100, deps, new(plan.Barriers))
	refused(t, err, driver.InvalidArgument, "cycle(100, 0→1→2→3→4→5→6→7→…85 more…→93→94→95→96→97→98→99→0)")
	var r *plan.Reason
	if errors.As(err, &r); len(r.Path) != 101 {
		t.Errorf("the path has %d waves, want all 101", len(r.Path))
	}
}

// randomWaves returns an acyclic order of waves: who waits has the greater place in a random sequence.
func randomWaves(r *rand.Rand, waves, deps int) (list []plan.Dependency) {
	place := r.Perm(waves)
	for range deps {
		a, b := r.IntN(waves), r.IntN(waves)
		if place[a] > place[b] {
			a, b = b, a
		}
		if a != b {
			list = append(list, plan.Dependency{Before: a, After: b})
		}
	}
	return list
}

// longest returns the longest path to each wave in dependencies, found another way: by relaxing until nothing moves.
func longest(waves int, deps []plan.Dependency) []int {
	depth := make([]int, waves)
	for moved := true; moved; {
		moved = false
		for _, d := range deps {
			if depth[d.After] <= depth[d.Before] {
				depth[d.After], moved = depth[d.Before]+1, true
			}
		}
	}
	return depth
}

func TestLayersOfRandomWavesAreMinimal(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		waves := 1 + r.IntN(60)
		deps := randomWaves(r, waves, r.IntN(3*waves))
		var p plan.BarrierPlanner
		var got, again plan.Barriers
		if err := p.Plan(waves, deps, &got); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := longest(waves, deps); !reflect.DeepEqual(got.GroupOf, want) {
			t.Fatalf("seed %d: groups of waves are %v, want %v", seed, got.GroupOf, want)
		}
		for g, list := range got.Groups {
			for i, w := range list {
				if got.GroupOf[w] != g || i > 0 && list[i-1] >= w {
					t.Fatalf("seed %d: group %d is %v", seed, g, list)
				}
			}
		}
		r.Shuffle(len(deps), func(i, j int) { deps[i], deps[j] = deps[j], deps[i] })
		if err := p.Plan(waves, deps, &again); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, again) {
			t.Fatalf("seed %d: the order of dependencies changes the plan", seed)
		}
	}
}

func TestCyclesOfRandomWavesAreReal(t *testing.T) {
	cyclic := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		waves := 2 + r.IntN(30)
		has := make(map[plan.Dependency]bool)
		var deps []plan.Dependency
		for range waves {
			if d := (plan.Dependency{Before: r.IntN(waves), After: r.IntN(waves)}); d.Before != d.After {
				deps, has[d] = append(deps, d), true
			}
		}
		var reason *plan.Reason
		if err := new(plan.BarrierPlanner).Plan(waves, deps, new(plan.Barriers)); !errors.As(err, &reason) {
			continue
		}
		cyclic++
		path := reason.Path
		if len(path) < 3 || path[0] != path[len(path)-1] {
			t.Fatalf("seed %d: %v is no cycle", seed, path)
		}
		for i := 1; i < len(path); i++ {
			if !has[plan.Dependency{Before: path[i-1], After: path[i]}] {
				t.Fatalf("seed %d: %v has a step that is no dependency", seed, path)
			}
		}
	}
	if cyclic < 30 {
		t.Errorf("only %d of 300 had a cycle", cyclic)
	}
}

func TestBarriersPlannedAgainAllocateNothing(t *testing.T) {
	var p plan.BarrierPlanner
	var got plan.Barriers
	wide, narrow := fan(1025), chain(4)
	if err := p.Plan(1025, wide, &got); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		waves int
		deps  []plan.Dependency
	}{{"a chain after a fan", 4, narrow}, {"the fan again", 1025, wide}} {
		if n := testing.AllocsPerRun(10, func() {
			if err := p.Plan(c.waves, c.deps, &got); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

//ci:inputs 5000
func FuzzBarriers(f *testing.F) {
	f.Add(4, []byte{0, 1, 0, 2, 1, 3, 2, 3})
	f.Add(2, []byte{0, 1, 1, 0})
	f.Add(0, []byte{1})
	f.Fuzz(func(t *testing.T, waves int, pairs []byte) {
		waves %= 300
		var deps []plan.Dependency
		for i := 1; i < len(pairs); i += 2 {
			deps = append(deps, plan.Dependency{Before: int(pairs[i-1]), After: int(pairs[i])})
		}
		var got plan.Barriers
		if new(plan.BarrierPlanner).Plan(waves, deps, &got) != nil {
			return
		}
		for _, d := range deps {
			if got.GroupOf[d.Before] >= got.GroupOf[d.After] {
				t.Fatalf("%v is not kept by %v", d, got.Groups)
			}
		}
		if got.PerRound != len(got.Groups) || len(got.GroupOf) != waves {
			t.Fatalf("%v for %d waves", got, waves)
		}
	})
}

func BenchmarkBarriers(b *testing.B) {
	deps := randomWaves(rand.New(rand.NewPCG(1, 1)), 1000, 10000)
	var p plan.BarrierPlanner
	var got plan.Barriers
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Plan(1000, deps, &got); err != nil {
			b.Fatal(err)
		}
	}
}
