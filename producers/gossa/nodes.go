package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
)

const noSite = graph.NoSite

// Tags of nodes, in the files of graphs.
const (
	tagSource = 1 << iota
	tagSink
	tagSanitizer
)

// graph makes the graph of values.
func (e *emitted) graph(ctx context.Context, w where, options string) (*graph.CSR, error) {
	g, _, err := graph.FromBlocks(ctx, int64(len(e.nodes)), e.arcs, graph.BuildOptions{Dedup: true})
	if err != nil {
		return nil, err
	}
	e.arcs = nil
	d := g.Data()
	d.Procedures = make([]uint32, len(e.nodes))
	for v, n := range e.nodes {
		d.Procedures[v] = uint32(n.proc)
	}
	d.Names, d.Positions = e.describe(w)
	if len(e.places) > 0 {
		d.Tags = make([]uint32, len(e.nodes))
		for _, p := range e.places {
			d.Tags[e.id(p.object, itself)] |= map[ruleKind]uint32{sourceRule: tagSource, bindRule: tagSource, sinkRule: tagSink, sanitizerRule: tagSanitizer}[p.rule.kind]
		}
	}
	d.KindNames[16], d.KindNames[17], d.KindNames[18], d.KindNames[19] = "channel", "closure", "copy", "model"
	unseen, err := json.Marshal(e.notSeen())
	if err != nil {
		return nil, err
	}
	d.Attributes = map[string]string{"graph": "dataflow", "procedures": strconv.Itoa(len(e.procs)), "calls": strconv.Itoa(len(e.sites)), "copies": strconv.Itoa(e.calls.copies),
		"copies left out": strconv.Itoa(e.calls.left), "parts put together": strconv.Itoa(e.heap.lumped), "unseen": string(unseen)}
	if d.Attributes["fields"] = "value"; e.heap.flat {
		d.Attributes["fields"] = "type"
	}
	d.Provenance = graph.Provenance{Producer: "gossa", Version: runtime.Version(), Options: options}
	return g.With(d)
}

// notSeen counts what the graph does not see.
func (f *flow) notSeen() map[string]int {
	why := maps.Clone(f.unseen)
	for _, u := range f.calls.unseen {
		if f.rules == nil || !f.rules.opaque(f.p, u.in) {
			why[u.why]++
		}
	}
	return why
}

// report says what a graph of values has.
func (e *emitted) report(g *graph.CSR) (lines []string) {
	copies := 0
	for _, q := range e.procs[1:] {
		if e.calls.originals[q.of.f] != q.of {
			copies++
		}
	}
	lines = append(lines, fmt.Sprintf("%d procedures, %d copies among them, %d calls; %d nodes, %d arcs", len(e.procs)-1, copies, len(e.sites), g.Nodes(), g.Arcs()))
	if e.instead {
		lines = append(lines, "it is too large to tell fields of different values apart: they are one for all of their type, and what is passed whole to a function that is not followed is passed without them")
	}
	if e.heap.lumped > 0 {
		lines = append(lines, fmt.Sprintf("%d parts of values were taken for the whole, since their procedures have too many", e.heap.lumped))
	}
	why := e.notSeen()
	var said []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		said = append(said, fmt.Sprintf("%d × %s", why[name], name))
	}
	if len(said) > 0 {
		lines = append(lines, "not seen: "+strings.Join(said, "; "))
	}
	return lines
}
