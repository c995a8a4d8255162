package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
)

// answersTo is a session of a graph, asked without errors.
type answersTo struct {
	*testing.T
	*session.Session
	g *graph.CSR
}

func asking(t *testing.T, dev driver.Device, g *graph.CSR, e session.Engine) answersTo {
	t.Helper()
	s, err := session.New(t.Context(), dev, g, session.Options{Engine: e, Levels: true, Queries: 64, Seeds: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return answersTo{t, s, g}
}

func (a answersTo) reach(kinds uint32, seeds ...uint32) []uint32 {
	a.Helper()
	r, err := a.Reach(a.Context(), session.Query{Seeds: seeds, Kinds: kinds})
	if err != nil {
		a.Fatal(err)
	}
	return slices.Collect(r.Nodes())
}

func (a answersTo) labels(strong bool, kinds uint32) []uint32 {
	a.Helper()
	ask := a.Components
	if strong {
		ask = a.StrongComponents
	}
	c, err := ask(a.Context(), kinds)
	if err != nil {
		a.Fatal(err)
	}
	return graphtest.Must(c.Labels(a.Context(), nil))
}

func (a answersTo) levels(kinds uint32, seeds ...uint32) []uint32 {
	a.Helper()
	levels, err := a.Levels(a.Context(), session.Query{Seeds: seeds, Kinds: kinds})
	if err != nil {
		a.Fatal(err)
	}
	return levels
}

// changed is a graph with other arcs, of so many nodes.
func changed(t *testing.T, g *graph.CSR, nodes int, to func(from, to, mask uint32) (uint32, uint32), more ...[3]uint32) *graph.CSR {
	t.Helper()
	var b graph.Block
	add := func(u, v, mask uint32) {
		b.From, b.To, b.Masks = append(b.From, u), append(b.To, v), append(b.Masks, mask)
	}
	for u := range uint32(g.Nodes()) {
		targets, masks := g.Row(u)
		for i, v := range targets {
			mask := uint32(1)
			if masks != nil {
				mask = masks[i]
			}
			x, y := to(u, v, mask)
			add(x, y, mask)
		}
	}
	for _, m := range more {
		add(m[0], m[1], m[2])
	}
	h, _, err := graph.FromBlocks(t.Context(), int64(nodes), []graph.Block{b}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func sameArcs(u, v, _ uint32) (uint32, uint32) { return u, v }

// TestRelations holds of any graph without an oracle, by both engines: what is known of one answer from another one.
func TestRelations(t *testing.T) {
	for _, device := range devices() {
		for _, engine := range []session.Engine{session.NativeEngine, session.WavesEngine} {
			quick, sweep, all := 6, 20, 600
			if engine == session.WavesEngine {
				quick, sweep, all = 2, 8, 200
			}
			if device == "cuda-sim" {
				quick, sweep, all = 0, 2, 40 // a hundred times as long
			}
			if long.Count(quick, sweep, all) == 0 || device != "cpu" && engine == session.NativeEngine {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", device, engine), func(t *testing.T) {
				t.Parallel()
				dev := graphtest.OpenDevice(t, device)
				for seed := range long.Seeds(t, quick, sweep, all) {
					related(t, dev, engine, seed)
				}
			})
		}
	}
}

func related(t *testing.T, dev driver.Device, engine session.Engine, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 99))
	g := graphtest.RandomGraph(t, seed, 40, seed%2 == 0)
	n, kinds := g.Nodes(), []uint32{0, 3, 12}[seed%3]
	a, b := r.Uint32N(uint32(n)), r.Uint32N(uint32(n))
	s := asking(t, dev, g, engine)
	of := func(relation string, got, want []uint32) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("seed %d, nodes %d and %d, kinds %#x: %s: %v, want %v", seed, a, b, kinds, relation, got, want)
		}
	}
	fromA, fromB := s.reach(kinds, a), s.reach(kinds, b)
	union := append(slices.Clone(fromA), fromB...)
	slices.Sort(union)
	union = slices.Compact(union)
	of("what two seeds reach is what each does", s.reach(kinds, a, b), union)
	of("asked again it is the same", s.reach(kinds, a), fromA)
	of("a seed may be listed twice", s.reach(kinds, a, a), fromA)
	of("no seed reaches nothing", s.reach(kinds), nil)
	of("what is reached reaches no more", s.reach(kinds, fromA...), fromA)

	// All pairs, by lanes: backward is forward in the reversed graph.
	back := asking(t, dev, graphtest.Must(g.Reverse(t.Context())), engine)
	forth, queries := map[[2]uint32]bool{}, make([]session.Query, n)
	for v := range uint32(n) {
		queries[v] = session.Query{Seeds: []uint32{v}, Kinds: kinds}
	}
	for v, answer := range s.many(queries) {
		for _, w := range answer {
			forth[[2]uint32{uint32(v), w}] = true
		}
	}
	pairs := 0
	for w, answer := range back.many(queries) {
		pairs += len(answer)
		for _, v := range answer {
			if !forth[[2]uint32{v, uint32(w)}] {
				t.Errorf("seed %d: %d reaches %d only backward", seed, v, w)
			}
		}
	}
	if pairs != len(forth) {
		t.Errorf("seed %d: %d pairs backward, %d forward", seed, pairs, len(forth))
	}
	for _, v := range []uint32{a, b} {
		var alone []uint32
		for w := range uint32(n) {
			if forth[[2]uint32{v, w}] {
				alone = append(alone, w)
			}
		}
		of("64 queries together are each alone", alone, s.reach(kinds, v))
	}

	relatedGraphs(t, dev, s, kinds, a, b, r, of)
	relatedLabels(t, s, kinds, a, forth)
}

func (a answersTo) many(queries []session.Query) [][]uint32 {
	a.Helper()
	all, err := a.Batch(a.Context(), queries)
	if err != nil {
		a.Fatal(err)
	}
	list := make([][]uint32, len(all))
	for i, r := range all {
		list[i] = slices.Collect(r.Nodes())
	}
	return list
}

// relatedGraphs asks graphs that are made of another one.
func relatedGraphs(t *testing.T, dev driver.Device, s answersTo, kinds, a, b uint32, r *rand.Rand, of func(string, []uint32, []uint32)) {
	e, n := s.Engine(), s.g.Nodes()
	more := asking(t, dev, changed(t, s.g, n, sameArcs, [3]uint32{a, b, 1}), e).reach(kinds, a)
	for _, v := range s.reach(kinds, a) {
		if !slices.Contains(more, v) {
			t.Errorf("with an arc more %d is not reached", v)
		}
	}
	place := make([]uint32, n)
	for i, at := range r.Perm(n) {
		place[i] = uint32(at)
	}
	moved := asking(t, dev, changed(t, s.g, n, func(u, v, _ uint32) (uint32, uint32) { return place[u], place[v] }), e)
	var want []uint32
	for _, v := range s.reach(kinds, a) {
		want = append(want, place[v])
	}
	slices.Sort(want)
	of("renumbered nodes are reached by their new numbers", moved.reach(kinds, place[a]), want)
	levels := make([]uint32, n)
	for v, l := range s.levels(kinds, a) {
		levels[place[v]] = l
	}
	of("and at the same levels", moved.levels(kinds, place[a]), levels)
	wider := asking(t, dev, changed(t, s.g, n+33, sameArcs), e)
	of("nodes without arcs beside it change nothing", wider.reach(kinds, a), s.reach(kinds, a))
	for v, label := range wider.labels(false, kinds)[n:] {
		if label != uint32(n+v) {
			t.Errorf("node %d without arcs is in the component of %d", n+v, label)
		}
	}
}

// relatedLabels compares levels, components and dominators with who reaches whom.
func relatedLabels(t *testing.T, s answersTo, kinds, a uint32, forth map[[2]uint32]bool) {
	levels, weak, strong := s.levels(kinds, a), s.labels(false, kinds), s.labels(true, kinds)
	filter := settled(kinds)
	for u := range uint32(s.g.Nodes()) {
		if (levels[u] != graph.None) != forth[[2]uint32{a, u}] {
			t.Errorf("node %d has level %d from %d", u, levels[u], a)
		}
		targets, masks := s.g.Row(u)
		for i, v := range targets {
			if masks == nil && filter&1 == 0 || masks != nil && masks[i]&filter == 0 {
				continue
			}
			if levels[u] != graph.None && levels[v] > levels[u]+1 {
				t.Errorf("an arc from level %d to %d", levels[u], levels[v])
			}
			if weak[u] != weak[v] {
				t.Errorf("an arc between the components of %d and %d", weak[u], weak[v])
			}
		}
		if weak[strong[u]] != weak[u] {
			t.Errorf("node %d is in the strong component of %d, and in another weak one", u, strong[u])
		}
		if both := forth[[2]uint32{u, strong[u]}] && forth[[2]uint32{strong[u], u}]; !both {
			t.Errorf("node %d and %d, one strong component, do not reach each other", u, strong[u])
		}
	}
	d, err := s.Dominators(t.Context(), []uint32{a}, kinds)
	if err != nil {
		t.Fatal(err)
	}
	for v, by := range d.Immediate() {
		if by == graph.None || by == uint32(v) {
			continue
		}
		if r := asking(t, graphtest.OpenDevice(t, "cpu"), graphtest.Must(s.g.Without(t.Context(), []uint32{by})), session.NativeEngine); by != a && slices.Contains(r.reach(kinds, a), uint32(v)) {
			t.Errorf("%d is reached without %d, which dominates it", v, by)
		}
	}
}

// TestExactContextsAreAPart: what is reached along realisable paths is reached by a plain search.
func TestExactContextsAreAPart(t *testing.T) {
	dev := graphtest.OpenDevice(t, "cpu")
	fewer := 0
	for seed := range long.Seeds(t, 20, 60, 1000) {
		g, err := generate.Graph(context.Background(), "icfg:5,10,3", generate.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		q := session.TaintQuery{Sources: []session.Source{{Label: "start", Nodes: []uint32{0}}, {Label: "middle", Nodes: []uint32{uint32(g.Nodes() / 2)}}}}
		for v := range uint32(g.Nodes()) {
			q.Sinks = append(q.Sinks, v)
		}
		plain, err := session.Taint(t.Context(), dev, g, q, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		exact, err := ifds.Taint(t.Context(), dev, g, q, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, f := range plain.Findings {
			found[fmt.Sprint(f.Sink, f.Label)] = true
		}
		for _, f := range exact.Findings {
			if !found[fmt.Sprint(f.Sink, f.Label)] {
				t.Errorf("seed %d: %d comes to %d in exact contexts only", seed, f.Label, f.Sink)
			}
		}
		if len(exact.Findings) < len(plain.Findings) {
			fewer++
		}
	}
	if fewer == 0 {
		t.Error("contexts never made a difference: the test shows nothing")
	}
}
