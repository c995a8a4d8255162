package main

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
)

// randomCalls is a graph of procedures of eight nodes each that call those behind them.
func randomCalls(t *testing.T, r *rand.Rand, procedures uint32) *graph.CSR {
	t.Helper()
	const size = 8
	in := func(p uint32) uint32 { return p*size + r.Uint32N(size) }
	var arcs arcBlocks
	for p := range procedures {
		for range size {
			arcs.add(in(p), in(p), graph.KindAssign, noSite)
		}
		for k := range r.Uint32N(3) {
			if to := p + 1 + r.Uint32N(3); to < procedures {
				arcs.add(in(p), in(to), graph.KindArgument, p*3+k)
				arcs.add(in(to), in(p), graph.KindReturn, p*3+k)
			}
		}
	}
	arcs.add(in(0), in(procedures-1), graph.KindAlias, noSite)
	g, _, err := graph.FromBlocks(t.Context(), int64(procedures*size), arcs, graph.BuildOptions{Dedup: true})
	if err != nil {
		t.Fatal(err)
	}
	d := g.Data()
	for v := range procedures * size {
		d.Procedures = append(d.Procedures, v/size)
	}
	return must(g.With(d))
}

// TestPartsAnswerAsTheWhole: where only what lies between sources and sinks is asked about, findings and their paths are those of the
// whole graph.
func TestPartsAnswerAsTheWhole(t *testing.T) {
	dev := must(driver.Open("cpu", driver.OpenOptions{}))
	defer dev.Close()
	found, empty := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := randomCalls(t, r, 3+r.Uint32N(12))
		some := func(n int) (list []uint32) {
			for range n {
				list = append(list, r.Uint32N(uint32(g.Nodes())))
			}
			return list
		}
		q := session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: some(2)}, {Label: "b", Nodes: some(1)}, {Label: "c", Nodes: some(3)}},
			Sinks: some(4), Sanitizers: []session.Sanitizer{{Nodes: some(4)}, {Nodes: some(2)}}, Paths: 4 * r.IntN(2)}
		a := &asker{g: g, ctx: t.Context(), dev: dev, search: ifds.Taint, between: newBetween(g)}
		if seed%2 == 0 {
			a.search = session.Taint
		}
		part, whole := must(a.ask(q, session.Options{})), must(a.search(t.Context(), dev, g, q, session.Options{}))
		if len(part.Findings)+len(whole.Findings) > 0 && !reflect.DeepEqual(part.Findings, whole.Findings) {
			t.Errorf("seed %d: %+v, want %+v", seed, part.Findings, whole.Findings)
		}
		if !reflect.DeepEqual(part.Counts, whole.Counts) {
			t.Errorf("seed %d: counts %v, want %v", seed, part.Counts, whole.Counts)
		}
		if found += len(whole.Findings); len(a.between.nodes(q)) == 0 {
			empty++
		}
	}
	if found < 100 || empty < 10 {
		t.Errorf("%d findings and %d questions without any: the programs show nothing", found, empty)
	}
}
