package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	_ "github.com/govyre/vyre/driver/cpu"
	_ "github.com/govyre/vyre/driver/cuda"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
)

// taintCmd asks which values come to where they must not.
type taintCmd struct {
	analysis
	form
	Baseline string `placeholder:"FILE" help:"Print only what is not in this document, which --json printed earlier; - is standard input."`
}

func (c *taintCmd) Run(ctx context.Context, s streams) error {
	known, err := readBaseline(c.Baseline, s.in)
	if err != nil {
		return usagef("%w", err)
	}
	a, err := c.answer(ctx)
	if err != nil {
		return err
	}
	a.against(known, c.Guarded)
	return c.print(ctx, s, a)
}

// analysis is which packages are asked, and what.
type analysis struct {
	loading
	Rules    []string `placeholder:"FILE" help:"More rules, beside those that gossa has."`
	Classes  []string `placeholder:"CLASS" help:"Only sinks of these classes, such as sql or command; all by default."`
	Sources  []string `placeholder:"CLASS" help:"Sources of these classes too, which are not asked about otherwise: cli is arguments and the environment, answer what servers say that it asks, stored what databases and names of files have."`
	Device   string   `default:"cpu" help:"Where to search: the host, which is cpu, or a GPU, such as cuda:0. Findings are the same."`
	Contexts string   `enum:"none,exact" default:"exact" help:"Whether returns go to the call that was made (${enum})."`
}

// answer asks packages.
func (c *analysis) answer(ctx context.Context) (*answer, error) {
	r, err := newRules(c.Rules)
	if err != nil {
		return nil, err
	}
	if err := r.choose(c.Sources); err != nil {
		return nil, usagef("--sources %w", err)
	}
	for _, class := range c.Classes {
		if !slices.Contains(r.classes(), class) {
			return nil, usagef("--classes %s: no rule has a sink of that class; there are %s", class, strings.Join(r.classes(), ", "))
		}
	}
	c.rules, c.light = r, true
	ctx, end := c.progress(ctx)
	defer end()
	listed, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	key := c.key(listed)
	a := remembered(key)
	if a == nil {
		if a, err = c.made(ctx, listed); err != nil {
			return nil, err
		}
		if err := a.remember(ctx, key); err != nil {
			return nil, err
		}
	}
	a.tree, err = newTree(c.Dir, listed.p.files)
	return a, err
}

// made asks packages of which nothing is remembered.
func (c *analysis) made(ctx context.Context, listed *listing) (*answer, error) {
	p, made, err := c.loaded(ctx, listed)
	if err != nil {
		return nil, err
	}
	idle, all := made.idle()
	if all {
		return nil, idleError(idle)
	}
	began := time.Now()
	progressOf(ctx).begin("following values")
	e, err := valuesOf(ctx, p, made, c.rules, c.flat(c.rules))
	if err != nil {
		return nil, err
	}
	w := near(c.Dir)
	g, err := e.graph(ctx, w, c.options())
	if err != nil {
		return nil, err
	}
	c.say("graph", began)
	if !c.Quiet {
		for _, line := range e.report(g) {
			fmt.Fprintln(os.Stderr, printable.Lines(line))
		}
	}
	progressOf(ctx).begin("searching")
	list, err := e.findings(ctx, g, c.Device, c.Contexts, c.Classes)
	if err != nil {
		return nil, err
	}
	a := &answer{Findings: list, Notes: idle}
	return a, a.complete(p, made, c, w)
}

// complete says of an answer what is not in the graph.
func (a *answer) complete(p *program, made *calls, c *analysis, w where) (err error) {
	if a.tree, err = newTree(c.Dir, p.files); err != nil {
		return err
	}
	for _, l := range p.left {
		a.Notes = append(a.Notes, l.String())
	}
	for i, note := range a.Notes {
		a.Notes[i] = a.tree.relative(note)
	}
	reached, others := made.reached()
	a.Reached, a.Unreached = reached, p.spots(others, w)
	a.sort()
	return a.ignore(p.sources, c.rules.classes(), len(c.Classes) == 0)
}

// question is the sources, and for each class of sinks what is to be asked.
type question struct {
	sources []session.Source
	kinds   []string // classes of sources
	classes []string
	sinks   map[string][]uint32
}

// question collects what rules name. A source is one for each call; its copies are the same source.
func (e *emitted) question(g *graph.CSR) question {
	q := question{sinks: make(map[string][]uint32)}
	at := make(map[string]int)
	for _, p := range e.places {
		v := e.id(p.object, itself)
		switch p.rule.kind {
		case sourceRule, bindRule:
			label := label(g, v)
			i, ok := at[label]
			if !ok {
				i = len(q.sources)
				at[label] = i
				q.sources = append(q.sources, session.Source{Label: label})
				q.kinds = append(q.kinds, p.rule.class())
			}
			q.sources[i].Nodes = append(q.sources[i].Nodes, v)
		case sinkRule:
			for _, class := range p.rule.classes {
				if q.sinks[class] == nil {
					q.classes = append(q.classes, class)
				}
				q.sinks[class] = append(q.sinks[class], v)
			}
		}
	}
	slices.Sort(q.classes)
	return q
}

// label is what a source or a sink is called: the function that is called, and where; with a number from the second one on that
// has the same name there. Copies of a function have the same ones. Lines of the source do not matter to it, so that a finding
// is known again in a later version.
func label(g *graph.CSR, v uint32) string {
	where, what, ok := strings.Cut(g.Name(v), ": ")
	if !ok {
		return where
	}
	where, _, _ = strings.Cut(where, "{")
	return what + " in " + where
}

func (e *emitted) sanitizers(class string) (list []session.Sanitizer) {
	var nodes []uint32
	for _, p := range e.places {
		if p.rule.kind == sanitizerRule && (len(p.rule.classes) == 0 || slices.Contains(p.rule.classes, class)) {
			nodes = append(nodes, e.id(p.object, itself))
		}
	}
	if nodes != nil {
		list = append(list, session.Sanitizer{Nodes: nodes})
	}
	return list
}
