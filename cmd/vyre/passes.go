package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/driver/cpu"
	"github.com/govyre/vyre/internal/compile"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/superopt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
)

// passesFlag chooses the passes that a kernel goes through on its way to a device.
type passesFlag struct {
	Optimise string `short:"O" placeholder:"PASSES" help:"Passes to run: level 0 (what is required) to 3, +NAME and -NAME, with commas between; 2 by default. vyre passes lists the names."`
	bankFlag
}

// bankFlag chooses the terms that the pass search looks up.
type bankFlag struct {
	Bank string `placeholder:"FILE" help:"Bank of terms for +search, as vyre rules bank makes it; - is standard input. By default, terms of up to three ops."`
}

// use gives the pass search its bank.
func (f bankFlag) use(t *terminal) error {
	if t.searching != nil {
		return nil
	}
	bank := superopt.Default()
	if f.Bank != "" {
		file, err := t.read(f.Bank, maxBank)
		if err == nil {
			if bank, err = superopt.Load(file); err != nil {
				err = fmt.Errorf("--bank %s:%w", f.Bank, err)
			}
		}
		if err != nil {
			return err
		}
	}
	dev, err := openDevice(cpu.Name, driver.OpenOptions{CacheDir: driver.CacheOff})
	if err != nil {
		return err
	}
	t.searching = dev
	t.finder = superopt.Use(t.ctx, bank, dev, func(line string) { fmt.Fprintln(t.err, printable.Lines(line)) })
	return nil
}

// maxBank bounds a bank of terms, in bytes.
const maxBank = 1 << 28

// choice returns what the flag says.
func (f passesFlag) choice(t *terminal) (compile.Choice, error) {
	if strings.Contains(f.Optimise, "+search") {
		if err := f.use(t); err != nil {
			return compile.Choice{}, err
		}
	} else if f.Bank != "" {
		return compile.Choice{}, usagef("--bank %s: it is for the pass search; choose that by -O 3,+search", f.Bank)
	}
	c, err := compile.Parse(f.Optimise)
	if err != nil {
		return c, usage{err}
	}
	return c, nil
}

// passesCmd lists the compiler's passes.
type passesCmd struct {
	passesFlag
}

// Help is the long help of the command.
func (passesCmd) Help() string {
	return `The runs of passes in their order, from the program to the text. With -O a run that the choice
leaves out is marked with a minus. Beside each stands the lowest level at which it runs, and GPU where
machine code for the CPU goes without it; one that only this has, or a choice that names it, is marked CPU. -NAME leaves out a run, or with the name of a pass all its runs.`
}

func (c *passesCmd) Run(t *terminal) error {
	choice, err := c.choice(t)
	if err != nil {
		return err
	}
	chosen, err := choice.Runs()
	if err != nil {
		return usage{err}
	}
	var b strings.Builder
	for i, r := range compile.Table() {
		if i == 0 || compile.Table()[i-1].Group != r.Group {
			fmt.Fprintf(&b, "%v\n", r.Group)
		}
		mark := " "
		if !slices.Contains(chosen, r) {
			mark = "-"
		}
		p, _ := compile.Of(r.Pass)
		level := strconv.Itoa(int(r.Level - compile.O0))
		switch {
		case p.Required:
			level = "always"
		case r.GPU():
			level += " GPU"
		case r.CPU():
			level = "CPU"
		case r.Level == compile.Named:
			level = "named"
		}
		fmt.Fprintf(&b, "%s %-17s %-7s %s\n", mark, r.Name, level, p.Does)
	}
	_, err = io.WriteString(t.out, b.String())
	return err
}

// optimise puts what the passes make of them in the place of the programs, and prints
// each step if that was asked for.
func (c *irCmd) optimise(w io.Writer, all []loaded, choice compile.Choice) error {
	o := opt.Options{Passes: choice}
	for i, l := range all {
		var trace error
		if c.Passes {
			before := l.program
			o.Trace = func(s compile.Stats, p *ir.Program) {
				if trace == nil && p != before {
					trace = c.step(w, s, p)
				}
				before = p
			}
			if _, err := fmt.Fprintf(w, "// %s as it is written\n", l.name); err != nil {
				return err
			}
			if err := (text.Printer{Positions: c.Positions}).Print(w, l.program); err != nil {
				return err
			}
		}
		p, _, err := opt.Run(l.program, o)
		if err != nil || trace != nil {
			return cmp.Or(err, trace)
		}
		all[i].program = p
	}
	return nil
}

// step prints what a pass made, under its name and the rules it used.
func (c *irCmd) step(w io.Writer, s compile.Stats, p *ir.Program) error {
	var rules []string
	for rule, n := range s.Rewrites {
		rules = append(rules, fmt.Sprintf("%s %d", rule, n))
	}
	slices.Sort(rules)
	if _, err := fmt.Fprintf(w, "\n// after %s: %s\n", s.Run, strings.Join(rules, ", ")); err != nil {
		return err
	}
	return text.Printer{Positions: c.Positions}.Print(w, p)
}
