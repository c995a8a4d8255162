package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph/session"
	"github.com/govyre/vyre/producers/calls/names"
)

// ruleKind is what a rule is about.
type ruleKind uint8

const (
	modelRule ruleKind = iota
	wrapRule
	sourceRule
	bindRule
	sinkRule
	sanitizerRule
	guardRule
	rootRule
	madeRule
)

var ruleWords = map[string]ruleKind{"model": modelRule, "wrap": wrapRule, "source": sourceRule, "bind": bindRule, "sink": sinkRule,
	"sanitizer": sanitizerRule, "guard": guardRule, "root": rootRule, "made": madeRule}

// rule is a line of a list of rules, or a part of one; doc.go says how they are written.
type rule struct {
	kind     ruleKind
	at       string // file, line and column
	name     string // of a function, a method, a field or a variable; or how it begins, with a * at the end
	args     []int  // that are read; nil is all
	from     int    // and all from this one on, or none
	writes   []int  // arguments that get something
	result   bool   // so do the results
	classes  []string
	field    bool // it is about a field
	global   bool // it is about a variable
	convert  bool // it is about conversions to a type
	param    bool // it is about what functions that implement a method, or are what a field has, get as args
	exported bool // it is about parameters of exported functions
	methods  bool // a root: methods of what is given, and not functions
	general  bool // it is not written, but supposed
	shipped  bool
	request  int  // of a bind, the argument that has the request
	first    bool // a sink is the first of a variadic function's arguments
	where    int  // of a sink, the argument that has a constant, if there is one:
	constant string
}

// rules is a list of them.
type rules struct {
	list    []*rule
	shipped int // so many of the list are gossa's own
	byName  map[string][]*rule
	prefix  []*rule
}

// place is a node that a rule names.
type place struct {
	rule   *rule
	object int32
}

// classes are those of sinks, sorted.
func (r *rules) classes() (list []string) {
	for _, n := range r.list {
		if n.kind == sinkRule {
			list = append(list, n.classes...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// class is that of a source, or empty.
func (r *rule) class() string {
	if r.kind == sourceRule && len(r.classes) > 0 {
		return r.classes[0]
	}
	return ""
}

// offByDefault are classes of sources that are asked about only where somebody wants to know: whoever starts a program
// may do what the program may, what is stored is mostly the program's own, and whom a program asks it mostly trusts.
var offByDefault = []string{"answer", "cli", "stored"}

// choose leaves out sources of classes that are off by default, but for some.
func (r *rules) choose(also []string) error {
	for _, class := range also {
		if !slices.ContainsFunc(r.list, func(n *rule) bool { return n.kind == sourceRule && n.class() == class }) {
			return fmt.Errorf("%s: no rule has a source of that class; there are %s", class, strings.Join(offByDefault, ", "))
		}
	}
	off := func(n *rule) bool {
		return n.kind == sourceRule && slices.Contains(offByDefault, n.class()) && !slices.Contains(also, n.class())
	}
	shipped := slices.DeleteFunc(slices.Clone(r.list[:r.shipped]), off)
	r.list = append(shipped, slices.DeleteFunc(slices.Clone(r.list[r.shipped:]), off)...)
	r.shipped = len(shipped)
	for name, list := range r.byName {
		r.byName[name] = slices.DeleteFunc(list, off)
	}
	return nil
}

// onlyFor says of a class of sources which class of sinks it is for; others are for all other sinks.
var onlyFor = map[string]string{"archive": "zipslip"}

// notFor says of a class of sources which class of sinks it is not for. A redirect does harm where a link leads to it, and a link
// carries neither a body nor headers.
var notFor = map[string]string{"posted": "redirect"}

// isOnlyFor reports whether a class of sinks is asked about sources of its own alone.
func isOnlyFor(sinks string) bool {
	for _, class := range onlyFor {
		if class == sinks {
			return true
		}
	}
	return false
}

// hasOwnSources reports whether a class of sinks is not asked about the same sources as most.
func (q *question) hasOwnSources(sinks string) bool {
	return isOnlyFor(sinks) || slices.ContainsFunc(q.kinds, func(kind string) bool { return notFor[kind] == sinks })
}

// sourcesFor are the sources that a class of sinks is asked about.
func (q *question) sourcesFor(sinks string) (list []session.Source) {
	for i, s := range q.sources {
		switch kind := q.kinds[i]; {
		case onlyFor[kind] != "" && onlyFor[kind] != sinks, onlyFor[kind] == "" && isOnlyFor(sinks), sinks != "" && notFor[kind] == sinks:
		default:
			list = append(list, s)
		}
	}
	return list
}

// reads reports whether an argument is read.
func (r *rule) reads(k int) bool {
	return r.args == nil || slices.Contains(r.args, k) || r.from != none && k >= r.from
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

// find returns the rules for a name. Where those that name it all do not say what the function does, the first that is
// about how it begins does.
func (r *rules) find(name string) []*rule {
	list := r.byName[name]
	if slices.ContainsFunc(list, (*rule).says) {
		return list
	}
	for _, p := range r.prefix {
		if strings.HasPrefix(name, p.name) {
			return append(slices.Clip(list), p)
		}
	}
	return list
}

// says reports whether a rule says what a function does, so that its body does not matter.
func (r *rule) says() bool {
	switch r.kind {
	case sinkRule, guardRule, madeRule:
		return false
	}
	return !r.param
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

// models reports whether a rule says what a function does. That nothing comes out of a method of an interface holds for
// those that are not followed.
func (r *rules) models(f *ssa.Function, c *ssa.CallCommon) bool {
	own := r.names(f)
	return slices.ContainsFunc(r.ofCall(f, c), func(n *rule) bool { return n.says() && (own || !n.nothing()) })
}

// replaces reports whether a rule says what a function does that is followed. A source of gossa's own that is a method of an interface
// does not: the body, as that of a queue of connections, has sources itself.
func (r *rules) replaces(f *ssa.Function, c *ssa.CallCommon) bool {
	own := r.names(f)
	return slices.ContainsFunc(r.ofCall(f, c), func(n *rule) bool {
		return n.says() && (own || !n.nothing() && !(n.shipped && n.kind == sourceRule))
	})
}

// names reports whether a rule is about a function itself.
func (r *rules) names(f *ssa.Function) bool {
	return f != nil && r != nil && len(r.find(ruleName(f))) > 0
}

// nothing reports whether a rule says that nothing comes out of a function.
func (r *rule) nothing() bool {
	return r.kind == modelRule && r.args != nil && len(r.args) == 0 && r.from == none && !r.result
}

// of returns what passes through a function, sanitizers among it, and what it is a source of.
func (r *rules) of(f *ssa.Function, c *ssa.CallCommon) (passes, sources []*rule) {
	for _, n := range r.ofCall(f, c) {
		switch n.kind {
		case modelRule, wrapRule, sanitizerRule, rootRule:
			passes = append(passes, n)
		case sourceRule, bindRule:
			if !n.param {
				sources = append(sources, n)
			}
		}
	}
	return passes, sources
}

// applies reports whether the argument of a call begins with what a sink wants, whatever its letters' case.
func (r *rule) applies(c *ssa.CallCommon) bool {
	k := r.where
	if c.IsInvoke() {
		k--
	}
	if r.constant == "" {
		return true
	}
	if k < 0 || k >= len(c.Args) {
		return false
	}
	v, is := c.Args[k].(*ssa.Const)
	if !is || v.Value == nil || v.Value.Kind() != constant.String {
		return false
	}
	text := constant.StringVal(v.Value)
	return len(text) >= len(r.constant) && strings.EqualFold(text[:len(r.constant)], r.constant)
}

// guarded are the classes of guard rules, sorted.
func (r *rules) guarded() (list []string) {
	for _, n := range r.list {
		if n.kind == guardRule {
			list = append(list, n.classes...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// guards are the rules by which a call checks its arguments: where its result says that all is well, the arguments args
// of each are harmless to sinks of its classes, or to all if it has none.
func (r *rules) guards(f *ssa.Function, c *ssa.CallCommon) (list []*rule) {
	for _, n := range r.ofCall(f, c) {
		if n.kind == guardRule {
			list = append(list, n)
		}
	}
	return list
}

// opaque reports whether a function's body is not looked at, for it is the standard library's or a dependency's.
func (r *rules) opaque(p *program, f *ssa.Function) bool {
	return !p.own[names.Package(f)] && !plain[names.Package(f)]
}
