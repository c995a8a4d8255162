package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/report"
)

// servedPair is a node of one list and a node of another one that it leads to.
type servedPair struct {
	From   *report.Node `json:"from,omitempty"` // not of a finding
	Label  string       `json:"label,omitempty"`
	To     report.Node  `json:"to"`
	Cursor string       `json:"cursor"` // of the page that begins with it
}

// paging says how many pairs there are, and returns which of them are on the page.
func (d *servedDoc) paging(r *resident, p paged, count int) (from, to int, err error) {
	from, limit, err := r.begin(p)
	if err != nil {
		return 0, 0, err
	}
	d.Count, d.Pairs = &count, []servedPair{}
	from = min(from, count)
	if to = min(from+limit, count); to < count {
		d.Next = r.next(to)
	}
	return from, to, nil
}

// path adds the path of the first pair of the page, as far as a page goes.
func (d *servedDoc) path(r *resident, draw string, path []session.Step) error {
	for node := range r.steps(path[:min(len(path), mostNodes)]) {
		d.Nodes = append(d.Nodes, node)
	}
	return d.draw(r, draw, path)
}

// alone waits for the turn of a question that takes memory of its own, of which one is answered at a time.
func (r *resident) alone(ctx context.Context) (done func(), err error) {
	select {
	case r.large <- struct{}{}:
		return func() { <-r.large }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type closureQuestion struct {
	From  []string `json:"from"` // with To; without both, pairs are counted
	To    []string `json:"to"`
	Kinds string   `json:"kinds"`
	Draw  string   `json:"draw"` // of the first pair of the page
	paged
}

// closureCount is what is counted of all pairs of the graph's nodes.
type closureCount struct {
	Pairs      uint64 `json:"pairs"`
	PairsPlus  uint64 `json:"pairs_plus"`
	Components int    `json:"components"`
	Between    int    `json:"between"`
	Heights    int    `json:"heights"`
	Tiles      uint64 `json:"tiles"`
}

// keptClosure is the closure that was asked for last.
type keptClosure struct {
	*session.Closure
	kinds uint32
	rows  bool
}

// askClosure counts pairs of nodes with a path between them, and lists those of two lists.
func askClosure(ctx context.Context, r *resident, q closureQuestion) (any, error) {
	if err := errors.Join(checkDraw(q.Draw), r.checkPage(q.paged)); err != nil {
		return nil, err
	}
	var from, to []uint32
	var err error
	if len(q.From)+len(q.To) > 0 {
		if from, err = r.find(ctx, "from", q.From); err != nil {
			return nil, err
		}
		if to, err = r.find(ctx, "to", q.To); err != nil {
			return nil, err
		}
	}
	kinds, err := r.kinds(q.Kinds)
	if err != nil {
		return nil, err
	}
	done, err := r.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	began := time.Now()
	all, err := r.closureOf(ctx, kinds, len(from) > 0)
	if err != nil {
		return nil, err
	}
	d := r.answer()
	d.Closure = &closureCount{all.Pairs(), all.PairsPlus(), all.Components(), all.Between(), all.Heights(), all.Tiles()}
	if len(from) > 0 {
		if err := d.reaching(ctx, r, all, from, to, q); err != nil {
			return nil, err
		}
	}
	d.took(r, r.ahead, all.Run(), began, false)
	return d, nil
}

// closureOf returns the closure that is kept, or makes it, for who is alone.
func (r *resident) closureOf(ctx context.Context, kinds uint32, rows bool) (*session.Closure, error) {
	if k := r.closure; k.Closure != nil && k.kinds == kinds && (k.rows || !rows) {
		return k.Closure, nil
	}
	old := r.closure.Closure
	r.closure = keptClosure{} // before the next one needs the memory
	if err := old.Close(); err != nil {
		return nil, err
	}
	made, err := r.ahead.Closure(ctx, session.ClosureOptions{Kinds: kinds, Rows: rows})
	if err == nil {
		r.closure = keptClosure{made, kinds, rows}
	}
	return made, err
}

// reaching adds the pairs of two lists, of which the first has a path.
func (d *servedDoc) reaching(ctx context.Context, r *resident, all *session.Closure, from, to []uint32, q closureQuestion) error {
	words, pairs, err := all.Cut(ctx, from, to)
	if err != nil {
		return err
	}
	first, last, err := d.paging(r, q.paged, int(pairs))
	if err != nil {
		return err
	}
	each, at := (len(to)+63)/64, 0
	for k, w := range words {
		for ; w != 0 && at < last; w &= w - 1 {
			if at >= first {
				u, v := from[k/each], to[k%each*64+bits.TrailingZeros64(w)]
				source := report.NodeOf(r.g, u)
				d.Pairs = append(d.Pairs, servedPair{From: &source, To: report.NodeOf(r.g, v), Cursor: r.next(at)})
			}
			at++
		}
	}
	if len(d.Pairs) == 0 {
		return nil
	}
	path, err := all.Path(ctx, d.Pairs[0].From.Node, d.Pairs[0].To.Node)
	if err != nil {
		return err
	}
	return d.path(r, q.Draw, path)
}

type taintQuestion struct {
	Sources    []taintSource    `json:"sources"`
	Sinks      []string         `json:"sinks"`
	Sanitizers []taintSanitizer `json:"sanitizers"`
	Contexts   string           `json:"contexts"` // "none", or "exact": returns go to the call that was made
	Kinds      string           `json:"kinds"`
	Draw       string           `json:"draw"` // of the first finding of the page
	paged
}

type taintSource struct {
	Label string   `json:"label"` // by default, the nodes as they are named
	Nodes []string `json:"nodes"`
}

type taintSanitizer struct {
	Nodes  []string `json:"nodes"`
	Labels []string `json:"labels"` // of sources; none is all
}

// mostLabels bounds the sources of a question, and its sanitizers, each set of which may take a graph of its own.
const mostLabels = 64

// askTaint lists which sinks values of which sources come to.
func askTaint(ctx context.Context, r *resident, q taintQuestion) (any, error) {
	if err := errors.Join(checkDraw(q.Draw), r.checkPage(q.paged)); err != nil {
		return nil, err
	}
	query, err := r.taintQuery(ctx, q)
	if err != nil {
		return nil, err
	}
	done, err := r.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	d, began := r.answer(), time.Now()
	found, err := r.taint(ctx, q, query)
	if err != nil {
		return nil, err
	}
	first, last, err := d.paging(r, q.paged, len(found.Findings))
	if err != nil {
		return nil, err
	}
	for i, f := range found.Findings[first:last] {
		d.Pairs = append(d.Pairs, servedPair{Label: query.Sources[f.Label].Label, To: report.NodeOf(r.g, f.Sink), Cursor: r.next(first + i)})
	}
	if len(d.Pairs) > 0 { // a question about the first finding alone has the same path, and no others
		f := found.Findings[first]
		query.Sources, query.Sinks, query.Paths = query.Sources[f.Label:f.Label+1], []uint32{f.Sink}, 1
		query.Sanitizers = only(query.Sanitizers, query.Sources[0].Label)
		one, err := r.taint(ctx, q, query)
		if err != nil {
			return nil, err
		}
		if err := d.path(r, q.Draw, one.Findings[0].Path); err != nil {
			return nil, err
		}
	}
	d.Run = &report.Run{Device: r.dev.Name(), Topology: fmt.Sprintf("%d searches", found.Searches), WallNS: time.Since(began).Nanoseconds(), Bytes: found.Bytes}
	return d, nil
}

// only are the sanitizers of a label, without the labels of others.
func only(all []session.Sanitizer, label string) (list []session.Sanitizer) {
	for _, s := range all {
		if len(s.Labels) == 0 || slices.Contains(s.Labels, label) {
			list = append(list, session.Sanitizer{Nodes: s.Nodes})
		}
	}
	return list
}

func (r *resident) taint(ctx context.Context, q taintQuestion, query session.TaintQuery) (*session.Tainted, error) {
	if q.Contexts == "exact" {
		return ifds.Taint(ctx, r.dev, r.g, query, session.Options{Label: "serve", Topology: r.o.Topology})
	}
	return query.Ask(ctx, r.ahead)
}

func (r *resident) taintQuery(ctx context.Context, q taintQuestion) (query session.TaintQuery, err error) {
	switch {
	case q.Contexts != "" && q.Contexts != "none" && q.Contexts != "exact":
		return query, refused(fmt.Errorf("contexts is %q", q.Contexts), "take none or exact, or leave it out")
	case q.Contexts == "exact" && !r.doc.Contexts:
		return query, refused(errors.New("contexts is exact, and the graph has no procedures and call sites"), "leave it out")
	case len(q.Sources) == 0:
		return query, refused(errors.New("there is no source"), `send one, as in "sources": [{"nodes": ["main.main"]}]`)
	case len(q.Sources) > mostLabels || len(q.Sanitizers) > mostLabels:
		return query, refused(fmt.Errorf("there are %d sources and %d sanitizers", len(q.Sources), len(q.Sanitizers)), fmt.Sprintf("send at most %d of each", mostLabels))
	}
	if query.Kinds, err = r.kinds(q.Kinds); err != nil {
		return query, err
	}
	if query.Sinks, err = r.find(ctx, "sinks", q.Sinks); err != nil {
		return query, err
	}
	for i, s := range q.Sources {
		source := session.Source{Label: s.Label}
		if source.Nodes, err = r.find(ctx, fmt.Sprintf("source %d", i), s.Nodes); err != nil {
			return query, err
		}
		if source.Label == "" {
			source.Label = fmt.Sprint(s.Nodes[0])
		}
		query.Sources = append(query.Sources, source)
	}
	for i, s := range q.Sanitizers {
		sanitizer := session.Sanitizer{Labels: s.Labels}
		if sanitizer.Nodes, err = r.find(ctx, fmt.Sprintf("sanitizer %d", i), s.Nodes); err != nil {
			return query, err
		}
		query.Sanitizers = append(query.Sanitizers, sanitizer)
	}
	return query, nil
}

type pathsQuestion struct {
	From  []string `json:"from"`
	To    []string `json:"to"`
	Kinds string   `json:"kinds"`
	Draw  string   `json:"draw"`
	paged
}

// weighedCount is what is known of all nodes that are reached.
type weighedCount struct {
	Reached  int     `json:"reached"`
	Farthest uint64  `json:"farthest"`
	Distance *uint64 `json:"distance,omitempty"` // of the nearest target; none if there is no path
}

// askPaths lists the nodes of a path of least weight to the nearest of some nodes, the least of several.
func askPaths(ctx context.Context, r *resident, q pathsQuestion) (any, error) {
	if err := checkDraw(q.Draw); err != nil {
		return nil, err
	}
	if !r.doc.Weights {
		return nil, refused(errors.New(r.weightless), "ask /ask/path, for which every arc counts one")
	}
	query, targets, err := r.ends(ctx, q.From, q.To, q.Kinds, q.paged)
	if err != nil {
		return nil, err
	}
	d, began := r.answer(), time.Now()
	p, err := r.ahead.Paths(ctx, query)
	if err != nil {
		return nil, err
	}
	nearest, best := uint32(0), uint64(math.MaxUint64)
	for _, v := range targets {
		far, err := p.Distance(ctx, v)
		if err != nil {
			return nil, err
		}
		if far < best || far == best && v < nearest {
			nearest, best = v, far
		}
	}
	var steps []session.Step
	var sums []uint64
	if best < math.MaxUint64 {
		if steps, sums, err = p.To(ctx, nearest); err != nil {
			return nil, err
		}
	}
	d.Weighed = &weighedCount{Reached: p.Reached, Farthest: p.Farthest}
	if len(steps) > 0 {
		d.Weighed.Distance = &best
	}
	d.took(r, r.ahead, p.Run, began, false)
	if err := d.draw(r, q.Draw, steps); err != nil {
		return nil, err
	}
	return d.page(r, q.paged, len(steps), func(yield func(servedNode) bool) {
		i, before := 0, uint64(0)
		for node := range r.steps(steps) {
			weight := sums[i] - before
			node.Weight, node.Sum, before = &weight, &sums[i], sums[i]
			if i++; !yield(node) {
				return
			}
		}
	})
}
