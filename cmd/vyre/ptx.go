package main

import (
	"bytes"

	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// ptxCmd writes the PTX of kernels, as one module: what the device gets of them, one by one.
type ptxCmd struct {
	Source   string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel; - is standard input."`
	Target   string `default:"sm_90" completes:"target" placeholder:"SM" help:"Architecture to write for, such as sm_75 or sm_90a."`
	Out      string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	Lines    bool   `help:"Name the source line of every instruction (.loc)."`
	Passes   bool   `help:"Print before it what there was after every run of a pass that changed something."`
	Annotate bool   `help:"Print the row after every instruction, of the program that the passes made."`
	passesFlag
}

func (c *ptxCmd) Run(t *terminal) error {
	target, err := ptx.ParseTarget(c.Target)
	if err != nil {
		return usage{err}
	}
	choice, err := c.choice()
	if err != nil {
		return err
	}
	out, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer out.close()
	all, err := t.load(c.Source)
	if err != nil {
		return err
	}
	var ps []*ir.Program
	for _, l := range all {
		ps = append(ps, l.program)
	}
	o := compile.Options{Passes: choice, LineInfo: c.Lines, Annotate: c.Annotate}
	var steps bytes.Buffer
	if c.Passes {
		o.Trace = compile.Dump(&steps)
	}
	m, err := compile.Programs(ps, target, o)
	if err != nil {
		return err
	}
	steps.WriteString(m.Text)
	return out.write(steps.Bytes())
}
