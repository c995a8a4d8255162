package ifds_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/internal/testing/long"
)

var ctx = context.Background()

// exploded makes a generated program: procedures of equally many places, each with facts and fact 0.
func exploded(t *testing.T, procedures, places, facts int, seed uint64) *graph.CSR {
	t.Helper()
	g, err := generate.Graph(context.Background(), fmt.Sprintf("icfg:%d,%d,%d", procedures, places, facts), generate.Options{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// knownAnswers are those of generated programs from node 0 on.
var knownAnswers = []struct{ procedures, places, facts, pairs, pathEdges int }{
	{4, 16, 4, 136, 160}, {64, 32, 8, 6604, 7224}, {1024, 64, 16, 317586, 336551},
}

func TestKnownAnswers(t *testing.T) {
	for _, c := range knownAnswers {
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
func functional(g *graph.CSR, seeds []uint32) relation {
	sites := g.Data().Sites
	from := map[uint32]map[uint32]bool{} // of an entry, what follows inside its procedure
	type arc struct{ u, v, site uint32 }
	var inner, calls, returns []arc
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for k, v := range targets {
			a := arc{u, v, sites[g.Offsets()[u]+uint32(k)]}
			switch {
			case a.site == graph.NoSite:
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
	rng := rand.New(rand.NewPCG(long.Seed(t, 1), 0))
	for range long.Count(200, 2000, 20000) {
		procedures, places, facts := 1+rng.IntN(5), 2+rng.IntN(10), 1+rng.IntN(4)
		p := exploded(t, procedures, places, facts, rng.Uint64())
		seeds := []uint32{0}
		if rng.IntN(2) == 0 {
			seeds = append(seeds, rng.Uint32N(uint32(p.Nodes())))
		}
		s, err := ifds.Solve(ctx, p, seeds, ifds.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := functional(p, seeds).nodes()
		for v := range uint32(p.Nodes()) {
			if s.Holds(v) != want[v] {
				t.Fatalf("%d procedures of %d places, %d facts, seeds %v: node %d holds: %v, want %v", procedures, places, facts, seeds, v, s.Holds(v), want[v])
			}
		}
		reach, err := graph.Levels(t.Context(), p, seeds, graph.AllKinds)
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

// arc is one of a program, with its call site.
type arc struct{ from, to, mask, site uint32 }

// program makes one of the procedures of its nodes and of arcs.
func program(t *testing.T, procedures []uint32, arcs []arc) *graph.CSR {
	t.Helper()
	var b graph.Block
	for _, a := range arcs {
		b.From, b.To, b.Masks, b.Sites = append(b.From, a.from), append(b.To, a.to), append(b.Masks, a.mask), append(b.Sites, a.site)
	}
	g, _, err := graph.FromBlocks(t.Context(), int64(len(procedures)), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := g.Data()
	d.Procedures = procedures
	if g, err = g.With(d); err != nil {
		t.Fatal(err)
	}
	return g
}

const a0, a1, b0, b1, p0, p1 = 0, 1, 2, 3, 4, 5

// small is two callers of one procedure: a0 → a1 calls p, b0 → b1 calls p, p0 → p1.
func small(t *testing.T) *graph.CSR {
	return program(t, []uint32{0, 0, 1, 1, 2, 2}, []arc{{a0, p0, graph.KindCall, 7}, {b0, p0, graph.KindArgument, 8}, {p0, p1, graph.KindAssign, graph.NoSite},
		{p1, a1, graph.KindCallReturn, 7}, {p1, b1, graph.KindReturn, 8}})
}

func TestReturnsGoToTheCallThatWasMade(t *testing.T) {
	p := small(t)
	for _, c := range []struct {
		seed       uint32
		unbalanced bool
		want       []uint32
	}{{0, false, []uint32{0, 1, 4, 5}}, {2, true, []uint32{2, 3, 4, 5}}, {4, false, []uint32{4, 5}}, {4, true, []uint32{1, 3, 4, 5}}} {
		s, err := ifds.Solve(ctx, p, []uint32{c.seed}, ifds.Options{Unbalanced: c.unbalanced})
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

func TestWhatIsSharedIsSeenInAllContexts(t *testing.T) {
	// a calls p, which writes a cell of procedure 2; procedure 3 reads it, and is called by nobody that is known.
	g := program(t, []uint32{0, 0, 1, 2, 3, 4}, []arc{{0, 2, graph.KindCall, 1}, {2, 3, graph.KindStore, graph.NoSite}, {3, 4, graph.KindLoad, graph.NoSite}, {4, 5, graph.KindReturn, 2}})
	s, err := ifds.Solve(ctx, g, []uint32{0}, ifds.Options{Unbalanced: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(s.Nodes()); !slices.Equal(got, []uint32{0, 2, 3, 4, 5}) {
		t.Error(got)
	}
	if s, err = ifds.Solve(ctx, g, []uint32{0}, ifds.Options{Unbalanced: true, Kinds: graph.AllKinds &^ graph.KindLoad}); err != nil || s.Count() != 3 {
		t.Error(s, err)
	}
}

func TestWhatIsNoProgramIsRefused(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	solve := func(ctx context.Context, seed uint32, most int64) error {
		_, err := ifds.Solve(ctx, small(t), []uint32{seed}, ifds.Options{MaxBytes: most})
		return err
	}
	made := func(g *graph.CSR) error {
		_, err := ifds.Solve(ctx, g, nil, ifds.Options{})
		return err
	}
	bare, err := generate.Graph(context.Background(), "chain:3", generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	one := func(mask, site, of, to uint32) error {
		return made(program(t, []uint32{of, to}, []arc{{0, 1, mask, site}}))
	}
	for want, err := range map[string]error{
		"no graph": made(nil),
		"does not say which procedures its nodes are in":                                   made(bare),
		"arc 0 of node 0: it is a call or a return, and has no site":                       one(graph.KindCall, graph.NoSite, 0, 1),
		"site 3, and it is neither a call nor a return":                                    one(graph.KindAssign, 3, 0, 0),
		"it is a call of site 3, and a return":                                             one(graph.KindArgument|graph.KindReturn, 3, 0, 1),
		"leads from procedure 1 to 0":                                                      one(graph.KindAssign, graph.NoSite, 1, 0),
		"node 1: procedure 2":                                                              one(graph.KindAssign, graph.NoSite, 0, 2),
		"site 7 is a call in procedure 0, and a return from here to node 2 of procedure 1": made(program(t, []uint32{0, 2, 1}, []arc{{0, 1, graph.KindCall, 7}, {1, 2, graph.KindCallReturn, 7}})),
		"seed 0 is node 6":                                                                 solve(ctx, 6, 0),
		"need 96 bytes, 95 are allowed":                                                    solve(ctx, 0, 95),
		"canceled":                                                                         solve(ended, 0, 0),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := solve(ended, 0, 96); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
