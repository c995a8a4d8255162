package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// reachDoc is the form of --json.
type reachDoc struct {
	Schema  string        `json:"schema"`
	Graph   report.Graph  `json:"graph"`
	Query   queryEntry    `json:"query"`
	Count   int           `json:"count"`
	Rounds  int           `json:"rounds,omitempty"`
	Levels  []int         `json:"levels,omitempty"` // nodes of each
	Targets []report.Node `json:"targets,omitempty"`
	Path    []report.Node `json:"path,omitempty"`
	Near    []report.Node `json:"near,omitempty"`
	Each    []eachEntry   `json:"each,omitempty"`
	Run     report.Run    `json:"run"`
}

type queryEntry struct {
	From    []uint32 `json:"from"`
	To      []uint32 `json:"to,omitempty"`
	Exclude []uint32 `json:"exclude,omitempty"`
	Back    bool     `json:"back,omitempty"`
	Between bool     `json:"between,omitempty"`
	Arcs    *uint32  `json:"arcs,omitempty"` // away at most
	Kinds   uint32   `json:"kinds"`
}

type eachEntry struct {
	report.Node
	Count int `json:"count"`
}

func (a *answer) node(v uint32) report.Node {
	e := report.NodeOf(a.g, v)
	if a.levels != nil && a.levels[v] != graph.None {
		e.Level = &a.levels[v]
	}
	return e
}

// histogram counts the nodes of each level.
func (a *answer) histogram() []int {
	counts := make([]int, a.run.Rounds)
	for _, l := range a.levels {
		if l != graph.None {
			counts[l]++
		}
	}
	return counts
}

func (c *reachCmd) doc(ctx context.Context, a *answer) (reachDoc, error) {
	of, err := report.Of(ctx, a.g)
	if err != nil {
		return reachDoc{}, err
	}
	doc := reachDoc{Schema: "vyre.reach/1", Graph: of,
		Query: queryEntry{a.seeds, a.targets, a.excluded, c.Back, c.Between, c.bound(), a.kinds}, Count: a.count, Rounds: a.run.Rounds, Run: a.run}
	if c.Levels {
		doc.Levels = a.histogram()
	}
	for _, v := range a.targets {
		doc.Targets = append(doc.Targets, a.node(v))
	}
	for i, step := range a.path {
		e := a.node(step.Node)
		if i > 0 {
			e.Kinds = a.g.KindNames(step.Mask)
		}
		doc.Path = append(doc.Path, e)
	}
	for _, n := range a.near {
		e := a.node(n.Node)
		if n.Arcs > 0 {
			e.Kinds = a.g.KindNames(n.Kinds)
		}
		doc.Near = append(doc.Near, e)
	}
	for i, n := range a.each {
		doc.Each = append(doc.Each, eachEntry{a.node(a.from[i]), n})
	}
	return doc, nil
}

// print prints what was asked for, and how it was found.
func (c *reachCmd) print(t *terminal, a *answer) error {
	out, last := t.out, t.err
	switch {
	case c.Out == "-" && (c.JSON || c.CSV || c.Dot || c.SVG):
		return usagef("-o - and another form would both write to standard output; give one of them a file")
	case c.Out == "-":
	case c.JSON:
		doc, err := c.doc(t.ctx, a)
		if err != nil {
			return err
		}
		return json.NewEncoder(printable.JSONWriter(out)).Encode(doc)
	case c.CSV:
		c.printCSV(out, a)
	case c.Dot, c.SVG:
		d, err := c.drawing(a)
		if err != nil {
			return err
		}
		if c.Dot {
			d.dot(out)
		} else if err := d.svg(out); err != nil {
			return err
		}
	case c.Count:
		fmt.Fprintln(out, a.count)
	default:
		c.printText(out, a)
		last = out
	}
	_, err := fmt.Fprintln(last, a.run.Line())
	return err
}

// runOf is how an analysis went.
func runOf(dev driver.Device, r session.Run, began time.Time, bytes uint64) report.Run {
	e := report.Run{Device: dev.Name(), Topology: r.Topology.String(), Rounds: int(r.Record.Rounds), DeviceNS: r.Result.Device.Nanoseconds(), WallNS: time.Since(began).Nanoseconds(), Bytes: bytes, Parts: r.Parts, Streamed: r.Streamed}
	if r.Engine == session.NativeEngine {
		e.Topology = r.Engine.String()
	}
	return e
}

func (c *reachCmd) printText(out io.Writer, a *answer) {
	switch {
	case a.each != nil:
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for i, n := range a.each {
			fmt.Fprintf(w, "%d\t%s nodes%s\n", a.from[i], report.Thousands(int64(n)), report.Named(a.g, a.from[i]))
		}
		w.Flush()
		return
	case a.near != nil:
		fmt.Fprintf(out, "%s of %s nodes are at most %s away\n", report.Thousands(int64(a.count)), report.Thousands(int64(a.g.Nodes())), arcsText(c.arcs()))
	default:
		fmt.Fprintf(out, "%s of %s nodes\n", report.Thousands(int64(a.count)), report.Thousands(int64(a.g.Nodes())))
	}
	if c.Levels {
		printLevels(out, a.histogram())
	}
	switch {
	case c.Path:
		a.printPath(out)
		return
	case a.near != nil && len(a.targets) == 0:
		a.printNear(out)
		return
	case c.lists(a):
		a.printReached(out)
		return
	case c.Between:
		return
	}
	reached := 0
	for _, v := range a.targets {
		if a.levels != nil && a.levels[v] != graph.None {
			reached++
		}
	}
	if len(a.targets) > 0 {
		fmt.Fprintf(out, "%s of %s nodes of --to\n", report.Thousands(int64(reached)), report.Thousands(int64(len(a.targets))))
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, v := range a.targets {
		if a.levels != nil && a.levels[v] != graph.None {
			fmt.Fprintf(w, "%d\tlevel %d%s\n", v, a.levels[v], report.Named(a.g, v))
		}
		if i == mostLines {
			break
		}
	}
	w.Flush()
}

// mostLines is how many lines a list has that nobody asked for.
const mostLines = 20

// lists reports whether the nodes themselves are printed: all that are reached, if they are few and nothing else about
// them is asked.
func (c *reachCmd) lists(a *answer) bool {
	plain := !c.JSON && !c.CSV && !c.Dot && !c.SVG && !c.Count && !c.Path && !c.Each && c.Out != "-"
	return plain && (len(a.targets) == 0 || c.Between) && a.count <= mostLines
}

// printReached prints a node a line.
func (a *answer) printReached(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for k, word := range a.words {
		for ; word != 0; word &= word - 1 {
			v := uint32(64*k + bits.TrailingZeros64(word))
			level := ""
			if a.levels != nil {
				level = fmt.Sprintf("\tlevel %d", a.levels[v])
			}
			fmt.Fprintf(w, "%d%s%s\n", v, level, report.Named(a.g, v))
		}
	}
	w.Flush()
}

func printLevels(out io.Writer, counts []int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "level\tnodes\t\n")
	for l, n := range counts {
		if l == mostLines && len(counts) > 2*mostLines {
			fmt.Fprint(w, "…\t…\t\n")
		}
		if l < mostLines || l >= len(counts)-mostLines {
			fmt.Fprintf(w, "%s\t%s\t\n", report.Thousands(int64(l)), report.Thousands(int64(n)))
		}
	}
	w.Flush()
}

// printPath prints a step a line: how it is reached, id, name, where it stands.
func (a *answer) printPath(out io.Writer) {
	if len(a.path) == 0 {
		fmt.Fprintln(out, "no path")
		return
	}
	fmt.Fprintf(out, "a shortest path has %s arcs:\n", report.Thousands(int64(len(a.path)-1)))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, s := range a.path {
		how := ""
		if i > 0 && a.g.Masks() != nil {
			how = strings.Join(printable.All(a.g.KindNames(s.Mask)), ", ")
		}
		fmt.Fprintf(w, "\t%s\t%d%s\n", how, s.Node, report.Named(a.g, s.Node))
	}
	w.Flush()
}

// shown are the nodes that --csv and pictures are about: the path, or all that is reached.
func (c *reachCmd) shown(a *answer, each func(v, mask uint32)) {
	if c.Path {
		for _, s := range a.path {
			each(s.Node, s.Mask)
		}
		return
	}
	if a.near != nil {
		for _, n := range a.near {
			each(n.Node, n.Kinds)
		}
		return
	}
	for k, w := range a.words {
		for ; w != 0; w &= w - 1 {
			each(uint32(64*k+bits.TrailingZeros64(w)), 0)
		}
	}
}

func (c *reachCmd) printCSV(out io.Writer, a *answer) {
	w := csv.NewWriter(out)
	w.Write([]string{"node", "level", "name", "position", "kinds"})
	c.shown(a, func(v, mask uint32) {
		level := ""
		if a.levels != nil && a.levels[v] != graph.None {
			level = strconv.FormatUint(uint64(a.levels[v]), 10)
		}
		w.Write([]string{strconv.FormatUint(uint64(v), 10), level, printable.Text(a.g.Name(v)), printable.Text(a.g.Position(v)), strings.Join(printable.All(a.g.KindNames(mask)), " ")})
	})
	w.Flush()
}

// listLine writes a node of a list that @FILE reads: its id, and in a graph with names a tab, so that it is no name, and the name.
func listLine(w io.Writer, g *graph.CSR, v uint32) {
	fmt.Fprint(w, v)
	if g.Data().Names.Len() > 0 {
		fmt.Fprint(w, "\t", printable.Text(g.Name(v)))
	}
	fmt.Fprintln(w)
}

// content is what -o writes.
func (c *reachCmd) content(a *answer) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	switch c.As {
	case "bitset":
		binary.Write(w, binary.LittleEndian, a.words)
	case "levels":
		binary.Write(w, binary.LittleEndian, a.levels)
	case "parents":
		binary.Write(w, binary.LittleEndian, a.parents)
	default:
		all := reachCmd{}
		all.shown(a, func(v, _ uint32) {
			listLine(w, a.g, v)
		})
	}
	w.Flush()
	return b.Bytes()
}
