package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/govyre/vyre/ir"
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

func (c *irCmd) Run(t *terminal) error {
	out, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer out.close()
	all, err := t.load(c.Source)
	if err != nil {
		return err
	}
	binary := strings.ToLower(filepath.Ext(c.Out)) == ".vyrb"
	if binary && c.Passes {
		return usagef("-o %s: the wire form holds one program, and --passes prints many; name a .vyre", c.Out)
	}
	var b bytes.Buffer
	if c.Optimise != "" || c.Passes {
		if err := c.optimise(&b, all); err != nil {
			return err
		}
	}
	if binary {
		if len(all) > 1 {
			return usagef("%s has %d kernels and the wire form holds one; choose with %s:NAME, NAME being %s", c.Source, len(all), c.Source, names(all))
		}
		b, err := wire.Encode(all[0].program)
		if err != nil {
			return err
		}
		return out.write(b)
	}
	if c.Passes {
		return out.write(b.Bytes()) // the last of them is what there is in the end
	}
	var ps []*ir.Program
	for _, l := range all {
		ps = append(ps, l.program)
	}
	if err := (text.Printer{Positions: c.Positions}).Print(&b, ps...); err != nil {
		return err
	}
	return out.write(b.Bytes())
}
