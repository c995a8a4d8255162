package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// standardRules are those for the standard library.
//
//go:embed rules.txt
var standardRules string

// ruleKind is what a rule is about.
type ruleKind uint8

const (
	passRule ruleKind = iota
	wrapRule
	sourceRule
	sinkRule
	sanitizerRule
)

var ruleWords = map[string]ruleKind{"pass": passRule, "wrap": wrapRule, "source": sourceRule, "sink": sinkRule, "sanitizer": sanitizerRule}

func (k ruleKind) String() string {
	for word, is := range ruleWords {
		if is == k {
			return word
		}
	}
	return ""
}

// rule is a line of a list of rules; doc.go says how they are written.
type rule struct {
	kind    ruleKind
	at      string // file and line
	name    string // of a function, a method, a field or a variable; or how it begins, with a * at the end
	args    []int  // that are read; nil is all
	from    int    // and all from this one on, or none
	writes  []int  // arguments that get something
	result  bool   // so do the results
	classes []string
	field   bool // it is about a field
	global  bool // it is about a variable
	convert bool // it is about conversions to a type
	param   bool // it is about what functions that implement a method get as writes
}

// rules is a list of them.
type rules struct {
	list   []*rule
	byName map[string][]*rule
	prefix []*rule
}

// place is a node that a rule names.
type place struct {
	rule   *rule
	object int32
}

// newRules reads the rules of the standard library, and those of files.
func newRules(files []string) (*rules, error) {
	r := &rules{byName: make(map[string][]*rule)}
	if err := r.read("rules.txt", standardRules); err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err == nil {
			err = r.read(file, string(b))
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *rules) read(file, text string) error {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		n, err := newRule(words)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		n.at = fmt.Sprintf("%s:%d", file, i+1)
		r.list = append(r.list, n)
		if prefix, is := strings.CutSuffix(n.name, "*"); is {
			n.name = prefix
			r.prefix = append(r.prefix, n)
		} else {
			r.byName[n.name] = append(r.byName[n.name], n)
		}
	}
	return nil
}

// classes are those of sinks, sorted.
func (r *rules) classes() (list []string) {
	for _, n := range r.list {
		if n.kind == sinkRule && !slices.Contains(list, n.classes[0]) {
			list = append(list, n.classes[0])
		}
	}
	slices.Sort(list)
	return list
}

// newRule takes a line apart: KIND NAME WHAT [CLASS,CLASS].
func newRule(words []string) (*rule, error) {
	kind, ok := ruleWords[words[0]]
	if !ok {
		return nil, fmt.Errorf("%q is no kind of rule; there are source, sink, sanitizer, pass and wrap", words[0])
	}
	if len(words) < 2 {
		return nil, fmt.Errorf("a %s names a function, as in net/http.(*Request).FormValue", kind)
	}
	n := &rule{kind: kind, name: words[1], from: none}
	rest := words[2:]
	if kind == passRule || kind == wrapRule {
		return n, n.pass(rest)
	}
	what := ""
	if len(rest) > 0 {
		what, rest = rest[0], rest[1:]
	}
	switch {
	case what == "arg" && len(rest) > 0:
		args, from, err := arguments(rest[0])
		if err != nil {
			return nil, err
		}
		if rest = rest[1:]; kind == sinkRule {
			n.args, n.from = args, from
		} else {
			n.writes = args
		}
	case what == "parameter" && kind == sourceRule && len(rest) > 0:
		args, _, err := arguments(rest[0])
		if err != nil {
			return nil, err
		}
		n.param, n.writes, rest = true, args, rest[1:]
	case what == "result" && kind != sinkRule:
		n.result = true
	case what == "field" && kind != sanitizerRule:
		n.field = true
	case what == "conversion" && kind == sinkRule:
		n.convert = true
	case what == "variable" && kind == sourceRule:
		n.global = true
	default:
		return nil, fmt.Errorf("%q does not say what of %s is meant: a source is a result, arg N, parameter N, a field or a variable, a sink is arg N, a field or a conversion, a sanitizer is a result or arg N", what, n.name)
	}
	if len(rest) > 1 {
		return nil, fmt.Errorf("%q after the classes", strings.Join(rest[1:], " "))
	}
	if len(rest) == 1 {
		n.classes = strings.Split(rest[0], ",")
	}
	if kind == sinkRule && len(n.classes) != 1 {
		return nil, fmt.Errorf("a sink has one class, as in: sink %s arg 1 sql", n.name)
	}
	return n, nil
}

// pass reads [arg N] -> [result] [arg N]. Without an arrow nothing passes.
func (r *rule) pass(words []string) (err error) {
	arrow := slices.Index(words, "->")
	if arrow < 0 && len(words) == 0 {
		r.args = []int{}
		return nil
	}
	if arrow == 2 && words[0] == "arg" {
		if r.args, r.from, err = arguments(words[1]); err != nil {
			return err
		}
	} else if arrow != 0 {
		return fmt.Errorf("a pass says where something goes: arg 0 -> result, or -> arg 1")
	}
	words = words[arrow+1:]
	for len(words) > 0 {
		switch {
		case words[0] == "result":
			r.result, words = true, words[1:]
		case words[0] == "arg" && len(words) > 1:
			if r.writes, _, err = arguments(words[1]); err != nil {
				return err
			}
			words = words[2:]
		default:
			return fmt.Errorf("something passes to result, or to arg N, and not to %q", words[0])
		}
	}
	return nil
}

// arguments reads 1 or 0,2 or 1.., which is all from 1 on. The receiver of a method is 0.
func arguments(s string) (list []int, from int, err error) {
	from = none
	for _, w := range strings.Split(s, ",") {
		digits, on := strings.CutSuffix(w, "..")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > 255 {
			return nil, none, fmt.Errorf("arg %s: arguments count from 0, which is a method's receiver; 1.. is all from 1 on", s)
		}
		if on {
			from = n
		} else {
			list = append(list, n)
		}
	}
	if list == nil {
		list = []int{}
	}
	return list, from, nil
}

// reads reports whether an argument is read.
func (r *rule) reads(k int) bool {
	return r.args == nil || slices.Contains(r.args, k) || r.from != none && k >= r.from
}

// general is what a function does of which nothing is said: its results, and what its receiver refers to, are made of
// everything that it gets.
func general(f *ssa.Function, c *ssa.CallCommon) *rule {
	r := &rule{kind: passRule, result: true, from: none}
	switch {
	case c.IsInvoke() && len(c.Args) > 0:
		r.writes = []int{0}
	case f != nil && f.Signature.Recv() != nil && len(c.Args) > 1: // what comes to no method but itself it has already
		if _, is := f.Signature.Recv().Type().Underlying().(*types.Pointer); is {
			r.writes = []int{0}
		}
	}
	return r
}

// ruleName is what a rule calls a function: a path, and a name without type arguments.
func ruleName(f *ssa.Function) string {
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if o, is := f.Object().(*types.Func); is {
		return methodName(o)
	}
	return names.Of(f)
}

// methodName is path.(*Type).Method, path.(Type).Method or path.Function.
func methodName(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil || f.Pkg() == nil {
		return f.FullName()
	}
	t, star := types.Unalias(recv.Type()), ""
	if p, is := t.(*types.Pointer); is {
		t, star = types.Unalias(p.Elem()), "*"
	}
	if n, is := t.(*types.Named); is {
		return f.Pkg().Path() + ".(" + star + n.Obj().Name() + ")." + f.Name()
	}
	return f.FullName()
}

// find returns the rules for a name.
func (r *rules) find(name string) []*rule {
	if list := r.byName[name]; list != nil {
		return list
	}
	for _, p := range r.prefix {
		if strings.HasPrefix(name, p.name) {
			return []*rule{p}
		}
	}
	return nil
}

// ofCall are the rules for a function, or for the method of an interface by which it is called.
func (r *rules) ofCall(f *ssa.Function, c *ssa.CallCommon) (list []*rule) {
	if r == nil {
		return nil
	}
	if f != nil {
		list = r.find(ruleName(f))
	}
	if list == nil && c.IsInvoke() {
		list = r.find(methodName(c.Method))
	}
	return list
}

// models reports whether a rule says what a function does, so that its body does not matter.
func (r *rules) models(f *ssa.Function, c *ssa.CallCommon) bool {
	return slices.ContainsFunc(r.ofCall(f, c), func(n *rule) bool { return n.kind != sinkRule && !n.param })
}

// of returns what passes through a function, sanitizers among it, and what it is a source of.
func (r *rules) of(f *ssa.Function, c *ssa.CallCommon) (passes, sources []*rule) {
	for _, n := range r.ofCall(f, c) {
		switch n.kind {
		case passRule, wrapRule, sanitizerRule:
			passes = append(passes, n)
		case sourceRule:
			if !n.param {
				sources = append(sources, n)
			}
		}
	}
	return passes, sources
}

// opaque reports whether a function's body is not looked at, for it is the standard library's.
func (r *rules) opaque(p *program, f *ssa.Function) bool {
	return p.standard[names.Package(f)]
}
