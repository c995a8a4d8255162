package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// graphInfoCmd says what a graph is like.
type graphInfoCmd struct {
	File    string `arg:"" help:"File to read; - is standard input."`
	Degrees bool   `help:"Print how many nodes have how many arcs."`
	Parts   bool   `name:"components" help:"Count weak components, on the device."`
	Verify  bool   `help:"Say that all of a .vyg file was looked at: checksums, rows, digest."`
	JSON    bool   `help:"Print one JSON document."`
	Device  string `default:"auto" completes:"device" help:"Device for --components; see vyre devices."`
	weightFlags
	readFlags
}

// Help is the long help of the command.
func (graphInfoCmd) Help() string {
	return `Example:
  vyre graph info roads.vyg --degrees`
}

// graphDoc is the form of --json.
type graphDoc struct {
	Schema     string            `json:"schema"`
	File       string            `json:"file"`
	Format     files.Format      `json:"format"`
	Digest     string            `json:"digest"`
	Nodes      int               `json:"n"`
	Arcs       int               `json:"m"`
	Bytes      int64             `json:"bytes"`
	Symmetric  bool              `json:"symmetric"`
	Simple     bool              `json:"simple"`
	NoSelf     bool              `json:"no_self"`
	Kinds      []kindEntry       `json:"kinds"`
	Has        []string          `json:"has"`
	MaxDegree  int               `json:"max_degree"`
	Sinks      int               `json:"sinks"`
	Degrees    []degreeEntry     `json:"degrees,omitempty"`
	Parts      *partsEntry       `json:"components,omitempty"`
	Depth      depthEntry        `json:"depth"`
	Device     map[string]uint64 `json:"device_bytes"`
	Provenance graph.Provenance  `json:"provenance"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Verified   bool              `json:"verified"`
}

type kindEntry struct {
	Name string `json:"name"`
	Bit  int    `json:"bit"`
	Arcs int    `json:"arcs"`
}

// degreeEntry counts nodes with from to to arcs.
type degreeEntry struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Nodes int `json:"nodes"`
}

// partsEntry is how nodes hang together.
type partsEntry struct {
	Count   int `json:"count"`
	Largest int `json:"largest"` // nodes
}

// depthEntry is a search from the node with most arcs.
type depthEntry struct {
	Source  uint32 `json:"source"`
	Levels  int    `json:"levels"`
	Reached int    `json:"reached"`
}

func (c *graphInfoCmd) Run(t *terminal) error {
	return t.document(c.JSON, "vyre.graph-info/1", c.info)
}

func (c *graphInfoCmd) info(t *terminal) error {
	if err := checkDevice(c.Device); err != nil {
		return err
	}
	o, stop, err := c.options(t)
	if err != nil {
		return err
	}
	o.NoWeights = c.NoWeights
	g, became, err := t.loadGraph(c.File, o)
	stop()
	if err != nil {
		return err
	}
	t.laps.done("reading")
	err = g.Read(func() error { return c.look(t, g, became) })
	if err == nil {
		t.laps.done("looking at it")
		t.laps.print(t.err)
	}
	return errors.Join(err, g.Close())
}

// look prints what describe finds.
func (c *graphInfoCmd) look(t *terminal, g *graph.CSR, became files.Report) error {
	stop := t.spin("looking at " + c.File)
	doc, err := c.describe(t, g, became)
	stop()
	if err == nil && c.Parts {
		err = c.components(t, g, &doc)
	}
	switch {
	case err != nil:
		return err
	case c.JSON:
		return json.NewEncoder(printable.JSONWriter(t.out)).Encode(doc)
	}
	doc.print(t.out)
	return nil
}

// describe looks at all of a graph.
func (c *graphInfoCmd) describe(t *terminal, g *graph.CSR, became files.Report) (graphDoc, error) {
	// Everything here looks at arcs, which have to be right for that. --verify says that this was the question.
	shape, err := g.Shape(t.ctx)
	if err != nil {
		return graphDoc{}, err
	}
	digest, err := g.Digest(t.ctx)
	if err != nil {
		return graphDoc{}, err
	}
	needs, err := deviceBytes(t.ctx, g)
	if err != nil {
		return graphDoc{}, err
	}
	d := g.Data()
	doc := graphDoc{Schema: "vyre.graph-info/1", File: c.File, Format: became.Format, Digest: fmt.Sprintf("%x", digest), Nodes: g.Nodes(), Arcs: g.Arcs(),
		Bytes: g.Bytes(), Symmetric: shape.Symmetric, Simple: shape.Simple, NoSelf: shape.NoSelf, Kinds: kindsOf(g), Has: []string{},
		Provenance: d.Provenance, Attributes: d.Attributes, Verified: c.Verify, Device: needs}
	for _, h := range []struct {
		there bool
		what  string
	}{{d.Weights != nil, "weights"}, {d.Names.Len() > 0, "names"}, {d.Positions.Len() > 0, "positions"}, {d.NodeKinds != nil, "node kinds"}, {d.Tags != nil, "tags"}, {d.Procedures != nil, "procedures"}, {d.Sites != nil, "call sites"}} {
		if h.there {
			doc.Has = append(doc.Has, h.what)
		}
	}
	return doc, c.degrees(t.ctx, g, &doc)
}

// degrees counts arcs of nodes, and searches from the node that has most.
func (c *graphInfoCmd) degrees(ctx context.Context, g *graph.CSR, doc *graphDoc) error {
	var counts [34]int // by the length of the degree in bits
	for u := range g.Nodes() {
		degree := g.First(uint32(u)+1) - g.First(uint32(u))
		counts[bits.Len(uint(degree))]++
		if degree > doc.MaxDegree {
			doc.MaxDegree, doc.Depth.Source = degree, uint32(u)
		}
	}
	doc.Sinks = counts[0]
	for k, n := range counts {
		if n > 0 && c.Degrees {
			doc.Degrees = append(doc.Degrees, degreeEntry{1 << k >> 1, max(1<<k-1, 0), n})
		}
	}
	if g.Nodes() == 0 {
		return nil
	}
	levels, err := graph.Levels(ctx, g, []uint32{doc.Depth.Source}, graph.AllKinds)
	if err != nil {
		return err
	}
	for _, l := range levels {
		if l != graph.None {
			doc.Depth.Reached++
			doc.Depth.Levels = max(doc.Depth.Levels, int(l)+1)
		}
	}
	return nil
}

// components counts weak components.
func (c *graphInfoCmd) components(t *terminal, g *graph.CSR, doc *graphDoc) error {
	doc.Parts = &partsEntry{}
	if g.Nodes() == 0 {
		return nil
	}
	return t.session(c.Device, g, session.Options{Label: "components", Queries: 1, Seeds: 1}, func(_ driver.Device, s *session.Session) error {
		found, err := s.Components(t.ctx, graph.AllKinds)
		if err == nil {
			_, most := found.Largest()
			*doc.Parts = partsEntry{found.Count(), most}
		}
		return err
	})
}

// kindsOf counts the arcs of each kind.
func kindsOf(g *graph.CSR) []kindEntry {
	list := []kindEntry{}
	var counts [32]int
	for _, m := range g.Masks() {
		for ; m != 0; m &= m - 1 {
			counts[bits.TrailingZeros32(m)]++
		}
	}
	for bit, n := range counts {
		if n > 0 {
			list = append(list, kindEntry{g.KindName(bit), bit, n})
		}
	}
	return list
}

// deviceBytes is what sessions of a graph take on a device.
func deviceBytes(ctx context.Context, g *graph.CSR) (map[string]uint64, error) {
	one := session.Options{Queries: 1, Seeds: 1}
	levels, lanes := one, one
	levels.Levels, lanes.Queries = true, 64
	needs := make(map[string]uint64)
	for name, o := range map[string]session.Options{"reach": one, "levels": levels, "64 queries": lanes} {
		n, err := session.DeviceBytes(ctx, g, o)
		if err != nil {
			return nil, err
		}
		needs[name] = n
	}
	return needs, nil
}

// print is the form for people.
func (d *graphDoc) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("file", "%s (%s)", printable.Text(d.File), d.Format)
	row("nodes", "%s", report.Thousands(int64(d.Nodes)))
	row("arcs", "%s", report.Thousands(int64(d.Arcs)))
	row("degree", "at most %s; %s nodes have no arc", report.Thousands(int64(d.MaxDegree)), report.Thousands(int64(d.Sinks)))
	var shape []string
	for _, s := range []struct {
		holds   bool
		yes, no string
	}{{d.Symmetric, "symmetric", "directed"}, {d.Simple, "no arc twice", "some arcs twice"}, {d.NoSelf, "no loops", "loops"}} {
		if s.holds {
			shape = append(shape, s.yes)
		} else {
			shape = append(shape, s.no)
		}
	}
	row("shape", "%s", strings.Join(shape, ", "))
	if len(d.Kinds) == 0 {
		row("kinds", "one")
	}
	for i, k := range d.Kinds {
		row(map[bool]string{true: "kinds"}[i == 0], "%s (bit %d): %s arcs", printable.Text(k.Name), k.Bit, report.Thousands(int64(k.Arcs)))
	}
	if len(d.Has) > 0 {
		row("has", "%s", strings.Join(d.Has, ", "))
	}
	if d.Nodes > 0 {
		row("depth", "%s levels from node %d, which has most arcs: %s nodes", report.Thousands(int64(d.Depth.Levels)), d.Depth.Source, report.Thousands(int64(d.Depth.Reached)))
	}
	if d.Parts != nil {
		row("components", "%s; the largest has %s nodes", report.Thousands(int64(d.Parts.Count)), report.Thousands(int64(d.Parts.Largest)))
	}
	row("memory", "%s bytes", report.Thousands(d.Bytes))
	names := []string{}
	for what := range d.Device {
		names = append(names, what)
	}
	slices.Sort(names)
	for i, what := range names {
		row(map[bool]string{true: "on a device"}[i == 0], "%s: %s bytes", what, report.Thousands(int64(d.Device[what])))
	}
	row("digest", "%s", d.Digest)
	if p := d.Provenance; p.Producer != "" {
		row("made by", "%s", strings.Join(printable.All([]string{p.Producer, p.Version, p.Options}), ", "))
	}
	if d.Verified {
		row("verified", "checksums, rows and digest")
	}
	w.Flush()
	for _, e := range d.Degrees {
		fmt.Fprintf(out, "%12s to %s arcs: %s nodes\n", report.Thousands(int64(e.From)), report.Thousands(int64(e.To)), report.Thousands(int64(e.Nodes)))
	}
}
