package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// pathsCmd asks for shortest paths by weights.
type pathsCmd struct {
	File   string   `arg:"" help:"Graph to ask; - is standard input."`
	From   []string `required:"" sep:"none" placeholder:"NODES" help:"Nodes to begin with: ids or names with commas, name:REGEXP, tag:MASK, at:FILE:LINE, or @FILE with one a line; may be repeated."`
	To     []string `sep:"none" placeholder:"NODES" help:"Print the path to the nearest of these, in the same forms."`
	Kinds  string   `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	Back   bool     `help:"Go along arcs backward: paths to the nodes of --from."`
	Scale  uint32   `placeholder:"K" help:"Multiply weights by K, which must make whole numbers of them: 1000 for weights such as 0.125."`
	JSON   bool     `help:"Print one JSON document."`
	Out    string   `short:"o" placeholder:"FILE" help:"Write a line a node that is reached: its id, its distance, the node before it, or - if there is none, and its name."`
	Device string   `default:"auto" completes:"device" help:"Device to search on; see vyre devices."`
	readFlags
}

// Help is the long help of the command.
func (pathsCmd) Help() string {
	return `The length of a path is the sum of the weights of its arcs.

Example:
  vyre graph gen road:64x64 --weights 1-63 -o roads.vyg
  vyre paths roads.vyg --from 0 --to 77`
}

// pathsDoc is the form of --json. Distances are in the unit of the weights, times the scale.
type pathsDoc struct {
	Schema   string         `json:"schema"`
	Graph    report.Graph   `json:"graph"`
	From     []uint32       `json:"from"`
	Back     bool           `json:"back,omitempty"`
	Kinds    uint32         `json:"kinds"`
	Scale    uint32         `json:"scale,omitempty"`
	Count    int            `json:"count"`
	Farthest uint64         `json:"farthest"`
	Targets  []targetEntry  `json:"targets,omitempty"`
	Path     []weighedEntry `json:"path,omitempty"`
	Run      report.Run     `json:"run"`
}

type targetEntry struct {
	report.Node
	Distance *uint64 `json:"distance"` // null if it is not reached
}

type weighedEntry struct {
	report.Node
	Weight uint64 `json:"weight"` // of the arc that leads there; 0 for the first
	Sum    uint64 `json:"sum"`    // up to there

	how string // names of its kinds
}

func (c *pathsCmd) Run(t *terminal) error {
	return t.document(c.JSON, "vyre.paths/1", c.run)
}

func (c *pathsCmd) run(t *terminal) error {
	if c.JSON && c.Out == "-" {
		return usagef("-o - and --json would both write to standard output; give one of them a file")
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	return c.answerBy(t, c.File, c.Out, func(o *files.Options) { o.Scale = max(c.Scale, 1) }, func(g *graph.CSR, file *sink) error {
		if len(g.Data().Weights) == 0 {
			return fmt.Errorf("%s has no weights, or all are 1; ask vyre reach --path", c.File)
		}
		doc, lines, err := c.search(t, g)
		if err != nil {
			return err
		}
		if file != nil {
			if err := file.write(lines); err != nil {
				return err
			}
		}
		var last io.Writer = t.out
		switch {
		case c.Out == "-":
			last = t.err
		case c.JSON:
			return json.NewEncoder(printable.JSONWriter(t.out)).Encode(doc)
		default:
			doc.print(t.out, g, len(c.To) > 0)
		}
		_, err = fmt.Fprintln(last, doc.Run.Line())
		return err
	})
}

// search asks a session.
func (c *pathsCmd) search(t *terminal, g *graph.CSR) (doc pathsDoc, lines []byte, err error) {
	doc.Schema, doc.Back, doc.Scale = "vyre.paths/1", c.Back, c.Scale
	names := nodeNames{t: t, g: g}
	if doc.From, err = names.find("--from", c.From); err != nil {
		return doc, nil, err
	}
	targets, err := names.find("--to", c.To)
	if err != nil {
		return doc, nil, err
	}
	if doc.Kinds, err = kindsMask(g, c.Kinds); err != nil {
		return doc, nil, err
	}
	if doc.Graph, err = report.Of(t.ctx, g); err != nil {
		return doc, nil, err
	}
	searched := g
	if c.Back {
		if searched, err = g.Reverse(t.ctx); err != nil {
			return doc, nil, err
		}
	}
	err = t.session(c.Device, searched, session.Options{Label: "paths", Queries: 1, Seeds: len(doc.From)}, func(dev driver.Device, s *session.Session) error {
		began := time.Now()
		p, err := s.Paths(t.ctx, session.Query{Seeds: doc.From, Kinds: doc.Kinds})
		if err != nil {
			return err
		}
		doc.Count, doc.Farthest = p.Reached, p.Farthest
		if err := doc.aim(t, g, p, targets); err != nil {
			return err
		}
		if c.Out != "" {
			if lines, err = distanceLines(t, g, p); err != nil {
				return err
			}
		}
		doc.Run = runOf(dev, p.Run, began, s.Bytes())
		doc.Run.Rounds = 0 // engines take different ones
		return nil
	})
	return doc, lines, err
}

// aim adds the distances of targets, and the path to the nearest, the least of several.
func (d *pathsDoc) aim(t *terminal, g *graph.CSR, p *session.Paths, targets []uint32) error {
	nearest, best := uint32(0), uint64(math.MaxUint64)
	for _, v := range targets {
		e := targetEntry{Node: report.NodeOf(g, v)}
		far, err := p.Distance(t.ctx, v)
		if err != nil {
			return err
		}
		if far != math.MaxUint64 {
			e.Distance = &far
			if far < best || far == best && v < nearest {
				nearest, best = v, far
			}
		}
		d.Targets = append(d.Targets, e)
	}
	if best == math.MaxUint64 {
		return nil
	}
	steps, sums, err := p.To(t.ctx, nearest)
	if err != nil {
		return err
	}
	if d.Back { // sums count from the other end, and the mask of an arc goes with the node that it leads to
		steps = turned(steps)
		slices.Reverse(sums)
		for i := range sums {
			sums[i] = best - sums[i]
		}
	}
	for i, s := range steps {
		e := weighedEntry{Node: report.NodeOf(g, s.Node), Sum: sums[i]}
		if i > 0 {
			e.Kinds, e.Weight = g.KindNames(s.Mask), sums[i]-sums[i-1]
			if g.Masks() != nil {
				e.how = strings.Join(printable.All(e.Kinds), ", ")
			}
		}
		d.Path = append(d.Path, e)
	}
	return nil
}

func (d *pathsDoc) print(out io.Writer, g *graph.CSR, aimed bool) {
	fmt.Fprintf(out, "%s of %s nodes, the farthest at distance %s\n", report.Thousands(int64(d.Count)), report.Thousands(int64(d.Graph.Nodes)), grouped(d.Farthest))
	switch {
	case !aimed:
		return
	case len(d.Path) == 0:
		fmt.Fprintln(out, "no path")
		return
	}
	fmt.Fprintf(out, "a shortest path has weight %s and %s:\n", grouped(d.Path[len(d.Path)-1].Sum), arcsText(uint32(len(d.Path)-1)))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\tweight\tsum\tnode\n")
	for _, e := range d.Path {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d%s\n", e.how, e.Weight, e.Sum, e.Node.Node, report.Named(g, e.Node.Node))
	}
	w.Flush()
}

// grouped is a distance with commas between thousands.
func grouped(d uint64) string {
	if d > math.MaxInt64 {
		return fmt.Sprint(d)
	}
	return report.Thousands(int64(d))
}

// distanceLines is what -o writes.
func distanceLines(t *terminal, g *graph.CSR, p *session.Paths) ([]byte, error) {
	distances, err := p.Distances(t.ctx, nil)
	if err != nil {
		return nil, err
	}
	parents, err := p.Parents(t.ctx, nil)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	for v, d := range distances {
		if d == math.MaxUint64 {
			continue
		}
		before := "-"
		if parents[v] != graph.None {
			before = fmt.Sprint(parents[v])
		}
		fmt.Fprintf(w, "%d\t%d\t%s", v, d, before)
		if name := g.Name(uint32(v)); name != "" {
			fmt.Fprint(w, "\t", printable.Text(name))
		}
		w.WriteByte('\n')
	}
	w.Flush()
	return b.Bytes(), nil
}
