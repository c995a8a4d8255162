package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/opt"
)

// levels are the values of -O.
var levels = []opt.Level{opt.O0, opt.O1, opt.O2}

// optimise puts what the passes make of them in the place of the programs, and prints
// each step if that was asked for.
func (c *irCmd) optimise(t *terminal, all []loaded) error {
	o := opt.Options{}
	if c.Level != nil {
		if *c.Level < 0 || *c.Level >= len(levels) {
			return usagef("-O%d; the levels are 0, 1 and 2", *c.Level)
		}
		o.Level = levels[*c.Level]
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
