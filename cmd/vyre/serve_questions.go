package main

import (
	"context"
	"fmt"
	"iter"
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
}

// servedDoc is an answer.
type servedDoc struct {
	Schema string        `json:"schema"`
	Graph  string        `json:"graph"`           // its digest
	Count  *int          `json:"count,omitempty"` // of the nodes of all pages; not of names
	Nodes  []report.Node `json:"nodes"`           // of this page
	Next   string        `json:"next,omitempty"`  // cursor of the next page
	SVG    string        `json:"svg,omitempty"`
	Run    *report.Run   `json:"run,omitempty"`
}

func (r *resident) answer() *servedDoc {
	return &servedDoc{Schema: serveSchema, Graph: r.doc.Graph.Digest, Nodes: []report.Node{}}
}

// page takes the nodes of a page, of as many as there are, in their order.
func (d *servedDoc) page(r *resident, p paged, count int, all iter.Seq[report.Node]) (*servedDoc, error) {
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
			d.Nodes = append(d.Nodes, report.NodeOf(r.g, uint32(v)))
		}
		return d, nil
	}
	r.names.beginning(q.Prefix, from, func(v uint32, at, looked int) bool {
		if len(d.Nodes) == limit || looked%1024 == 0 && ctx.Err() != nil {
			d.Next = r.next(at)
			return false
		}
		d.Nodes = append(d.Nodes, report.NodeOf(r.g, v))
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
	return r.answer().page(r, q.paged, len(nodes), func(yield func(report.Node) bool) {
		for _, v := range nodes {
			if !yield(report.NodeOf(r.g, v)) {
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
		return d.page(r, q.paged, len(near.Nodes), func(yield func(report.Node) bool) {
			for _, n := range near.Nodes {
				node := report.NodeOf(r.g, n.Node)
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
	return d.page(r, q.paged, reached.Count(), func(yield func(report.Node) bool) {
		for v := range reached.Nodes() {
			if !yield(report.NodeOf(r.g, v)) {
				return
			}
		}
	})
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
	if q.Draw != "" && q.Draw != "across" && q.Draw != "down" {
		return nil, refused(fmt.Errorf("draw is %q", q.Draw), "take across or down, or leave it out")
	}
	query, err := r.query(ctx, q.From, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	targets, err := r.find(ctx, "to", q.To)
	if err != nil {
		return nil, err
	}
	d, began := r.answer(), time.Now()
	path, err := r.ahead.Path(ctx, query, targets)
	if err != nil {
		return nil, err
	}
	d.took(r, r.ahead, path.Run, began, true)
	if q.Draw != "" && len(path.Steps) > 0 && len(path.Steps) <= mostDrawnNodes {
		picture := newDrawing(r.g, nil)
		picture.column, picture.down = func(v uint32) int { return picture.at[v] }, q.Draw == "down"
		for i, step := range path.Steps {
			if i > 0 {
				picture.arcs = append(picture.arcs, drawnArc{i - 1, i, step.Mask})
			}
			picture.add(step.Node)
		}
		var b strings.Builder
		if err := picture.svg(&b); err != nil {
			return nil, err
		}
		d.SVG = b.String()
	}
	return d.page(r, q.paged, len(path.Steps), func(yield func(report.Node) bool) {
		for i, step := range path.Steps {
			node := report.NodeOf(r.g, step.Node)
			if i > 0 {
				node.Kinds = r.g.KindNames(step.Mask)
			}
			if !yield(node) {
				return
			}
		}
	})
}

type betweenQuestion struct {
	From  []string `json:"from"`
	To    []string `json:"to"`
	Kinds string   `json:"kinds"`
	paged
}

// askBetween lists the nodes on the ways from some to others, by a search from either end.
func askBetween(ctx context.Context, r *resident, q betweenQuestion) (any, error) {
	query, err := r.query(ctx, q.From, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	targets, err := r.find(ctx, "to", q.To)
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
	var both []uint32
	for v := range from.Nodes() {
		if to.Contains(v) {
			both = append(both, v)
		}
	}
	return d.page(r, q.paged, len(both), func(yield func(report.Node) bool) {
		for _, v := range both {
			if !yield(report.NodeOf(r.g, v)) {
				return
			}
		}
	})
}

// query reads what a search begins with.
func (r *resident) query(ctx context.Context, from []string, kinds string, p paged) (session.Query, error) {
	if _, _, err := r.begin(p); err != nil { // before the search
		return session.Query{}, err
	}
	seeds, err := r.find(ctx, "from", from)
	if err != nil {
		return session.Query{}, err
	}
	mask, err := r.kinds(kinds)
	return session.Query{Seeds: seeds, Kinds: mask}, err
}
