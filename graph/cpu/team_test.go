package cpu_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/cpu"
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
	g, err := graph.Generate(context.Background(), "kron:10", graph.Options{Seed: 1})
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
