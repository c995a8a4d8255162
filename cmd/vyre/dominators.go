package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
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

// dominatorsCmd asks what every path to a node goes through.
type dominatorsCmd struct {
	File      string   `arg:"" help:"Graph to ask; - is standard input."`
	Root      []string `required:"" sep:"none" placeholder:"NODES" help:"Where paths begin, in the forms of --from of vyre reach; may be repeated."`
	Of        []string `sep:"none" placeholder:"NODES" help:"Print for each of these what every path to it goes through."`
	Kinds     string   `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	Frontiers bool     `help:"Print where what a node dominates ends: the nodes after it that other ways lead to, too."`

	JSON bool `help:"Print one JSON document." xor:"form"`
	CSV  bool `name:"csv" help:"Print all nodes that are reached as CSV, those of --of if there are any." xor:"form"`
	Dot  bool `help:"Print the tree as a graph for Graphviz, of --of the chains." xor:"form"`
	SVG  bool `name:"svg" help:"Print the same as a picture: at most 200 nodes." xor:"form"`

	Out    string `short:"o" placeholder:"FILE" help:"Write the immediate dominator of each node that is reached, a line a node: its id, that node, and its name if it has one."`
	Device string `default:"auto" completes:"device" help:"Device to run on; see vyre devices."`
	readFlags
}

// Help is the long help of the command.
func (dominatorsCmd) Help() string {
	return `With several roots a path may begin at any. A node without a dominator but itself, such as a root to which no other one leads,
is its own immediate dominator; nodes that are not reached have none. A device takes the graph apart into procedures, nodes that hang together, and searches one
beside the other; those of more than 4,096 nodes, and on device cpu all, are searched by one core of the host.

Example:
  vyre dominators app.vyg --root main.main --of os/exec.Command
  vyre dominators app.vyg --root main.main --csv`
}

// dominated is what came out.
type dominated struct {
	g         *graph.CSR
	roots, of []uint32
	kinds     uint32
	*session.Dominators
	depth []uint32 // of each node that is reached, in the forest
	run   report.Run
}

const dominatorsSchema = "vyre.dominators/1"

// dominatorsDoc is the form of --json.
type dominatorsDoc struct {
	Schema string           `json:"schema"`
	Graph  report.Graph     `json:"graph"`
	Roots  []uint32         `json:"roots"`
	Kinds  uint32           `json:"kinds"`
	Count  int              `json:"count"` // nodes that are reached
	Levels int              `json:"levels"`
	Shares *sharesEntry     `json:"procedures,omitempty"` // of a device
	Nodes  []dominatorEntry `json:"nodes"`                // those of --of, else all that are reached
	Run    report.Run       `json:"run"`
}

// sharesEntry is how many procedures were searched in which way.
type sharesEntry struct {
	Alone int `json:"alone"`
	Warp  int `json:"warp"`
	Group int `json:"group"`
	Host  int `json:"host"`
}

// dominatorEntry is a node. It has no dominator but itself if idom is the node, and is not reached if there is none.
type dominatorEntry struct {
	report.Node
	Dominator *uint32       `json:"idom,omitempty"`
	Dominates int           `json:"dominates"` // so many nodes
	Chain     []report.Node `json:"chain,omitempty"`
	Frontier  []uint32      `json:"frontier,omitempty"`
}

func (c *dominatorsCmd) Run(t *terminal) error { return t.document(c.JSON, dominatorsSchema, c.run) }

func (c *dominatorsCmd) run(t *terminal) error {
	if c.Out == "-" && (c.JSON || c.CSV || c.Dot || c.SVG) {
		return usagef("-o - and another form would both write to standard output; give one of them a file")
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	return c.answer(t, c.File, c.Out, func(g *graph.CSR, file *sink) error {
		a, err := c.ask(t, g)
		if err != nil {
			return err
		}
		if file != nil {
			if err := file.write(labelLines(g, a.Immediate())); err != nil {
				return err
			}
		}
		return c.print(t, a)
	})
}

func (c *dominatorsCmd) ask(t *terminal, g *graph.CSR) (*dominated, error) {
	a := &dominated{g: g}
	var err error
	if a.kinds, err = kindsMask(g, c.Kinds); err != nil {
		return nil, err
	}
	names := nodeNames{t: t, g: g}
	if a.roots, err = names.find("--root", c.Root); err != nil {
		return nil, err
	}
	if a.of, err = names.find("--of", c.Of); err != nil {
		return nil, err
	}
	err = t.session(c.Device, g, session.Options{Label: "dominators", Queries: 1, Seeds: 1}, func(dev driver.Device, s *session.Session) (err error) {
		began := time.Now()
		if a.Dominators, err = s.Dominators(t.ctx, a.roots, a.kinds); err == nil {
			a.run = runOf(dev, a.Run, began, s.Bytes())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	a.depth = make([]uint32, g.Nodes())
	for _, v := range a.Order() {
		if u := a.Immediate()[v]; u != v {
			a.depth[v] = a.depth[u] + 1
		}
	}
	return a, nil
}

// levels is how deep the forest is.
func (a *dominated) levels() (n int) {
	for _, v := range a.Order() {
		n = max(n, int(a.depth[v])+1)
	}
	return n
}

// Frontier has no error of its own: what is printed of a graph is printed by a call of its Read, which returns it.
func (a *dominated) Frontier(v uint32) []uint32 {
	list, _ := a.Dominators.Frontier(v)
	return list
}

// listed are the nodes that forms are about.
func (a *dominated) listed() []uint32 {
	if len(a.of) > 0 {
		return a.of
	}
	return a.Order()
}

func (c *dominatorsCmd) print(t *terminal, a *dominated) error {
	out, last := t.out, t.err
	switch {
	case c.Out == "-":
	case c.JSON:
		doc, err := c.doc(t.ctx, a)
		if err != nil {
			return err
		}
		return json.NewEncoder(printable.JSONWriter(out)).Encode(doc)
	case c.CSV:
		c.printCSV(out, a)
	case c.Dot:
		a.drawing().dot(out)
	case c.SVG:
		if err := a.drawing().svg(out); err != nil {
			return err
		}
	default:
		c.printText(out, a)
		last = out
	}
	_, err := fmt.Fprintln(last, a.run.Line())
	return err
}

func (c *dominatorsCmd) doc(ctx context.Context, a *dominated) (dominatorsDoc, error) {
	of, err := report.Of(ctx, a.g)
	if err != nil {
		return dominatorsDoc{}, err
	}
	doc := dominatorsDoc{Schema: dominatorsSchema, Graph: of, Roots: a.roots, Kinds: a.kinds, Count: len(a.Order()), Levels: a.levels(), Nodes: []dominatorEntry{}, Run: a.run}
	if a.Shares != (session.DominatorShares{}) {
		shares := sharesEntry(a.Shares)
		doc.Shares = &shares
	}
	for _, v := range a.listed() {
		e := dominatorEntry{Node: report.NodeOf(a.g, v), Dominates: a.Size(v)}
		if u := a.Immediate()[v]; u != graph.None {
			e.Dominator = &u
		}
		if len(a.of) > 0 {
			for _, u := range a.Chain(v) {
				e.Chain = append(e.Chain, report.NodeOf(a.g, u))
			}
		}
		if c.Frontiers {
			e.Frontier = a.Frontier(v)
		}
		doc.Nodes = append(doc.Nodes, e)
	}
	return doc, nil
}

func (c *dominatorsCmd) printText(out io.Writer, a *dominated) {
	fmt.Fprintf(out, "%s of %s nodes, in %s\n", report.Thousands(int64(len(a.Order()))), report.Thousands(int64(a.g.Nodes())), counted(a.levels(), "level"))
	if s := a.Shares; s != (session.DominatorShares{}) {
		fmt.Fprintf(out, "procedures: %d of one node, %d by a warp each, %d by a workgroup each, %d on the host\n", s.Alone, s.Warp, s.Group, s.Host)
	}
	if len(a.of) == 0 {
		c.printTree(out, a)
		return
	}
	for _, v := range a.of {
		chain := a.Chain(v)
		if chain == nil {
			fmt.Fprintf(out, "\n%s is not reached\n", a.called(v))
			continue
		}
		fmt.Fprintf(out, "\nevery path to %s goes through\n", a.called(v))
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, u := range chain {
			fmt.Fprintf(w, "\t%d%s\n", u, report.Named(a.g, u))
		}
		w.Flush()
		if c.Frontiers {
			fmt.Fprintf(out, "what it dominates ends at %s\n", a.calledAll(a.Frontier(v)))
		}
	}
}

// printTree prints nodes below their dominators, as far as people read.
func (c *dominatorsCmd) printTree(out io.Writer, a *dominated) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for i, v := range a.Order() {
		if i == mostDrawnNodes {
			fmt.Fprintf(w, "…\n")
			return
		}
		ends := ""
		if c.Frontiers {
			if f := a.Frontier(v); len(f) > 0 {
				ends = "\tends at " + a.calledAll(f)
			}
		}
		fmt.Fprintf(w, "%s%d%s%s\n", strings.Repeat("  ", int(a.depth[v])), v, report.Named(a.g, v), ends)
	}
}

func (a *dominated) called(v uint32) string { return (&drawing{g: a.g}).label(v) }

func (a *dominated) calledAll(list []uint32) string {
	if len(list) == 0 {
		return "no node"
	}
	var names []string
	for _, v := range list {
		names = append(names, a.called(v))
	}
	return strings.Join(names, ", ")
}

func (c *dominatorsCmd) printCSV(out io.Writer, a *dominated) {
	w := csv.NewWriter(out)
	defer w.Flush()
	head := []string{"node", "idom", "dominates", "name", "position"}
	if c.Frontiers {
		head = append(head, "frontier")
	}
	w.Write(head)
	text := func(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
	for _, v := range a.listed() {
		idom := ""
		if u := a.Immediate()[v]; u != graph.None {
			idom = text(u)
		}
		row := []string{text(v), idom, strconv.Itoa(a.Size(v)), printable.Text(a.g.Name(v)), printable.Text(a.g.Position(v))}
		if c.Frontiers {
			row = append(row, strings.Trim(fmt.Sprint(a.Frontier(v)), "[]"))
		}
		w.Write(row)
	}
}

// drawing is the forest, or of some nodes what is above them, with levels as columns.
func (a *dominated) drawing() *drawing {
	d := newDrawing(a.g, func(v uint32) int { return int(a.depth[v]) })
	add := func(v uint32) {
		if _, there := d.at[v]; there {
			return
		}
		d.add(v)
		if u := a.Immediate()[v]; u != v {
			d.arcs = append(d.arcs, drawnArc{from: d.at[u], to: d.at[v]})
		}
	}
	if len(a.of) == 0 {
		for _, v := range a.Order() {
			add(v)
		}
	}
	for _, v := range a.of {
		for _, u := range a.Chain(v) {
			add(u)
		}
	}
	return d
}
