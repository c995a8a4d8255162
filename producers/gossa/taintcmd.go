package main

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/govyre/vyre/driver"
	_ "github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/ifds"
	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/report"
	"github.com/govyre/vyre/producers/calls/names"
)

// taintCmd asks which values come to where they must not.
type taintCmd struct {
	loading
	Rules    []string `placeholder:"FILE" help:"More rules, beside those that gossa has."`
	Classes  []string `placeholder:"CLASS" help:"Only sinks of these classes, such as sql or command; all by default."`
	Contexts string   `enum:"none,exact" default:"exact" help:"Whether returns go to the call that was made (${enum})."`
	Paths    int      `default:"100" placeholder:"N" help:"Of so many findings, show a path."`

	report.Form
}

func (c *taintCmd) Run(ctx context.Context) error {
	if c.Paths < 0 {
		return usagef("--paths %d: a number from 0 on", c.Paths)
	}
	r, err := newRules(c.Rules)
	if err != nil {
		return err
	}
	for _, class := range c.Classes {
		if !slices.Contains(r.classes(), class) {
			return usagef("--classes %s: no rule has a sink of that class; there are %s", class, strings.Join(r.classes(), ", "))
		}
	}
	old, err := c.Known(readFile)
	if err != nil {
		return usagef("%w", err)
	}
	p, made, err := c.program(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	e, err := valuesOf(ctx, p, made, r, c.flat(r))
	if err != nil {
		return err
	}
	g, err := e.graph(ctx, near(c.Dir), c.options())
	if err != nil {
		return err
	}
	c.say("graph", began)
	if !c.Quiet {
		for _, line := range e.report(g) {
			fmt.Fprintln(os.Stderr, printable.Lines(line))
		}
	}
	t, err := e.ask(ctx, g, c.Contexts, c.Paths, c.Classes)
	if err != nil {
		return err
	}
	return c.show(ctx, os.Stdout, t, old)
}

// show prints what was found, beyond what is known.
func (c *taintCmd) show(ctx context.Context, out io.Writer, t *report.Taint, old report.Baseline) error {
	fails, err := c.Print(ctx, out, t, old)
	if err == nil && fails {
		err = found{fmt.Errorf("findings: %d", len(t.Shown))}
	}
	return err
}

// readFile reads a file, or standard input.
func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name)
}

// near says where something is, as seen from a folder; what is elsewhere has the path of its package.
func near(dir string) where {
	base, err := filepath.Abs(dir)
	return func(to []byte, in string, at token.Position) []byte {
		if rel, e := filepath.Rel(base, at.Filename); err == nil && e == nil && !strings.HasPrefix(rel, "..") {
			return names.AppendLine(append(to, filepath.ToSlash(rel)...), at)
		}
		return names.AppendPosition(to, in, at)
	}
}

// question is the sources, and for each class of sinks what is to be asked.
type question struct {
	sources []session.Source
	classes []string
	sinks   map[string][]uint32
}

// ask asks for each class of sinks, for what is harmless to one is not to another.
func (e *emitted) ask(ctx context.Context, g *graph.CSR, contexts string, paths int, only []string) (*report.Taint, error) {
	q := e.question(g)
	dev, err := driver.Open("cpu", driver.OpenOptions{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	began := time.Now()
	search, how := session.Taint, ""
	if contexts == "exact" {
		search, how = ifds.Taint, "exact contexts, "
	}
	t := &report.Taint{Tool: "gossa taint", Version: "gossa, " + runtime.Version(), Graph: g, Contexts: contexts}
	t.Query.Sources, t.Tainted = q.sources, &session.Tainted{Counts: make([]int, len(q.sources))}
	several := e.programs()
	for _, class := range q.classes {
		if len(only) > 0 && !slices.Contains(only, class) {
			continue
		}
		t.Query.Sinks = append(t.Query.Sinks, q.sinks[class]...)
		if len(q.sources) == 0 {
			continue
		}
		asked := func(q session.TaintQuery) (*session.Tainted, error) {
			return search(ctx, dev, g, q, session.Options{Label: class})
		}
		query := session.TaintQuery{Sources: q.sources, Sinks: q.sinks[class], Sanitizers: e.sanitizers(class), Paths: paths}
		one, err := asked(query)
		if err != nil {
			return nil, err
		}
		t.Searches += one.Searches
		if several != nil {
			var again int
			if one.Findings, again, err = e.ofOne(ctx, several, query, one.Findings, asked); err != nil {
				return nil, err
			}
			t.Searches += again
		}
		t.Findings = append(t.Findings, one.Findings...)
	}
	t.Findings = e.distinct(g, t.Findings)
	for _, f := range t.Findings {
		t.Counts[f.Label]++
	}
	t.Run = report.Run{Device: dev.Name(), Topology: how + turns(t.Searches), WallNS: time.Since(began).Nanoseconds()}
	return t, nil
}

func turns(n int) string {
	if n == 1 {
		return "1 turn"
	}
	return fmt.Sprintf("%d turns", n)
}

// question collects what rules name. A source is one for each call; its copies are the same source.
func (e *emitted) question(g *graph.CSR) question {
	q := question{sinks: make(map[string][]uint32)}
	at := make(map[string]int)
	for _, p := range e.places {
		v := e.id(p.object, itself)
		switch p.rule.kind {
		case sourceRule:
			label := label(g, v)
			i, ok := at[label]
			if !ok {
				i = len(q.sources)
				at[label] = i
				q.sources = append(q.sources, session.Source{Label: label})
			}
			q.sources[i].Nodes = append(q.sources[i].Nodes, v)
		case sinkRule:
			class := p.rule.classes[0]
			if q.sinks[class] == nil {
				q.classes = append(q.classes, class)
			}
			q.sinks[class] = append(q.sinks[class], v)
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

// distinct leaves out what a copy of a function has in common with it.
func (e *emitted) distinct(g *graph.CSR, list []session.Finding) (kept []session.Finding) {
	slices.SortStableFunc(list, func(a, b session.Finding) int {
		if a.Sink != b.Sink {
			return int(int64(a.Sink) - int64(b.Sink))
		}
		return a.Label - b.Label
	})
	type finding struct {
		label int
		sink  string
	}
	seen := make(map[finding]bool)
	for _, f := range list {
		is := finding{f.Label, label(g, f.Sink)}
		if !seen[is] {
			seen[is] = true
			kept = append(kept, f)
		}
	}
	return kept
}
