package cpu_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/cpu"
	"github.com/govyre/vyre/internal/guard"
)

// TestTeamHammer has more workers than cores, steps of all lengths, and pauses after which workers have ended. The counts are
// plain: the race detector sees it if a step ends before a worker does.
func TestTeamHammer(t *testing.T) {
	team, counts := cpu.NewTeam(5), make([]int, 300)
	for step := range 2000 {
		n := step % len(counts)
		team.Do(step%7, n, 1+step%9, func(worker, k int) {
			if worker > step%7 || worker >= 5 {
				t.Errorf("step %d for %d others has worker %d", step, step%7, worker)
			}
			counts[k]++
		})
		for k, c := range counts[:n] {
			if c != 1 {
				t.Fatalf("step %d: %d was dealt out %d times", step, k, c)
			}
			counts[k] = 0
		}
		if step%500 == 499 {
			for !team.Gone() {
				runtime.Gosched()
			}
		}
	}
}

// TestAWorkerThatPanicsPanicsForTheCaller, whichever of them it is, when all are done; the team goes on with the next step.
func TestAWorkerThatPanicsPanicsForTheCaller(t *testing.T) {
	team := cpu.NewTeam(4)
	for step := range 300 {
		done, at := make([]bool, 64), step%64
		p := guard.Run(func() {
			team.Do(3, len(done), 1, func(_, k int) {
				if done[k] = true; k == at {
					panic("of one")
				}
			})
		})
		if p == nil || p.Value != "of one" || !done[at] {
			t.Fatalf("step %d: %v", step, p)
		}
	}
}

// TestArraysThatAreWrongAreAnError: rows that end before they begin or after all, and nodes that there are not, as in a file that
// was written after it was verified. The same engine answers again when they are right.
func TestArraysThatAreWrongAreAnError(t *testing.T) {
	ctx := t.Context()
	for _, bad := range []struct{ offset, target uint32 }{{1 << 31, 7}, {0, 1 << 30}, {graph.None, graph.None}} {
		right := must(generate.Graph(context.Background(), "kron:8", generate.Options{Seed: 2}))
		g := cpu.Graph{Offsets: slices.Clone(right.Offsets()), Targets: slices.Clone(right.Targets())}
		e := cpu.New(g, g, cpu.Options{Workers: 3})
		n := right.Nodes()
		level, words, idom := make([]uint32, n), make([]uint64, n), make([]uint32, n)
		all := func() (errs []error) {
			_, levels := e.Levels(ctx, []uint32{0, 1}, graph.AllKinds, level)
			_, lanes := e.Lanes(ctx, [][]uint32{{0}, {1}}, graph.AllKinds, words)
			_, topological := e.TopologicalLevels(ctx, graph.AllKinds, level)
			_, dominators := e.Dominators(ctx, []uint32{0}, graph.AllKinds, idom)
			_, bits := e.Bits(ctx, 1, make([]uint64, n), make([]uint64, n), graph.AllKinds, words)
			return []error{levels, lanes, topological, dominators, bits, e.Components(ctx, graph.AllKinds, level), e.StrongComponents(ctx, graph.AllKinds, level), e.Index(ctx)}
		}
		for range 2 {
			for i := range g.Offsets[1:] {
				g.Offsets[i+1] = bad.offset
			}
			for i := range g.Targets {
				g.Targets[i] = bad.target
			}
			for i, err := range all() {
				if err != nil && !errors.Is(err, driver.Internal) {
					t.Errorf("question %d: %v", i, err)
				}
			}
			copy(g.Offsets, right.Offsets())
			copy(g.Targets, right.Targets())
			if err := errors.Join(all()...); err != nil {
				t.Error(err)
			}
			if _, err := e.Levels(ctx, []uint32{0}, graph.AllKinds, level); err != nil || !slices.Equal(level, must(graph.Levels(t.Context(), right, []uint32{0}, graph.AllKinds))) {
				t.Errorf("after that: %v", err)
			}
		}
	}
}

func TestListsAreWalkedTheWayThatWasFaster(t *testing.T) {
	const ns = time.Nanosecond
	for _, c := range []struct {
		nodes           int
		alone, together time.Duration
		least, most     int // of 320 lists
	}{
		{100, 20 * ns, 5 * ns, 0, 0},
		{128, 20 * ns, 5 * ns, 300, 315},
		{300, 20 * ns, 50 * ns, 5, 20},
		{4000, 20 * ns, 5 * ns, 300, 315},
		{4096, 5 * ns, 20 * ns, 320, 320},
	} {
		if got := cpu.Sharing(320, c.nodes, c.alone, c.together); got < c.least || got > c.most {
			t.Errorf("of 320 lists of %d nodes, at %v a node alone and %v together, %d are shared out; want %d to %d", c.nodes, c.alone, c.together, got, c.least, c.most)
		}
	}
}

// TestSearchesIndex repeats a search until the engine has made its index, and on.
func TestSearchesIndex(t *testing.T) {
	g, err := generate.Graph(context.Background(), "kron:10", generate.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	e, level := cpu.New(arrays(g), arrays(g), cpu.Options{Workers: 2}), make([]uint32, g.Nodes())
	e.Eager()
	for k := range 8 {
		stats, err := e.Levels(ctx, []uint32{1008}, graph.AllKinds, level)
		if err != nil {
			t.Fatal(err)
		}
		if stats.Backward == 0 || stats.Reached != 894 {
			t.Fatalf("search %d: %+v; some levels go backward, and 894 nodes are reached", k, stats)
		}
		if want := oracle(g, []uint32{1008}, graph.AllKinds); fmt.Sprint(level) != fmt.Sprint(want) {
			t.Fatalf("search %d: the levels differ from those of a queue", k)
		}
		if e.Indexed() != (k >= 4) {
			t.Fatalf("search %d: indexed is %v", k, e.Indexed())
		}
	}
	label, first := make([]uint32, g.Nodes()), make([]uint32, g.Nodes())
	if err := e.Components(ctx, graph.AllKinds, label); err != nil {
		t.Fatal(err)
	}
	if err := cpu.New(arrays(g), cpu.Graph{}, cpu.Options{}).Components(ctx, graph.AllKinds, first); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(label) != fmt.Sprint(first) {
		t.Error("components with the index differ from those without")
	}
}
