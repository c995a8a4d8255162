package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
)

// Source is a set of nodes whose values are of interest wherever they go, under one label.
type Source struct {
	Label string
	Nodes []uint32
}

// Sanitizer is a set of nodes where what the labels stand for ends: nothing goes to them, or on from them.
type Sanitizer struct {
	Nodes  []uint32
	Labels []string // of the sources for which it holds; none is all of them
}

// TaintQuery asks which sinks the values of which sources come to.
type TaintQuery struct {
	Sources    []Source
	Sinks      []uint32
	Sanitizers []Sanitizer
	Kinds      uint32 // of arcs that are allowed, as a mask; 0 is all
	Paths      int    // of so many findings, the first ones, a path is returned
}

// Finding is a sink to which values of a source come.
type Finding struct {
	Sink  uint32
	Label int    // which source
	Path  []Step // a shortest one from a node of the source to the sink, by the rules of Session.Path; nil where none was asked for
}

// Tainted is the answer to a TaintQuery.
type Tainted struct {
	Findings []Finding // by sink, then by source
	Counts   []int     // of findings, by source
	Searches int       // over the graph, of up to 64 sources each, without those for paths
	Bytes    uint64    // on the device, at most

	Tabulated Engine // what found out which calls return where, by ifds.Taint; AutoEngine without contexts
	Why       string // that engine did
}

// Taint follows the values of sources to sinks, along all arcs that are allowed, whatever calls they come from (ifds.Taint
// minds that): 64 sources at once, and with the same sanitizers. It uploads the graph once for each set of sanitizers that sources have.
//
// Errors: those of TaintQuery.Parts, New, Batch and Path.
func Taint(ctx context.Context, dev driver.Device, g *graph.CSR, q TaintQuery, o Options) (*Tainted, error) {
	return (&tainting{dev: dev, g: g, q: q, o: o}).answer(ctx)
}

// Ask is Taint over the graph of a session. Only what sanitizers hold for is searched in sessions of its own.
//
// Errors: those of Taint; a source of more nodes than Options.Seeds; paths of a session without Options.Levels.
func (q TaintQuery) Ask(ctx context.Context, s *Session) (*Tainted, error) {
	if err := made(s); err != nil {
		return nil, err
	}
	r := s.resident
	o := r.o
	o.Budget, o.Parallel = max(r.limit(), 1), 1 // of sessions beside this one
	return (&tainting{dev: r.dev, g: r.g, q: q, o: o, whole: s}).answer(ctx)
}

// tainting is an answer on its way.
type tainting struct {
	Tainted
	dev   driver.Device
	g     *graph.CSR
	q     TaintQuery
	o     Options
	whole *Session // of all of the graph; nil if each part opens one
}

// session is one for a part, and what closes it.
func (t *tainting) session(ctx context.Context, part TaintPart, o Options) (*Session, func() error, error) {
	if t.whole != nil && len(part.Without) == 0 {
		return t.whole, func() error { return nil }, nil
	}
	g, err := part.Graph(ctx, t.g)
	if err != nil {
		return nil, nil, err
	}
	s, err := New(ctx, t.dev, g, o)
	return s, s.Close, err
}

func (t *tainting) answer(ctx context.Context) (*Tainted, error) {
	q := t.q
	t.Counts = make([]int, len(q.Sources))
	groups, err := q.Parts(t.dev, t.g)
	if err != nil {
		return nil, err
	}
	for _, group := range groups {
		if err := t.ask(ctx, group); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(t.Findings, func(a, b Finding) int {
		return slices.Compare([]uint32{a.Sink, uint32(a.Label)}, []uint32{b.Sink, uint32(b.Label)})
	})
	t.Findings = slices.CompactFunc(t.Findings, func(a, b Finding) bool { return a.Sink == b.Sink && a.Label == b.Label })
	for _, f := range t.Findings {
		t.Counts[f.Label]++
	}
	first := t.Findings[:min(len(t.Findings), max(q.Paths, 0))]
	for _, group := range groups {
		if err := t.paths(ctx, group, first); err != nil {
			return nil, err
		}
	}
	return &t.Tainted, nil
}

func (q TaintQuery) check(g *graph.CSR, dev driver.Device) error {
	if err := given(dev, g, Options{}); err != nil {
		return err
	}
	refuse := func(msg, fix string) error {
		return &driver.Error{Op: "taint", Device: dev.Name(), Kind: driver.InvalidArgument, Msg: msg, Fix: fix}
	}
	nodes := func(what string, list []uint32) error {
		for _, v := range list {
			if int64(v) >= int64(g.Nodes()) {
				return refuse(fmt.Sprintf("%s is node %d, the graph has %d", what, v, g.Nodes()), "nodes count from 0")
			}
		}
		return nil
	}
	labels := make(map[string]bool)
	for i, s := range q.Sources {
		if labels[s.Label] {
			return refuse(fmt.Sprintf("two sources have the label %q", s.Label), "give a source all nodes of its label")
		}
		labels[s.Label] = true
		if err := nodes(fmt.Sprintf("a node of source %d, %s,", i, s.Label), s.Nodes); err != nil {
			return err
		}
	}
	for i, s := range q.Sanitizers {
		for _, l := range s.Labels {
			if !labels[l] {
				return refuse(fmt.Sprintf("sanitizer %d is for the label %q, which no source has", i, l), "leave the labels out to sanitize all")
			}
		}
		if err := nodes(fmt.Sprintf("a node of sanitizer %d", i), s.Nodes); err != nil {
			return err
		}
	}
	return nodes("a sink", q.Sinks)
}

// TaintPart is sources of a query that the same sanitizers hold for.
type TaintPart struct {
	Labels  []int    // which sources
	Without []uint32 // nodes that no value goes through, ascending
}

// Parts takes a query apart.
//
// Errors: no device or graph; a node that the graph does not have; a label that two sources have, or a sanitizer names and none has.
func (q TaintQuery) Parts(dev driver.Device, g *graph.CSR) (list []TaintPart, err error) {
	if err := q.check(g, dev); err != nil {
		return nil, err
	}
	at := make(map[string]int)
	for label, source := range q.Sources {
		var out []uint32
		var key strings.Builder
		for k, s := range q.Sanitizers {
			if len(s.Labels) == 0 || slices.Contains(s.Labels, source.Label) {
				out = append(out, s.Nodes...)
				fmt.Fprintf(&key, "%d ", k)
			}
		}
		i, ok := at[key.String()]
		if !ok {
			i = len(list)
			at[key.String()] = i
			slices.Sort(out)
			list = append(list, TaintPart{Without: slices.Compact(out)})
		}
		list[i].Labels = append(list[i].Labels, label)
	}
	return list, nil
}

// Seeds are the nodes of one of its sources that are not sanitized.
func (s TaintPart) Seeds(q TaintQuery, label int) []uint32 {
	return slices.DeleteFunc(slices.Clone(q.Sources[label].Nodes), func(v uint32) bool {
		_, out := slices.BinarySearch(s.Without, v)
		return out
	})
}

// Graph is what values go through.
//
// Errors: those of CSR.Without.
func (s TaintPart) Graph(ctx context.Context, g *graph.CSR) (*graph.CSR, error) {
	if len(s.Without) == 0 {
		return g, nil
	}
	return g.Without(ctx, s.Without)
}

// ask finds the sinks of a group.
func (t *tainting) ask(ctx context.Context, group TaintPart) (err error) {
	q, o := t.q, t.o
	o.Queries, o.Seeds, o.Levels = min(len(group.Labels), 64), 1, false
	queries := make([]Query, len(group.Labels))
	for i, label := range group.Labels {
		queries[i] = Query{Seeds: group.Seeds(q, label), Kinds: q.Kinds}
		o.Seeds = max(o.Seeds, len(queries[i].Seeds))
	}
	s, done, err := t.session(ctx, group, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	all, err := s.Batch(ctx, queries)
	if err != nil {
		return err
	}
	t.Searches += s.Turns()
	t.Bytes = max(t.Bytes, s.Bytes())
	for i, r := range all {
		for _, sink := range q.Sinks {
			if r.Contains(sink) {
				t.Findings = append(t.Findings, Finding{Sink: sink, Label: group.Labels[i]})
			}
		}
	}
	return nil
}

// paths finds those of the findings that are a group's: a search by levels for each of its sources that has one.
func (t *tainting) paths(ctx context.Context, group TaintPart, list []Finding) (err error) {
	q, o := t.q, t.o
	wanted := make(map[int]bool)
	most := 1
	for _, f := range list {
		if slices.Contains(group.Labels, f.Label) {
			wanted[f.Label] = true
			most = max(most, len(q.Sources[f.Label].Nodes))
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	o.Queries, o.Seeds, o.Levels = 1, most, true
	s, done, err := t.session(ctx, group, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	for _, label := range group.Labels {
		if !wanted[label] {
			continue
		}
		of := Query{Seeds: group.Seeds(q, label), Kinds: q.Kinds, Count: true}
		_, err := levelsOf(ctx, s, of, func(levels []uint32) (err error) {
			for i := range list {
				if list[i].Label == label && err == nil {
					list[i].Path, err = s.resident.backtrack(levels, list[i].Sink, s.resident.kinds(of))
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	t.Bytes = max(t.Bytes, s.Bytes())
	return nil
}
