package mine

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/govyre/vyre/egraph"
	"github.com/govyre/vyre/internal/rules"
	"github.com/govyre/vyre/ir"
)

// Found is what a search came to.
type Found struct {
	Rules      []*rules.Rule
	Candidates int                     // pairs of equal vectors whose second term is cheaper, but for names of variables
	Known      int                     // of them, joined by known rules, by those found, or by both
	Refuted    []*rules.Counterexample // of those that stayed
}

// Rules returns the rules that a bank shows and that known ones do not derive. Their names differ from those of known
// rules.
func Rules(ctx context.Context, b *Bank, known []*rules.Rule, effort rules.Effort) (*Found, error) {
	s := &search{ctx: ctx, b: b, effort: effort, found: &Found{}, names: make(map[string]bool)}
	for _, r := range known {
		s.names[r.Name] = true
	}
	if err := s.learn(known); err != nil {
		return nil, err
	}
	list, err := s.unknown(s.candidates())
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := s.decide(&list[i], known); err != nil {
			return nil, err
		}
	}
	return s.found, s.needed(known)
}

// search is a search for rules.
type search struct {
	ctx    context.Context
	b      *Bank
	effort rules.Effort
	found  *Found
	names  map[string]bool
	down   map[ir.Op][]*rules.Rule // with =>, at types, by the op of the pattern
	all    *egraph.Rules
}

// candidate is a term that is dearer than its representative.
type candidate struct {
	left, right *term
	text        string      // of both, with variables named as they come
	at          *rules.Rule // at the bank's type
}

// candidates are those of the bank, of each spelling one.
func (s *search) candidates() (list []candidate) {
	b := s.b
	seen := make(map[string]bool)
	best := b.cheapest()
	add := func(left *term, as uint32) {
		c := candidate{left: left, right: best[as]}
		if left.constant || b.cost(c.left) <= b.cost(c.right) || !b.pattern(c.left) {
			return
		}
		c.text = b.line(c.left, c.right)
		if c.text == "" || seen[c.text] {
			return
		}
		seen[c.text] = true
		parsed, err := rules.Parse("candidate any " + c.text)
		if err != nil {
			return // such as two bools of different places
		}
		if c.at = s.typed(parsed[0]); c.at != nil {
			list = append(list, c)
		}
	}
	for id := range b.terms {
		if best[id] != &b.terms[id] {
			add(&b.terms[id], uint32(id))
		}
	}
	for i := range b.again {
		add(&b.again[i].term, b.again[i].as)
	}
	s.found.Candidates = len(list)
	return list
}

// cheapest is, by representative, the first of the cheapest terms with its values. Of few ops it is itself, unless
// one costs more than several.
func (b *Bank) cheapest() []*term {
	list, cost := make([]*term, len(b.terms)), make([]uint64, len(b.terms))
	for id := range b.terms {
		list[id], cost[id] = &b.terms[id], b.cost(&b.terms[id])
	}
	for i := range b.again {
		a := &b.again[i]
		if c := b.cost(&a.term); c < cost[a.as] {
			list[a.as], cost[a.as] = &a.term, c
		}
	}
	return list
}

// pattern reports whether a table takes a term as a left side: it has no op of constants alone.
func (b *Bank) pattern(t *term) bool {
	if t.op == 0 {
		return true
	}
	if t.constant {
		return false
	}
	for _, k := range t.kids[:t.args()] {
		if !b.pattern(&b.terms[k]) {
			return false
		}
	}
	return true
}

// line writes both sides of a rule. Variables are named in their order on the left; empty if the right side has others.
func (b *Bank) line(left, right *term) string {
	names := make(map[string]string)
	count := make(map[[2]string]int)
	bound := false
	name := func(word string) string {
		if word[0] != '?' && word[0] != '#' {
			return word
		}
		if names[word] == "" {
			if bound {
				return "!"
			}
			from := valueNames
			switch {
			case word[0] == '#':
				from = constantNames
			case slices.Contains(boolNames, word):
				from = boolNames
			}
			kind := [2]string{word[:1], from[0]}
			names[word] = from[count[kind]]
			count[kind]++
		}
		return names[word]
	}
	var w strings.Builder
	b.write(&w, left, name)
	bound = true
	w.WriteString(" => ")
	b.write(&w, right, name)
	if strings.Contains(w.String(), "!") {
		return ""
	}
	return w.String()
}

// learn makes rules known.
func (s *search) learn(known []*rules.Rule) (err error) {
	s.down = make(map[ir.Op][]*rules.Rule)
	for _, r := range known {
		if r.Both || r.Cond != "" {
			continue
		}
		for t := ir.Bool; t <= ir.BF16; t++ {
			if at := r.At(t); at != nil {
				s.down[r.Left.Op] = append(s.down[r.Left.Op], at)
			}
		}
	}
	s.all, err = egraph.Compile(known)
	return err
}

// unknown drops what known rules join, on all cores.
func (s *search) unknown(list []candidate) (left []candidate, err error) {
	joined, errs := make([]bool, len(list)), make([]error, len(list))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(list) && s.ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				joined[k], errs[k] = s.joined(&list[k])
			}
		})
	}
	wait.Wait()
	if err := cmp.Or(append(errs, s.ctx.Err())...); err != nil {
		return nil, err
	}
	for k, c := range list {
		if joined[k] {
			s.found.Known++
		} else {
			left = append(left, c)
		}
	}
	return left, nil
}

// joined reports whether known rules make the sides of a candidate equal: one step to something cheaper, which is
// another candidate's business, or an e-graph within limits.
func (s *search) joined(c *candidate) (bool, error) {
	if s.steps(c.left) {
		return true, nil
	}
	return s.equal(c.at)
}

// decide makes a rule of a candidate that is not derived and not refuted.
func (s *search) decide(c *candidate, known []*rules.Rule) error {
	if len(s.found.Rules) > 0 {
		joined, err := s.joined(c)
		if err != nil {
			return err
		}
		if joined {
			s.found.Known++
			return nil
		}
	}
	r, counter, err := s.rule(c)
	if err != nil {
		return err
	}
	if r == nil {
		s.found.Refuted = append(s.found.Refuted, counter)
		return nil
	}
	s.found.Rules = append(s.found.Rules, r)
	return s.learn(append(slices.Clone(known), s.found.Rules...))
}

// classes of rules, wide ones last: of those for whose types a rule is checked, the first with the most types is taken.
var classes = []string{"bool", "uint", "sint", "real", "int", "bits", "any"}

// rule is the candidate as a rule of the class with the most types, or a counterexample at the bank's type.
func (s *search) rule(c *candidate) (best *rules.Rule, counter *rules.Counterexample, err error) {
	most := 0
	for _, cond := range s.conditions() {
		for _, class := range classes {
			// No type of the class may take the line: the list is empty then.
			list, _ := rules.Parse(s.name(c.left) + " " + class + " " + c.text + cond)
			if len(list) == 0 || s.typed(list[0]) == nil || size(list[0].Types) <= most {
				continue
			}
			found, err := s.refuted(list[0])
			if err != nil {
				return nil, nil, err
			}
			if found == nil {
				best, most = list[0], size(list[0].Types)
			} else if counter == nil || found.Rule.Type == s.b.o.Type {
				counter = found
			}
		}
		if best != nil {
			s.names[best.Name] = true
			return best, nil, nil
		}
	}
	return nil, counter, nil
}

// conditions are none, and that of the constants.
func (s *search) conditions() []string {
	if s.b.o.Condition == "" {
		return []string{""}
	}
	return []string{"", " when " + s.b.o.Condition}
}

func size(s ir.TypeSet) int { return bits.OnesCount64(uint64(s)) }

func (s *search) refuted(r *rules.Rule) (*rules.Counterexample, error) {
	efforts := []rules.Effort{rules.Quick, s.effort}
	for _, e := range slices.Compact(efforts) {
		for t := ir.Bool; t <= ir.BF16; t++ {
			if c, err := rules.Refute(s.ctx, r, t, e); c != nil || err != nil {
				return c, err
			}
		}
	}
	return nil, nil
}

// name is one that no rule has: the ops of the pattern, and a number if that is taken.
func (s *search) name(t *term) string {
	var ops []string
	var walk func(t *term)
	walk = func(t *term) {
		if t.op == 0 {
			return
		}
		ops = append(ops, t.op.Info().Name)
		for _, k := range t.kids[:t.args()] {
			walk(&s.b.terms[k])
		}
	}
	walk(t)
	base := strings.Join(ops[:min(len(ops), 4)], "-")
	name := base
	for n := 2; s.names[name]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// needed drops what other rules that were found derive with the known ones, as long as their patterns are not larger.
func (s *search) needed(known []*rules.Rule) error {
	for i := len(s.found.Rules) - 1; i >= 0; i-- {
		r := s.typed(s.found.Rules[i])
		others := slices.Delete(slices.Clone(s.found.Rules), i, i+1)
		with := slices.Clone(known)
		for _, o := range others {
			if opsOf(o.Left) <= opsOf(r.Left) {
				with = append(with, o)
			}
		}
		if err := s.learn(with); err != nil {
			return err
		}
		joined, err := s.equal(r)
		if err != nil {
			return err
		}
		if joined {
			s.found.Rules = others
			s.found.Known++
		}
	}
	return nil
}

func opsOf(t *rules.Term) (n int) {
	if t.Kind == rules.Apply {
		n = 1
	}
	for _, a := range t.Args {
		n += opsOf(a)
	}
	return n
}

// typed is a rule at the bank's type, or at that of bools.
func (s *search) typed(r *rules.Rule) *rules.Rule {
	if at := r.At(s.b.o.Type); at != nil {
		return at
	}
	return r.At(ir.Bool)
}

// limits of an e-graph that joins the sides of a candidate, which are classes 0 and 1. It ends once they are equal:
// after two rounds for most. So the host takes some 0.2 ms for a candidate. Package egraph/device with all candidates
// in one launch takes 12 ms for each on device cpu, and a second to compile the rules for each set of them.
var limits = egraph.Limits{Rows: 1500, Rounds: 8, Matches: 6000, Goal: [2]egraph.Class{0, 1}}

// equal reports whether known rules make the sides of a rule at a type equal, in an e-graph within limits.
func (s *search) equal(r *rules.Rule) (bool, error) {
	g := egraph.New()
	sides := [2]egraph.Class{g.Class(r.Left.Type), g.Class(r.Left.Type)}
	leaves := make([]egraph.Class, len(r.Vars))
	for i, v := range r.Vars {
		if v.Const {
			// Rules compute with a constant, so it has a value: that of an input, for which the condition holds.
			leaves[i] = g.Const(v.Type, s.b.samples[s.b.variable(v.Name)][inputs-1])
		} else {
			leaves[i] = g.Leaf(v.Name, v.Type)
		}
	}
	for i, side := range []*rules.Term{r.Left, r.Right} {
		if err := g.Union(sides[i], add(g, leaves, side), "side"); err != nil {
			return false, err
		}
	}
	report, err := g.Run(s.all, limits)
	if err != nil {
		return false, fmt.Errorf("%v: %w", r, err)
	}
	return report.Stopped == "goal", nil
}

// add adds a side of a rule at a type to an e-graph.
func add(g *egraph.Graph, leaves []egraph.Class, t *rules.Term) egraph.Class {
	switch t.Kind {
	case rules.Value, rules.Constant:
		return leaves[t.Var]
	case rules.Literal:
		return g.Const(t.Type, t.Bits)
	}
	kids := make([]egraph.Class, len(t.Args))
	for i, a := range t.Args {
		kids[i] = add(g, leaves, a)
	}
	return g.Add(g.Head(egraph.HeadInfo{Op: t.Op, Type: t.Type}), kids...)
}
