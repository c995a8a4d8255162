package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/files"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/producers/calls/names"
)

// loading is how packages become a program, the same for all commands.
type loading struct {
	Patterns []string `arg:"" help:"Packages, as for go build."`
	Calls    string   `default:"vta" enum:"cha,rta,vta" help:"How calls of unknown functions are resolved: cha, rta or vta."`
	Tests    bool     `help:"Tests are roots, too."`
	Library  bool     `help:"What the packages export is called by others: it is a root, and its parameters are values from outside."`
	Tags     string   `placeholder:"TAG,TAG" help:"Build tags, as for go build."`
	Dir      string   `short:"C" default:"." help:"Where the packages are looked for."`
	Levels   int      `default:"3" help:"Through how many calls a function is followed that is passed on; 0 makes no copies."`
	More     float64  `default:"0.1" help:"How many more instructions copies may have, as a part of all."`
	Fields   string   `enum:"auto,value,type" default:"auto" help:"Of the graph of values, whether a field is another one in each value, or one for all of its type, which is faster: value, type, or auto, which is value where there are rules. Large programs get type."`
	Quiet    bool     `short:"q" help:"Say nothing."`

	rules   *rules // or nil
	light   bool   // bodies of dependencies are not read, where it can be done without
	earlier bool   // rules may be about what these packages do not have yet
}

// program loads packages, and finds what calls what.
func (l loading) program(ctx context.Context) (*program, *calls, error) {
	listed, err := l.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	return l.loaded(ctx, listed)
}

// list lists packages.
func (l loading) list(ctx context.Context) (*listing, error) {
	if l.Levels < 0 || l.More < 0 {
		return nil, usagef("--levels %d and --more %g: neither may be negative", l.Levels, l.More)
	}
	return list(ctx, l.Dir, l.Tests, l.Tags, l.Patterns)
}

// loaded loads packages that are listed, and finds what calls what.
func (l loading) loaded(ctx context.Context, listed *listing) (*program, *calls, error) {
	began := time.Now()
	listed.p.light = l.light && l.Calls == "vta"
	p, err := listed.load(ctx)
	if err != nil {
		return nil, nil, err
	}
	l.say("load", began)
	if l.Library {
		p.export()
	}
	began = time.Now()
	progressOf(ctx).begin("resolving calls")
	c, err := l.calls(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	l.say("calls", began)
	return p, c, nil
}

// calls finds what calls what.
func (l loading) calls(ctx context.Context, p *program) (*calls, error) {
	callees, err := p.resolve(ctx, l.Calls)
	if err != nil {
		return nil, err
	}
	if l.rules != nil {
		if !l.earlier {
			if err := l.rules.check(p); err != nil {
				return nil, err
			}
		}
		if p.handed, err = l.rules.handOver(ctx, p, callees); err != nil {
			return nil, err
		}
	}
	return copies(ctx, p, callees, limits{levels: l.Levels, more: l.More})
}

// progress says what is being done, unless nothing is to be said.
func (l loading) progress(ctx context.Context) (context.Context, func()) {
	if l.Quiet {
		return ctx, func() {}
	}
	return withProgress(ctx, os.Stderr, time.Second)
}

// say says how long a phase took.
func (l loading) say(phase string, began time.Time) {
	if !l.Quiet {
		fmt.Fprintf(os.Stderr, "%s: %v\n", phase, time.Since(began).Round(time.Millisecond))
	}
}

// flat reports whether fields are one for all values of their type.
func (l loading) flat(r *rules) bool { return l.Fields == "type" || l.Fields != "value" && r == nil }

func (l loading) options() string {
	return fmt.Sprintf("--calls %s --levels %d --more %g %v", l.Calls, l.Levels, l.More, l.Patterns)
}

// graphCmd makes a graph.
type graphCmd struct {
	loading
	Output string   `short:"o" placeholder:"FILE" help:"Where the graph goes; .vyg."`
	Graph  string   `default:"calls" enum:"calls,icfg,dataflow" help:"Of what: calls of functions, control flow between instructions, or what becomes of values: calls, icfg or dataflow."`
	Rules  []string `placeholder:"FILE" help:"With --graph dataflow, take the standard library's functions for what these rules say, beside those that gossa has; std is those alone. Writes lists of sources, sinks and sanitizers beside the graph."`
	Unseen bool     `help:"List the calls that the graph does not see."`
}

func (c *graphCmd) Run(ctx context.Context) error {
	if err := c.check(); err != nil { // now, and not after all the work
		return err
	}
	var err error
	if c.rules, err = rulesOf(c.Rules); err != nil {
		return err
	}
	ctx, end := c.progress(ctx)
	defer end()
	p, made, err := c.program(ctx)
	if err != nil {
		return err
	}
	for _, l := range p.left {
		fmt.Fprintln(os.Stderr, "gossa:", printable.Lines(l.String()))
	}
	progressOf(ctx).begin("making the graph")
	if len(c.Rules) == 0 { // which alone ask for it
		p.variables = nil
	}
	began := time.Now()
	g, e, err := c.graph(ctx, p, made)
	if err != nil {
		return err
	}
	if err := c.write(ctx, g, e); err != nil {
		return err
	}
	c.say("graph", began)
	switch {
	case c.Quiet:
	case e != nil:
		for _, line := range e.report(g) {
			fmt.Fprintln(os.Stderr, printable.Lines(line))
		}
	default:
		made.report(os.Stderr, g, c.Unseen)
	}
	return nil
}

// check looks whether flags fit, and whether the folder of the file is there.
func (c *graphCmd) check() error {
	if c.Output == "" {
		return usagef("a graph of %s goes to a file: -o FILE.vyg says to which; gossa taint prints findings",
			strings.Join(c.Patterns, " "))
	}
	if files.FormatOf(c.Output) == files.Auto {
		return usagef("%s: its name says no format; there are %s", c.Output, files.Names())
	}
	if len(c.Rules) > 0 && c.Graph != "dataflow" {
		return usagef("--rules are about values: they need --graph dataflow")
	}
	return isFolder(filepath.Dir(c.Output))
}

// graph makes the one that is asked for; of values, with what was emitted.
func (c *graphCmd) graph(ctx context.Context, p *program, made *calls) (g *graph.CSR, e *emitted, err error) {
	switch c.Graph {
	case "calls":
		g, err = made.graph(ctx, p, c.options())
	case "icfg":
		g, err = made.control(ctx, p, c.options())
	case "dataflow":
		if e, err = valuesOf(ctx, p, made, c.rules, c.flat(c.rules)); err != nil {
			return nil, nil, err
		}
		g, err = e.graph(ctx, names.AppendPosition, c.options())
	}
	return g, e, err
}

// write writes a graph, and the lists that belong to it.
func (c *graphCmd) write(ctx context.Context, g *graph.CSR, e *emitted) error {
	if _, err := files.Save(ctx, c.Output, g, files.Auto); err != nil {
		return err
	}
	var written []string
	if e != nil && len(c.Rules) > 0 {
		var err error
		if written, err = e.lists(ctx, c.Output, g); err != nil {
			return err
		}
	}
	for _, file := range append([]string{c.Output}, written...) {
		if !c.Quiet {
			fmt.Fprintf(os.Stderr, "wrote %s\n", printable.Text(file))
		}
	}
	return nil
}

// rulesOf reads lists of rules; none is no rules at all.
func rulesOf(list []string) (*rules, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var files []string
	for _, f := range list {
		if f != "std" {
			files = append(files, f)
		}
	}
	return newRules(files)
}
