package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/megakernel"
)

// reachCmd asks what can be reached.
type reachCmd struct {
	File    string   `arg:"" help:"Graph to ask; - is standard input."`
	From    []string `required:"" xor:"begin" sep:"none" placeholder:"NODES" help:"Nodes to begin with: ids or names with commas, name:REGEXP, tag:MASK, at:FILE:LINE, or @FILE with one a line; may be repeated."`
	At      string   `required:"" xor:"begin" placeholder:"FILE:LINE" help:"Begin with the nodes at a line, and list those that are near. FILE may be the end of a path."`
	Arcs    *uint32  `placeholder:"N" help:"List only nodes that are at most N arcs away; with --at, N is 2 by default."`
	To      []string `sep:"none" placeholder:"NODES" help:"Nodes that the question is about, in the same forms."`
	Back    bool     `help:"Go along arcs backward: what leads to the nodes of --from."`
	Kinds   string   `placeholder:"MASK" help:"Kinds of arcs that are allowed: a number, or names with commas; all by default."`
	Exclude []string `sep:"none" placeholder:"NODES" help:"Nodes that are never entered, in the forms of --from."`

	Levels  bool `help:"Print how many nodes are how many arcs away."`
	Path    bool `help:"Print a shortest path to the nearest node of --to."`
	Between bool `help:"Ask which nodes are on the ways from --from to --to, and not what else is reached."`
	Each    bool `help:"Answer for each node of --from by itself, up to 64 at once."`
	Count   bool `help:"Print only how many nodes are reached."`

	JSON bool `help:"Print one JSON document." xor:"form"`
	CSV  bool `name:"csv" help:"Print nodes as CSV: of the path with --path, else all that are reached." xor:"form"`
	Dot  bool `help:"Print the same as a graph for Graphviz." xor:"form"`
	SVG  bool `name:"svg" help:"Print the same as a picture, levels as columns: at most 200 nodes and 400 arcs." xor:"form"`

	Out string `short:"o" placeholder:"FILE" help:"Write all that is reached to a file."`
	As  string `enum:"list,bitset,levels,parents" default:"list" help:"What -o writes: a list with an id and a name a line; a bitset, words of 64 bits; levels, words of 32 bits, all ones where nothing leads to; or parents, the node before each on a shortest path, in such words (${enum})."`

	Device           string `default:"auto" completes:"device" help:"Device to search on; see vyre devices."`
	AllowPartitioned bool   `help:"Search a graph that does not fit the device in parts, which come there again and again."`
	Topology         string `enum:"auto,host,back-to-back,captured,device-loop,cooperative,drained" default:"auto" help:"Who drives the rounds: ${enum}."`
	Verify           bool   `help:"Compare with a search on one core of the host; exit status 4 if they differ."`
	profileFlag
	traceFlag
	readFlags
}

// Help is the long help of the command.
func (reachCmd) Help() string {
	return `Example:
  vyre reach app.vyg --from name:^main.main$ --to os/exec.Command --path
  vyre reach app.vyg --at server/main.go:42 --arcs 3
  vyre reach roads.txt.gz --from 0 --levels`
}

var topologies = map[string]megakernel.Topology{"auto": megakernel.Auto, "host": megakernel.HostLoop, "back-to-back": megakernel.BackToBack,
	"captured": megakernel.Captured, "device-loop": megakernel.DeviceLoop, "cooperative": megakernel.Cooperative, "drained": megakernel.Drained}

// answer is what came out.
type answer struct {
	g              *graph.CSR // with arcs as they are in the file
	seeds, targets []uint32
	excluded       []uint32
	searched       *graph.CSR // without excluded nodes, and the other way round with --back
	from           []uint32   // seeds that are not excluded
	kinds          uint32
	words          []uint64 // who is reached
	count          int
	levels         []uint32         // nil if not asked for
	parents        []uint32         // nil if not asked for
	near           []session.Nearby // nodes at most so many arcs away, nearest first; nil if not asked for
	path           []session.Step   // from a seed on, or to one with --back
	each           []int            // counts, by seed
	run            report.Run
}

func (c *reachCmd) Run(t *terminal) error {
	return t.document(c.JSON, "vyre.reach/1", c.run)
}

func (c *reachCmd) run(t *terminal) error {
	if err := c.checkNear(); err != nil {
		return err
	}
	switch {
	case c.Path && len(c.To) == 0:
		return usagef("--path: say to where with --to")
	case c.Count && (c.Path || c.Levels || c.Each || c.JSON || c.CSV || c.Dot || c.SVG):
		return usagef("--count prints a number and nothing else; leave it out, or the other form")
	case c.Between && len(c.To) == 0:
		return usagef("--between: say to where with --to")
	case c.Between && (c.Path || c.Levels || c.Each || c.SVG || c.As == "levels" || c.As == "parents"):
		return usagef("--between asks for a set of nodes; ask for paths, levels, parents, counts of each and pictures without it")
	case c.As != "list" && c.Out == "":
		return usagef("--as %s says what -o writes; name a file with -o", c.As)
	case c.Each && (c.Path || c.Levels || c.Dot || c.SVG || c.CSV || c.Out != ""):
		return usagef("--each prints counts; ask for paths, levels and pictures of one node at a time")
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
			if err := file.write(c.content(a)); err != nil {
				return err
			}
		}
		if err = c.print(t, a); err != nil || !c.Verify {
			return err
		}
		stop := t.spin("searching on one core of the host")
		err = c.verify(t.ctx, a)
		stop()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(t.err, "verified: a search on one core of the host has the same answer")
		return err
	})
}

// ask finds the nodes, and searches.
func (c *reachCmd) ask(t *terminal, g *graph.CSR) (*answer, error) {
	a := &answer{g: g}
	var err error
	if a.kinds, err = kindsMask(g, c.Kinds); err != nil {
		return nil, err
	}
	names := nodeNames{t: t, g: g}
	if a.seeds, err = c.begin(&names); err != nil {
		return nil, err
	}
	if a.targets, err = names.find("--to", c.To); err != nil {
		return nil, err
	}
	if a.excluded, err = names.find("--exclude", c.Exclude); err != nil {
		return nil, err
	}
	a.searched, a.from = g, a.seeds
	if len(a.excluded) > 0 {
		if a.searched, err = g.Without(t.ctx, a.excluded); err != nil {
			return nil, err
		}
		out := map[uint32]bool{}
		for _, v := range a.excluded {
			out[v] = true
		}
		a.from = slices.DeleteFunc(slices.Clone(a.seeds), func(v uint32) bool { return out[v] })
	}
	if c.Back {
		if a.searched, err = a.searched.Reverse(t.ctx); err != nil {
			return nil, err
		}
	}
	return a, c.search(t, a)
}

// search asks a session.
func (c *reachCmd) search(t *terminal, a *answer) (err error) {
	if a.searched.Nodes() == 0 {
		return nil
	}
	profile, err := c.profile(t)
	if err != nil {
		return err
	}
	defer profile.close()
	trace, err := c.timeline(t)
	if err != nil {
		return err
	}
	defer trace.close()
	if c.Between {
		return c.between(t, a, profile, trace)
	}
	leveled := !c.bounded() && (c.Levels || c.Path || c.SVG || c.As == "levels" || c.As == "parents" || len(a.targets) > 0)
	o := session.Options{Label: "reach", Queries: 1, Seeds: max(len(a.from), 1), Levels: leveled, Topology: topologies[c.Topology], Parts: c.AllowPartitioned}
	if c.Each {
		o.Queries, o.Seeds, o.Levels = min(max(len(a.from), 1), 64), 1, false
	}
	return t.sessionIn(trace, c.Device, a.searched, o, func(dev driver.Device, s *session.Session) error {
		return profile.around(dev, func() error { return c.query(t, a, dev, s, leveled) })
	})
}

// between asks for what is on ways to the targets.
func (c *reachCmd) between(t *terminal, a *answer, profile, trace *recording) error {
	dev, err := t.device(c.Device)
	if err != nil {
		return err
	}
	defer dev.Close()
	defer t.spin("searching")()
	began := time.Now()
	var r *session.Reached
	err = trace.around(dev, func() error {
		return profile.around(dev, func() (err error) {
			r, err = session.Between(t.ctx, dev, a.searched, session.Query{Seeds: a.from, Kinds: a.kinds}, a.targets, session.Options{Label: "reach", Topology: topologyOn(dev, topologies[c.Topology]), Parts: c.AllowPartitioned})
			return err
		})
	})
	if err != nil {
		return err
	}
	a.take(r)
	r.Run.Record.Rounds = 0
	a.run = runOf(dev, r.Run, began, 0)
	return nil
}

// take keeps the nodes of an answer.
func (a *answer) take(r *session.Reached) {
	a.count, a.words = r.Count(), make([]uint64, (a.searched.Nodes()+63)/64)
	for i, w := range r.Words() {
		a.words[i/2] |= uint64(w) << (i % 2 * 32)
	}
}

// query asks one.
func (c *reachCmd) query(t *terminal, a *answer, dev driver.Device, s *session.Session, leveled bool) (err error) {
	began := time.Now()
	q := session.Query{Seeds: a.from, Kinds: a.kinds}
	var run session.Run
	switch {
	case c.bounded():
		run, err = a.askNear(t, s, q, c.arcs())
	case c.Each:
		run, err = a.askEach(t, s, a.from, a.kinds)
	case leveled && c.As == "parents":
		run, err = a.askTree(t, s, q)
	case leveled:
		run, err = a.askPath(t, s, q)
	default:
		q.Count = !c.Verify && c.Out == "" && !c.CSV && !c.Dot // the rest prints how many
		var r *session.Reached
		if r, err = s.Reach(t.ctx, q); err != nil {
			break
		}
		run = r.Run
		run.Record.Rounds = 0 // not every engine counts those of a set
		if a.count = r.Count(); !q.Count {
			a.take(r)
		} else if c.lists(a) {
			q.Count = false // so small a search is over soon
			if r, err = s.Reach(t.ctx, q); err == nil {
				a.take(r)
			}
		}
	}
	if err != nil {
		return err
	}
	if c.Back {
		a.path = turned(a.path)
	}
	if a.levels != nil {
		a.words = graph.Bitset(a.levels)
	}
	if a.words != nil {
		a.count = countOf(a.words)
	}
	a.run = runOf(dev, run, began, s.Bytes())
	a.run.Parts, a.run.Streamed = s.Parts(), s.Totals().Streamed
	return nil
}

// askPath asks for levels, and a path to the nearest target.
func (a *answer) askPath(t *terminal, s *session.Session, q session.Query) (session.Run, error) {
	found, err := s.Path(t.ctx, q, a.targets)
	if err != nil {
		return session.Run{}, err
	}
	a.path, a.levels = found.Steps, found.Levels()
	return found.Run, nil
}

// askTree asks for parents, too.
func (a *answer) askTree(t *terminal, s *session.Session, q session.Query) (session.Run, error) {
	tree, err := s.Tree(t.ctx, q)
	if err != nil {
		return session.Run{}, err
	}
	a.levels, a.parents = tree.Levels(), tree.Parents()
	nearest := graph.None
	for _, v := range a.targets {
		if l := a.levels[v]; l != graph.None && (nearest == graph.None || l < a.levels[nearest] || l == a.levels[nearest] && int(v) < nearest) {
			nearest = int(v)
		}
	}
	if nearest != graph.None {
		if a.path, err = tree.Path(uint32(nearest)); err != nil {
			return session.Run{}, err
		}
	}
	return tree.Run, nil
}

// askEach answers for each seed, 64 together.
func (a *answer) askEach(t *terminal, s *session.Session, seeds []uint32, kinds uint32) (run session.Run, err error) {
	queries := make([]session.Query, len(seeds))
	for i := range seeds {
		queries[i] = session.Query{Seeds: seeds[i : i+1], Kinds: kinds, Count: true}
	}
	all, err := s.Batch(t.ctx, queries)
	if err != nil {
		return run, err
	}
	for _, r := range all {
		a.each = append(a.each, r.Count())
		run.Engine, run.Topology = r.Run.Engine, r.Run.Topology
	}
	return run, nil
}

// turned is a path in the reversed graph as one in the graph. The mask of an arc goes with the node that it leads to.
func turned(path []session.Step) []session.Step {
	list := make([]session.Step, len(path))
	for i, step := range path {
		at := len(path) - 1 - i
		list[at].Node = step.Node
		if at+1 < len(path) {
			list[at+1].Mask = step.Mask
		}
	}
	return list
}

func countOf(words []uint64) (n int) {
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}

// kindsMask reads --kinds.
func kindsMask(g *graph.CSR, s string) (uint32, error) {
	if s == "" {
		return graph.AllKinds, nil
	}
	if v, err := strconv.ParseUint(s, 0, 32); err == nil {
		if v == 0 {
			return 0, usagef("--kinds 0 allows no arc; leave it out to allow all")
		}
		return uint32(v), nil
	}
	var mask uint32
	for _, word := range strings.Split(s, ",") {
		bit := 0
		for bit < 32 && g.KindName(bit) != word {
			bit++
		}
		if bit == 32 {
			var there []string
			for _, k := range kindsOf(g) {
				there = append(there, printable.Text(k.Name))
			}
			if there == nil {
				return 0, usagef("--kinds %s: all arcs of this graph are of one kind", s)
			}
			return 0, usagef("--kinds %s: no arc is of kind %q; there are %s", s, word, strings.Join(there, ", "))
		}
		mask |= 1 << bit
	}
	return mask, nil
}
