package main

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
)

// asker asks about one graph.
type asker struct {
	*emitted
	g       *graph.CSR
	ctx     context.Context
	dev     driver.Device
	search  func(context.Context, driver.Device, *graph.CSR, session.TaintQuery, session.Options) (*session.Tainted, error)
	several *together
	between *between
	self    string        // of what answers are kept; see searchKey
	quick   time.Duration // of how long searches nothing is kept
}

// findings are the places of sinks of some classes, nil is all, to which values from outside come. They are in the
// order of classes and places, and the same on every device.
func (e *emitted) findings(ctx context.Context, g *graph.CSR, device, contexts string, only []string) ([]finding, error) {
	dev, err := driver.Open(device, driver.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	a := &asker{emitted: e, g: g, ctx: ctx, dev: dev, search: session.Taint, several: e.programs(), between: newBetween(g),
		self: e.p.identity(contexts), quick: quickSearch}
	if contexts == "exact" {
		a.search = ifds.Taint
	}
	q := e.question(g)
	var list []finding
	for _, class := range q.classes {
		sources := q.sourcesFor(class)
		if len(sources) == 0 || len(only) > 0 && !slices.Contains(only, class) {
			continue
		}
		some, err := a.ofClass(class, sources, q.sinks[class])
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	return list, nil
}

// ofClass finds the places of sinks of a class: first those on a path without checks of unknown content, then the
// others.
func (a *asker) ofClass(class string, sources []session.Source, sinks []uint32) (list []finding, err error) {
	harmless := a.sanitizers(class)
	var nodes []uint32
	for _, o := range sortedKeys(a.supposedChecked) {
		if a.supposedChecked[o].isOf(class) {
			nodes = append(nodes, a.id(o, itself))
		}
	}
	if len(nodes) == 0 {
		list, _, err = a.alongPaths(class, sources, sinks, harmless)
		return list, err
	}
	unchecked := append(slices.Clone(harmless), session.Sanitizer{Nodes: nodes})
	list, found, err := a.alongPaths(class, sources, sinks, unchecked)
	if err != nil {
		return nil, err
	}
	shown := make(map[spot]bool)
	for _, f := range list {
		shown[f.Sink] = true
	}
	rest := slices.DeleteFunc(slices.Clone(sinks), func(v uint32) bool { return found[a.placeOf(v)] })
	all, _, err := a.alongPaths(class, sources, rest, harmless)
	for _, f := range all {
		if !shown[f.Sink] {
			list = append(list, f)
		}
	}
	return list, err
}

// alongPaths asks which source is nearest to each sink, with all of them taken for one, and how many come there. It returns also which
// places of sinks it has found.
func (a *asker) alongPaths(class string, sources []session.Source, sinks []uint32,
	harmless []session.Sanitizer) ([]finding, map[sinkPlace]bool, error) {
	var all session.Source
	for _, s := range sources {
		all.Nodes = append(all.Nodes, s.Nodes...)
	}
	query := session.TaintQuery{Sources: []session.Source{all}, Sinks: sinks, Sanitizers: harmless, Paths: len(sinks)}
	asked := func(q session.TaintQuery) (*session.Tainted, error) {
		return a.ask(q, session.Options{Label: class})
	}
	places := bySourcePlace(sources)
	together := len(sinks)*len(places) <= mostTogether
	if together { // one search finds both
		query.Sources = append(query.Sources, places...)
		query.Paths *= len(query.Sources)
	}
	found, err := asked(query)
	if err != nil {
		return nil, nil, err
	}
	nearest, counted := split(found.Findings)
	query.Sources, query.Paths = query.Sources[:1], len(sinks)
	if a.several != nil {
		if nearest, err = a.ofOne(a.ctx, a.several, query, nearest, asked); err != nil {
			return nil, nil, err
		}
	}
	if len(nearest) == 0 {
		return nil, nil, nil
	}
	if !together {
		query.Sources, query.Sinks, query.Paths = append([]session.Source{{}}, places...), nil, 0
		for _, f := range nearest {
			query.Sinks = append(query.Sinks, f.Sink)
		}
		if found, err = asked(query); err != nil {
			return nil, nil, err
		}
		_, counted = split(found.Findings)
	}
	at, from := make(map[sinkPlace]bool), make(map[uint32]map[int]bool)
	for _, f := range nearest {
		at[a.placeOf(f.Sink)] = true
		from[f.Sink] = make(map[int]bool)
	}
	for _, f := range counted {
		if from[f.Sink] != nil {
			from[f.Sink][f.Label] = true
		}
	}
	return a.made(class, nearest, from), at, nil
}

// mostTogether is how many pairs of a sink and a source one search is asked about, with a path for each pair.
var mostTogether = 4096

// split tells findings of the first source, which is all of them together, from those of the others.
func split(list []session.Finding) (first, others []session.Finding) {
	for _, f := range list {
		if f.Label == 0 {
			first = append(first, f)
		} else {
			others = append(others, f)
		}
	}
	return first, others
}

// sinkPlace is where a sink is, and what is called there.
type sinkPlace struct{ at, callee string }

func (a *asker) placeOf(v uint32) sinkPlace {
	callee, _ := a.callee(v)
	at := a.g.Position(v)
	if at == "" {
		at = a.g.Name(v)
	}
	return sinkPlace{at, callee}
}

// bySourcePlace takes sources for one that are the same field, variable or function in one procedure.
func bySourcePlace(sources []session.Source) (list []session.Source) {
	at := make(map[string]int)
	for _, s := range sources {
		label := ordinals.ReplaceAllString(s.Label, "")
		i, ok := at[label]
		if !ok {
			i = len(list)
			at[label] = i
			list = append(list, session.Source{Label: label})
		}
		list[i].Nodes = append(list[i].Nodes, s.Nodes...)
	}
	return list
}

// ordinals tell nodes of one name apart.
var ordinals = regexp.MustCompile(` \((\d+)\)`)

// made makes findings of sinks: one for each place, with the shortest of the paths that lead there.
func (a *asker) made(class string, sinks []session.Finding, from map[uint32]map[int]bool) (list []finding) {
	at, sources := make(map[sinkPlace]int), []map[int]bool{}
	f := folder{describer: a.describer(nil), g: a.g}
	slices.SortStableFunc(sinks, func(x, y session.Finding) int {
		return cmp.Or(cmp.Compare(len(x.Path), len(y.Path)), cmp.Compare(x.Sink, y.Sink))
	})
	for _, s := range sinks {
		callee, nth := a.callee(s.Sink)
		key := a.placeOf(s.Sink)
		i, ok := at[key]
		if !ok {
			i = len(list)
			at[key] = i
			c := classes[class]
			n := finding{Class: class, CWE: c.cwe, Severity: c.severity, Callee: callee, Nth: nth}
			f.fold(s.Path, &n)
			list, sources = append(list, n), append(sources, make(map[int]bool))
		}
		for label := range from[s.Sink] {
			sources[i][label] = true
		}
	}
	for i := range list {
		list[i].Others = max(len(sources[i])-1, 0)
	}
	slices.SortStableFunc(list, func(x, y finding) int { return x.Sink.compare(y.Sink) })
	return list
}

// callee is what is called at a sink, and which of these calls in its procedure it is.
func (a *asker) callee(v uint32) (string, int) {
	_, name, is := strings.Cut(a.g.Name(v), ": ")
	if !is {
		return a.g.Name(v), 1
	}
	if m := ordinals.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1])
		return strings.TrimSuffix(name, m[0]), n
	}
	return name, 1
}

func (s spot) compare(t spot) int {
	return cmp.Or(strings.Compare(s.File, t.File), cmp.Compare(s.Line, t.Line), cmp.Compare(s.Column, t.Column),
		strings.Compare(s.Procedure, t.Procedure))
}
