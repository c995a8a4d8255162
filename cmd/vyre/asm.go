package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/govyre/vyre/internal/native"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// asmCmd prints the machine code that device cpu runs, by default for the instruction set that it uses on this machine.
// Code for the other ones is made here, whatever the processor, and does not run.
type asmCmd struct {
	Source string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel; - is standard input."`
	Target string `default:"${native}" enum:"amd64.avx2,amd64.avx512,arm64.neon" placeholder:"TARGET" help:"Instruction set to write for: amd64.avx2, amd64.avx512 or arm64.neon; without it, the one that device cpu uses here."`
	Out    string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	Passes bool   `help:"Print before it what there was after every run of a pass that changed something."`
	passesFlag
}

// Help is the long help of the command.
func (asmCmd) Help() string {
	return `Beside the instructions stand the rows that they are for, of the program that the passes made,
and where these come from in the source. What a row says in parentheses is who goes on with it: Go
computes what has no instructions. Before the code stands what its memory operands mean, and
which registers have the address of what a group keeps, that of what a vector of eight invocations
keeps, and the number of that vector.`
}

func (c *asmCmd) Run(t *terminal) error {
	return t.translate(c.Source, c.Out, func(all []loaded) ([]byte, error) { return c.assembly(t, all) })
}

func (c *asmCmd) assembly(t *terminal, all []loaded) ([]byte, error) {
	var b bytes.Buffer
	choice, err := c.choice(t)
	if err != nil {
		return nil, err
	}
	if err := (&irCmd{Passes: c.Passes}).optimise(&b, all, choice.ForCPU()); err != nil {
		return nil, err
	}
	for _, l := range all {
		code, err := native.List(l.program, c.Target)
		var none *native.UnsupportedError
		if errors.As(err, &none) {
			return nil, fmt.Errorf("kernel %s has no machine code for %s, and device cpu interprets it: %s", l.name, c.Target, none.Reason)
		} else if err != nil {
			return nil, err
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		printAssembly(&b, l.program, code)
	}
	return b.Bytes(), nil
}

// printAssembly writes machine code beside the rows that it is for.
func printAssembly(w io.Writer, p *ir.Program, code *native.Listing) {
	count := 0
	for _, l := range code.Lines {
		if l.Place == "" {
			count++
		}
	}
	fmt.Fprintf(w, "// %s for %s: %s in %d bytes\n", p.Name(), code.Target, counted(count, "instruction"), code.Bytes)
	for _, f := range code.Frames {
		fmt.Fprintf(w, "// %s has the frame of %s, %d bytes:\n", f.Register, f.Of, f.Size)
		for _, c := range f.Cells {
			fmt.Fprintf(w, "//   %#-6x %s\n", c.At, c.What)
		}
	}
	of := "the vector"
	switch {
	case code.Lanes == 1:
		of += ", which is one invocation"
	case code.InStep > 1:
		of = fmt.Sprintf("the first of %d vectors in step", code.InStep)
	}
	fmt.Fprintf(w, "// %s has the number of %s, times 32\n", code.Number, of)
	rows := rowTexts(p)
	last := ir.NoRow
	for _, l := range code.Lines {
		if l.Place != "" {
			fmt.Fprintf(w, "%s:\n", l.Place)
			continue
		}
		line := strings.TrimRight(fmt.Sprintf("\t%-12s %s", l.Op, l.Args), " ")
		if l.Row != last && l.Row != ir.NoRow {
			line = fmt.Sprintf("%-58s // %s", line, rows[l.Row])
			if note := code.Notes[l.Row]; note != "" {
				line += " (" + note + ")"
			}
			if pos := p.Pos(l.Row); pos.Line > 0 {
				line += "  " + pos.String()
			}
		}
		last = l.Row
		fmt.Fprintln(w, line)
	}
}

// rowTexts returns how the text of a program writes each row: the first of its lines.
func rowTexts(p *ir.Program) []string {
	texts := make([]string, p.Rows())
	l := text.Printer{}.List(p)
	for i, line := range strings.Split(l.Text, "\n") {
		if i >= len(l.Rows) {
			break
		}
		for _, r := range l.Rows[i] {
			if texts[r] == "" {
				texts[r] = strings.TrimSpace(line)
			}
		}
	}
	for r := range texts {
		if texts[r] == "" {
			texts[r] = p.Op(ir.Row(r)).String()
		}
	}
	return texts
}
