package main

import (
	"slices"
	"testing"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
)

// pair is a source and a sink to which its values come. Findings are made of the nearest sources; tests look at all of
// them.
type pair struct {
	class  string
	source session.Source
	sink   uint32
}

// flowing are the pairs of a graph: it asks for each class of sinks about each source alone.
func (e *emitted) flowing(t *testing.T, g *graph.CSR, contexts string, only []string) (list []pair) {
	t.Helper()
	dev := must(driver.Open("cpu", driver.OpenOptions{}))
	defer dev.Close()
	search := session.Taint
	if contexts == "exact" {
		search = ifds.Taint
	}
	q, several := e.question(g), e.programs()
	type names struct{ class, source, sink string }
	seen := make(map[names]bool) // copies of a function have the same ones
	for _, class := range q.classes {
		sources := q.sourcesFor(class)
		if len(sources) == 0 || len(only) > 0 && !slices.Contains(only, class) {
			continue
		}
		asked := func(q session.TaintQuery) (*session.Tainted, error) {
			return search(t.Context(), dev, g, q, session.Options{Label: class})
		}
		query := session.TaintQuery{Sources: sources, Sinks: q.sinks[class], Sanitizers: e.sanitizers(class), Paths: 1000}
		found := must(asked(query)).Findings
		if several != nil {
			found = must(e.ofOne(t.Context(), several, query, found, asked))
		}
		for _, f := range found {
			source := sources[f.Label]
			if is := (names{class, source.Label, label(g, f.Sink)}); !seen[is] {
				seen[is] = true
				list = append(list, pair{class, source, f.Sink})
			}
		}
	}
	return list
}
