package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// placed is where nodes went, and their edges.
func placed(list []touches) (o *branches, edges [][]int) {
	o = newBranches(list, branchesOf(len(list)))
	for i := range list {
		edges = append(edges, slices.Clone(o.add(&list[i])))
	}
	return o, edges
}

func writes(key uint64) touch         { return touch{key: key, to: 8, writes: true} }
func reads(key uint64) touch          { return touch{key: key, to: 8} }
func node(t ...touch) touches         { return touches{list: t} }
func part(key uint64, at int64) touch { return touch{key: key, from: at, to: at + 1, writes: true} }

func TestIndependentNodesMakeFewBranches(t *testing.T) {
	var list []touches
	for i := range uint64(12) {
		list = append(list, node(writes(1+i)))
	}
	o, edges := placed(list)
	if !slices.Equal(o.sizes, []int{3, 3, 3, 3}) {
		t.Errorf("the branches have %v nodes, want 4 of 3", o.sizes)
	}
	for i, from := range edges {
		for _, f := range from {
			if o.of[f] != o.of[i] {
				t.Errorf("node %d has an edge from %d, of another branch", i, f)
			}
		}
	}
}

func TestANodeFollowsOneOfItsDependencies(t *testing.T) {
	const a, b, c, d = 1, 2, 3, 4
	list := []touches{node(writes(a)), node(reads(a), writes(b)), node(reads(a), writes(c)), node(reads(b), reads(c), writes(d))}
	for i := range uint64(20) {
		list = append(list, node(writes(10+i)))
	}
	o, edges := placed(list)
	if len(o.sizes) != 8 {
		t.Errorf("%d branches, want 8", len(o.sizes))
	}
	from := slices.Sorted(slices.Values(edges[3]))
	if !slices.Equal(from, []int{1, 2}) || o.of[3] != o.of[1] && o.of[3] != o.of[2] {
		t.Errorf("the fourth node has edges from %v in branch %d", from, o.of[3])
	}
}

func TestLaunchesOverOneBufferAreOneChain(t *testing.T) {
	list := make([]touches, 1000)
	for i := range list {
		list[i] = node(reads(1), writes(1))
	}
	o, edges := placed(list)
	if !slices.Equal(o.sizes, []int{1000}) {
		t.Errorf("branches of %v nodes", o.sizes)
	}
	for i, from := range edges {
		if i > 0 && !slices.Equal(from, []int{i - 1}) {
			t.Errorf("node %d has edges from %v", i, from)
		}
	}
}

// related reports whether the order of two nodes matters.
func (t *touches) related(o *touches) bool {
	if t.all || o.all {
		return true
	}
	for _, a := range t.list {
		for _, b := range o.list {
			if a.key == b.key && (a.writes || b.writes) && a.from < b.to && b.from < a.to {
				return true
			}
		}
	}
	return false
}

// The oracle compares every pair: what conflicts has a path of edges, every branch is a chain, and an edge between two
// branches is one that no other path makes.
func TestEdgesAreThoseThatOrderWhatConflicts(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		list := make([]touches, 1+rng.IntN(60))
		buffers, all := 1+rng.IntN(6), rng.IntN(3) == 0
		for i := range list {
			if all && rng.IntN(12) == 0 {
				list[i].all = true
				continue
			}
			for range rng.IntN(4) {
				from := rng.Int64N(20)
				list[i].list = append(list[i].list, touch{uint64(1 + rng.IntN(buffers)), from, from + 1 + rng.Int64N(12), rng.IntN(2) == 0})
			}
		}
		o, edges := placed(list)
		if err := checkEdges(list, o, edges); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func checkEdges(list []touches, o *branches, edges [][]int) error {
	before := make([]map[int]bool, len(list)) // all that a node comes after
	last := map[int8]int{}
	for i, from := range edges {
		before[i] = map[int]bool{}
		if len(from) > mostBranches {
			return fmt.Errorf("node %d has %d edges", i, len(from))
		}
		for _, f := range from {
			before[i][f] = true
			for g := range before[f] {
				before[i][g] = true
			}
			for _, g := range from {
				if o.of[f] != o.of[i] && g > f && before[g][f] {
					return fmt.Errorf("node %d has an edge from %d and from %d, which comes after it", i, f, g)
				}
			}
		}
		if tail, ok := last[o.of[i]]; ok && !before[i][tail] {
			return fmt.Errorf("node %d does not come after %d of its branch", i, tail)
		}
		last[o.of[i]] = i
		for j := range i {
			if list[i].related(&list[j]) && !before[i][j] {
				return fmt.Errorf("node %d does not come after %d", i, j)
			}
		}
	}
	if len(o.sizes) > branchesOf(len(list)) {
		return fmt.Errorf("%d branches of %d nodes", len(o.sizes), len(list))
	}
	return nil
}

// Every node reads all of a buffer of which each writes a part: the square of this many would take minutes.
//
//ci:race !PlacedQuickly
func TestManyNodesArePlacedQuickly(t *testing.T) {
	list := make([]touches, 1<<16)
	for i := range list {
		list[i] = node(touch{key: 1, to: 1 << 20}, part(2, int64(i)), touch{key: 2, from: int64(i), to: 1 << 20})
	}
	begin := time.Now()
	placed(list)
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("placing %d nodes took %v", len(list), took)
	}
}
