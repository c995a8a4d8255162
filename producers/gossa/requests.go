package main

import (
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// origins finds values that the program has made itself, such as requests that it is going to send: what is read from
// these is nothing from outside. It looks where values of a type with a made rule go; one that may come from elsewhere
// as well, such as what a server gives a handler, is not in it.
//
// Fields and elements are one for all values of their type. Time: O(instructions).
type origins struct {
	flow    *flow
	types   map[*types.TypeName]bool
	to      map[any][]any // where what is in one place goes
	own     []any
	outside []any
}

// Places beside values: results of a function, a field, elements of a type, one of several results of a call.
type (
	resultPlace struct {
		f *ssa.Function
		k int
	}
	fieldPlace struct {
		of string
		k  int
	}
	partPlace struct {
		v ssa.Value
		k int
	}
)

// findMade returns the values that only the program has made, and those that it has never made.
func (f *flow) findMade() (made, others map[any]bool) {
	m := &origins{flow: f, types: make(map[*types.TypeName]bool), to: make(map[any][]any)}
	for _, r := range f.rules.list {
		if r.kind == madeRule {
			m.typesOf(r)
		}
	}
	if len(m.types) == 0 {
		return nil, nil
	}
	called := f.calledByOthers()
	for _, q := range f.procs[1:] {
		for k, p := range q.of.f.Params {
			if m.is(p.Type()) && (called[q.of.f] || answers(q.of.f)) {
				m.outside = append(m.outside, q.of.f.Params[k])
			}
		}
		for _, b := range q.of.f.Blocks {
			for _, i := range b.Instrs {
				m.instruction(q, i)
			}
		}
	}
	own, outside := m.reach(m.own), m.reach(m.outside)
	return onlyIn(own, outside), onlyIn(outside, own)
}

func onlyIn(set, other map[any]bool) map[any]bool {
	only := maps.Clone(set)
	maps.DeleteFunc(only, func(at any, _ bool) bool { return other[at] })
	return only
}

// typesOf puts down what a rule's function returns.
func (m *origins) typesOf(r *rule) {
	for _, p := range m.flow.p.ssa.AllPackages() {
		for _, member := range p.Members {
			if f, is := member.(*ssa.Function); is && ruleName(f) == r.name && f.Signature.Results().Len() > 0 {
				if n := pointed(f.Signature.Results().At(0).Type()); n != nil {
					m.types[n.Obj()] = true
				}
			}
		}
	}
}

// pointed is the named type that a type is, or is a pointer to.
func pointed(t types.Type) *types.Named {
	if p, is := types.Unalias(t).(*types.Pointer); is {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// is reports whether values of a type are looked at, or what they point to.
func (m *origins) is(t types.Type) bool {
	if p, is := t.Underlying().(*types.Pointer); is {
		if _, is := p.Elem().Underlying().(*types.Pointer); is {
			t = p.Elem()
		}
	}
	n := pointed(t)
	return n != nil && m.types[n.Obj()]
}

// calledByOthers are the functions that those call which are not followed, and those that nobody calls.
func (f *flow) calledByOthers() map[*ssa.Function]bool {
	others, own := make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	for _, c := range f.calls.all {
		for _, list := range c.sites {
			for _, to := range list {
				if f.of[c] == nil {
					others[to.f] = true
				} else {
					own[to.f] = true
				}
			}
		}
		for _, to := range c.backs {
			others[to.f] = true
		}
		for _, list := range c.hands {
			for _, to := range list {
				others[to.f] = true
			}
		}
	}
	for _, q := range f.procs[1:] {
		if !own[q.of.f] {
			others[q.of.f] = true
		}
	}
	return others
}

// answers is true of functions that get a place for an answer: what else they get comes from a server, whoever else
// calls them.
func answers(f *ssa.Function) bool {
	for _, p := range f.Params {
		if n := pointed(p.Type()); n != nil && n.Obj().Name() == "ResponseWriter" && names.Package(f) != "net/http" {
			return true
		}
	}
	return false
}

func (m *origins) arc(from, to any) { m.to[from] = append(m.to[from], to) }

func (m *origins) instruction(q *proc, i ssa.Instruction) {
	switch i := i.(type) {
	case ssa.CallInstruction:
		m.call(q, i)
	case *ssa.Store:
		if m.is(i.Val.Type()) {
			m.arc(i.Val, m.place(i.Addr))
		}
	case *ssa.Return:
		for k, r := range i.Results {
			if m.is(r.Type()) {
				m.arc(r, resultPlace{q.of.f, k})
			}
		}
	case *ssa.Alloc:
		if n := pointed(i.Type()); n != nil && m.types[n.Obj()] {
			m.own = append(m.own, i)
		}
	case *ssa.MakeClosure:
		for k, b := range i.Bindings {
			if free := i.Fn.(*ssa.Function).FreeVars[k]; m.is(free.Type()) {
				m.arc(m.place(b), m.place(free))
				m.arc(m.place(free), m.place(b))
				m.arc(b, free)
			}
		}
	case ssa.Value:
		if m.is(i.Type()) {
			m.value(i)
		}
	}
}

func (m *origins) value(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			m.arc(e, v)
		}
	case *ssa.Extract:
		m.arc(partPlace{v.Tuple, v.Index}, v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			if _, is := v.Type().Underlying().(*types.Pointer); is {
				m.arc(m.place(v.X), v)
			} else {
				m.arc(v.X, v)
			}
			return
		}
		m.outside = append(m.outside, v)
	case *ssa.FieldAddr, *ssa.IndexAddr:
	case *ssa.Field:
		m.arc(fieldPlace{v.X.Type().String(), v.Field}, v)
	default: // out of an interface, a map, a channel
		m.outside = append(m.outside, v)
	}
}

// place is what an address leads to.
func (m *origins) place(address ssa.Value) any {
	switch a := address.(type) {
	case *ssa.FieldAddr:
		return fieldPlace{a.X.Type().Underlying().(*types.Pointer).Elem().String(), a.Field}
	case *ssa.IndexAddr:
		return fieldPlace{a.Type().String(), none}
	}
	if p, is := address.Type().Underlying().(*types.Pointer); is {
		if _, is := p.Elem().Underlying().(*types.Pointer); is {
			return partPlace{address, none}
		}
	}
	return address // of the struct itself
}

// call takes arguments into what is called, and results out of it.
func (m *origins) call(q *proc, i ssa.CallInstruction) {
	common := i.Common()
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	followed := false
	for _, c := range q.of.sites[i] {
		if m.flow.of[c] == nil {
			continue
		}
		followed = true
		for k, p := range c.f.Params {
			if k < len(args) && m.is(p.Type()) {
				m.arc(args[k], p)
			}
		}
		m.results(i, func(k int, to any) { m.arc(resultPlace{c.f, k}, to) })
	}
	if !followed {
		m.results(i, func(_ int, to any) { m.given(q, i, args, to) })
	}
}

// results calls a function for each result that is looked at.
func (m *origins) results(i ssa.CallInstruction, each func(int, any)) {
	v := i.Value()
	if v == nil {
		return
	}
	results := i.Common().Signature().Results()
	for k := range results.Len() {
		if !m.is(results.At(k).Type()) {
			continue
		}
		if results.Len() == 1 {
			each(k, v)
		} else {
			each(k, partPlace{v, k})
		}
	}
}

// given is a result of what is not followed: made, by a rule, or the same as a receiver of the same type.
func (m *origins) given(q *proc, i ssa.CallInstruction, args []ssa.Value, to any) {
	var callee *ssa.Function
	for _, c := range q.of.sites[i] {
		callee = c.f
	}
	for _, r := range m.flow.rules.ofCall(callee, i.Common()) {
		if r.kind == madeRule {
			m.own = append(m.own, to)
			return
		}
	}
	if len(args) > 0 && m.is(args[0].Type()) {
		m.arc(args[0], to)
		return
	}
	m.outside = append(m.outside, to)
}

// reach are all places to which some lead.
func (m *origins) reach(from []any) map[any]bool {
	seen := make(map[any]bool)
	for _, at := range from {
		seen[at] = true
	}
	for len(from) > 0 {
		at := from[len(from)-1]
		from = from[:len(from)-1]
		for _, to := range m.to[at] {
			if !seen[to] {
				seen[to] = true
				from = append(from, to)
			}
		}
	}
	return seen
}

// isMade reports whether a source reads what the program has made itself: its receiver is that, or what a bind names.
func (b *body) isMade(c *ssa.CallCommon, r *rule) bool {
	k := 0
	if r.kind == bindRule {
		k = r.request
	}
	if c.IsInvoke() || k >= len(c.Args) {
		return false
	}
	return b.ownRequests[c.Args[k]]
}
