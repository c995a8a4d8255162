package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/govyre/vyre/ir"
)

const (
	// maxVars is the number of variables that a rule can have. A pass keeps its bindings in an array of as many.
	maxVars = 6
	// maxDeep is how deep terms nest: a person reads no more, and each level costs a stack frame.
	maxDeep = 16
)

var classes = map[string]ir.TypeSet{
	"int":  ir.Set(ir.I32, ir.U32, ir.I64, ir.U64),
	"uint": ir.Set(ir.U32, ir.U64),
	"sint": ir.Set(ir.I32, ir.I64),
	"real": ir.Set(ir.F32, ir.F64, ir.F16, ir.BF16),
	"bool": ir.Set(ir.Bool),
	"bits": ir.Set(ir.I32, ir.U32, ir.I64, ir.U64, ir.Bool),
	"any":  ir.Set(ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.F16, ir.BF16, ir.Bool),
}

// Parse reads rules, one a line, in the form that the package comment describes. Its error joins the first mistake of each
// line, as LINE:COLUMN: what is wrong; fix: what to do. Such a line gives no rule; the others do. O(text).
func Parse(text string) ([]*Rule, error) {
	list, lines, err := parse(text)
	errs := []error{err}
	list = slices.DeleteFunc(list, func(r *Rule) bool {
		var types ir.TypeSet
		for t := ir.Bool; t < numTypes; t++ {
			if r.At(t) != nil {
				types |= ir.Set(t)
			}
		}
		if types == 0 {
			errs = append(errs, fmt.Errorf("%d:1: the types of rule %q do not fit together at any type of class %s; fix: "+
				"choose a class whose types every op and literal takes", lines[r], r.Name, r.Class))
		}
		r.Types = types
		return types == 0
	})
	return list, errors.Join(errs...)
}

// parse is Parse without a look at the types. It returns the line of each rule too.
func parse(text string) (list []*Rule, lines map[*Rule]int, err error) {
	var errs []error
	at := 0
	lines = make(map[*Rule]int)
	names := make(map[string]int)
	for line := range strings.Lines(text) {
		at++
		p := parser{text: strings.TrimRight(line, " \t\r\n"), line: at}
		if p.space(); p.at == len(p.text) || strings.HasPrefix(p.text[p.at:], "//") {
			continue
		}
		r, err := p.rule()
		if first, twice := names[r.Name]; err == nil && twice {
			p.start = 0
			err = p.wrong("the name "+strconv.Quote(r.Name)+" is taken by line "+strconv.Itoa(first), "choose another")
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		names[r.Name], lines[r] = at, at
		list = append(list, r)
	}
	return list, lines, errors.Join(errs...)
}

// parser reads a line.
type parser struct {
	text  string
	line  int
	at    int // the next byte
	start int // of the last word
	made  Rule
}

// wrong is an error at the last word.
func (p *parser) wrong(what, fix string) error {
	return fmt.Errorf("%d:%d: %s; fix: %s", p.line, p.start+1, what, fix)
}

func (p *parser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// word returns the next word, a parenthesis or what is between spaces and parentheses; empty at the end of the line.
func (p *parser) word() string {
	p.space()
	p.start = p.at
	if p.at < len(p.text) && (p.text[p.at] == '(' || p.text[p.at] == ')') {
		p.at++
	} else if n := strings.IndexAny(p.text[p.at:], " \t()"); n >= 0 {
		p.at += n
	} else {
		p.at = len(p.text)
	}
	return p.text[p.start:p.at]
}

// rule reads the line.
func (p *parser) rule() (*Rule, error) {
	r := &p.made
	r.Name, r.at = p.word(), new([numTypes]atomic.Pointer[Rule])
	if r.Name == "(" || r.Name == ")" {
		return r, p.wrong("the rule has no name", "begin the line with a name and a class")
	}
	r.Class = p.word()
	if r.Types = classes[r.Class]; r.Types == 0 {
		return r, p.wrong("unknown class "+strconv.Quote(r.Class), "choose int, uint, sint, real, bool, bits or any")
	}
	var err error
	if r.Left, err = p.pattern(); err != nil {
		return r, err
	}
	bound := len(r.Vars)
	if err = p.arrow(); err != nil {
		return r, err
	}
	if r.Right, err = p.result(bound); err != nil {
		return r, err
	}
	r.Typed = r.typed()
	for t := ir.Bool; t < numTypes; t++ {
		if !r.Left.takes(t) || !r.Right.takes(t) {
			r.Types &^= ir.Set(t)
		}
	}
	switch when := p.word(); when {
	case "":
		return r, nil
	case "when":
		return r, p.condition()
	default:
		return r, p.wrong("unexpected "+strconv.Quote(when)+" after the rule", `end the line there, or write "when" and a condition`)
	}
}

// pattern reads the left side.
func (p *parser) pattern() (*Term, error) {
	t, err := p.term(0)
	if err != nil {
		return nil, err
	}
	if t.Kind != Apply {
		return nil, p.wrong("the left side is not an op, so it matches every value", "write an op of variables, as in (add ?x 0)")
	}
	return t, p.patterned(t)
}

// patterned refuses ops of constants in a pattern.
func (p *parser) patterned(t *Term) error {
	if t.Kind != Apply {
		return nil
	}
	if !slices.ContainsFunc(t.Args, func(a *Term) bool { return a.Kind == Value || a.Kind == Apply }) {
		p.start = t.column
		return p.wrong(t.String()+" is computed before anything is matched", "write a constant such as #c in its place")
	}
	for _, a := range t.Args {
		if err := p.patterned(a); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) arrow() error {
	switch arrow := p.word(); arrow {
	case "=>":
		return nil
	case "<=>":
		p.made.Both = true
		return nil
	default:
		return p.wrong("expected => or <=>, not "+strconv.Quote(arrow), "put an arrow between the two sides")
	}
}

// result reads the right side, where the left names so many variables.
func (p *parser) result(bound int) (*Term, error) {
	r := &p.made
	p.space()
	from := p.at
	t, err := p.term(0)
	if err != nil {
		return nil, err
	}
	if len(r.Vars) > bound {
		p.start = from + max(strings.Index(p.text[from:], r.Vars[bound].Name), 0)
		return nil, p.wrong("the left side has no "+r.Vars[bound].Name, "use variables of the left side only")
	}
	if !r.Both {
		return t, nil
	}
	p.start = from
	if t.Kind != Apply {
		return nil, p.wrong("the right side of <=> is not an op, so it matches every value", "write =>")
	}
	for v, name := range r.Vars {
		if !t.has(v) {
			return nil, p.wrong("the right side has no "+name.Name+", so it cannot become the left", "write =>")
		}
	}
	return t, p.patterned(t)
}

// has reports whether variable v is in the term.
func (t *Term) has(v int) bool {
	if t.Kind == Value || t.Kind == Constant {
		return t.Var == v
	}
	return slices.ContainsFunc(t.Args, func(a *Term) bool { return a.has(v) })
}

// takes reports whether ops that have the class in their operands can have t there. Only At decides for all rules.
func (t *Term) takes(class ir.Type) bool {
	for i, a := range t.Args {
		in := t.Op.Info().In[i]
		if in.Set.One() == ir.None && in.Same == 0 && a.Kind != Apply && !in.Set.Has(class) || !a.takes(class) {
			return false
		}
	}
	return true
}

// typed is the variable whose type the class says: ?x, or the first whose place allows several types.
func (r *Rule) typed() int {
	fixed := make([]bool, len(r.Vars))
	r.Left.fixed(fixed)
	free := func(v int) bool { return !fixed[v] && !isBool(r.Vars[v].Name) }
	first := -1
	for v := range r.Vars {
		switch {
		case !free(v):
		case r.Vars[v].Name == "?x":
			return v
		case first < 0:
			first = v
		}
	}
	return first
}

// fixed marks the variables in places that allow one type only.
func (t *Term) fixed(vars []bool) {
	for i, a := range t.Args {
		if a.Kind <= Constant && t.Op.Info().In[i].Set.One() != ir.None {
			vars[a.Var] = true
		}
		a.fixed(vars)
	}
}

// condition reads what follows "when".
func (p *parser) condition() error {
	r := &p.made
	r.Cond = p.word()
	if r.cond = conditions[r.Cond]; r.cond == nil {
		return p.wrong("unknown condition "+strconv.Quote(r.Cond), "choose one of "+strings.Join(conditionNames(), ", "))
	}
	for {
		w := p.word()
		if w == "" && len(r.Of) == r.cond.constants {
			return nil
		}
		v := slices.IndexFunc(r.Vars, func(v Variable) bool { return v.Name == w })
		switch {
		case w == "" || len(r.Of) == r.cond.constants:
			return p.wrong("condition "+r.Cond+" has too few constants or too many", fmt.Sprintf("name %d", r.cond.constants))
		case v < 0:
			return p.wrong("the condition is about "+strconv.Quote(w)+", which the rule does not have", "name a constant of the left side")
		case !r.Vars[v].Const && !(r.cond.value && len(r.Of) == 0):
			return p.wrong("the condition is about "+w+", which is not a constant", "write #"+w[1:]+" in the rule, or drop the condition")
		}
		r.Of = append(r.Of, v)
	}
}

// conditionNames are those of the conditions, in order.
func conditionNames() (list []string) {
	for name := range conditions {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// term reads a term.
func (p *parser) term(deep int) (*Term, error) {
	word := p.word()
	t := &Term{word: word, column: p.start}
	switch {
	case word == "(":
		if deep == maxDeep {
			return nil, p.wrong(fmt.Sprintf("terms nest deeper than %d", maxDeep), "split the rule")
		}
		return t, p.apply(t, deep)
	case word == "" || word == ")":
		return nil, p.wrong("a term is missing", "write a variable, a constant, a number or an op in parentheses")
	case word[0] == '?' || word[0] == '#':
		return t, p.variable(t)
	}
	return t, p.literal(t)
}

// apply reads an op and its operands, behind the parenthesis.
func (p *parser) apply(t *Term, deep int) error {
	t.Kind, t.word = Apply, p.word()
	op, ok := ir.OpByName(t.word)
	if !ok {
		return p.wrong("unknown op "+strconv.Quote(t.word), "use the name that an op has in the text form of programs, as vyre ir prints it")
	}
	if !usable(op) {
		return p.wrong("op "+t.word+" has an effect, an immediate or a tolerance, or its operands do not tell its type",
			"use ops whose result is exact and depends on operands alone")
	}
	t.Op = op
	begin := p.start
	for {
		p.space()
		if p.at < len(p.text) && p.text[p.at] == ')' {
			p.at++
			break
		}
		if p.at == len(p.text) {
			p.start = t.column
			return p.wrong("the parenthesis is not closed", "add )")
		}
		a, err := p.term(deep + 1)
		if err != nil {
			return err
		}
		t.Args = append(t.Args, a)
	}
	if n := op.Info().Args; len(t.Args) != n {
		p.start = begin
		return p.wrong(fmt.Sprintf("op %s has %d operands, not %d", t.word, len(t.Args), n), fmt.Sprintf("give it %d", n))
	}
	return nil
}

// variable makes a term a variable of the rule.
func (p *parser) variable(t *Term) error {
	if len(t.word) == 1 {
		return p.wrong("a variable has no name", "write "+t.word+"x")
	}
	vars := &p.made.Vars
	if t.word[0] == '#' {
		t.Kind = Constant
	}
	t.Var = slices.IndexFunc(*vars, func(v Variable) bool { return v.Name == t.word })
	if t.Var >= 0 {
		return nil
	}
	if len(*vars) == maxVars {
		return p.wrong(fmt.Sprintf("%s is variable %d of the rule, and %d are the most", t.word, maxVars+1, maxVars), "use fewer")
	}
	t.Var = len(*vars)
	*vars = append(*vars, Variable{Name: t.word, Const: t.Kind == Constant})
	return nil
}

// literal makes a term a literal.
func (p *parser) literal(t *Term) error {
	t.Kind = Literal
	var named bool
	if t.lit, named = literalNames[t.word]; named {
		return nil
	}
	var err error
	if t.n, err = strconv.ParseFloat(t.word, 64); err != nil || t.n != t.n {
		return p.wrong(strconv.Quote(t.word)+" is not a term", "write ?"+t.word+" for any value, #"+t.word+
			" for a constant, a number, true, false, ones, top or width")
	}
	return nil
}
