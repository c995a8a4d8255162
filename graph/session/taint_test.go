package session_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/govyre/vyre"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/megakernel"
)

// naive finds pairs of sinks and labels by a search for each source in the filtered graph, written out.
func naive(g *graph.CSR, q session.TaintQuery) (pairs [][2]int) {
	for label, source := range q.Sources {
		out := make([]bool, g.Nodes())
		for _, s := range q.Sanitizers {
			if len(s.Labels) == 0 || slices.Contains(s.Labels, source.Label) {
				for _, v := range s.Nodes {
					out[v] = true
				}
			}
		}
		seen := make([]bool, g.Nodes())
		var visit func(v uint32)
		visit = func(v uint32) {
			if seen[v] || out[v] {
				return
			}
			seen[v] = true
			targets, masks := g.Row(v)
			for k, to := range targets {
				if masks == nil && q.Kinds&1 != 0 || masks != nil && masks[k]&q.Kinds != 0 {
					visit(to)
				}
			}
		}
		for _, v := range source.Nodes {
			visit(v)
		}
		for _, v := range q.Sinks {
			if seen[v] {
				pairs = append(pairs, [2]int{int(v), label})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

func randomTaint(r *rand.Rand, g *graph.CSR) session.TaintQuery {
	q := session.TaintQuery{Sinks: graphtest.SomeNodes(r, g, 6), Kinds: 1 + r.Uint32N(15), Paths: r.IntN(8)}
	for k := range 1 + r.IntN(5) {
		q.Sources = append(q.Sources, session.Source{Label: fmt.Sprint("label ", k), Nodes: graphtest.SomeNodes(r, g, 3)})
	}
	for range r.IntN(3) {
		s := session.Sanitizer{Nodes: graphtest.SomeNodes(r, g, 3)}
		if r.IntN(2) == 0 {
			s.Labels = []string{q.Sources[r.IntN(len(q.Sources))].Label}
		}
		q.Sanitizers = append(q.Sanitizers, s)
	}
	return q
}

func TestTaintIsASearchForEachSource(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"cpu", "cuda-sim:3"} {
		dev, err := vyre.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range long.Seeds(t, 4, 20, 600) {
			r := rand.New(rand.NewPCG(seed, 7))
			g := graphtest.RandomGraph(t, seed, 40, true)
			q := randomTaint(r, g)
			got, err := session.Taint(t.Context(), dev, g, q, session.Options{Topology: megakernel.Cooperative})
			if err != nil {
				t.Fatal(err)
			}
			resident, err := session.New(t.Context(), dev, g, session.Options{Queries: 1, Levels: true, Topology: megakernel.Cooperative})
			if err != nil {
				t.Fatal(err)
			}
			again, err := q.Ask(t.Context(), resident)
			if err != nil || !reflect.DeepEqual(again.Findings, got.Findings) || !slices.Equal(again.Counts, got.Counts) {
				t.Errorf("%s, seed %d: a session finds %+v, %v, want %+v", name, seed, again, err, got)
			}
			if err := resident.Close(); err != nil {
				t.Error(err)
			}
			var pairs [][2]int
			counts := make([]int, len(q.Sources))
			for i, f := range got.Findings {
				pairs = append(pairs, [2]int{int(f.Sink), f.Label})
				counts[f.Label]++
				if want := i < q.Paths; want != (f.Path != nil) {
					t.Errorf("%s, seed %d: finding %d has a path: %v", name, seed, i, !want)
				}
				checkTaintPath(t, g, q, f)
			}
			if want := naive(g, q); !slices.Equal(pairs, want) {
				t.Errorf("%s, seed %d: %v, want %v", name, seed, pairs, want)
			}
			if !slices.Equal(counts, got.Counts) {
				t.Errorf("%s, seed %d: counts %v, want %v", name, seed, got.Counts, counts)
			}
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}
}

// checkTaintPath walks a path: from a node of the source, along arcs that there are and are allowed, around sanitizers, to the sink.
func checkTaintPath(t *testing.T, g *graph.CSR, q session.TaintQuery, f session.Finding) {
	t.Helper()
	if f.Path == nil {
		return
	}
	source := q.Sources[f.Label]
	if !slices.Contains(source.Nodes, f.Path[0].Node) || f.Path[len(f.Path)-1].Node != f.Sink {
		t.Errorf("%v is no path from %v to %d", f.Path, source.Nodes, f.Sink)
	}
	for i, step := range f.Path {
		for _, s := range q.Sanitizers {
			if (len(s.Labels) == 0 || slices.Contains(s.Labels, source.Label)) && slices.Contains(s.Nodes, step.Node) {
				t.Errorf("%v goes through %d, which is sanitized", f.Path, step.Node)
			}
		}
		if i == 0 {
			continue
		}
		targets, masks := g.Row(f.Path[i-1].Node)
		found := false
		for k, v := range targets {
			mask := uint32(1)
			if masks != nil {
				mask = masks[k]
			}
			found = found || v == step.Node && mask == step.Mask && mask&q.Kinds != 0
		}
		if !found {
			t.Errorf("%v: there is no such arc to %d", f.Path, step.Node)
		}
	}
}

// TestTaintGrowsWithSourcesAndShrinksWithSanitizers: a sanitizer takes no finding away but those whose paths all meet it, and a source takes none.
func TestTaintGrowsWithSourcesAndShrinksWithSanitizers(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	ask := func(g *graph.CSR, q session.TaintQuery) map[[2]int]bool {
		got, err := session.Taint(t.Context(), dev, g, q, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		set := make(map[[2]int]bool)
		for _, f := range got.Findings {
			set[[2]int{int(f.Sink), f.Label}] = true
		}
		return set
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 8))
		g := graphtest.RandomGraph(t, seed, 40, true)
		q := randomTaint(r, g)
		q.Paths = 0
		base := ask(g, q)
		more := q
		more.Sources = append(slices.Clone(q.Sources), session.Source{Label: "another", Nodes: graphtest.SomeNodes(r, g, 5)})
		with := ask(g, more)
		less := q
		less.Sanitizers = append(slices.Clone(q.Sanitizers), session.Sanitizer{Nodes: graphtest.SomeNodes(r, g, 5)})
		without := ask(g, less)
		for pair := range base {
			if !with[pair] {
				t.Errorf("seed %d: another source took %v away", seed, pair)
			}
		}
		for pair := range without {
			if !base[pair] {
				t.Errorf("seed %d: a sanitizer added %v", seed, pair)
			}
		}
	}
}

func TestTaintRefusesWhatIsNotThere(t *testing.T) {
	dev, err := vyre.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g := graphtest.RandomGraph(t, 1, 10, true)
	source := []session.Source{{Label: "a", Nodes: []uint32{1}}}
	for what, q := range map[string]session.TaintQuery{
		"a source":    {Sources: []session.Source{{Label: "a", Nodes: []uint32{10}}}},
		"a sink":      {Sources: source, Sinks: []uint32{10}},
		"a sanitizer": {Sources: source, Sanitizers: []session.Sanitizer{{Nodes: []uint32{11}}}},
		"a label":     {Sources: source, Sanitizers: []session.Sanitizer{{Labels: []string{"b"}}}},
		"labels":      {Sources: append(source, source...)},
	} {
		if _, err := session.Taint(t.Context(), dev, g, q, session.Options{}); err == nil {
			t.Error(what)
		}
	}
	if got, err := session.Taint(t.Context(), dev, g, session.TaintQuery{}, session.Options{}); err != nil || len(got.Findings) != 0 {
		t.Error(got, err)
	}
}
