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
			if r.kind != sinkRule || seen[r] {
				continue
			}
			seen[r] = true
			to := b.special(i, r.name)
			b.place(r, to)
			for k, a := range args {
				if r.reads(k) {
					b.read(a, to, graph.KindAssign)
				}
			}
		}
	}
}

// written makes a node where something passes into an argument of an interface with a method that is a sink: a function that is
// given an io.Writer calls Write, and it is a page's if the argument may be one. from is what passes.
func (b *body) written(i ssa.CallInstruction, k int, from int32, face face) {
	common := i.Common()
	if common.IsInvoke() && k == 0 || !types.IsInterface(argumentType(common, k)) {
		return
	}
	v := argument(common, k)
	for _, s := range b.interfaceSinks() {
		if b.mayBe(v, s.of) {
			to := b.special(i, s.rule.name)
			b.place(s.rule, to)
			b.heap.arc(from, face, to, itself, graph.KindAssign)
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

// sourceParameters makes sources of what a method gets that implements one with such a rule: only the library calls it, with
// values from outside.
func (b *body) sourceParameters() {
	recv := b.proc.of.f.Signature.Recv()
	if recv == nil {
		return
	}
	for _, s := range b.sourcesOfMethods {
		if b.proc.of.f.Name() != s.method || !types.Implements(recv.Type(), s.of) {
			continue
		}
		from := b.special(nil, s.rule.name)
		b.place(s.rule, from)
		for _, k := range s.rule.writes {
			if k < len(b.proc.params) {
				b.write(from, b.proc.params[k], kindModel)
			}
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
		if r.kind == sourceRule && r.field {
			from := b.special(at, name)
			b.place(r, from)
			b.write(from, to, graph.KindField)
		}
	}
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
