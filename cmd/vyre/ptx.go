package main

import (
	"io"
	"os"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ptx"
)

// ptxCmd writes the PTX of kernels, as one module.
type ptxCmd struct {
	Source   string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel."`
	Target   string `default:"sm_90" placeholder:"SM" help:"Architecture to write for, such as sm_75 or sm_90a."`
	Output   string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
	Lines    bool   `help:"Name the source line of every instruction (.loc)."`
	Annotate bool   `help:"Print the program's row behind every instruction."`
}

func (c *ptxCmd) Run(t *terminal) error {
	target, err := ptx.ParseTarget(c.Target)
	if err != nil {
		return usage{err}
	}
	all, err := load(c.Source)
	if err != nil {
		return err
	}
	var ps []*ir.Program
	for _, l := range all {
		ps = append(ps, l.program)
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
