package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/text"
	"github.com/govyre/vyre/ir/wire"
)

// irCmd prints programs.
type irCmd struct {
	Source    string `arg:"" help:"Go file, directory, or program in text form, with :NAME to choose one kernel; - is standard input."`
	Positions bool   `help:"Print the source line of every row."`
	Optimise  string `short:"O" placeholder:"PASSES" help:"Optimise first: level 0 (what is required) to 3, +NAME and -NAME, with commas between."`
	Passes    bool   `help:"Print the program after every run of a pass that changed it; at level 2 if none is given."`
	Why       string `placeholder:"VALUE" help:"Print why a value of the program that the passes made, such as %17, is equal to what was written; at level 3 if none is given."`
	bankFlag
	Out string `short:"o" placeholder:"FILE" help:"Write to FILE; FILE.vyrb, or --out=-.vyrb for standard output, gets the wire form of a single kernel."`
}

func (c *irCmd) Run(t *terminal) error {
	return t.translate(c.Source, c.Out, func(all []loaded) ([]byte, error) { return c.form(t, all) })
}

// form is the programs as text, or one in wire form.
func (c *irCmd) form(t *terminal, all []loaded) ([]byte, error) {
	binary := strings.ToLower(filepath.Ext(c.Out)) == ".vyrb"
	if binary && c.Passes {
		return nil, usagef("-o %s: the wire form holds one program, and --passes prints many; name a .vyre", c.Out)
	}
	if c.Why != "" {
		return c.why(t, all)
	}
	var b bytes.Buffer
	if c.Optimise != "" || c.Passes {
		choice, err := passesFlag{c.Optimise, c.bankFlag}.choice(t)
		if err != nil {
			return nil, err
		}
		if err := c.optimise(&b, all, choice); err != nil {
			return nil, err
		}
	}
	switch {
	case binary && len(all) > 1:
		return nil, usagef("%s has %d kernels and the wire form holds one; choose with %s:NAME, NAME being %s", c.Source, len(all), c.Source, names(all))
	case binary:
		return wire.Encode(all[0].program)
	case c.Passes: // the last of them is what there is in the end
		return b.Bytes(), nil
	}
	err := (text.Printer{Positions: c.Positions}).Print(&b, programs(all)...)
	return b.Bytes(), err
}

// why prints the proofs of one value.
func (c *irCmd) why(t *terminal, all []loaded) ([]byte, error) {
	switch {
	case len(all) > 1:
		return nil, usagef("--why %s: %s has %d kernels; choose with %s:NAME, NAME being %s", c.Why, c.Source, len(all), c.Source, names(all))
	case c.Passes:
		return nil, usagef("--why %s: what --passes prints has other values; give one of them", c.Why)
	}
	choice, err := passesFlag{cmp.Or(c.Optimise, "3"), c.bankFlag}.choice(t)
	if err != nil {
		return nil, err
	}
	p, rep, err := opt.Run(all[0].program, opt.Options{Passes: choice, Explain: (*egraph.Graph).Explain})
	if err != nil {
		return nil, err
	}
	values := (text.Printer{}).List(p).Names
	row := slices.Index(values, strings.TrimPrefix(c.Why, "%"))
	if row < 0 || p.Op(ir.Row(row)).Info().Result.Kind == ir.ResultNone {
		return nil, fmt.Errorf("--why %s: kernel %s has no such value; vyre ir -O%v %s prints those that it has", c.Why, all[0].name, choice, c.Source)
	}
	var b bytes.Buffer
	for _, e := range rep.Equated {
		if e.Row == ir.Row(row) {
			b.WriteString(e.Text(values))
		}
	}
	if b.Len() == 0 {
		return nil, fmt.Errorf("--why %s: egraph has replaced nothing by it in kernel %s; %s", c.Why, all[0].name, replacedBy(rep, values))
	}
	return b.Bytes(), nil
}

// replacedBy lists the values by which something was replaced.
func replacedBy(rep *opt.Report, values []string) string {
	var list []string
	for _, e := range rep.Equated {
		list = append(list, "%"+values[e.Row])
	}
	if len(list) == 0 {
		return "it found nothing cheaper there"
	}
	return "it has by " + strings.Join(list, ", ")
}
