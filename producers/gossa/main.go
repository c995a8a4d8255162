package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
	"github.com/govyre/vyre/internal/interrupt"
	"github.com/govyre/vyre/internal/printable"
)

// commands is the command line.
type commands struct {
	Graph graphCmd `cmd:"" default:"withargs" help:"Make a graph of packages: of calls, of control, or of what becomes of values."`
	Taint taintCmd `cmd:"" help:"Ask of packages which values from outside come to where they must not."`
}

// usage is an error of the command line: exit status 2.
type usage struct{ error }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// found is what --fail-on names: exit status 3.
type found struct{ error }

func main() {
	collectLess()
	ctx := interrupt.Context(interrupt.Grace, func() { fmt.Fprintln(os.Stderr, "gossa: interrupted") })
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) (status int) {
	var c commands
	exited := -1
	parser, err := kong.New(&c, kong.Name("gossa"), kong.Description("Makes graphs of Go packages, and asks what becomes of values in them."),
		kong.Writers(out, errOut), kong.Exit(func(status int) { exited = status }))
	if err != nil {
		panic("BUG: command line: " + err.Error())
	}
	if len(args) == 0 {
		args = []string{"--help"}
		defer func() { status = 2 }()
	}
	k, err := parser.Parse(args)
	if exited >= 0 { // it was asked for help
		return exited
	}
	if err != nil {
		command := "gossa"
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
			command = wrong.Context.Selected().FullPath()
		}
		fmt.Fprintf(errOut, "gossa: %s\nrun %s --help to see what there is\n", printable.Lines(err.Error()), command)
		return 2
	}
	k.BindTo(ctx, (*context.Context)(nil))
	switch err = k.Run(); {
	case err == nil:
		return 0
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(errOut, "gossa: interrupted")
		return interrupt.Status
	}
	fmt.Fprintln(errOut, "gossa:", printable.Lines(err.Error()))
	var wrong usage
	var finds found
	switch {
	case errors.As(err, &wrong):
		return 2
	case errors.As(err, &finds):
		return 3
	}
	return 1
}
