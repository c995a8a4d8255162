package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/mine"
	"github.com/govyre/vyre/internal/opt"
	"github.com/govyre/vyre/internal/printable"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// rulesMineCmd finds rules.
type rulesMineCmd struct {
	Ops       []string `required:"" placeholder:"OP" help:"Ops of terms, as vyre ir prints them: add,sub,and,not."`
	Type      string   `default:"u32" help:"Type of values: u32, i32, u64, i64, f32, f64 or bool."`
	Vars      int      `default:"2" help:"Number of values: ?x, ?y, ?z."`
	Bools     int      `help:"Number of bools: ?c, ?d."`
	Constants int      `help:"Number of constants: #a, #b."`
	Consts    []string `placeholder:"LITERAL" help:"Literals of terms: 0,1,ones."`
	When      string   `placeholder:"CONDITION" help:"Condition of the constants, as in \"pow2 #a\"."`
	Size      int      `default:"3" help:"Number of ops of the largest terms."`
	Terms     int      `help:"Number of terms that there is room for; 65,536 by default."`
	Without   []string `placeholder:"NAME" help:"Rules that count as unknown."`
	Left      string   `placeholder:"FILE" help:"Look only for cheaper results of the patterns of these rules."`
	Corpus    []string `default:"suite" placeholder:"SOURCE" help:"Kernels in which rules are counted; suite is those of the conformance suite, none is none of them."`
	All       bool     `help:"Print the rules that save nothing in the corpus as well."`
	Effort    string   `enum:"quick,full,exhaustive" default:"full" help:"How long to look for counterexamples: quick, full or exhaustive."`
	Device    string   `default:"auto" completes:"device" help:"Device that evaluates terms; see vyre devices."`
	Save      string   `placeholder:"FILE" help:"Write the rules to this file."`
}

// Help is the long help of the command.
func (rulesMineCmd) Help() string {
	return `Terms are enumerated by their number of ops, and evaluated on the device for 64 inputs. Of equal terms the cheapest is
kept. A pair of equal terms becomes a rule unless an e-graph derives it from the table and from rules found before, or
vyre rules check finds a counterexample. Rules are printed in the table's form, those first that save most ops
of the corpus after the passes of O2. Those that save nothing there are counted, and --all or --corpus none prints
them. The output is the same on every device.

Examples:
  vyre rules mine --ops add,sub,and,or,xor,neg,not --size 3
  vyre rules mine --ops mul,shl,ctz --vars 1 --constants 1 --when 'pow2 #a' --without mul-pow2`
}

func (c *rulesMineCmd) Run(t *terminal) error {
	o, err := c.options()
	if err != nil {
		return usage{err}
	}
	known, err := c.known()
	if err != nil {
		return err
	}
	out, err := t.create("--save", c.Save)
	if err != nil {
		return err
	}
	defer out.close()
	corpus, err := c.corpus(t)
	if err != nil {
		return err
	}
	dev, err := openDevice(c.Device, driver.OpenOptions{CloseTimeout: closeTimeout})
	if err != nil {
		return err
	}
	defer dev.Close()
	list, err := c.mine(t, dev, o, known)
	if err != nil {
		return err
	}
	return out.writeAs(printRules(list, saved(list, corpus), c.All || slices.Equal(c.Corpus, []string{"none"})), counted(len(list), "rule"))
}

// options are those of the bank.
func (c *rulesMineCmd) options() (o mine.Options, err error) {
	o = mine.Options{Vars: c.Vars, Bools: c.Bools, Constants: c.Constants, Literals: c.Consts, Condition: c.When, Size: c.Size, Terms: c.Terms}
	for _, name := range c.Ops {
		op, ok := ir.OpByName(name)
		if !ok {
			return o, fmt.Errorf("--ops %s: the op is unknown; fix: use the names that vyre ir prints", printable.Text(name))
		}
		o.Ops = append(o.Ops, op)
	}
	for _, typ := range []ir.Type{ir.Bool, ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64} {
		if typ.String() == c.Type {
			o.Type = typ
		}
	}
	if o.Type == ir.None {
		return o, fmt.Errorf("--type %s: choose u32, i32, u64, i64, f32, f64 or bool", printable.Text(c.Type))
	}
	return o, nil
}

// known is the table, less what --without names.
func (c *rulesMineCmd) known() ([]*rules.Rule, error) {
	known := slices.Clone(rules.Table())
	for _, name := range c.Without {
		i := slices.IndexFunc(known, func(r *rules.Rule) bool { return r.Name == name })
		if i < 0 {
			return nil, usagef("no rule is called %q; vyre rules lists the names", printable.Text(name))
		}
		known = slices.Delete(known, i, i+1)
	}
	return known, nil
}

// mine finds the rules, or cheaper results of those in the file.
func (c *rulesMineCmd) mine(t *terminal, dev driver.Device, o mine.Options, known []*rules.Rule) (list []*rules.Rule, err error) {
	defer t.spin("looking for rules")()
	effort := rules.Effort(slices.Index([]string{"quick", "full", "exhaustive"}, c.Effort))
	if c.Left != "" {
		return c.cheaper(t, dev, o, effort)
	}
	b, err := mine.Open(t.ctx, dev, o)
	if err != nil {
		return nil, err
	}
	found, err := mine.Rules(t.ctx, b, known, effort)
	if err = errors.Join(err, b.Close()); err != nil {
		return nil, err
	}
	for _, r := range found.Refuted {
		fmt.Fprintln(t.err, "refuted: "+printable.Lines(r.String()))
	}
	fmt.Fprintf(t.err, "%d candidates, %d different; %d cheaper by another term: %d derived, %d refuted, %d rules\n",
		b.Tried(), b.Terms(), found.Candidates, found.Known, len(found.Refuted), len(found.Rules))
	return found.Rules, nil
}

// cheaper finds cheaper results.
func (c *rulesMineCmd) cheaper(t *terminal, dev driver.Device, o mine.Options, effort rules.Effort) (list []*rules.Rule, err error) {
	lefts, err := (&rulesCheckCmd{File: c.Left}).rules(t)
	if err != nil {
		return nil, err
	}
	for _, r := range lefts {
		found, err := mine.Cheaper(t.ctx, dev, o, r, effort)
		if err != nil {
			return nil, err
		}
		if found != nil {
			list = append(list, found)
		} else {
			fmt.Fprintf(t.err, "nothing cheaper: %s\n", printable.Text(r.Name))
		}
	}
	return list, nil
}

// corpus are the programs that rules are counted in, as O2 leaves them.
func (c *rulesMineCmd) corpus(t *terminal) (iter.Seq[*ir.Program], error) {
	var list []*ir.Program
	sources := slices.DeleteFunc(slices.Clone(c.Corpus), func(s string) bool { return s == "suite" || s == "none" })
	specs, err := expand(sources, marker)
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		all, err := t.load(spec)
		if err != nil {
			return nil, err
		}
		list = append(list, programs(all)...)
	}
	return func(yield func(*ir.Program) bool) {
		if slices.Contains(c.Corpus, "suite") {
			for one := range conform.Cases("") {
				list = append(list, one.Program)
			}
		}
		seen := make(map[[32]byte]bool)
		for _, p := range list {
			if p == nil || seen[p.Digest()] { // of a case that runs on the host
				continue
			}
			seen[p.Digest()] = true
			if q, _, err := opt.Run(p, opt.Options{}); err == nil && !yield(q) { // some cases are programs that passes refuse
				return
			}
		}
	}, nil
}

// saved is what each rule saves.
func saved(list []*rules.Rule, corpus iter.Seq[*ir.Program]) map[*rules.Rule]*mine.Saved {
	all := make(map[*rules.Rule]*mine.Saved)
	for _, r := range list {
		all[r] = &mine.Saved{}
	}
	if len(list) == 0 {
		return all
	}
	for p := range corpus {
		for _, r := range list {
			all[r].Add(r, p)
		}
	}
	return all
}

// printRules writes a table, with what each rule saves in a comment. Those that save nothing are counted, or written if
// all are.
func printRules(list []*rules.Rule, saves map[*rules.Rule]*mine.Saved, all bool) []byte {
	slices.SortStableFunc(list, func(a, b *rules.Rule) int { return cmp.Compare(saves[b].Ops, saves[a].Ops) })
	var w strings.Builder
	for i, r := range list {
		if saves[r].Ops == 0 && !all {
			fmt.Fprintf(&w, "// %s: --all prints what saves nothing in the corpus\n", counted(len(list)-i, "other rule"))
			break
		}
		_, rest, _ := strings.Cut(r.String(), " "+r.Class+" ")
		left, right, _ := strings.Cut(rest, " => ")
		if s := saves[r]; s.Ops > 0 {
			fmt.Fprintf(&w, "// saves %s at %s in %s\n", counted(s.Ops, "op"), counted(s.Matches, "place"), counted(s.Programs, "program"))
		}
		fmt.Fprintf(&w, "%-15s %-6s %-31s => %s\n", r.Name, r.Class, left, right)
	}
	return []byte(w.String())
}
