package ifds_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/internal/long"
)

var ctx = context.Background()

// exploded makes a program of a generated one: procedures of equally many places, each with facts and fact 0. The place of a
// call is its site.
func exploded(t *testing.T, procedures, places, facts int, seed uint64) ifds.Program {
	t.Helper()
	g, err := graph.Generate(fmt.Sprintf("icfg:%d,%d,%d", procedures, places, facts), graph.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	p := ifds.Program{Graph: g, Procedures: make([]uint32, g.Nodes()), Sites: make([]uint32, g.Arcs())}
	for u := range p.Procedures {
		p.Procedures[u] = uint32(u / (facts + 1) / places)
		targets, masks := g.Row(uint32(u))
		for k, v := range targets {
			site := &p.Sites[int(g.Offsets()[u])+k]
			switch masks[k] {
			case graph.KindCall:
				*site = uint32(u / (facts + 1))
			case graph.KindCallReturn:
				*site = v/uint32(facts+1) - 1
			default:
				*site = ifds.NoSite
			}
		}
	}
	return p
}

func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct{ procedures, places, facts, pairs, pathEdges int }{
		{4, 16, 4, 136, 160}, {64, 32, 8, 6604, 7224}, {1024, 64, 16, 317586, 336551},
	} {
		if c.procedures > 1000 && !long.Enabled() {
			continue
		}
		p := exploded(t, c.procedures, c.places, c.facts, 1)
		s, err := ifds.Solve(ctx, p, []uint32{0}, ifds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{s.Count(), int(s.PathEdges())}; got != [2]int{c.pairs, c.pathEdges} {
			t.Errorf("%d procedures: %d pairs and path edges, want %d and %d", c.procedures, got, c.pairs, c.pathEdges)
		}
	}
}

// relation is what the oracle finds: pairs of an entry and a node.
type relation struct{ edges map[[2]uint32]bool }

// functional is another way to the same answer, quadratic and plain: it makes the relation between the entries and all nodes of
// each procedure, for all entries that there are, by going over all arcs until nothing changes; then it walks from the
// seeds, over calls and over what the relation says of whole calls.
func functional(p ifds.Program, seeds []uint32) relation {
	g := p.Graph
	from := map[uint32]map[uint32]bool{} // of an entry, what follows inside its procedure
	type arc struct{ u, v, site uint32 }
	var inner, calls, returns []arc
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			a := arc{u, v, p.Sites[g.Offsets()[u]+uint32(k)]}
			switch {
			case a.site == ifds.NoSite:
				inner = append(inner, a)
			case masks[k]&graph.KindCall != 0:
				calls = append(calls, a)
			default:
				returns = append(returns, a)
			}
		}
	}
	for _, s := range seeds {
		from[s] = map[uint32]bool{s: true}
	}
	for _, c := range calls {
		from[c.v] = map[uint32]bool{c.v: true}
	}
	for changed := true; changed; {
		changed = false
		for _, set := range from {
			n := len(set)
			for _, a := range inner {
				if set[a.u] {
					set[a.v] = true
				}
			}
			for _, c := range calls {
				if !set[c.u] {
					continue
				}
				for _, r := range returns {
					if r.site == c.site && from[c.v][r.u] {
						set[r.v] = true
					}
				}
			}
			changed = changed || len(set) > n
		}
	}
	holds := relation{map[[2]uint32]bool{}}
	var work []uint32
	entered := map[uint32]bool{}
	enter := func(e uint32) {
		if !entered[e] {
			entered[e] = true
			work = append(work, e)
		}
	}
	for _, s := range seeds {
		enter(s)
	}
	for ; len(work) > 0; work = work[1:] {
		for v := range from[work[0]] {
			holds.edges[[2]uint32{work[0], v}] = true
		}
		for _, c := range calls {
			if from[work[0]][c.u] {
				enter(c.v)
			}
		}
	}
	return holds
}

func (r relation) nodes() map[uint32]bool {
	all := map[uint32]bool{}
	for e := range r.edges {
		all[e[1]] = true
	}
	return all
}

func TestSolutionsAreThoseOfTheFunctionalSolver(t *testing.T) {
	for range long.Count(200, 2000, 20000) {
		procedures, places, facts := 1+rand.IntN(5), 2+rand.IntN(10), 1+rand.IntN(4)
		p := exploded(t, procedures, places, facts, rand.Uint64())
		seeds := []uint32{0}
		if rand.IntN(2) == 0 {
			seeds = append(seeds, rand.Uint32N(uint32(p.Graph.Nodes())))
		}
		s, err := ifds.Solve(ctx, p, seeds, ifds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := functional(p, seeds).nodes()
		for v := range uint32(p.Graph.Nodes()) {
			if s.Holds(v) != want[v] {
				t.Fatalf("%d procedures of %d places, %d facts, seeds %v: node %d holds: %v, want %v", procedures, places, facts, seeds, v, s.Holds(v), want[v])
			}
		}
		reach, err := graph.Levels(p.Graph, seeds, graph.AllKinds)
		if err != nil {
			t.Fatal(err)
		}
		for v := range s.Nodes() {
			if reach[v] == graph.None {
				t.Fatalf("node %d holds, and nothing leads there", v)
			}
		}
	}
}

// small is two callers of one procedure: a0 → a1 calls p, b0 → b1 calls p, p0 → p1.
func small(t *testing.T) ifds.Program {
	t.Helper()
	type arc struct{ u, v, mask, site uint32 }
	const a0, a1, b0, b1, p0, p1 = 0, 1, 2, 3, 4, 5
	arcs := []arc{{a0, p0, graph.KindCall, 7}, {b0, p0, graph.KindCall, 8}, {p0, p1, graph.KindAssign, ifds.NoSite}, {p1, a1, graph.KindCallReturn, 7}, {p1, b1, graph.KindCallReturn, 8}}
	slices.SortFunc(arcs, func(x, y arc) int { return cmp.Or(cmp.Compare(x.u, y.u), cmp.Compare(x.v, y.v)) })
	offsets, targets, masks := make([]uint32, 7), []uint32{}, []uint32{}
	p := ifds.Program{Procedures: []uint32{0, 0, 1, 1, 2, 2}}
	for _, a := range arcs {
		offsets[a.u+1]++
		targets, masks, p.Sites = append(targets, a.v), append(masks, a.mask), append(p.Sites, a.site)
	}
	for k := range 6 {
		offsets[k+1] += offsets[k]
	}
	g, err := graph.New(offsets, targets, masks)
	if err != nil {
		t.Fatal(err)
	}
	p.Graph = g
	return p
}

func TestReturnsGoToTheCallThatWasMade(t *testing.T) {
	p := small(t)
	for _, c := range []struct {
		seed       uint32
		unbalanced bool
		want       []uint32
	}{{0, false, []uint32{0, 1, 4, 5}}, {2, true, []uint32{2, 3, 4, 5}}, {4, false, []uint32{4, 5}}, {4, true, []uint32{1, 3, 4, 5}}} {
		p.Unbalanced = c.unbalanced
		s, err := ifds.Solve(ctx, p, []uint32{c.seed}, ifds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(s.Nodes()); !slices.Equal(got, c.want) {
			t.Errorf("from %d, unbalanced %v: %v, want %v", c.seed, c.unbalanced, got, c.want)
		}
	}
	none, err := ifds.Solve(ctx, p, nil, ifds.Options{})
	if err != nil || none.Count() != 0 || none.PathEdges() != 0 || none.Holds(99) {
		t.Error(none, err)
	}
}

func TestWhatIsNoProgramIsRefused(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	change := func(f func(p *ifds.Program)) error {
		p := small(t)
		f(&p)
		_, err := ifds.Solve(ctx, p, []uint32{0}, ifds.Options{})
		return err
	}
	solve := func(ctx context.Context, seed uint32, most int64) error {
		_, err := ifds.Solve(ctx, small(t), []uint32{seed}, ifds.Options{MaxBytes: most})
		return err
	}
	for want, err := range map[string]error{
		"no graph":                    change(func(p *ifds.Program) { p.Graph = nil }),
		"procedures of 5 nodes":       change(func(p *ifds.Program) { p.Procedures = p.Procedures[:5] }),
		"sites of 4 arcs":             change(func(p *ifds.Program) { p.Sites = p.Sites[:4] }),
		"has no site":                 change(func(p *ifds.Program) { p.Sites[0] = ifds.NoSite }),
		"neither a call":              change(func(p *ifds.Program) { p.Sites[2] = 3 }),
		"leads from procedure 2 to 1": change(func(p *ifds.Program) { p.Procedures[5] = 1 }),
		"node 4: procedure 6":         change(func(p *ifds.Program) { p.Procedures[4], p.Procedures[5] = 6, 6 }),
		"site 7 is a call in procedure 0, and a return from here to node 3 of procedure 1": change(func(p *ifds.Program) { p.Sites[3], p.Sites[4] = 8, 7 }),
		"seed 0 is node 6":              solve(ctx, 6, 0),
		"need 96 bytes, 95 are allowed": solve(ctx, 0, 95),
		"canceled":                      solve(ended, 0, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := solve(ended, 0, 96); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
