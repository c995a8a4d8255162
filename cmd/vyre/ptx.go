package main

import (
	"io"
	"os"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// ptxCmd writes the PTX of kernels, as one module: what the device gets of them, one by one.
type ptxCmd struct {
	Source   string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel."`
	Target   string `default:"sm_90" placeholder:"SM" help:"Architecture to write for, such as sm_75 or sm_90a."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
	Lines    bool   `help:"Name the source line of every instruction (.loc)."`
	Annotate bool   `help:"Print the row behind every instruction, of the program that the passes made."`
	passesFlag
}

func (c *ptxCmd) Run(t *terminal) error {
	target, err := ptx.ParseTarget(c.Target)
	if err != nil {
		return usage{err}
	}
	passes, err := c.options()
	if err != nil {
		return err
	}
	all, err := load(c.Source)
	if err != nil {
		return err
	}
	var ps []*ir.Program
	for _, l := range all {
		if err := ptx.Check(l.program, target); err != nil {
			return err
		}
		p, _, err := opt.Run(l.program, passes)
		if err != nil {
			return err
		}
		ps = append(ps, p)
	}
	m, err := ptx.EmitAll(ps, target, ptx.Options{LineInfo: c.Lines, Annotate: c.Annotate})
	if err != nil {
		return err
	}
	if c.Output != "" {
		return os.WriteFile(c.Output, []byte(m.Text), 0o666)
	}
	_, err = io.WriteString(t.out, m.Text)
	return err
}
