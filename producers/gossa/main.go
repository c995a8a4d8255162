package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"

	"github.com/govyre/vyre/graph/files"
)

// command is what the command line says.
type command struct {
	Patterns []string `arg:"" help:"Packages, as for go build."`
	Output   string   `short:"o" required:"" placeholder:"FILE" help:"Where the graph goes; .vyg."`
	Calls    string   `default:"vta" enum:"cha,rta,vta" help:"How calls of unknown functions are resolved: cha, rta or vta."`
	Tests    bool     `help:"Tests are roots, too."`
	Dir      string   `short:"C" default:"." help:"Where the packages are looked for."`
	Levels   int      `default:"3" help:"Through how many calls a function is followed that is passed on; 0 makes no copies."`
	More     float64  `default:"0.1" help:"How many more instructions copies may have, as a part of all."`
	Unseen   bool     `help:"List the calls that the graph does not see."`
	Quiet    bool     `short:"q" help:"Say nothing."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var c command
	kong.Parse(&c, kong.Name("gossa"), kong.Description("Makes a graph of the calls in Go packages."), kong.UsageOnError())
	if err := c.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gossa:", err)
		os.Exit(1)
	}
}

func (c *command) run(ctx context.Context) error {
	if c.Levels < 0 || c.More < 0 {
		return fmt.Errorf("--levels %d and --more %g: neither may be negative", c.Levels, c.More)
	}
	if files.FormatOf(c.Output) == files.Auto {
		return fmt.Errorf("%s: its name says no format; there are %s", c.Output, files.Names())
	}
	began := time.Now()
	p, err := load(ctx, c.Dir, c.Tests, c.Patterns)
	if err != nil {
		return err
	}
	loaded := time.Now()
	callees, err := p.resolve(c.Calls)
	if err != nil {
		return err
	}
	resolved := time.Now()
	made := copies(p, callees, limits{levels: c.Levels, more: c.More})
	g, err := made.graph(p, fmt.Sprintf("--calls %s --levels %d --more %g %v", c.Calls, c.Levels, c.More, c.Patterns))
	if err != nil {
		return err
	}
	if _, err := files.Save(c.Output, g, files.Auto); err != nil {
		return err
	}
	if !c.Quiet {
		made.report(os.Stderr, g, c.Unseen)
		fmt.Fprintf(os.Stderr, "load %v, calls %v, graph %v\n", loaded.Sub(began).Round(time.Millisecond), resolved.Sub(loaded).Round(time.Millisecond), time.Since(resolved).Round(time.Millisecond))
	}
	return nil
}
