package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// What a picture of ours may have; Graphviz draws what is larger.
const (
	mostDrawnNodes = 200
	mostDrawnArcs  = 400
)

// drawing is a part of a graph.
type drawing struct {
	g      *graph.CSR
	nodes  []uint32
	at     map[uint32]int // of a node, in nodes
	arcs   []drawnArc
	column func(v uint32) int // of a node
	down   bool               // columns become rows
}

func newDrawing(g *graph.CSR, column func(v uint32) int) *drawing {
	return &drawing{g: g, at: map[uint32]int{}, column: column}
}

func (d *drawing) add(v uint32) {
	d.at[v] = len(d.nodes)
	d.nodes = append(d.nodes, v)
}

// drawnArc is an arc between two of nodes.
type drawnArc struct {
	from, to int
	mask     uint32
}

// drawing is the path, or all that is reached with the arcs between.
func (c *reachCmd) drawing(a *answer) (*drawing, error) {
	d := newDrawing(a.g, func(v uint32) int {
		if a.levels == nil || a.levels[v] == graph.None {
			return 0
		}
		return int(a.levels[v])
	})
	if count := a.count; c.SVG && !c.Path && count > mostDrawnNodes {
		return nil, tooMuch(fmt.Sprintf("%s nodes", report.Thousands(int64(count))))
	}
	c.shown(a, func(v, mask uint32) {
		if c.Path && len(d.nodes) > 0 {
			d.arcs = append(d.arcs, drawnArc{len(d.nodes) - 1, len(d.nodes), mask})
		}
		d.add(v)
	})
	if !c.Path {
		a.between(d)
	}
	return d, nil
}

func tooMuch(what string) error {
	return fmt.Errorf("--svg: %s are too many for a picture, which has at most %d and %d; --dot writes a graph that Graphviz draws", what, mostDrawnNodes, mostDrawnArcs)
}

// between finds the arcs that the search could go along.
func (a *answer) between(d *drawing) {
	out := map[uint32]bool{}
	for _, v := range a.excluded {
		out[v] = true
	}
	for i, u := range d.nodes {
		targets, masks := a.g.Row(u)
		for k, v := range targets {
			mask := uint32(1)
			if masks != nil {
				mask = masks[k]
			}
			if j, there := d.at[v]; there && mask&a.kinds != 0 && !out[u] && !out[v] {
				d.arcs = append(d.arcs, drawnArc{i, j, mask})
			}
		}
	}
}

// label is what a node is called, for people.
func (d *drawing) label(v uint32) string {
	if name := d.g.Name(v); name != "" {
		return printable.Text(name)
	}
	return strconv.FormatUint(uint64(v), 10)
}

// kinds are the names of an arc's kinds, nothing in a graph of one kind.
func (d *drawing) kinds(mask uint32) string {
	if d.g.Masks() == nil {
		return ""
	}
	return strings.Join(printable.All(d.g.KindNames(mask)), ", ")
}

// dot writes the form of Graphviz.
func (d *drawing) dot(out io.Writer) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	quoted := func(s string) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	fmt.Fprintln(w, "digraph {\n\trankdir=LR;\n\tnode [shape=box];")
	for _, v := range d.nodes {
		fmt.Fprintf(w, "\t%d [label=%s];\n", v, quoted(d.label(v)))
	}
	for _, a := range d.arcs {
		fmt.Fprintf(w, "\t%d -> %d", d.nodes[a.from], d.nodes[a.to])
		if k := d.kinds(a.mask); k != "" {
			fmt.Fprintf(w, " [label=%s]", quoted(k))
		}
		fmt.Fprintln(w, ";")
	}
	fmt.Fprintln(w, "}")
}

// Sizes of a picture, in pixels.
const (
	columnGap, rowGap = 60, 14
	downGap           = 24
	boxHigh           = 26
	perLetter         = 7
	widestLabel       = 60 // letters
)

// svg draws nodes as boxes in columns, and arcs as curves.
func (d *drawing) svg(out io.Writer) error {
	if len(d.nodes) > mostDrawnNodes || len(d.arcs) > mostDrawnArcs {
		return tooMuch(fmt.Sprintf("%s nodes and %s arcs", report.Thousands(int64(len(d.nodes))), report.Thousands(int64(len(d.arcs)))))
	}
	columns := [][]int{}
	for i, v := range d.nodes {
		level := d.column(v)
		for len(columns) <= level {
			columns = append(columns, nil)
		}
		columns[level] = append(columns[level], i)
	}
	type box struct{ x, y, wide int }
	boxes := make([]box, len(d.nodes))
	x, y, wide, high := 10, 10, 0, 0 // where the next column begins, and how far all go
	for _, column := range columns {
		right := 0
		for _, i := range column {
			n := perLetter*min(len([]rune(d.label(d.nodes[i]))), widestLabel) + 20
			boxes[i] = box{x, y, n}
			right = max(right, x+n)
			if d.down {
				x += n + rowGap
			} else {
				y += boxHigh + rowGap
			}
		}
		wide, high = max(wide, right), max(high, y)
		switch {
		case d.down:
			x, y, high = 10, y+boxHigh+downGap, y+boxHigh+rowGap
		case len(column) > 0:
			x, y = right+columnGap, 10
		}
	}
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="12">`+"\n", max(wide+10, 20), high+10)
	fmt.Fprintln(w, `<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#555"/></marker></defs>`)
	fmt.Fprintln(w, `<rect width="100%" height="100%" fill="white"/>`)
	for _, a := range d.arcs {
		from, to := boxes[a.from], boxes[a.to]
		x1, y1, x2, y2 := from.x+from.wide, from.y+boxHigh/2, to.x, to.y+boxHigh/2
		bend := [2]int{columnGap / 2, 0}
		if d.down {
			x1, y1, x2, y2, bend = from.x+boxHigh, from.y+boxHigh, to.x+boxHigh, to.y, [2]int{0, downGap / 2}
		}
		fmt.Fprintf(w, `<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="#555" marker-end="url(#tip)">`, x1, y1, x1+bend[0], y1+bend[1], x2-bend[0], y2-bend[1], x2, y2)
		fmt.Fprintf(w, "<title>%s</title></path>\n", html.EscapeString(strings.TrimSpace(d.label(d.nodes[a.from])+" → "+d.label(d.nodes[a.to])+" "+d.kinds(a.mask))))
	}
	for i, v := range d.nodes {
		b, text := boxes[i], []rune(d.label(v))
		if len(text) > widestLabel {
			text = append([]rune("…"), text[len(text)-widestLabel+1:]...)
		}
		fmt.Fprintf(w, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#eef3fb" stroke="#456"/>`,
			html.EscapeString(strings.TrimSpace(d.label(v)+" "+printable.Text(d.g.Position(v)))), b.x, b.y, b.wide, boxHigh)
		fmt.Fprintf(w, `<text x="%d" y="%d">%s</text></g>`+"\n", b.x+10, b.y+17, html.EscapeString(string(text)))
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}
