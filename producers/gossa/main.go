package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/govyre/vyre/internal/interrupt"
	"github.com/govyre/vyre/internal/printable"
)

// commands is the command line.
type commands struct {
	Version kong.VersionFlag `help:"Say which version this is."`

	Graph graphCmd `cmd:"" default:"withargs" help:"Make a graph of packages: of calls, of control, or of what becomes of values."`
	Taint taintCmd `cmd:"" help:"Ask of packages which values from outside come to where they must not."`
	Diff  diffCmd  `cmd:"" help:"Print the findings of taint that an earlier version of the packages does not have."`
	Serve serveCmd `cmd:"" help:"Show an editor the findings of taint, and their paths, by the Language Server Protocol on standard input and output."`
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

// parserOf reads command lines.
func parserOf(options ...kong.Option) *kong.Kong {
	return kong.Must(new(commands), append(options, kong.Name("gossa"), kong.Vars{"version": "gossa " + version()},
		kong.Description("Makes graphs of Go packages, and asks what becomes of values in them."))...)
}

// streams are those of a process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// version is that of the module, and of the Go that made the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return strings.TrimSpace(info.Main.Version + " " + info.GoVersion)
	}
	return runtime.Version()
}

// run is main without the process: it returns the exit status.
func run(ctx context.Context, args []string, out, errOut io.Writer) (status int) {
	exited := -1
	parser := parserOf(kong.Writers(out, errOut), kong.Exit(func(status int) { exited = status }))
	if len(args) == 0 {
		args = []string{"--help"}
		defer func() { status = 2 }()
	}
	args, err := withConfig(args)
	if err != nil {
		fmt.Fprintln(errOut, "gossa:", printable.Lines(err.Error()))
		return 2
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
	k.Bind(streams{os.Stdin, out, errOut})
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
