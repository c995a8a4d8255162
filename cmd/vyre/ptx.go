package main

import (
	"bytes"

	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir/text"
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
	choice, err := c.choice(t)
	if err != nil {
		return err
	}
	return t.translate(c.Source, c.Out, func(all []loaded) ([]byte, error) {
		o := ptx.Options{Passes: choice, LineInfo: c.Lines, Annotate: c.Annotate}
		var steps bytes.Buffer
		if c.Passes {
			o.Trace = ptx.Dump(&steps, text.Of)
		}
		m, err := ptx.CompileModule(programs(all), target, o)
		if err != nil {
			return nil, err
		}
		steps.WriteString(m.Text)
		return steps.Bytes(), nil
	})
}
