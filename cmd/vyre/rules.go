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

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/allinputs"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/internal/superopt"
	"github.com/govyre/vyre/ir"
)

// rulesCmd is about the rules by which terms are rewritten.
type rulesCmd struct {
	List  rulesListCmd  `cmd:"" default:"withargs" help:"Print the table of rules."`
	Check rulesCheckCmd `cmd:"" help:"Search for counterexamples to rules."`
	Mine  rulesMineCmd  `cmd:"" help:"Find rules that the table lacks."`
	Bank  rulesBankCmd  `cmd:"" help:"Make a bank of terms for the pass search."`
}

// rulesBankCmd makes a bank of terms.
type rulesBankCmd struct {
	Type   []string `default:"u32,i32" help:"Types of the values: i32, u32, i64 or u64."`
	Ops    int      `default:"2" help:"Ops of the largest terms, from 1 to 3."`
	Out    string   `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	Device string   `default:"auto" completes:"device" help:"Device that evaluates terms; see vyre devices."`
}

// Help is the long help of the command.
func (rulesBankCmd) Help() string {
	return `The file has a version, a digest, and a term a line, which may be added to: vyre says what the digest then is.
A build with +search=DIGEST takes this bank alone.

Example:
  vyre rules bank -o terms.bank && vyre ir -O 3,+search --bank terms.bank kernel.go`
}

func (c *rulesBankCmd) Run(t *terminal) error {
	var types []ir.Type
	for _, name := range c.Type {
		of := ir.I32
		for of < ir.U64 && of.String() != name {
			of++
		}
		if of.String() != name {
			return usagef("--type %s: there are no terms over it; choose i32, u32, i64 or u64", name)
		}
		types = append(types, of)
	}
	if c.Ops < 1 || c.Ops > superopt.MaxOps {
		return usagef("--ops %d: choose from 1 to %d", c.Ops, superopt.MaxOps)
	}
	out, err := t.create("-o", c.Out)
	if err != nil {
		return err
	}
	defer out.close()
	dev, err := openDevice(c.Device, driver.OpenOptions{CloseTimeout: closeTimeout})
	if err != nil {
		return err
	}
	defer dev.Close()
	file, err := superopt.File(t.ctx, dev, c.Ops, types...)
	if err != nil {
		return err
	}
	return out.write(file)
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
	Effort string `enum:"quick,full" default:"full" help:"How long to search: quick or full."`

	Exhaustive bool   `help:"Instead, try all inputs of the rules with at most 32 bits of them, on a device."`
	Device     string `default:"auto" completes:"device" help:"Device for --exhaustive; see vyre devices."`
	Times      bool   `help:"With --exhaustive, print a line for each sweep: rule, type, bits of inputs, nanoseconds of device time."`
}

// Help is the long help of the command.
func (rulesCheckCmd) Help() string {
	return `Both sides of each rule are evaluated at each type of its class, by the functions that define the ops. Integers are
cut to 8 bits, where all values are tried (6 bits for four variables), and floats to 8 bits; then edges and a million
drawn assignments at full width. A rule without a counterexample is checked, which is a proof at 8 bits only.

With --exhaustive a device tries all inputs, at full width: 2^32 values for a variable of 32 bits. That is a proof at
such a type. Constants are drawn twice, and so the proof of a rule with constants is for these alone.
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
	if c.Exhaustive {
		return c.exhaust(t, list)
	}
	effort := rules.Effort(slices.Index([]string{"quick", "full"}, c.Effort))
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

// exhaust tries all inputs. Lines are compiled side by side, because a GPU takes less time for one than its compiler.
func (c *rulesCheckCmd) exhaust(t *terminal, list []*rules.Rule) error {
	dev, err := openDevice(c.Device, driver.OpenOptions{})
	if err != nil {
		return err
	}
	defer dev.Close()
	lines, out := allinputs.Lines(list)
	step, stop := countdown(t.err, "rules at types on "+dev.Name(), len(lines))
	defer stop()
	found, errs := make([]allinputs.Checked, len(lines)), make([]error, len(lines))
	var lock sync.Mutex
	each(len(lines), func(k int) {
		if errs[k] = t.ctx.Err(); errs[k] == nil {
			found[k], errs[k] = lines[k].Check(t.ctx, dev, &lock)
		}
		step(1)
	})
	stop()
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	refuted, constants, sweeps, bits := 0, 0, 0, 0
	for k, l := range lines {
		sweeps += len(l.Fill)
		if l.Pair.Bits() == allinputs.MaxBits {
			bits += len(l.Fill)
		}
		for _, took := range found[k].Times {
			if c.Times {
				fmt.Fprintf(t.out, "%s,%v,%d,%d\n", printable.Lines(l.Rule.Name), l.Rule.Type, l.Pair.Bits(), took.Nanoseconds())
			}
		}
		switch {
		case found[k].Counter != nil:
			fmt.Fprintf(t.out, "%s (%d inputs differ)\n", printable.Lines(found[k].Counter.String()), found[k].Differ)
			refuted++
		case len(l.Fill) > 1:
			constants++
		}
	}
	fmt.Fprintf(t.out, "%d rules at %d types: %d proved, %d proved for the constants drawn, %d refuted; %d sweeps, %d of them of 2^32 inputs, on %s\n",
		len(list), len(lines), len(lines)-refuted-constants, constants, refuted, sweeps, bits, dev.Name())
	if out > 0 {
		fmt.Fprintf(t.out, "%d more have over 32 bits of inputs\n", out)
	}
	if refuted > 0 {
		return errSilent
	}
	return nil
}

// each calls do for 0 to n-1, on all cores.
func each(n int, do func(k int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				do(k)
			}
		})
	}
	wait.Wait()
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
	each(len(tasks), func(k int) {
		counters[k], errs[k] = rules.Refute(ctx, list[tasks[k].rule], ir.Type(tasks[k].typ), effort)
	})
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
