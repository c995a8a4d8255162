package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

// irCmd prints programs.
type irCmd struct {
	Source    string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel; - is standard input."`
	Positions bool   `help:"Print the source line of every row."`
	Optimise  string `short:"O" placeholder:"PASSES" help:"Optimise first: level 0 (what is required), 1 or 2, +NAME and -NAME, with commas between."`
	Passes    bool   `help:"Print the program after every run of a pass that changed it; at level 2 if none is given."`
	Out       string `short:"o" placeholder:"FILE" help:"Write to FILE; FILE.vyrb, or --out=-.vyrb for standard output, gets the wire form of a single kernel."`
}

func (c *irCmd) Run(t *terminal) error { return t.translate(c.Source, c.Out, c.form) }

// form is the programs as text, or one in wire form.
func (c *irCmd) form(all []loaded) ([]byte, error) {
	binary := strings.ToLower(filepath.Ext(c.Out)) == ".vyrb"
	if binary && c.Passes {
		return nil, usagef("-o %s: the wire form holds one program, and --passes prints many; name a .vyre", c.Out)
	}
	var b bytes.Buffer
	if c.Optimise != "" || c.Passes {
		choice, err := passesFlag{c.Optimise}.choice()
		if err != nil {
			return nil, err
		}
		if err := c.optimise(&b, all, choice); err != nil {
			return nil, err
		}
	}
	switch {
	case binary && len(all) > 1:
		return nil, usagef("%s has %d kernels and the wire form holds one; choose with %s:NAME, NAME being %s", c.Source, len(all), c.Source, names(all))
	case binary:
		return wire.Encode(all[0].program)
	case c.Passes: // the last of them is what there is in the end
		return b.Bytes(), nil
	}
	err := (text.Printer{Positions: c.Positions}).Print(&b, programs(all)...)
	return b.Bytes(), err
}
