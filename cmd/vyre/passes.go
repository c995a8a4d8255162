package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
)

// passesFlag chooses the passes that a kernel goes through on its way to a device.
type passesFlag struct {
	Optimise string `short:"O" placeholder:"PASSES" help:"Passes to run: level 0 (lowerings only), 1 or 2, +NAME and -NAME, with commas between; 2 by default."`
}

// options returns the choice as package opt takes it.
func (f passesFlag) options() (opt.Options, error) {
	o, err := opt.Parse(f.Optimise)
	if err != nil {
		return o, usage{err}
	}
	return o, nil
}

// optimise puts what the passes make of them in the place of the programs, and prints
// each step if that was asked for.
func (c *irCmd) optimise(t *terminal, all []loaded) error {
	o, err := passesFlag{c.Optimise}.options()
	if err != nil {
		return err
	}
	for i, l := range all {
		var trace error
		if c.Passes {
			before := l.program
			o.Trace = func(s opt.PassStats, p *ir.Program) {
				if trace == nil && p != before {
					trace = c.step(t.out, s, p)
				}
				before = p
			}
			if _, err := fmt.Fprintf(t.out, "// %s as it is written\n", l.name); err != nil {
				return err
			}
			if err := (ir.Printer{Positions: c.Positions}).Print(t.out, l.program); err != nil {
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
func (c *irCmd) step(w io.Writer, s opt.PassStats, p *ir.Program) error {
	var rules []string
	for rule, n := range s.Rewrites {
		rules = append(rules, fmt.Sprintf("%s %d", rule, n))
	}
	slices.Sort(rules)
	if _, err := fmt.Fprintf(w, "\n// behind %s: %s\n", s.Pass, strings.Join(rules, ", ")); err != nil {
		return err
	}
	return ir.Printer{Positions: c.Positions}.Print(w, p)
}
