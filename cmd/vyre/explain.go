package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/govyre/vyre/internal/explain"
	"github.com/govyre/vyre/internal/ptx"
)

// explainCmd writes the page that shows how a kernel becomes PTX.
type explainCmd struct {
	Source string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel; - is standard input."`
	Out    string `short:"o" placeholder:"FILE" help:"Write the page to FILE instead of standard output."`
	Target string `default:"sm_90" completes:"target" placeholder:"SM" help:"Architecture to write PTX for, such as sm_75 or sm_90a."`
	Times  bool   `help:"Show how long each pass took; the page then differs from run to run."`
	passesFlag
}

// Help is the long help of the command.
func (explainCmd) Help() string {
	return `The page is one file that loads nothing else. Its columns are the source, the program as
it was made of it, the program after each run of a pass that changed it, the instructions
likewise, the PTX, and what device cpu makes of the program. A line under the mouse marks what belongs to it everywhere; a click pins
that. So does Enter, after the arrows.
What the machine code takes is told by an NVIDIA GPU of the architecture if there is one, else by ptxas if it
is on the PATH; else registers and occupancy are estimates, and the page says so.
With ptxas and nvdisasm on the PATH, there is a column with the machine code of the PTX.`
}

func (c *explainCmd) Run(t *terminal) error {
	target, err := ptx.ParseTarget(c.Target)
	if err != nil {
		return usage{err}
	}
	choice, err := c.choice(t)
	if err != nil {
		return err
	}
	out, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer out.close()
	l, err := t.loadOne(c.Source)
	if err != nil {
		return err
	}
	stop := t.spin("explaining " + l.name)
	defer stop()
	page, err := explain.New(t.ctx, explain.Input{Program: l.program, Read: sourceReader(c.Source), Passes: choice, Target: target, Times: c.Times,
		Machine:     machineOf(t.ctx, l.program, target, choice, c.Optimise),
		Disassemble: func(text string) []explain.MachineLine { return disassemble(t.ctx, text, target) }})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		return err
	}
	stop()
	return out.write(b.Bytes())
}

// sourceReader reads the source that a program's positions name. Positions are what the program says, so
// they lead to Go files from Go files, and from a program in text form to that file only: a page may be
// passed on, and should hold nothing that its author did not mean to show.
func sourceReader(spec string) func(string) ([]byte, error) {
	given, _ := splitSpec(spec)
	text := strings.HasPrefix(strings.ToLower(filepath.Ext(given)), ".vyr")
	return func(file string) ([]byte, error) {
		if file != given && (text || filepath.Ext(file) != ".go") {
			return nil, fmt.Errorf("%s is no source of %s", file, given)
		}
		return os.ReadFile(file)
	}
}
