package main

import (
	"embed"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// shipped are the rules for the standard library and for frameworks, a file each.
//
//go:embed rules/*.txt
var shipped embed.FS

// Bounds of a file of rules, so that a hostile one ends with an error.
const (
	mostRuleBytes = 1 << 20
	mostRuleLine  = 4096
	mostRules     = 20_000
	mostOfOneLine = 256 // rules
	mostArguments = 256
)

// newRules reads the shipped rules, and those of files.
func newRules(files []string) (*rules, error) {
	r := &rules{byName: make(map[string][]*rule)}
	list, err := shipped.ReadDir("rules")
	if err != nil {
		panic("BUG: shipped rules: " + err.Error())
	}
	for _, file := range list {
		b, err := shipped.ReadFile("rules/" + file.Name())
		if err == nil {
			err = r.read("rules/"+file.Name(), string(b))
		}
		if err != nil {
			panic("BUG: shipped rules: " + err.Error())
		}
	}
	r.shipped = len(r.list)
	for _, n := range r.list {
		n.shipped = true
	}
	for _, file := range files {
		b, err := readRules(file)
		if err == nil {
			err = r.read(file, b)
		}
		if err != nil {
			return nil, err
		}
	}
	if n := len(r.guarded()); n > mostGuarded {
		return nil, fmt.Errorf("guard rules are about %d classes, but at most %d can be told apart", n, mostGuarded)
	}
	return r, nil
}

// readRules reads a file, but no more of it than rules may be.
func readRules(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if info.Size() > mostRuleBytes {
		return "", fmt.Errorf("%s has %d bytes; a file of rules has at most %d", file, info.Size(), mostRuleBytes)
	}
	b, err := os.ReadFile(file)
	return string(b), err
}

// read adds the rules of a text.
func (r *rules) read(file, text string) error {
	var paths []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		l := newRuleLine(file, n, line)
		switch {
		case len(line) > mostRuleLine:
			return l.errorf("the line has %d bytes; a rule has at most %d", len(line), mostRuleLine)
		case len(l.words) == 0:
			continue
		case l.words[0].text == "package":
			if paths = nil; len(l.words) < 2 {
				return l.errorf("package says which ones the names are in that begin with a dot, as in: package github.com/go-chi/chi/v5")
			}
			for _, w := range l.words[1:] {
				paths = append(paths, w.text)
			}
			continue
		}
		one, err := l.rule()
		if err != nil {
			return err
		}
		names, err := l.spelled(one.name, paths)
		if err != nil {
			return err
		}
		if len(r.list)+len(names) > mostRules {
			return l.errorf("there are more than %d rules", mostRules)
		}
		for _, name := range names {
			n := *one
			n.name = name
			r.add(&n)
		}
	}
	return nil
}

func (r *rules) add(n *rule) {
	r.list = append(r.list, n)
	if prefix, is := strings.CutSuffix(n.name, "*"); is {
		n.name = prefix
		r.prefix = append(r.prefix, n)
		return
	}
	r.byName[n.name] = append(r.byName[n.name], n)
}

// spelled are the names that a rule's name stands for: .F is one in each of the packages, and F|G is two.
func (l *ruleLine) spelled(name string, paths []string) (list []string, err error) {
	rest, relative := strings.CutPrefix(name, ".")
	if relative && len(paths) == 0 {
		return nil, l.errorAt(l.named, "%s begins with a dot, and no line before says which package it is in: package PATH", name)
	}
	if !relative {
		rest, paths = name, []string{""}
	}
	last := strings.LastIndexByte(rest, '.') + 1
	for _, path := range paths {
		if path != "" {
			path += "."
		}
		for one := range strings.SplitSeq(rest[last:], "|") {
			if list = append(list, path+rest[:last]+one); len(list) > mostOfOneLine {
				return nil, l.errorAt(l.named, "the line is more than %d rules", mostOfOneLine)
			}
		}
	}
	return list, nil
}

// ruleLine is a line of rules, word by word.
type ruleLine struct {
	file  string
	n     int
	words []ruleWord
	next  int
	named int // the column of the rule's name
}

type ruleWord struct {
	text   string
	column int // from 1 on
}

func newRuleLine(file string, n int, line string) *ruleLine {
	l := &ruleLine{file: file, n: n, named: 1}
	line, _, _ = strings.Cut(line[:min(len(line), mostRuleLine)], "#")
	for at := 0; at < len(line); {
		rest := line[at:]
		begin := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
		rest = rest[begin:]
		end := strings.IndexAny(rest+" ", " \t\r\n")
		if end > 0 {
			l.words = append(l.words, ruleWord{rest[:end], at + begin + 1})
		}
		at += begin + max(end, 1)
	}
	return l
}

// errorf is an error at the word that was read last.
func (l *ruleLine) errorf(format string, args ...any) error {
	column := 1
	if k := min(l.next, len(l.words)) - 1; k >= 0 {
		column = l.words[k].column
	}
	return l.errorAt(column, format, args...)
}

func (l *ruleLine) errorAt(column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w", l.file, l.n, column, fmt.Errorf(format, args...))
}

// word takes the next word; there is none after the last.
func (l *ruleLine) word() string {
	if l.next >= len(l.words) {
		return ""
	}
	l.next++
	return l.words[l.next-1].text
}

// is takes the next word if it is this one.
func (l *ruleLine) is(word string) bool {
	if l.next < len(l.words) && l.words[l.next].text == word {
		l.next++
		return true
	}
	return false
}

func (l *ruleLine) done() bool { return l.next == len(l.words) }

// rule takes a line apart; doc.go says how it is written.
func (l *ruleLine) rule() (*rule, error) {
	word := l.word()
	kind, ok := ruleWords[word]
	if !ok {
		return nil, l.errorf("%q is no kind of rule; there are source, sink, sanitizer, guard, model, wrap, made, root and bind", word)
	}
	r := &rule{kind: kind, from: none, request: none}
	switch {
	case kind == sourceRule && l.is("exported"):
		r.exported = true
		return l.at(r), l.classes(r)
	case kind == sourceRule && l.is("param"):
		r.param = true
	case kind == rootRule:
		if what := l.word(); what != "call" && what != "methods" {
			return nil, l.errorf("a root is call, for functions that are given, or methods, for those of a value: root call net/http.HandleFunc arg 1")
		} else {
			r.methods = what == "methods"
		}
	}
	if r.name = l.word(); r.name == "" {
		return nil, l.errorf("a %s names a function, as in net/http.(*Request).FormValue", word)
	}
	l.named = l.words[l.next-1].column
	if r.param {
		r.name = asMethod(r.name)
	}
	l.at(r)
	if kind == modelRule || kind == wrapRule {
		return r, l.model(r)
	}
	return r, l.port(r)
}

func (l *ruleLine) at(r *rule) *rule {
	r.at = fmt.Sprintf("%s:%d:%d", l.file, l.n, l.named)
	return r
}

// asMethod is how a method of an interface is called: pkg.Iface.Method is pkg.(Iface).Method.
func asMethod(name string) string {
	method := strings.LastIndexByte(name, '.')
	if method < 0 || strings.HasSuffix(name[:method], ")") {
		return name
	}
	of := strings.LastIndexByte(name[:method], '.')
	if of < 0 {
		return name
	}
	return name[:of+1] + "(" + name[of+1:method] + ")" + name[method:]
}

// port reads what of a function or a type is meant, and what follows.
func (l *ruleLine) port(r *rule) error {
	switch what := l.word(); {
	case what == "arg":
		r.first = r.kind == sinkRule && l.first()
		args, from, err := l.arguments()
		if err != nil {
			return err
		}
		if !r.param && (r.kind == sourceRule || r.kind == sanitizerRule || r.kind == bindRule) {
			r.writes = args
		} else {
			r.args, r.from = args, from
		}
	case r.param || r.kind == rootRule || r.kind == guardRule || r.kind == bindRule:
		return l.errorf("%q does not say which argument of %s is meant: arg N", what, r.name)
	case what == "result" && r.kind != sinkRule:
		r.result = true
	case what == "field" && (r.kind == sourceRule || r.kind == sinkRule):
		r.field = true
	case what == "conversion" && r.kind == sinkRule:
		r.convert = true
	case what == "variable" && r.kind == sourceRule:
		r.global = true
	default:
		return l.errorf("%q does not say what of %s is meant: a source is a result, arg N, a field or a variable, a sink is arg N, a field or a conversion, a sanitizer is a result or arg N", what, r.name)
	}
	if r.kind == bindRule {
		return l.request(r)
	}
	return l.classes(r)
}

// first takes the [0] from an argument that has one.
func (l *ruleLine) first() bool {
	if l.done() {
		return false
	}
	w := &l.words[l.next]
	text, is := strings.CutSuffix(w.text, "[0]")
	w.text = text
	return is
}

// request reads where a binder takes what it fills its argument with.
func (l *ruleLine) request(r *rule) error {
	if !l.is("from") {
		l.word()
		return l.errorf("a bind says what has the request: from recv, or from arg N")
	}
	switch {
	case l.is("recv"):
		r.request = 0
	case l.is("arg"):
		args, _, err := l.arguments()
		if err != nil {
			return err
		}
		if len(args) != 1 {
			return l.errorf("a request comes from one argument")
		}
		r.request = args[0]
	default:
		l.word()
		return l.errorf("a bind says what has the request: from recv, or from arg N")
	}
	return l.classes(r)
}

// classes reads them at the end of a line.
func (l *ruleLine) classes(r *rule) error {
	if list := l.word(); list != "" {
		r.classes = strings.Split(list, ",")
	}
	if r.kind == sinkRule && l.is("when") {
		if err := l.when(r); err != nil {
			return err
		}
	}
	switch {
	case slices.Contains(r.classes, ""):
		return l.errorf("a class has no name")
	case !l.done():
		l.next++
		return l.errorf("%q after the classes", l.words[l.next-1].text)
	case r.kind == sinkRule && len(r.classes) == 0:
		return l.errorf("a sink has a class, as in: sink %s arg 1 sql", r.name)
	case r.kind == sourceRule && len(r.classes) > 1:
		return l.errorf("a source has one class at most")
	case (r.kind == rootRule || r.kind == madeRule || r.kind == bindRule) && len(r.classes) > 0:
		return l.errorf("%q after the argument", r.classes[0])
	}
	return nil
}

// when reads the constant that another argument has where it is a sink.
func (l *ruleLine) when(r *rule) error {
	if !l.is("arg") {
		l.word()
		return l.errorf("when is followed by an argument and what it has: when arg 1 Location")
	}
	args, _, err := l.arguments()
	if err != nil {
		return err
	}
	if r.constant = l.word(); r.constant == "" || len(args) != 1 {
		return l.errorf("when is followed by an argument and what it has: when arg 1 Location")
	}
	r.where = args[0]
	return nil
}

// model reads [arg N] -> [result] [arg N]. Without an arrow nothing passes.
func (l *ruleLine) model(r *rule) (err error) {
	if l.done() {
		r.args = []int{}
		return nil
	}
	if l.is("arg") {
		if r.args, r.from, err = l.arguments(); err != nil {
			return err
		}
	}
	if !l.is("->") {
		l.word()
		return l.errorf("a model says where something goes: arg 0 -> result, or -> arg 1")
	}
	for !l.done() {
		switch word := l.word(); word {
		case "result":
			r.result = true
		case "arg":
			if r.writes, _, err = l.arguments(); err != nil {
				return err
			}
		default:
			return l.errorf("something passes to result, or to arg N, and not to %q", word)
		}
	}
	return nil
}

// arguments reads 1 or 0,2 or 1.., which is all from 1 on. The receiver of a method is 0.
func (l *ruleLine) arguments() (list []int, from int, err error) {
	s := l.word()
	from = none
	for w := range strings.SplitSeq(s, ",") {
		digits, on := strings.CutSuffix(w, "..")
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n >= mostArguments {
			return nil, none, l.errorf("arg %s: arguments count from 0, which is a method's receiver; 1.. is all from 1 on", s)
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
