package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/producers/calls/names"
)

// graph makes nodes of functions and copies, in the order of their names, and arcs of calls.
func (c *calls) graph(ctx context.Context, p *program, options string) (*graph.CSR, error) {
	type named struct {
		name, at string
		of       *copied
	}
	nodes := make([]named, 0, len(c.byName))
	for name, of := range c.byName {
		nodes = append(nodes, named{name, p.names.Position(of.f), of})
	}
	slices.SortFunc(nodes, func(a, b named) int { return strings.Compare(a.name, b.name) })
	ids := make(map[*copied]uint32, len(nodes))
	names, positions := make([]string, len(nodes)), make([]string, len(nodes))
	for i, n := range nodes {
		ids[n.of], names[i], positions[i] = uint32(i), n.name, n.at
	}
	offsets, targets := make([]uint32, 1, len(nodes)+1), []uint32{}
	for _, n := range nodes {
		from := len(targets)
		for _, list := range n.of.sites {
			for _, to := range list {
				targets = append(targets, ids[to])
			}
		}
		slices.Sort(targets[from:])
		targets = targets[:from+len(slices.Compact(targets[from:]))]
		offsets = append(offsets, uint32(len(targets)))
	}
	masks := make([]uint32, len(targets))
	for i := range masks {
		masks[i] = graph.KindCall
	}
	g, err := graph.New(ctx, offsets, targets, masks)
	if err != nil {
		return nil, err
	}
	why := make(map[string]int)
	for _, u := range c.unseen {
		why[u.why]++
	}
	said, err := json.Marshal(why)
	if err != nil {
		return nil, err
	}
	return g.With(graph.Data{
		Names: graph.NewStrings(names), Positions: graph.NewStrings(positions),
		Attributes: map[string]string{"copies": strconv.Itoa(c.copies), "copies left out": strconv.Itoa(c.left), "unseen": string(said)},
		Provenance: graph.Provenance{Producer: "gossa", Version: runtime.Version(), Options: options},
	})
}

// report says what the graph has, and what it does not see.
func (c *calls) report(w io.Writer, g *graph.CSR, list bool) {
	fmt.Fprintf(w, "%d functions, %d copies of them with %.1f %% more instructions; %d nodes, %d arcs\n", len(c.byName)-c.copies, c.copies, 100*float64(c.ofCopies)/float64(max(c.instructions, 1)), g.Nodes(), g.Arcs())
	if c.left > 0 {
		fmt.Fprintf(w, "%d calls got no copy, because of --levels and --more\n", c.left)
	}
	why, lines := make(map[string]int), []string{}
	for _, u := range c.unseen {
		why[u.why]++
		at := names.Of(u.in)
		if u.at != nil {
			at += " at " + u.in.Prog.Fset.Position(u.at.Pos()).String()
		}
		lines = append(lines, "  "+u.why+": "+at)
	}
	if len(why) > 0 {
		fmt.Fprintf(w, "not seen: ")
		var said []string
		for _, name := range slices.Sorted(maps.Keys(why)) {
			said = append(said, fmt.Sprintf("%d × %s", why[name], name))
		}
		fmt.Fprintln(w, strings.Join(said, "; "))
	}
	if list {
		slices.Sort(lines)
		for _, line := range slices.Compact(lines) {
			fmt.Fprintln(w, printable.Lines(line))
		}
	}
}
