package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// componentsCmd says which nodes hang together.
type componentsCmd struct {
	File             string `arg:"" help:"Graph to ask; - is standard input."`
	Strong           bool   `help:"Strong components: nodes of which each leads to every other one. By default arcs count both ways."`
	Kinds            string `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	Sizes            bool   `help:"Print how many components have how many nodes."`
	Top              int    `placeholder:"N" help:"Print the N greatest components, each by its smallest node."`
	JSON             bool   `help:"Print one JSON document."`
	Out              string `short:"o" placeholder:"FILE" help:"Write the smallest node of the component of each node, a line a node: its id, that node, and its name if it has one."`
	Device           string `default:"auto" completes:"device" help:"Device to run on; see vyre devices."`
	AllowPartitioned bool   `help:"Take a graph that does not fit the device in parts, each of which comes there once."`
	readFlags
}

// Help is the long help of the command.
func (componentsCmd) Help() string {
	return `Example:
  vyre components roads.txt.gz --top 5
  vyre components app.vyg --strong --sizes`
}

// componentsDoc is the JSON form.
type componentsDoc struct {
	Schema  string           `json:"schema"`
	Graph   report.Graph     `json:"graph"`
	Strong  bool             `json:"strong"`
	Kinds   uint32           `json:"kinds"`
	Count   int              `json:"count"`
	Largest int              `json:"largest"`
	Sizes   []sizeEntry      `json:"sizes,omitempty"`
	Top     []componentEntry `json:"top,omitempty"`
	Run     report.Run       `json:"run"`

	shown []componentEntry // what is printed of them without --json: those of --top, or all if they are few
}

// sizeEntry is how many components have so many nodes.
type sizeEntry struct {
	Nodes      int `json:"nodes"`
	Components int `json:"components"`
}

// componentEntry is a component, by its smallest node.
type componentEntry struct {
	Node  uint32 `json:"node"`
	Name  string `json:"name,omitempty"`
	Nodes int    `json:"nodes"`

	members []uint32 // all nodes, if they are few
}

func (c *componentsCmd) Run(t *terminal) error {
	return t.document(c.JSON, componentsSchema, c.run)
}

const componentsSchema = "vyre.components/1"

func (c *componentsCmd) run(t *terminal) error {
	switch {
	case c.Top < 0:
		return usagef("--top %d: there are no fewer than none", c.Top)
	case c.JSON && c.Out == "-":
		return usagef("-o - and --json would both write to standard output; give one of them a file")
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	return c.answer(t, c.File, c.Out, func(g *graph.CSR, file *sink) error {
		doc, labels, err := c.analyse(t, g)
		if err != nil {
			return err
		}
		if file != nil {
			if err := file.write(labelLines(g, labels)); err != nil {
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
			doc.print(t.out, g)
		}
		if g.Nodes() > 0 { // else nobody had anything to do
			_, err = fmt.Fprintln(last, doc.Run.Line())
		}
		return err
	})
}

// analyse asks a session.
func (c *componentsCmd) analyse(t *terminal, g *graph.CSR) (doc componentsDoc, labels []uint32, err error) {
	doc.Schema, doc.Strong = componentsSchema, c.Strong
	if doc.Graph, err = report.Of(t.ctx, g); err != nil {
		return doc, nil, err
	}
	if doc.Kinds, err = kindsMask(g, c.Kinds); err != nil || g.Nodes() == 0 {
		return doc, nil, err
	}
	err = t.session(c.Device, g, session.Options{Label: "components", Queries: 1, Seeds: 1, Parts: c.AllowPartitioned}, func(dev driver.Device, s *session.Session) error {
		began := time.Now()
		ask := s.Components
		if c.Strong {
			ask = s.StrongComponents
		}
		found, err := ask(t.ctx, doc.Kinds)
		if err != nil {
			return err
		}
		doc.Run = runOf(dev, found.Run, began, s.Bytes())
		doc.Count = found.Count()
		_, doc.Largest = found.Largest()
		return c.fill(t, &doc, g, found, &labels)
	})
	return doc, labels, err
}

// fill adds what was asked for, and labels, where the rest needs them.
func (c *componentsCmd) fill(t *terminal, doc *componentsDoc, g *graph.CSR, found *session.Components, labels *[]uint32) (err error) {
	few := found.Count() <= mostLines && !c.Sizes
	if c.Out == "" && c.Top == 0 && !few && !c.Sizes {
		return nil
	}
	if c.Sizes {
		sizes, err := found.Sizes(t.ctx)
		if err != nil {
			return err
		}
		for n, components := range sizes {
			doc.Sizes = append(doc.Sizes, sizeEntry{n, components})
		}
	}
	var all []componentEntry
	if c.Top > 0 || few {
		each, err := found.All(t.ctx)
		if err != nil {
			return err
		}
		for node, n := range each {
			all = append(all, componentEntry{Node: node, Name: g.Name(node), Nodes: n})
		}
	}
	if *labels, err = found.Labels(t.ctx, nil); err != nil {
		return err
	}
	slices.SortStableFunc(all, func(a, b componentEntry) int { return cmp.Compare(b.Nodes, a.Nodes) })
	doc.Top = all[:min(c.Top, len(all))]
	if doc.shown = doc.Top; c.Top == 0 {
		doc.shown = all
	}
	if !c.JSON {
		members(doc.shown, *labels)
	}
	return nil
}

// members finds the nodes of components that have few.
func members(of []componentEntry, labels []uint32) {
	small := map[uint32]*componentEntry{}
	for i := range of {
		if e := &of[i]; 1 < e.Nodes && e.Nodes <= mostLines {
			small[e.Node] = e
		}
	}
	if len(small) == 0 {
		return
	}
	for v, label := range labels {
		if e := small[label]; e != nil {
			e.members = append(e.members, uint32(v))
		}
	}
}

func (d *componentsDoc) print(out io.Writer, g *graph.CSR) {
	what := "weak"
	if d.Strong {
		what = "strong"
	}
	components := "components"
	if d.Count == 1 {
		components = "component"
	}
	fmt.Fprintf(out, "%s %s %s of %s nodes, the largest of %s\n", report.Thousands(int64(d.Count)), what, components, report.Thousands(int64(d.Graph.Nodes)), report.Thousands(int64(d.Largest)))
	if len(d.Sizes) > 0 {
		fmt.Fprintf(out, "%15s %15s\n", "nodes", "components")
	}
	for _, s := range d.Sizes {
		fmt.Fprintf(out, "%15s %15s\n", report.Thousands(int64(s.Nodes)), report.Thousands(int64(s.Components)))
	}
	for _, e := range d.shown {
		noun := "nodes"
		if e.Nodes == 1 {
			noun = "node"
		}
		fmt.Fprintf(out, "%10d %15s %s", e.Node, report.Thousands(int64(e.Nodes)), noun)
		if list := e.list(g); list != "" {
			fmt.Fprintf(out, "  %s", list)
		}
		fmt.Fprintln(out)
	}
}

// list names the nodes of a component that has few, and else the smallest one if it has a name.
func (e *componentEntry) list(g *graph.CSR) string {
	if e.members == nil {
		return printable.Text(e.Name)
	}
	var names []string
	for _, v := range e.members {
		name := printable.Text(g.Name(v))
		if name == "" {
			name = strconv.FormatUint(uint64(v), 10)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// labelLines is what -o writes: the label of each node that has one.
func labelLines(g *graph.CSR, labels []uint32) []byte {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	for v, label := range labels {
		if label == graph.None {
			continue
		}
		fmt.Fprintf(w, "%d\t%d", v, label)
		if name := g.Name(uint32(v)); name != "" {
			fmt.Fprint(w, "\t", printable.Text(name))
		}
		w.WriteByte('\n')
	}
	w.Flush()
	return b.Bytes()
}
