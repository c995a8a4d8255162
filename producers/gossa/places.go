package main

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph"
)

// sinks makes a node for each argument of a call that must not be what it is.
func (b *body) sinks(i ssa.CallInstruction, args []int32) {
	seen := make(map[*rule]bool)
	targets := []*ssa.Function{nil}
	for _, c := range b.proc.of.sites[i] {
		targets = append(targets, c.f)
	}
	for _, f := range targets {
		for _, r := range b.rules.ofCall(f, i.Common()) {
			if r.kind != sinkRule || seen[r] || !r.applies(i.Common()) || runsNothing(i.Common()) {
				continue
			}
			seen[r] = true
			to := b.sinkOf(i, r, i.Common().Value)
			if to == none {
				continue
			}
			for k, a := range args {
				if r.reads(k) {
					b.sinkArgument(i.Common(), r, k, a, to)
				}
			}
		}
	}
}

// sinkOf makes the node of a sink, or none if what a ResponseWriter gets is not a page. Where only its beginning says so, that is a check
// of unknown content: net/http looks at it, unless the type of the content is set elsewhere.
func (b *body) sinkOf(i ssa.CallInstruction, r *rule, w ssa.Value) int32 {
	if r.name != responseWrite || !slices.Equal(r.classes, []string{"xss"}) {
		w = nil
	}
	for x, is := w.(*ssa.ChangeInterface); is; x, is = w.(*ssa.ChangeInterface) {
		w = x.X
	}
	if w != nil && b.isNoPage(i, w) {
		return none
	}
	to := b.special(i, r.name)
	b.place(r, to)
	if w != nil && b.isPlainText(i, w) {
		text := b.special(i, "plain text")
		b.supposedChecked[text] = check{by: "net/http.DetectContentType"}
		b.read(text, to, graph.KindAssign)
		return text
	}
	return to
}

// sinkArgument takes an argument to a sink: all of it, or the first of those that a variadic function gets. In an interface only
// text can be a part of a query: others, such as structs of conditions, are its parameters.
func (b *body) sinkArgument(c *ssa.CallCommon, r *rule, k int, a, to int32) {
	if c.IsInvoke() && k == 0 {
		b.read(a, to, graph.KindAssign)
		return
	}
	v := argument(c, k)
	if r.first {
		if v = firstOf(v); v == nil {
			return
		}
		a = b.object(v)
	}
	if made, is := v.(*ssa.MakeInterface); is {
		if slices.Contains(r.classes, "sql") && !hasText(made.X.Type()) {
			return
		}
		a = b.object(made.X) // what elements of a list refer to is one
	}
	b.read(a, to, graph.KindAssign)
}

// firstOf is the first element of a list that is made for a variadic function; nil if there is none.
func firstOf(v ssa.Value) ssa.Value {
	if c, is := v.(*ssa.Const); is && c.IsNil() {
		return nil
	}
	s, is := v.(*ssa.Slice)
	if !is {
		return v
	}
	if _, is := s.X.(*ssa.Alloc); !is {
		return v
	}
	for n, store := range stores(v) {
		if n == 0 {
			return store.Val
		}
	}
	return nil
}

// hasText is true of strings, and of slices of bytes or strings.
func hasText(t types.Type) bool {
	if s, is := t.Underlying().(*types.Slice); is {
		t = s.Elem()
	}
	basic, is := t.Underlying().(*types.Basic)
	return is && (basic.Info()&types.IsString != 0 || basic.Kind() == types.Uint8)
}

// written makes a node where something passes into an argument of an interface with a method that is a sink: a function that is
// given an io.Writer calls Write, and it is a page's if the argument may be one. Some faces of from are what passes.
func (b *body) written(i ssa.CallInstruction, k int, from int32, sides ...face) {
	common := i.Common()
	if common.IsInvoke() && k == 0 || !types.IsInterface(argumentType(common, k)) {
		return
	}
	v := argument(common, k)
	for _, s := range b.interfaceSinks() {
		if !b.mayBe(v, s.of) {
			continue
		}
		if to := b.sinkOf(i, s.rule, v); to != none {
			for _, w := range sides {
				b.heap.arc(from, w, to, itself, graph.KindAssign)
			}
		}
	}
}

// interfaceRule is a rule about a method of an interface.
type interfaceRule struct {
	rule   *rule
	of     *types.Interface
	method string
}

// interfaceSinks are the sinks that are methods of interfaces of packages that are there.
func (f *flow) interfaceSinks() []interfaceRule {
	if f.sinksOfInterfaces == nil && f.rules != nil {
		f.sinksOfInterfaces = f.interfaceRules(func(r *rule) bool { return r.kind == sinkRule })
	}
	return f.sinksOfInterfaces
}

// interfaceRules are some of the rules about methods of interfaces of packages that are there.
func (f *flow) interfaceRules(some func(*rule) bool) []interfaceRule {
	list := []interfaceRule{}
	for _, r := range f.rules.list {
		path, rest, is := strings.Cut(r.name, ".(")
		name, method, _ := strings.Cut(rest, ").")
		if !some(r) || !is || strings.HasPrefix(name, "*") {
			continue
		}
		if p := f.p.ssa.ImportedPackage(path); p != nil && p.Type(name) != nil {
			if of, is := p.Type(name).Type().Underlying().(*types.Interface); is {
				list = append(list, interfaceRule{r, of, method})
			}
		}
	}
	return list
}

// fieldRules are the sources that functions get which a field of a struct has.
func (f *flow) fieldRules() map[*ssa.Function][]*rule {
	all := make(map[*ssa.Function][]*rule)
	for _, r := range f.rules.list {
		path, rest, is := strings.Cut(r.name, ".(")
		name, field, _ := strings.Cut(rest, ").")
		if !r.param || !is || f.p.variables == nil {
			continue
		}
		if p := f.p.ssa.ImportedPackage(path); p != nil && p.Type(name) != nil {
			of := p.Type(name).Type()
			s, is := of.Underlying().(*types.Struct)
			for k := 0; is && k < s.NumFields(); k++ {
				if s.Field(k).Name() != field {
					continue
				}
				for _, h := range f.p.variables.field(of, k) {
					if h.f != nil {
						all[h.f] = append(all[h.f], r)
					}
				}
			}
		}
	}
	return all
}

// sourceParameters makes sources of what only others pass to a function, with values from outside: to a method that implements one
// with such a rule, to a function that a field with such a rule has, and to all that a library exports.
func (b *body) sourceParameters() {
	f := b.proc.of.f
	recv := f.Signature.Recv()
	for _, s := range b.sourcesOfMethods {
		if recv != nil && f.Name() == s.method && types.Implements(recv.Type(), s.of) {
			b.sourceParameter(s.rule, s.rule.name, s.rule.args)
		}
	}
	for _, r := range b.sourcesOfFields[f] {
		b.sourceParameter(r, r.name, r.args)
	}
	if b.rules == nil || !b.p.exported[f] {
		return
	}
	for _, r := range b.rules.list {
		if r.exported {
			for k, p := range f.Params {
				if (k > 0 || recv == nil) && !isContext(p.Type()) {
					b.sourceParameter(r, "parameter "+p.Name(), []int{k})
				}
			}
		}
	}
}

// sourceParameter makes parameters a source.
func (b *body) sourceParameter(r *rule, name string, params []int) {
	from := b.special(nil, name)
	b.place(r, from)
	for _, k := range params {
		if k < len(b.proc.params) {
			b.write(from, b.proc.params[k], kindModel)
		}
	}
}

// mayBe reports whether a value of an interface may be of a type that has another: by its own type, or because variable types
// say so.
func (b *body) mayBe(v ssa.Value, of *types.Interface) bool {
	for {
		if types.Implements(v.Type(), of) {
			return true
		}
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
			continue
		case *ssa.MakeInterface:
			return types.Implements(x.X.Type(), of)
		}
		break
	}
	if b.p.variables == nil {
		return false
	}
	return slices.ContainsFunc(b.p.variables.typesOf(v), func(t types.Type) bool { return types.Implements(t, of) })
}

// sinkField makes a node where a field gets something that must not be there.
func (b *body) sinkField(s *ssa.Store) {
	at, is := s.Addr.(*ssa.FieldAddr)
	if !is || b.rules == nil {
		return
	}
	name := fieldRule(at.X.Type(), at.Field)
	if name == "" {
		return
	}
	for _, r := range b.rules.find(name) {
		if r.kind == sinkRule && r.field {
			b.sink(s, r, s.Val)
		}
	}
}

// sinkConversion does the same where a value is converted to a type that says that it is harmless.
func (b *body) sinkConversion(i ssa.Instruction, t types.Type, from ssa.Value) {
	n, is := types.Unalias(t).(*types.Named)
	if b.rules == nil || !is || n.Obj().Pkg() == nil {
		return
	}
	for _, r := range b.rules.find(n.Obj().Pkg().Path() + "." + n.Obj().Name()) {
		if r.kind == sinkRule && r.convert {
			b.sink(i, r, from)
		}
	}
}

// sink makes a node for a value that must not be what it is.
func (b *body) sink(i ssa.Instruction, r *rule, v ssa.Value) {
	to := b.special(i, r.name)
	b.place(r, to)
	b.read(b.object(v), to, graph.KindAssign)
}

// sourceField makes a place that is a field with a rule a source.
func (b *body) sourceField(at ssa.Instruction, t types.Type, field int, to int32) {
	if b.rules == nil {
		return
	}
	name := fieldRule(t, field)
	if name == "" {
		return
	}
	for _, r := range b.rules.find(name) {
		if r.kind == sourceRule && r.field && b.isRead(at) {
			from := b.special(at, name)
			b.place(r, from)
			b.write(from, to, graph.KindField)
		}
	}
}

// isRead reports whether a field is read that is something from outside: it is not only written, and not of what the program has
// made itself.
func (b *body) isRead(at ssa.Instruction) bool {
	switch at := at.(type) {
	case *ssa.FieldAddr:
		return !b.ownRequests[at.X] && !onlyStored(at)
	case *ssa.Field:
		return !b.ownRequests[at.X]
	}
	return true
}

func onlyStored(address *ssa.FieldAddr) bool {
	for _, use := range *address.Referrers() {
		if s, is := use.(*ssa.Store); !is || s.Addr != address {
			return false
		}
	}
	return true
}

// sourceVariable does the same for a global variable.
func (f *flow) sourceVariable(v *ssa.Global, o int32) {
	if f.rules == nil {
		return
	}
	for _, r := range f.rules.find(v.RelString(nil)) {
		if r.kind == sourceRule && r.global {
			from := f.heap.object(shared)
			f.procs[shared].nodes = append(f.procs[shared].nodes, special{object: from, name: v.RelString(nil)})
			f.place(r, from)
			to := f.heap.part(o, pointee)
			f.heap.mark(to, isWritten)
			f.heap.arc(from, itself, to, into, graph.KindAssign)
		}
	}
}

func (f *flow) place(r *rule, object int32) { f.places = append(f.places, place{r, object}) }

// fieldRule is what a rule calls a field of a struct, or of what a pointer to one refers to; empty if its type has no name.
func fieldRule(t types.Type, field int) string {
	if p, is := t.Underlying().(*types.Pointer); is {
		t = p.Elem()
	}
	n, is := types.Unalias(t).(*types.Named)
	if !is || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name() + "." + n.Underlying().(*types.Struct).Field(field).Name()
}
