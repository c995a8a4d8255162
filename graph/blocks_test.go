package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/internal/graphtest"
)

// plainBuild is FromBlocks by a list of arcs that is sorted.
func plainBuild(nodes int, blocks []graph.Block, o graph.BuildOptions) []string {
	type arc struct{ from, to, mask, weight, site uint32 }
	sited := false
	var list []arc
	for _, b := range blocks {
		for i, u := range b.From {
			a := arc{u, b.To[i], 1, 1, graph.NoSite}
			if b.Sites != nil && !o.Symmetric {
				a.site, sited = b.Sites[i], true
			}
			if b.Masks != nil {
				a.mask = b.Masks[i]
			}
			if b.Weights != nil {
				a.weight = b.Weights[i]
			}
			if o.NoSelf && a.from == a.to {
				continue
			}
			list = append(list, a)
			if o.Symmetric && a.from != a.to {
				list = append(list, arc{a.to, a.from, a.mask, a.weight, a.site})
			}
		}
	}
	if o.Dedup {
		var merged []arc
		for _, a := range list {
			i := slices.IndexFunc(merged, func(m arc) bool {
				return m.from == a.from && m.to == a.to && (!sited || m.site == a.site && m.mask == a.mask)
			})
			if i < 0 {
				merged = append(merged, a)
				continue
			}
			merged[i].mask |= a.mask
			merged[i].weight = min(merged[i].weight, a.weight)
		}
		list = merged
	}
	var text []string
	for _, a := range list {
		text = append(text, fmt.Sprintf("%3d %3d %4d %4d %d", a.from, a.to, a.mask, a.weight, a.site))
	}
	slices.Sort(text)
	return text
}

func TestBlocksBecomeRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range 400 {
		nodes := 1 + rng.IntN(12)
		var blocks []graph.Block
		masked, weighted, sited := k&1 != 0, k&2 != 0, k&32 != 0
		for range rng.IntN(4) {
			var b graph.Block
			for range rng.IntN(20) {
				b.From, b.To = append(b.From, uint32(rng.IntN(nodes))), append(b.To, uint32(rng.IntN(nodes)))
				if masked {
					b.Masks = append(b.Masks, 1+uint32(rng.IntN(7)))
				}
				if sited {
					b.Sites = append(b.Sites, []uint32{graph.NoSite, 1, 2}[rng.IntN(3)])
				}
				if weighted {
					b.Weights = append(b.Weights, uint32(rng.IntN(9)))
				}
			}
			blocks = append(blocks, b)
		}
		if masked && len(blocks) > 1 {
			blocks[0].Masks = nil // then they are 1
		}
		o := graph.BuildOptions{Symmetric: k&4 != 0, Dedup: k&8 != 0, NoSelf: k&16 != 0}
		want := plainBuild(nodes, blocks, o)
		g, built, err := graph.FromBlocks(t.Context(), int64(nodes), blocks, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Check(); err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		var got []string
		at := 0
		for u := range g.Nodes() {
			targets, masks := g.Row(uint32(u))
			for i, v := range targets {
				mask, weight := uint32(1), uint32(1)
				if masks != nil {
					mask = masks[i]
				}
				if w := g.Data().Weights; w != nil {
					weight = w[at]
				}
				site := uint32(graph.NoSite)
				if s := g.Data().Sites; s != nil {
					site = s[at]
				}
				got = append(got, fmt.Sprintf("%3d %3d %4d %4d %d", u, v, mask, weight, site))
				at++
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("case %d, %+v, %d nodes of %v\ngot  %q\nwant %q", k, o, nodes, blocks, got, want)
		}
		given := int64(0)
		for _, b := range blocks {
			given += int64(len(b.From))
		}
		if given+built.Back-built.Self-built.Duplicates != int64(g.Arcs()) {
			t.Fatalf("case %d: %d arcs given, %+v, %d there", k, given, built, g.Arcs())
		}
	}
}

func TestBlocksThatAreNoGraph(t *testing.T) {
	type words = []uint32
	for _, c := range []struct {
		nodes  int64
		blocks []graph.Block
		want   string
	}{
		{-1, nil, "-1 nodes, at most 4294967294 have ids"},
		{1 << 32, nil, "4294967296 nodes, at most 4294967294 have ids"},
		{2, []graph.Block{{From: words{0, 1}, To: words{1, 2}}}, "arc 1, from 1 to 2: n = 2"},
		{2, []graph.Block{{From: words{0}, To: words{1}}, {From: words{3}, To: words{0}}}, "arc 1, from 3 to 0: n = 2"},
		{2, []graph.Block{{From: words{0}, To: words{1}, Masks: words{0}}}, "arc 0, from 0 to 1: mask 0 can never be allowed"},
		{2, []graph.Block{{From: words{0}, To: words{1, 0}}}, "a block has 1 sources, 2 targets, 0 masks, 0 weights and 0 call sites"},
		{0, []graph.Block{{From: words{0}, To: words{0}}}, "arc 0, from 0 to 0: n = 0"},
	} {
		if _, _, err := graph.FromBlocks(t.Context(), c.nodes, c.blocks, graph.BuildOptions{}); err == nil || !strings.HasPrefix(err.Error(), "graph: "+c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestWeightsStayWithTheirArcs when a graph is turned around or loses nodes.
func TestWeightsStayWithTheirArcs(t *testing.T) {
	g := full(t)
	r := graphtest.Must(g.Reverse(t.Context()))
	if w := r.Data().Weights; fmt.Sprint(r.Offsets(), r.Targets(), w) != "[0 0 1 3] [0 0 1] [5 6 7]" {
		t.Errorf("%v %v, weights %v", r.Offsets(), r.Targets(), w)
	}
	if d := r.Data(); d.Sites != nil || d.Procedures != nil {
		t.Errorf("a call the other way round has a site: %+v", d)
	}
	if r.Name(0) != "main" || r.Position(1) != "b.go:3:4" {
		t.Error("names are lost")
	}
	w := graphtest.Must(g.Without(t.Context(), []uint32{1}))
	if fmt.Sprint(w.Targets(), w.Data().Weights, w.Masks(), w.Data().Procedures, w.Data().Sites) != "[2] [6] [4096] [0 1 2] [4294967295]" {
		t.Errorf("%v, weights %v, masks %v", w.Targets(), w.Data().Weights, w.Masks())
	}
	s, built, err := g.Rebuild(t.Context(), graph.BuildOptions{Symmetric: true})
	if err != nil || built.Back != 3 || built.Sites != 2 || s.Data().Sites != nil || fmt.Sprint(s.Targets(), s.Data().Weights) != "[1 2 0 2 0 1] [5 6 5 7 6 7]" || s.Name(0) != "main" {
		t.Errorf("%v, %+v, %v, weights %v", err, built, s.Targets(), s.Data().Weights)
	}
}
