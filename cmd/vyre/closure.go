package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/flow"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
)

// closureCmd counts the pairs of nodes with a path between them.
type closureCmd struct {
	File             string   `arg:"" help:"Graph to ask; - is standard input."`
	Kinds            string   `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	From             []string `sep:"none" placeholder:"NODES" help:"Print which of these reach which of --to, in the forms of --from of vyre reach; may be repeated."`
	To               []string `sep:"none" placeholder:"NODES" help:"The nodes that are asked about; may be repeated."`
	Add              []string `sep:"none" placeholder:"U:V[:MASK]" help:"Count once more with this arc; may be repeated."`
	Remove           []string `sep:"none" placeholder:"U:V[:MASK]" help:"Count once more without this arc, after those of --add came; may be repeated."`
	JSON             bool     `help:"Print one JSON document."`
	Device           string   `default:"auto" completes:"device" help:"Device to run on; see vyre devices."`
	AllowPartitioned bool     `help:"Make rows in blocks of columns if they do not fit the device."`
	readFlags
}

// Help is the long help of the command.
func (closureCmd) Help() string {
	return `Pairs count paths of no arcs, too, so that each node reaches itself; the other number counts paths of one arc or more.

Example:
  vyre closure roads.txt.gz
  vyre closure app.vyg --from main.main --to os/exec.Command --to os.Exit`
}

const closureSchema = "vyre.closure/1"

// closureDoc is the JSON form.
type closureDoc struct {
	Schema     string       `json:"schema"`
	Graph      report.Graph `json:"graph"`
	Kinds      uint32       `json:"kinds"`
	Pairs      uint64       `json:"pairs"`
	PairsPlus  uint64       `json:"pairs_plus"`
	Components int          `json:"components"`
	Between    int          `json:"between"`
	Heights    int          `json:"heights"`
	Tiles      uint64       `json:"tiles"`
	Blocks     int          `json:"blocks"`
	Rows       *int         `json:"rows_again,omitempty"` // that --add and --remove had made again
	Reaching   []reaching   `json:"reaching,omitempty"`
	Run        report.Run   `json:"run"`
}

// reaching is a pair of --from and --to, with a shortest path.
type reaching struct {
	From report.Node   `json:"from"`
	To   report.Node   `json:"to"`
	Path []report.Node `json:"path"`
}

func (c *closureCmd) Run(t *terminal) error { return t.document(c.JSON, closureSchema, c.run) }

func (c *closureCmd) run(t *terminal) error {
	if (len(c.From) > 0) != (len(c.To) > 0) {
		return usagef("--from and --to need each other")
	}
	stop, err := t.opens(c.Device)
	if err != nil {
		return err
	}
	defer stop()
	return c.answer(t, c.File, "", func(g *graph.CSR, _ *sink) error {
		doc, err := c.ask(t, g)
		if err != nil {
			return err
		}
		if c.JSON {
			return json.NewEncoder(printable.JSONWriter(t.out)).Encode(doc)
		}
		fmt.Fprintf(t.out, "%s pairs of %s nodes, %s with a path of one arc or more\n", thousands(doc.Pairs), report.Thousands(int64(doc.Graph.Nodes)), thousands(doc.PairsPlus))
		fmt.Fprintf(t.out, "%s, %s between them, %s, %s\n", many(doc.Components, "component"), many(doc.Between, "arc"), many(doc.Heights, "height"), many(int(doc.Tiles), "tile"))
		if doc.Rows != nil {
			fmt.Fprintf(t.out, "%s made again\n", many(*doc.Rows, "row"))
		}
		for _, p := range doc.Reaching {
			fmt.Fprintf(t.out, "%10d %10d  %s:", p.From.Node, p.To.Node, many(len(p.Path)-1, "arc"))
			for _, v := range p.Path {
				fmt.Fprintf(t.out, " %d", v.Node)
				if v.Name != "" {
					fmt.Fprint(t.out, " ", printable.Text(v.Name))
				}
			}
			fmt.Fprintln(t.out)
		}
		if g.Nodes() > 0 {
			_, err = fmt.Fprintln(t.out, doc.Run.Line())
		}
		return err
	})
}

func thousands(n uint64) string { return report.Thousands(int64(n)) }

// many is counted for numbers that may be large.
func many(n int, noun string) string {
	if n == 1 {
		return counted(n, noun)
	}
	return thousands(uint64(n)) + " " + noun + "s"
}

func (c *closureCmd) ask(t *terminal, g *graph.CSR) (doc closureDoc, err error) {
	doc.Schema = closureSchema
	if doc.Graph, err = report.Of(t.ctx, g); err != nil {
		return doc, err
	}
	if doc.Kinds, err = kindsMask(g, c.Kinds); err != nil {
		return doc, err
	}
	added, err := arcsOf("--add", c.Add)
	if err != nil {
		return doc, err
	}
	removed, err := arcsOf("--remove", c.Remove)
	if err != nil {
		return doc, err
	}
	names := nodeNames{t: t, g: g}
	from, err := names.find("--from", c.From)
	if err != nil {
		return doc, err
	}
	to, err := names.find("--to", c.To)
	if err != nil || g.Nodes() == 0 {
		return doc, err
	}
	o := session.Options{Label: "closure", Queries: 1, Seeds: 1, Parts: c.AllowPartitioned}
	err = t.session(c.Device, g, o, func(dev driver.Device, s *session.Session) (err error) {
		began := time.Now()
		all, err := s.Closure(t.ctx, session.ClosureOptions{Kinds: doc.Kinds, Rows: len(from)+len(added)+len(removed) > 0})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, all.Close()) }()
		if len(added)+len(removed) > 0 {
			n, err := all.Add(t.ctx, added)
			if err != nil {
				return err
			}
			more, err := all.Remove(t.ctx, removed)
			if err != nil {
				return err
			}
			n += more
			doc.Rows = &n
		}
		doc.Pairs, doc.PairsPlus, doc.Components, doc.Between = all.Pairs(), all.PairsPlus(), all.Components(), all.Between()
		doc.Heights, doc.Tiles, doc.Blocks = all.Heights(), all.Tiles(), all.Parts()
		doc.Run = runOf(dev, all.Run(), began, s.Bytes())
		if doc.Run.Topology == session.NativeEngine.String() {
			doc.Run.Bytes = 0 // they are the host's
		}
		return c.pairs(t, g, all, from, to, &doc)
	})
	return doc, err
}

// arcsOf reads arcs.
func arcsOf(name string, list []string) (arcs []flow.Arc, err error) {
	for _, s := range list {
		parts := strings.Split(s, ":")
		var n [3]uint32
		ok := len(parts) == 2 || len(parts) == 3
		for i := 0; ok && i < len(parts); i++ {
			x, err := strconv.ParseUint(parts[i], 0, 32)
			n[i], ok = uint32(x), err == nil
		}
		if !ok || len(parts) == 3 && n[2] == 0 {
			return nil, usagef("%s %s: not an arc; write two nodes as numbers, and a mask if it is not 1: 3:17 or 3:17:0x2", name, s)
		}
		arcs = append(arcs, flow.Arc{From: n[0], To: n[1], Mask: n[2]})
	}
	return arcs, nil
}

// pairs lists those of --from and --to.
func (c *closureCmd) pairs(t *terminal, g *graph.CSR, all *session.Closure, from, to []uint32, doc *closureDoc) error {
	if len(from) == 0 {
		return nil
	}
	words, _, err := all.Cut(t.ctx, from, to)
	if err != nil {
		return err
	}
	each := (len(to) + 63) / 64
	for i, u := range from {
		for j, v := range to {
			if words[i*each+j/64]>>(j%64)&1 == 0 {
				continue
			}
			steps, err := all.Path(t.ctx, u, v)
			if err != nil {
				return err
			}
			p := reaching{From: report.NodeOf(g, u), To: report.NodeOf(g, v)}
			for _, s := range steps {
				p.Path = append(p.Path, report.NodeOf(g, s.Node))
			}
			doc.Reaching = append(doc.Reaching, p)
		}
	}
	return nil
}
