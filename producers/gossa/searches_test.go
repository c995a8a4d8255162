package main

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
)

// TestSearchesAreRemembered while the part of the graph that matters is the same, whatever its numbers are. A broken file is made again.
func TestSearchesAreRemembered(t *testing.T) {
	t.Setenv("GOSSACACHE", t.TempDir())
	dev := must(driver.Open("cpu", driver.OpenOptions{}))
	defer dev.Close()
	searches := 0
	// The procedures are a caller, what it calls twice, and, before them, others that nothing leads to.
	ask := func(others, site uint32, kind uint32, self string) *session.Tainted {
		t.Helper()
		var arcs arcBlocks
		v := 2 * others
		for p := range others {
			arcs.add(2*p, 2*p+1, graph.KindAssign, noSite)
		}
		arcs.add(v, v+3, graph.KindArgument, site)
		arcs.add(v+3, v+4, graph.KindAssign, noSite)
		arcs.add(v+4, v+1, kind, site)
		arcs.add(v+4, v+2, graph.KindReturn, site+1)
		g, _, err := graph.FromBlocks(t.Context(), int64(v+5), arcs, graph.BuildOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d := g.Data()
		for p := range others {
			d.Procedures = append(d.Procedures, p, p)
		}
		d.Procedures = append(d.Procedures, others, others, others, others+1, others+1)
		g = must(g.With(d))
		a := &asker{g: g, ctx: t.Context(), dev: dev, between: newBetween(g), self: self, quick: -1}
		a.search = func(ctx context.Context, dev driver.Device, g *graph.CSR, q session.TaintQuery, o session.Options) (*session.Tainted, error) {
			searches++
			return ifds.Taint(ctx, dev, g, q, o)
		}
		found := must(a.ask(session.TaintQuery{Sources: []session.Source{{Label: "a", Nodes: []uint32{v}}}, Sinks: []uint32{v + 1, v + 2}, Paths: 2}, session.Options{}))
		for i := range found.Findings {
			for k := range found.Findings[i].Path {
				found.Findings[i].Path[k].Node -= v
			}
			found.Findings[i].Sink -= v
		}
		return found
	}
	cold := ask(0, 1, graph.KindReturn, "x")
	if len(cold.Findings) != 1 || len(cold.Findings[0].Path) != 4 || searches != 1 {
		t.Fatalf("%+v after %d searches", cold, searches)
	}
	same := func(want int, got *session.Tainted) {
		t.Helper()
		if searches != want || !reflect.DeepEqual(got.Findings, cold.Findings) || !reflect.DeepEqual(got.Counts, cold.Counts) {
			t.Errorf("%+v after %d searches, want %d", got, searches, want)
		}
	}
	same(1, ask(0, 1, graph.KindReturn, "x"))
	same(1, ask(3, 7, graph.KindReturn, "x"))
	same(2, ask(0, 1, graph.KindReturn, "y"))
	ask(0, 1, graph.KindReturn|graph.KindAlias, "x")
	if searches != 3 {
		t.Error("an arc of another kind is not searched")
	}
	ask(0, 1, graph.KindReturn, "")
	if searches != 4 {
		t.Error("something is kept of what is not known")
	}
	for _, file := range must(filepath.Glob(filepath.Join(os.Getenv("GOSSACACHE"), "searches", "*"))) {
		if err := os.WriteFile(file, []byte(digest([]byte("[]"))+"\n[1]"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	same(5, ask(0, 1, graph.KindReturn, "x"))
	same(5, ask(0, 1, graph.KindReturn, "x"))
}
