package main

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"
)

// outside is what functions do whose bodies are not read: those of the standard library and of dependencies, where there are
// rules. They may keep whatever they are given, and give it to whatever takes a value of its type. They call functions that
// they are given, and methods that an interface of theirs has.
//
// So a result of such a function may have any type of the program's own that fits and comes into an interface somewhere, and
// any function of its signature that was given away. What is not the program's own is a mark: unknown.
type outside struct {
	*variableTypes
	p         *program
	open      map[int32]bool // types whose elements have been exchanged
	asked     []int32        // types that something of is given or taken
	converted []int32        // types of values that come into interfaces
	isKnown   map[int32]bool
	seen      map[*ssa.Function]bool // methods that may be called
	globals   map[*ssa.Global]bool
	away      int32 // what comes into interfaces outside; none before
}

func newOutside(p *program, v *variableTypes) *outside {
	return &outside{variableTypes: v, p: p, open: make(map[int32]bool), isKnown: make(map[int32]bool), seen: make(map[*ssa.Function]bool),
		globals: make(map[*ssa.Global]bool), away: none}
}

// isOutside reports whether a function is not known by its body.
func isOutside(f *ssa.Function) bool { return f.Blocks == nil }

// node is what is known outside of a type that holds something.
func (o *outside) node(t int32) variable {
	key := typePlace{placeOutside, t, 0}
	if _, ok := o.places[key]; !ok {
		o.asked = append(o.asked, t)
	}
	return o.variableTypes.place(key, t)
}

// content is the type of an interface or a function, or of one that a pointer leads to; nil of others.
func (o *outside) content(t types.Type) types.Type {
	for range mostDepth {
		if isFunction(t) || types.IsInterface(t) {
			return t
		}
		p, is := t.Underlying().(*types.Pointer)
		if !is {
			break
		}
		t = p.Elem()
	}
	return nil
}

// gives lets a value go outside.
func (o *outside) gives(from variable, t types.Type) {
	of := o.content(t)
	if of == nil {
		o.exchange(t)
		return
	}
	if types.IsInterface(of) {
		o.goes(from, o.given())
	} else {
		o.goes(from, o.node(o.types.number(of)))
	}
	if of != t { // what a pointer leads to may be set
		o.goes(o.node(o.types.number(of)), from)
	}
}

// takes lets a value come from outside.
func (o *outside) takes(to variable, t types.Type) {
	of := o.content(t)
	if of == nil {
		o.exchange(t)
		return
	}
	o.goes(o.node(o.types.number(of)), to)
	if of != t {
		o.gives(to, of)
	}
}

// both is about a variable that is read and written outside.
func (o *outside) both(at variable, t types.Type) {
	o.gives(at, t)
	o.takes(at, t)
}

// given is what comes into interfaces outside.
func (o *outside) given() variable {
	t := o.types.number(types.Universe.Lookup("any").Type())
	v := o.variableTypes.place(typePlace{placeGiven, 0, 0}, t)
	o.away = v.node
	return v
}

// exchange is about what a value of a type has elements of. Structs of the program's own have none that are seen outside but by
// reflection; of others each field is one that is read and written there: see field.
func (o *outside) exchange(t types.Type) {
	n := o.types.number(t)
	if o.open[n] {
		return
	}
	o.open[n] = true
	component := func(kind placeKind, of types.Type) {
		o.place(o.shared(kind, of, 0, of), of)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		o.exchange(u.Elem())
	case *types.Slice:
		component(placeElement, u.Elem())
	case *types.Array:
		component(placeElement, u.Elem())
	case *types.Map:
		component(placeKey, u.Key())
		component(placeValue, u.Elem())
	case *types.Chan:
		component(placeChannel, u.Elem())
	case *types.Struct:
		if _, named := types.Unalias(t).(*types.Named); !named {
			for k := range u.NumFields() {
				o.field(t, k, o.shared(placeField, t, k, u.Field(k).Type()))
			}
		}
	}
}

// field is about one of a struct, if that is not of the program's own.
func (o *outside) field(of types.Type, k int, at variable) {
	if n, is := types.Unalias(of).(*types.Named); is && n.Obj().Pkg() != nil && o.isOwn(n.Obj().Pkg()) {
		return
	}
	if s, is := of.Underlying().(*types.Struct); is {
		o.place(at, s.Field(k).Type())
	}
}

// place is about one that is read and written outside, such as a field or a variable.
func (o *outside) place(at variable, t types.Type) {
	if o.content(t) == nil {
		o.exchange(t)
	} else if at.node != none {
		o.both(at, t)
	}
}

// global is about a variable, if that is not of the program's own.
func (o *outside) global(g *ssa.Global, at variable) {
	if !o.isOwn(g.Pkg.Pkg) {
		o.place(at, g.Type().Underlying().(*types.Pointer).Elem())
	}
}

func (o *outside) isOwn(p *types.Package) bool { return o.p.own[p.Path()] || plain[p.Path()] }

// call is about one of a function without a body: what it is passed, and what it returns.
func (o *outside) call(c *ssa.CallCommon, result func(int) variable, returns bool) {
	for _, t := range c.StaticCallee().TypeArgs() { // methods of these are called without an interface
		if mayHaveMethods(t) {
			o.convertType(t)
			o.goes(variable{none, o.types.number(t)}, o.given())
		}
	}
	for _, a := range c.Args {
		if !isBasic(a.Type()) {
			o.gives(o.of(a), a.Type())
		}
	}
	results := c.Signature().Results()
	for k := range results.Len() {
		switch t := results.At(k).Type(); {
		case !returns || isBasic(t):
		case c.Signature().Recv() == nil && o.p.standard[names.Package(c.StaticCallee())] && o.content(t) == t:
			o.ofArguments(c, result(k), t)
		default:
			o.takes(result(k), t)
		}
	}
}

// ofArguments is about the result of a function of the standard library, such as http.StripPrefix: it has nothing of the program
// but what it is passed.
func (o *outside) ofArguments(c *ssa.CallCommon, to variable, t types.Type) {
	o.goes(variable{o.variableTypes.node(o.hold(held{t: t, unknown: true})), o.types.number(t)}, to)
	for _, a := range c.Args {
		if of := a.Type(); !isBasic(of) && o.content(of) == of {
			o.goes(o.of(a), to)
		}
	}
}

// fit is about a function without a body that some calls may call.
func (o *outside) fit(fit *candidate, f *ssa.Function) {
	for k := range f.Signature.Params().Len() {
		if t := f.Signature.Params().At(k).Type(); !isBasic(t) {
			o.gives(o.argument(fit, k, t), t)
		}
	}
	for k := range f.Signature.Results().Len() {
		if t := f.Signature.Results().At(k).Type(); !isBasic(t) {
			o.takes(o.passed(placeResult, fit, k, t), t)
		}
	}
}

// calledBack is about a function that is called outside.
func (o *outside) calledBack(f *ssa.Function) {
	if o.seen[f] {
		return
	}
	o.seen[f] = true
	params := f.Params
	if f.Signature.Recv() != nil && len(params) > 0 {
		params = params[1:]
	}
	for _, p := range params {
		if !isBasic(p.Type()) {
			o.takes(o.of(p), p.Type())
		}
	}
	for k := range f.Signature.Results().Len() {
		if t := f.Signature.Results().At(k).Type(); !isBasic(t) {
			o.gives(o.result(f, k), t)
		}
	}
}

// unknown is about a call of what comes from outside.
func (o *outside) unknown(fit *candidate, s *types.Signature) {
	for k := range s.Params().Len() {
		t := s.Params().At(k).Type()
		o.both(o.argument(fit, k, t), t) // it may be called from there as well
	}
	for k := range s.Results().Len() {
		t := s.Results().At(k).Type()
		o.both(o.passed(placeResult, fit, k, t), t)
	}
}

// invoked is about a call of a method of an interface: that of one which is not the program's own may be any.
func (o *outside) invoked(fit *candidate, c *ssa.CallCommon) {
	n, is := types.Unalias(c.Value.Type()).(*types.Named)
	if fit.outside || is && n.Obj().Pkg() != nil && o.isOwn(n.Obj().Pkg()) {
		return
	}
	fit.outside = true
	o.unknown(fit, c.Signature())
}

// convert notes that a value comes into an interface.
func (o *outside) convert(x ssa.Value) {
	t := o.convertType(x.Type())
	if isFunction(x.Type()) {
		o.goes(o.of(x), o.variableTypes.place(typePlace{placeConverted, t, 0}, t))
	}
}

func (o *outside) convertType(t types.Type) int32 {
	n := o.types.number(t)
	if !o.isKnown[n] {
		o.isKnown[n] = true
		o.converted = append(o.converted, n)
	}
	return n
}

// ownType reports whether a type's methods are of the program.
func (o *outside) ownType(t types.Type) bool {
	n := pointed(t)
	return n == nil || n.Obj().Pkg() != nil && o.isOwn(n.Obj().Pkg())
}

// settle says what is known outside of each type.
func (o *outside) settle() {
	for _, t := range o.converted {
		for _, m := range o.methods(o.types.list[t].t) {
			if !isOutside(m) {
				o.calledBack(m)
			}
		}
	}
	for k := 0; k < len(o.asked); k++ { // grows
		t := o.asked[k]
		to := o.node(t)
		of := o.types.list[t].t
		o.holds[to.node] = o.hold(held{t: of, unknown: true})
		if s, is := of.Underlying().(*types.Signature); is {
			fit := o.fits.ofSignature(s)
			o.connect(fit, false)
			o.unknown(fit, s)
			continue
		}
		wanted := of.Underlying().(*types.Interface)
		for _, c := range o.converted {
			switch x := o.types.list[c].t; {
			case !types.Implements(x, wanted):
			case isFunction(x):
				o.goes(o.variableTypes.place(typePlace{placeConverted, c, 0}, c), to)
			case o.ownType(x):
				o.goes(variable{none, c}, to)
			}
		}
	}
}

// methods are those of a type of the program that an interface outside has.
func (o *outside) methods(t types.Type) (list []*ssa.Function) {
	if !o.ownType(t) || !mayHaveMethods(t) && !isFunction(t) {
		return nil
	}
	set := o.p.ssa.MethodSets.MethodSet(t)
	for i := range set.Len() {
		if m := set.At(i); o.p.called[m.Obj().Name()] {
			if f := o.p.ssa.MethodValue(m); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

// callbacks are the functions that may be called outside once a function has run: those that it names, if they are given away
// anywhere, and methods of what it makes interfaces of.
type callbacks struct {
	*outside
	functions map[*ssa.Function]bool // that were given away
	given     map[int32]bool         // types of which values were
	made      map[*ssa.Function][]*ssa.Function
}

func (o *outside) callbacks() *callbacks {
	c := &callbacks{outside: o, functions: make(map[*ssa.Function]bool), given: make(map[int32]bool), made: make(map[*ssa.Function][]*ssa.Function)}
	nodes := []int32{o.away}
	for _, t := range o.asked {
		nodes = append(nodes, o.places[typePlace{placeOutside, t, 0}])
	}
	for _, node := range nodes {
		for _, h := range o.heldBy(node) {
			if h.f != nil {
				c.functions[h.f] = true
			} else if !h.unknown {
				c.given[o.types.number(h.t)] = true
			}
		}
	}
	return c
}

// of are the callbacks of a function, sorted.
func (c *callbacks) of(f *ssa.Function) []*ssa.Function {
	list, ok := c.made[f]
	if ok {
		return list
	}
	add := func(g *ssa.Function) {
		if !slices.Contains(list, g) && !isOutside(g) {
			list = append(list, g)
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			for _, t := range typesGiven(i) {
				if c.given[c.types.number(t)] {
					for _, m := range c.methods(t) {
						add(m)
					}
				}
			}
			for _, v := range i.Operands(nil) {
				if g, is := (*v).(*ssa.Function); is && c.functions[g] {
					add(g)
				}
			}
		}
	}
	c.p.names.Sort(list)
	c.made[f] = list
	return list
}

// typesGiven are those of which an instruction makes an interface, or passes values to a generic function outside.
func typesGiven(i ssa.Instruction) []types.Type {
	switch i := i.(type) {
	case *ssa.MakeInterface:
		return []types.Type{i.X.Type()}
	case ssa.CallInstruction:
		if f := i.Common().StaticCallee(); f != nil && isOutside(f) {
			return f.TypeArgs()
		}
	}
	return nil
}

// isUnknown reports whether a call may be of a function outside of which nothing is known.
func (v *variableTypes) isUnknown(c *ssa.CallCommon) bool {
	if v.outside == nil || c.StaticCallee() != nil {
		return false
	}
	return slices.ContainsFunc(v.heldBy(v.of(c.Value).node), func(h held) bool { return h.unknown })
}

// functionsOf are the functions that a value may be, as far as they are known.
func (v *variableTypes) functionsOf(value ssa.Value) (list []*ssa.Function) {
	for _, h := range v.heldBy(v.of(value).node) {
		if h.f != nil && !slices.Contains(list, h.f) {
			list = append(list, h.f)
		}
	}
	return list
}

// interfaceMethods puts down the names of methods that interfaces have in a file.
func interfaceMethods(file *ast.File, names map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if i, is := n.(*ast.InterfaceType); is {
			for _, m := range i.Methods.List {
				for _, name := range m.Names {
					if name.IsExported() {
						names[name.Name] = true
					}
				}
			}
		}
		return true
	})
}

// isVisible reports whether other packages see a function or a method. What they do not see is there or not, by where its package's
// types come from.
func isVisible(f *ssa.Function) bool {
	o, is := f.Object().(*types.Func)
	if !is || !o.Exported() {
		return false
	}
	if f.Signature.Recv() == nil {
		return true
	}
	n := pointed(f.Signature.Recv().Type())
	return n != nil && n.Obj().Exported()
}

// isLight reports whether bodies of a package are not read.
func (p *program) isLight(path string) bool { return p.light && !p.own[path] && !plain[path] }
