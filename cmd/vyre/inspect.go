package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/verify"
	"github.com/govyre/vyre/ir/wire"
)

// checkCmd compiles and reports.
type checkCmd struct {
	Source []string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel."`
}

func (c *checkCmd) Run(t *terminal) error {
	bad := false
	for _, spec := range c.Source {
		all, err := load(spec)
		if err != nil {
			fmt.Fprintln(t.err, message(err))
			bad = true
			continue
		}
		for _, l := range all {
			warnings := verify.Program(l.program, verify.Target{})
			for _, d := range warnings {
				fmt.Fprintln(t.err, d)
			}
			tr := l.program.Traits()
			fmt.Fprintf(t.out, "%s: ok, %d rows, %s", l.name, l.program.Rows(), tr.Class)
			if tr.GridBarrier {
				fmt.Fprint(t.out, ", cooperative")
			}
			switch n := len(warnings); {
			case n == 1:
				fmt.Fprint(t.out, ", 1 warning")
			case n > 1:
				fmt.Fprintf(t.out, ", %d warnings", n)
			}
			fmt.Fprintln(t.out)
		}
	}
	if bad {
		return errSilent
	}
	return nil
}

// irCmd prints programs.
type irCmd struct {
	Source    string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel."`
	Positions bool   `help:"Print the source line of every row."`
	Optimise  string `short:"O" placeholder:"PASSES" help:"Optimise first: level 0 (what is required), 1 or 2, +NAME and -NAME, with commas between."`
	Passes    bool   `help:"Print the program after every run of a pass that changed it; at level 2 if none is given."`
	Out       string `short:"o" placeholder:"FILE" help:"Write to FILE; FILE.vyrb gets the wire form of a single kernel."`
}

func (c *irCmd) Run(t *terminal) error {
	all, err := load(c.Source)
	if err != nil {
		return err
	}
	if c.Optimise != "" || c.Passes {
		if err := c.optimise(t, all); err != nil || c.Passes {
			return err
		}
	}
	if strings.ToLower(filepath.Ext(c.Out)) == ".vyrb" {
		if len(all) > 1 {
			return usagef("%s has %d kernels and the wire form holds one; choose with %s:NAME, NAME being %s", c.Source, len(all), c.Source, names(all))
		}
		b, err := wire.Encode(all[0].program)
		if err != nil {
			return err
		}
		return os.WriteFile(c.Out, b, 0o666)
	}
	var ps []*ir.Program
	for _, l := range all {
		ps = append(ps, l.program)
	}
	print := text.Printer{Positions: c.Positions}.Print
	if c.Out == "" {
		return print(t.out, ps...)
	}
	var b bytes.Buffer
	if err := print(&b, ps...); err != nil {
		return err
	}
	return os.WriteFile(c.Out, b.Bytes(), 0o666)
}

// versionCmd prints the version.
type versionCmd struct{}

func (versionCmd) Run(t *terminal) error {
	v := "development"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	fmt.Fprintf(t.out, "vyre %s, %s, %s/%s\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}
