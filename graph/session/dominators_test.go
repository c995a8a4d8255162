package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// byRemoval finds dominators by their definition: a dominates b if b cannot be reached without a. The immediate one is the one
// that itself has the most of them.
func byRemoval(g *graph.CSR, roots []uint32, kinds uint32) (idom []uint32, dominates func(a, b uint32) bool) {
	n := g.Nodes()
	reached := func(without int) []bool {
		seen := make([]bool, n)
		var work []uint32
		visit := func(v uint32) {
			if int(v) != without && !seen[v] {
				seen[v] = true
				work = append(work, v)
			}
		}
		for _, v := range roots {
			visit(v)
		}
		for ; len(work) > 0; work = work[1:] {
			targets, masks := g.Row(work[0])
			for k, v := range targets {
				if masks == nil && kinds&1 != 0 || masks != nil && masks[k]&kinds != 0 {
					visit(v)
				}
			}
		}
		return seen
	}
	all, without := reached(-1), make([][]bool, n)
	for a := range n {
		without[a] = reached(a)
	}
	dominates = func(a, b uint32) bool { return all[b] && all[a] && !without[a][b] }
	count := make([]int, n)
	for b := range uint32(n) {
		for a := range uint32(n) {
			if dominates(a, b) {
				count[b]++
			}
		}
	}
	idom = make([]uint32, n)
	for b := range uint32(n) {
		if idom[b] = graph.None; !all[b] {
			continue
		}
		idom[b] = b
		for a := range uint32(n) {
			if a != b && dominates(a, b) && (idom[b] == b || count[a] > count[idom[b]]) {
				idom[b] = a
			}
		}
	}
	return idom, dominates
}

// byRounds is another way, for graphs that are too large for that: dominators in postorder, cut with each other until nothing
// changes (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", 2001).
func byRounds(g *graph.CSR, roots []uint32, kinds uint32) []uint32 {
	n := g.Nodes()
	number, order := make([]int, n+1), []int{} // postorder; n is the node before the roots
	for v := range number {
		number[v] = -1
	}
	next := func(u int) (list []int) {
		if u == n {
			for _, v := range roots {
				list = append(list, int(v))
			}
			return list
		}
		targets, masks := g.Row(uint32(u))
		for k, v := range targets {
			if masks == nil && kinds&1 != 0 || masks != nil && masks[k]&kinds != 0 {
				list = append(list, int(v))
			}
		}
		return list
	}
	var walk func(u int)
	walk = func(u int) {
		number[u] = 0
		for _, v := range next(u) {
			if number[v] < 0 {
				walk(v)
			}
		}
		number[u] = len(order)
		order = append(order, u)
	}
	walk(n)
	before := make([][]int, n+1)
	for _, u := range order {
		for _, v := range next(u) {
			before[v] = append(before[v], u)
		}
	}
	idom := make([]int, n+1)
	for v := range idom {
		idom[v] = -1
	}
	idom[n] = n
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			v, over := order[i], -1
			for _, u := range before[v] {
				if idom[u] < 0 {
					continue
				}
				if over < 0 {
					over = u
				}
				for a := u; a != over; {
					if number[a] < number[over] {
						a = idom[a]
					} else {
						over = idom[over]
					}
				}
			}
			if over != idom[v] {
				idom[v], changed = over, true
			}
		}
	}
	list := make([]uint32, n)
	for v := range list {
		switch idom[v] {
		case -1:
			list[v] = graph.None
		case n:
			list[v] = uint32(v)
		default:
			list[v] = uint32(idom[v])
		}
	}
	return list
}

func TestDominatorsAreWhatCannotBeTakenAway(t *testing.T) {
	for seed := range long.Seeds(t, 2000, 2500, 50000) {
		r := rand.New(rand.NewPCG(seed, 21))
		g := graphtest.RandomGraph(t, seed, 1+r.IntN(14), seed%3 == 0)
		roots := make([]uint32, r.IntN(4))
		for k := range roots {
			roots[k] = r.Uint32N(uint32(g.Nodes()))
		}
		kinds := r.Uint32N(16)
		d := hostDominators(t, g, roots, kinds)
		if kinds == 0 {
			kinds = graph.AllKinds
		}
		want, dominates := byRemoval(g, roots, kinds)
		if !slices.Equal(d.Immediate(), want) {
			t.Fatalf("seed %d, from %v: %v, want %v", seed, roots, d.Immediate(), want)
		}
		checkForest(t, g, d, kinds, dominates)
		if t.Failed() {
			t.Fatalf("seed %d, from %v", seed, roots)
		}
	}
}

// checkForest compares all that can be asked of dominators with who dominates whom.
func checkForest(t *testing.T, g *graph.CSR, d *session.Dominators, kinds uint32, dominates func(a, b uint32) bool) {
	t.Helper()
	for a := range uint32(g.Nodes()) {
		size := 0
		var frontier []uint32
		for b := range uint32(g.Nodes()) {
			if d.Dominates(a, b) != dominates(a, b) {
				t.Errorf("%d dominates %d: %v", a, b, d.Dominates(a, b))
			}
			if dominates(a, b) {
				size++
			}
			targets, masks := g.Row(b)
			for k, v := range targets {
				allowed := masks == nil && kinds&1 != 0 || masks != nil && masks[k]&kinds != 0
				if allowed && dominates(a, b) && (a == v || !dominates(a, v)) {
					frontier = append(frontier, v)
				}
			}
		}
		slices.Sort(frontier)
		if d.Size(a) != size || !slices.Equal(graphtest.Must(d.Frontier(a)), slices.Compact(frontier)) {
			t.Errorf("%d dominates %d nodes up to %v, want %d and %v", a, d.Size(a), graphtest.Must(d.Frontier(a)), size, slices.Compact(frontier))
		}
		chain := d.Chain(a)
		for i, u := range chain {
			if !dominates(u, a) || i > 0 && !dominates(chain[i-1], u) {
				t.Errorf("the chain of %d is %v", a, chain)
			}
		}
		if (len(chain) == 0) != (size == 0) || size > 0 && chain[len(chain)-1] != a {
			t.Errorf("the chain of %d, which dominates %d, is %v", a, size, chain)
		}
	}
}

func TestDominatorsOfLargerGraphs(t *testing.T) {
	for _, name := range []string{"kron:9", "grid:33x31", "road:40x40", "chain:3000", "ladder:40x5", "star:200", "complete:30", "tree:300,3", "icfg:8,16,4", "skew:1024", "chain:1", "random"} {
		for seed := range long.Seeds(t, 3, 6, 50) {
			r := rand.New(rand.NewPCG(seed, 22))
			g := graphtest.RandomGraph(t, seed, 1000, true)
			if name != "random" {
				g = graphtest.Generated(t, name)
			}
			roots := []uint32{r.Uint32N(uint32(g.Nodes())), r.Uint32N(uint32(g.Nodes()))}[:1+seed%2]
			d := hostDominators(t, g, roots, 0)
			if want := byRounds(g, roots, graph.AllKinds); !slices.Equal(d.Immediate(), want) {
				t.Errorf("%s from %v: %v, want %v", name, roots, d.Immediate(), want)
			}
			if d.Run.Engine != session.NativeEngine {
				t.Error(d.Run.Engine)
			}
		}
	}
}

// hostDominators asks the native engine.
func hostDominators(t *testing.T, g *graph.CSR, roots []uint32, kinds uint32) *session.Dominators {
	t.Helper()
	s, err := session.New(t.Context(), graphtest.OpenDevice(t, "cpu"), g, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := s.Dominators(t.Context(), roots, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDominatorsAreRefused(t *testing.T) {
	refusedFor(t, func(s *session.Session) error { _, err := s.Dominators(t.Context(), []uint32{3}, 0); return err })
	dev, g := graphtest.OpenDevice(t, "cpu"), graphtest.Generated(t, "chain:40000")
	s, err := session.New(t.Context(), dev, g, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Dominators(t.Context(), []uint32{3, 40000}, 0); err == nil || !strings.Contains(err.Error(), "root 1 is node 40000, the graph has 40000") {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Dominators(ended, []uint32{0}, 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	none := new(session.Dominators)
	if fmt.Sprint(none.Immediate(), none.Order(), none.Chain(0), graphtest.Must(none.Frontier(0)), none.Size(0), none.Dominates(0, 0)) != "[] [] [] [] 0 false" {
		t.Error(none)
	}
}
