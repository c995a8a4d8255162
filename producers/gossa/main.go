package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/alecthomas/kong"
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var c commands
	k := kong.Parse(&c, kong.Name("gossa"), kong.Description("Makes graphs of Go packages, and asks what becomes of values in them."), kong.UsageOnError())
	k.BindTo(ctx, (*context.Context)(nil))
	err := k.Run()
	stop()
	var wrong usage
	var finds found
	switch {
	case err == nil:
		return
	case errors.As(err, &wrong):
		fmt.Fprintln(os.Stderr, "gossa:", err)
		os.Exit(2)
	case errors.As(err, &finds):
		fmt.Fprintln(os.Stderr, "gossa:", err)
		os.Exit(3)
	}
	fmt.Fprintln(os.Stderr, "gossa:", err)
	os.Exit(1)
}
