package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/rules"
)

// rulesCmd is about the rules by which terms are rewritten.
type rulesCmd struct {
	List  rulesListCmd  `cmd:"" default:"withargs" help:"Print the table of rules."`
	Check rulesCheckCmd `cmd:"" help:"Search for counterexamples to rules."`
	Mine  rulesMineCmd  `cmd:"" help:"Find rules that the table lacks."`
}

// rulesListCmd prints the table.
type rulesListCmd struct {
	Name []string `arg:"" optional:"" help:"Names of rules; all by default."`
}

// Help is the long help of the command.
func (rulesListCmd) Help() string {
	return `A line is a name, a class of types, a pattern, an arrow and a result, in the form that vyre rules check reads.
Passes rewrite by the rules with =>, and e-graphs by those with <=> as well, in both directions.
Before each stands who reads it: algebra, idiom or egraph.`
}

func (c *rulesListCmd) Run(t *terminal) error {
	var b strings.Builder
	found := make(map[string]bool)
	for _, r := range rules.Table() {
		if len(c.Name) > 0 && !slices.Contains(c.Name, r.Name) {
			continue
		}
		found[r.Name] = true
		_, rest, _ := strings.Cut(r.String(), r.Class+" ")
		fmt.Fprintf(&b, "%-7s  %-16s %-5s %s\n", reader(r), r.Name, r.Class, rest)
	}
	for _, name := range c.Name {
		if !found[name] {
			return usagef("no rule is called %q; vyre rules lists the names", printable.Text(name))
		}
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// reader says who rewrites by a rule.
func reader(r *rules.Rule) string {
	switch {
	case r.Both:
		return "egraph"
	case r.Idiom:
		return "idiom"
	}
	return "algebra"
}

// rulesCheckCmd searches for counterexamples.
type rulesCheckCmd struct {
	File   string `arg:"" optional:"" help:"File of rules, one a line; - is standard input. The table by default."`
	Effort string `enum:"quick,full,exhaustive" default:"full" help:"How long to search: quick, full or exhaustive."`
}

// Help is the long help of the command.
func (rulesCheckCmd) Help() string {
	return `Both sides of each rule are evaluated at each type of its class, by the functions that define the ops. Integers are
cut to 8 bits, where all values are tried (6 bits for four variables), and floats to 8 bits; then edges and a million
drawn assignments at full width. exhaustive tries all 2^32 values too, for rules with one variable at types of 32 bits.
A rule without a counterexample is checked, which is a proof at 8 bits only.
The exit status is 1 if a rule is refuted.

Example:
  echo 'half sint (div ?x 2) => (shr ?x 1)' | vyre rules check -`
}

// maxRules bounds a file of rules, in bytes.
const maxRules = 1 << 20

func (c *rulesCheckCmd) Run(t *terminal) error {
	list, err := c.rules(t)
	if err != nil {
		return err
	}
	effort := rules.Effort(slices.Index([]string{"quick", "full", "exhaustive"}, c.Effort))
	found, checks, err := refuteAll(t.ctx, list, effort)
	if err != nil {
		return err
	}
	refuted := 0
	for _, counters := range found {
		for _, counter := range counters {
			fmt.Fprintln(t.out, printable.Lines(counter.String()))
		}
		if len(counters) > 0 {
			refuted++
		}
	}
	fmt.Fprintf(t.out, "%d rules at %d types: %d refuted\n", len(list), checks, refuted)
	if refuted > 0 {
		return errSilent
	}
	return nil
}

// refuteAll searches on all cores. It returns the counterexamples of each rule, and how many pairs of a rule and a type it
// looked at.
func refuteAll(ctx context.Context, list []*rules.Rule, effort rules.Effort) (found [][]*rules.Counterexample, checks int, err error) {
	type task struct{ rule, typ int }
	var tasks []task
	for i, r := range list {
		for typ := ir.Bool; typ <= ir.BF16; typ++ {
			if r.Types.Has(typ) {
				tasks = append(tasks, task{i, int(typ)})
			}
		}
	}
	counters, errs := make([]*rules.Counterexample, len(tasks)), make([]error, len(tasks))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(tasks); k = int(next.Add(1)) - 1 {
				counters[k], errs[k] = rules.Refute(ctx, list[tasks[k].rule], ir.Type(tasks[k].typ), effort)
			}
		})
	}
	wait.Wait()
	found = make([][]*rules.Counterexample, len(list))
	for k, c := range counters {
		if c != nil {
			found[tasks[k].rule] = append(found[tasks[k].rule], c)
		}
	}
	return found, len(tasks), cmp.Or(errs...)
}

// rules reads the file, or takes the table.
func (c *rulesCheckCmd) rules(t *terminal) ([]*rules.Rule, error) {
	if c.File == "" {
		return rules.Table(), nil
	}
	text, err := t.read(c.File, maxRules)
	if err != nil {
		return nil, err
	}
	list, err := rules.Parse(string(text))
	if err == nil {
		return list, nil
	}
	lines := strings.Split(err.Error(), "\n")
	for i := range lines {
		lines[i] = c.File + ":" + lines[i]
	}
	return nil, errors.New(strings.Join(lines, "\n"))
}
