package main

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/internal/serve"
)

// questions are those that vyre serve answers. A question is a function of the graph and of the fields of its body.
var questions = []serve.Question[*resident]{
	serve.Ask("names", askNames), serve.Ask("at", askPlace), serve.Ask("reach", askReach), serve.Ask("path", askPath), serve.Ask("between", askBetween),
	serve.Ask("paths", askPaths), serve.Ask("closure", askClosure), serve.Ask("taint", askTaint),
}

// servedDoc is an answer.
type servedDoc struct {
	Schema  string        `json:"schema"`
	Graph   string        `json:"graph"`           // its digest
	Count   *int          `json:"count,omitempty"` // of the nodes of all pages, or of the pairs; not of names
	Nodes   []servedNode  `json:"nodes"`           // of this page, or of the path of its first pair
	Pairs   []servedPair  `json:"pairs,omitempty"` // of this page
	Next    string        `json:"next,omitempty"`  // cursor of the next page
	Weighed *weighedCount `json:"weighed,omitempty"`
	Closure *closureCount `json:"closure,omitempty"`
	SVG     string        `json:"svg,omitempty"`
	Run     *report.Run   `json:"run,omitempty"`
}

// servedNode is a node, and on a path by weights how it is reached.
type servedNode struct {
	report.Node
	Weight *uint64 `json:"weight,omitempty"` // of the arc that leads there
	Sum    *uint64 `json:"sum,omitempty"`    // up to there
}

func (r *resident) node(v uint32) servedNode { return servedNode{Node: report.NodeOf(r.g, v)} }

func (r *resident) answer() *servedDoc {
	return &servedDoc{Schema: serveSchema, Graph: r.doc.Graph.Digest, Nodes: []servedNode{}}
}

// steps are the nodes of a path.
func (r *resident) steps(path []session.Step) iter.Seq[servedNode] {
	return func(yield func(servedNode) bool) {
		for i, step := range path {
			node := r.node(step.Node)
			if i > 0 {
				node.Kinds = r.g.KindNames(step.Mask)
			}
			if !yield(node) {
				return
			}
		}
	}
}

// page takes the nodes of a page, of as many as there are, in their order.
func (d *servedDoc) page(r *resident, p paged, count int, all iter.Seq[servedNode]) (*servedDoc, error) {
	from, limit, err := r.begin(p)
	if err != nil {
		return nil, err
	}
	d.Count = &count
	i := 0
	for node := range all {
		if i == from+limit {
			d.Next = r.next(i)
			break
		}
		if i >= from {
			d.Nodes = append(d.Nodes, node)
		}
		i++
	}
	return d, nil
}

// pageOf takes a page of a set, as bits, of which whole words are counted and not walked.
func (d *servedDoc) pageOf(r *resident, p paged, words []uint32) (*servedDoc, error) {
	from, limit, err := r.begin(p)
	if err != nil {
		return nil, err
	}
	count := 0
	for i, w := range words {
		here := bits.OnesCount32(w)
		if count+here > from && len(d.Nodes) < limit {
			for at := count; w != 0 && len(d.Nodes) < limit; w &= w - 1 {
				if at >= from {
					d.Nodes = append(d.Nodes, r.node(uint32(32*i+bits.TrailingZeros32(w))))
				}
				at++
			}
		}
		count += here
	}
	if d.Count = &count; from+len(d.Nodes) < count {
		d.Next = r.next(from + len(d.Nodes))
	}
	return d, nil
}

// took keeps how an answer was found.
func (d *servedDoc) took(r *resident, s *session.Session, run session.Run, began time.Time, leveled bool) {
	if !leveled {
		run.Record.Rounds = 0 // not every engine counts those of a set
	}
	made := runOf(r.dev, run, began, s.Bytes())
	d.Run = &made
}

type namesQuestion struct {
	Prefix string `json:"prefix"`
	paged
}

// askNames lists nodes by the beginnings of names; in a graph without names, the node of an id.
func askNames(ctx context.Context, r *resident, q namesQuestion) (any, error) {
	from, limit, err := r.begin(q.paged)
	if err != nil {
		return nil, err
	}
	d := r.answer()
	if !r.doc.Names {
		if v, err := strconv.ParseUint(q.Prefix, 10, 32); err == nil && v < uint64(r.g.Nodes()) {
			d.Nodes = append(d.Nodes, r.node(uint32(v)))
		}
		return d, nil
	}
	r.names.beginning(q.Prefix, from, func(v uint32, at, looked int) bool {
		if len(d.Nodes) == limit || looked%1024 == 0 && ctx.Err() != nil {
			d.Next = r.next(at)
			return false
		}
		d.Nodes = append(d.Nodes, r.node(v))
		return true
	})
	return d, nil
}

type placeQuestion struct {
	Place string `json:"place"` // FILE, FILE:LINE or FILE:LINE:COLUMN
	paged
}

// askPlace lists the nodes at a line of source.
func askPlace(ctx context.Context, r *resident, q placeQuestion) (any, error) {
	names := nodeNames{g: r.g, places: r.places}
	nodes, err := names.placed(q.Place)
	if err != nil {
		return nil, refused(fmt.Errorf("place %s: %w", q.Place, err), "give a file and a line of it, as in main.go:12")
	}
	return r.answer().page(r, q.paged, len(nodes), func(yield func(servedNode) bool) {
		for _, v := range nodes {
			if !yield(r.node(v)) {
				return
			}
		}
	})
}

type reachQuestion struct {
	From  []string `json:"from"`
	Back  bool     `json:"back"` // along arcs backward
	Kinds string   `json:"kinds"`
	Arcs  *uint32  `json:"arcs"` // at most so many arcs away
	paged
}

// askReach lists the nodes that are reached, or of them those that are near.
func askReach(ctx context.Context, r *resident, q reachQuestion) (any, error) {
	query, err := r.query(ctx, q.From, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	s := r.ahead
	if q.Back {
		if s, err = r.backward(ctx); err != nil {
			return nil, err
		}
	}
	d, began := r.answer(), time.Now()
	if q.Arcs != nil {
		near, err := s.Near(ctx, query, *q.Arcs)
		if err != nil {
			return nil, err
		}
		d.took(r, s, near.Run, began, true)
		return d.page(r, q.paged, len(near.Nodes), func(yield func(servedNode) bool) {
			for _, n := range near.Nodes {
				node := r.node(n.Node)
				node.Level = &n.Arcs
				if n.Arcs > 0 {
					node.Kinds = r.g.KindNames(n.Kinds)
				}
				if !yield(node) {
					return
				}
			}
		})
	}
	reached, err := s.Reach(ctx, query)
	if err != nil {
		return nil, err
	}
	d.took(r, s, reached.Run, began, false)
	return d.pageOf(r, q.paged, reached.Words())
}

type pathQuestion struct {
	From  []string `json:"from"`
	To    []string `json:"to"`
	Kinds string   `json:"kinds"`
	Draw  string   `json:"draw"` // "across" or "down": a picture of the path as well
	paged
}

// askPath lists the nodes of a shortest path. It has none if there is no path.
func askPath(ctx context.Context, r *resident, q pathQuestion) (any, error) {
	if err := checkDraw(q.Draw); err != nil {
		return nil, err
	}
	query, targets, err := r.ends(ctx, q.From, q.To, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	d, began := r.answer(), time.Now()
	query.Count = true // the levels of other nodes are not looked at
	path, err := r.ahead.Path(ctx, query, targets)
	if err != nil {
		return nil, err
	}
	d.took(r, r.ahead, path.Run, began, false)
	if err := d.draw(r, q.Draw, path.Steps); err != nil {
		return nil, err
	}
	return d.page(r, q.paged, len(path.Steps), r.steps(path.Steps))
}

func checkDraw(how string) error {
	if how != "" && how != "across" && how != "down" {
		return refused(fmt.Errorf("draw is %q", how), "take across or down, or leave it out")
	}
	return nil
}

// draw makes the picture of a path, unless that is too long.
func (d *servedDoc) draw(r *resident, how string, path []session.Step) error {
	if how == "" || len(path) == 0 || len(path) > mostDrawnNodes {
		return nil
	}
	picture := newDrawing(r.g, nil)
	picture.column, picture.down = func(v uint32) int { return picture.at[v] }, how == "down"
	for i, step := range path {
		if i > 0 {
			picture.arcs = append(picture.arcs, drawnArc{i - 1, i, step.Mask})
		}
		picture.add(step.Node)
	}
	var b strings.Builder
	err := picture.svg(&b)
	d.SVG = b.String()
	return err
}

type betweenQuestion struct {
	From  []string `json:"from"`
	To    []string `json:"to"`
	Kinds string   `json:"kinds"`
	paged
}

// askBetween lists the nodes on the ways from some to others, by a search from either end.
func askBetween(ctx context.Context, r *resident, q betweenQuestion) (any, error) {
	query, targets, err := r.ends(ctx, q.From, q.To, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	back, err := r.backward(ctx)
	if err != nil {
		return nil, err
	}
	d, began := r.answer(), time.Now()
	from, err := r.ahead.Reach(ctx, query)
	if err != nil {
		return nil, err
	}
	to, err := back.Reach(ctx, session.Query{Seeds: targets, Kinds: query.Kinds})
	if err != nil {
		return nil, err
	}
	run := from.Run
	run.Result.Device += to.Run.Result.Device
	d.took(r, r.ahead, run, began, false)
	both := make([]uint32, len(from.Words()))
	for i, w := range from.Words() {
		both[i] = w & to.Words()[i]
	}
	return d.pageOf(r, q.paged, both)
}

// ends reads what a search begins with, and the nodes that it is about.
func (r *resident) ends(ctx context.Context, from, to []string, kinds string, p paged) (query session.Query, targets []uint32, err error) {
	if query, err = r.query(ctx, from, kinds, p); err == nil {
		targets, err = r.find(ctx, "to", to)
	}
	return query, targets, err
}

// query reads what a search begins with.
func (r *resident) query(ctx context.Context, from []string, kinds string, p paged) (session.Query, error) {
	if err := r.checkPage(p); err != nil {
		return session.Query{}, err
	}
	seeds, err := r.find(ctx, "from", from)
	if err != nil {
		return session.Query{}, err
	}
	mask, err := r.kinds(kinds)
	return session.Query{Seeds: seeds, Kinds: mask}, err
}
