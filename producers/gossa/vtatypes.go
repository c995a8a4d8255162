package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/govyre/vyre/producers/calls/names"
)

// typeNumbers numbers types: identical ones are one.
type typeNumbers struct {
	of   map[types.Type]int32
	same typeutil.Map
	list []numberedType
}

type numberedType struct {
	t       types.Type
	holds   bool  // an interface or a function, or a pointer to one
	pointer bool  // or something like it
	methods bool  // values of it may have some
	nested  int32 // of a pointer to a pointer to what holds something: that; else none
	held    int32 // see variableTypes.initial
}

func newTypeNumbers() typeNumbers { return typeNumbers{of: make(map[types.Type]int32)} }

func (n *typeNumbers) number(t types.Type) int32 {
	if id, ok := n.of[t]; ok {
		return id
	}
	id, ok := n.same.At(t).(int32)
	if !ok {
		id = int32(len(n.list))
		n.same.Set(t, id)
		n.list = append(n.list, numberedType{})
		n.list[id] = n.kind(t)
	}
	n.of[t] = id
	return id
}

func (n *typeNumbers) kind(t types.Type) numberedType {
	k := numberedType{t: t, nested: none, held: none, methods: mayHaveMethods(t)}
	at, depth := t, 0
	for p, is := at.Underlying().(*types.Pointer); is && depth < mostDepth; p, is = at.Underlying().(*types.Pointer) {
		at, k.pointer = p.Elem(), true
		depth++
	}
	k.holds = isFunction(at) || types.IsInterface(at)
	if _, plain := types.Unalias(t).(*types.Pointer); k.holds && plain && depth > 1 {
		k.nested = n.number(at)
	}
	return k
}

// mayHaveMethods is true of a type that is no interface and has methods, or a pointer to one.
func mayHaveMethods(t types.Type) bool {
	if types.IsInterface(t) {
		return false
	}
	t = types.Unalias(t)
	if p, is := t.(*types.Pointer); is {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return t.NumMethods() > 0 || embeds(t)
	case *types.Struct:
		return embeds(t)
	}
	return false
}

// embeds reports whether a struct has the methods of a field.
func embeds(t types.Type) bool {
	s, is := t.Underlying().(*types.Struct)
	if !is {
		return false
	}
	for f := range s.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}

// candidates are which functions calls may call by their types alone.
type candidates struct {
	types       *typeNumbers
	bySignature map[int32]*candidate
	byMethod    map[abstractMethod]*candidate
	methods     map[string][]*ssa.Function // by their identity
	count       int32
}

// abstractMethod is that of an interface.
type abstractMethod struct {
	of int32
	id string
}

// candidate is the functions that fit some calls.
type candidate struct {
	id        int32
	list      []*ssa.Function
	has       map[*ssa.Function]bool
	receiver  types.Type // of methods: the interface
	connected bool
	outside   bool // it may be a function of which nothing is known
}

func newCandidates(p *program, numbers *typeNumbers) candidates {
	c := candidates{types: numbers, bySignature: make(map[int32]*candidate), byMethod: make(map[abstractMethod]*candidate), methods: make(map[string][]*ssa.Function)}
	for f := range p.names.Functions() {
		if isTemplate(f) || p.isLight(names.Package(f)) && !isVisible(f) {
			continue
		}
		if f.Signature.Recv() != nil {
			if m, is := f.Object().(*types.Func); is {
				c.methods[m.Id()] = append(c.methods[m.Id()], f)
			}
			continue
		}
		if f.Name() == "init" && f.Synthetic == "package initializer" {
			continue // nothing refers to it
		}
		s := numbers.number(f.Signature)
		if c.bySignature[s] == nil {
			c.bySignature[s] = c.candidate()
		}
		c.bySignature[s].add(f)
	}
	return c
}

func (c *candidates) candidate() *candidate {
	c.count++
	return &candidate{id: c.count, has: make(map[*ssa.Function]bool)}
}

func (c *candidate) add(f *ssa.Function) {
	c.list = append(c.list, f)
	c.has[f] = true
}

func (c *candidates) ofSignature(of *types.Signature) *candidate {
	s := c.types.number(of)
	if c.bySignature[s] == nil {
		c.bySignature[s] = c.candidate()
	}
	return c.bySignature[s]
}

// of returns the functions that fit a call of a function that is not known.
func (c *candidates) of(call *ssa.CallCommon) *candidate {
	if !call.IsInvoke() {
		return c.ofSignature(call.Signature())
	}
	key := abstractMethod{c.types.number(call.Value.Type().Underlying()), call.Method.Id()}
	fit := c.byMethod[key]
	if fit == nil {
		fit = c.candidate()
		fit.receiver = call.Value.Type()
		is := fit.receiver.Underlying().(*types.Interface)
		for _, f := range c.methods[key.id] {
			if types.Implements(f.Signature.Recv().Type(), is) {
				fit.add(f)
			}
		}
		c.byMethod[key] = fit
	}
	return fit
}
