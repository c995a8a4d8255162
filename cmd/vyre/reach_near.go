package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// bounded reports whether the question is about nodes at most so many arcs away.
func (c *reachCmd) bounded() bool { return c.At != "" || c.Arcs != nil }

// arcs is how many they are, if the question is bounded.
func (c *reachCmd) arcs() uint32 {
	if c.Arcs == nil {
		return 2
	}
	return *c.Arcs
}

// bound is the most arcs to print; nil does not limit them.
func (c *reachCmd) bound() *uint32 {
	if !c.bounded() {
		return nil
	}
	n := c.arcs()
	return &n
}

// checkNear refuses what makes no sense for nodes that are near.
func (c *reachCmd) checkNear() error {
	flag := "--arcs"
	if c.At != "" {
		flag = "--at"
	}
	switch {
	case !c.bounded():
		return nil
	case c.At != "" && graph.ParsePosition(c.At).Line == 0:
		return usagef("--at %s: say which line, as in --at main.go:12; --from at:%s takes all nodes of a file", c.At, c.At)
	case c.Path || c.Between || c.Each || c.As == "parents":
		return usagef("%s lists the nodes that are near; ask for paths, parents, nodes between and counts of each with --from, and without --arcs", flag)
	}
	return nil
}

// begin finds the nodes to begin with.
func (c *reachCmd) begin(names *nodeNames) ([]uint32, error) {
	if c.At == "" {
		return names.find("--from", c.From)
	}
	nodes, err := names.placed(c.At)
	if err != nil {
		return nil, usagef("--at %s: %w", c.At, err)
	}
	return nodes, nil
}

// askNear asks for the nodes at most so many arcs away.
func (a *answer) askNear(t *terminal, s *session.Session, q session.Query, arcs uint32) (session.Run, error) {
	near, err := s.Near(t.ctx, q, arcs)
	if err != nil {
		return session.Run{}, err
	}
	a.near, a.levels = near.Nodes, make([]uint32, a.g.Nodes())
	for v := range a.levels {
		a.levels[v] = graph.None
	}
	for _, n := range a.near {
		a.levels[n.Node] = n.Arcs
	}
	return near.Run, nil
}

// printNear prints a node a line, the nearest first.
func (a *answer) printNear(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, n := range a.near {
		kinds := ""
		if a.g.Masks() != nil {
			kinds = "\t" + strings.Join(printable.All(a.g.KindNames(n.Kinds)), ", ")
		}
		fmt.Fprintf(w, "level %d%s\t%d%s\n", n.Arcs, kinds, n.Node, report.Named(a.g, n.Node))
	}
	w.Flush()
}

// arcsText is a number of arcs.
func arcsText(n uint32) string {
	if n == 1 {
		return "1 arc"
	}
	return report.Thousands(int64(n)) + " arcs"
}
