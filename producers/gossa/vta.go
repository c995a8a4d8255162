package main

import (
	"context"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// variableTypes finds out which types and functions the values of a program may have where its types do not say: variable type
// analysis (Sundaresan and others, "Practical virtual method call resolution for Java", OOPSLA 2000), with the same nodes as
// golang.org/x/tools/go/callgraph/vta. A variable that holds an interface or a function is a node, and so are each field,
// element, key and channel of such a type, one for all values of it; an arc says that what one holds the other may hold. Calls
// through interfaces, and of functions by signature, first go to all that fit.
//
// It does not lose what is received by v, ok = <-c. What else it does differently saves time: nodes are numbers, values of one
// concrete type are one node, and all calls of a method of an interface share nodes between their arguments and the parameters of
// those that have it.
type variableTypes struct {
	types    typeNumbers
	fits     candidates
	values   map[ssa.Value]int32
	tuples   map[tupleValue]int32
	places   map[typePlace]int32
	holds    []int32 // of each node, what it holds to begin with: a number of a held, or none
	held     []held
	from, to []int32 // arcs

	component []int32 // of each node, and of each of those the set of what it holds
	set       []int32
	sets      *typeSets

	outside *outside // where bodies of some functions are not read
}

// held is what a variable may hold: a value of a type, or a function.
type held struct {
	t       types.Type
	f       *ssa.Function
	unknown bool // what comes from outside; t is that of the variable
}

// tupleValue is one of several values that an instruction has.
type tupleValue struct {
	v  ssa.Value
	at int
}

// typePlace is what all values of a type have in common.
type typePlace struct {
	kind placeKind
	t    int32
	at   int
}

type placeKind uint8

const (
	placeConcrete placeKind = iota // all values of a type that holds no other
	placePointer                   // what pointers to pointers to an interface or a function refer to
	placeElement
	placeKey
	placeValue
	placeChannel
	placeField
	placePanic    // what panics, and is recovered
	placeArgument // of all calls that the same functions fit
	placeResult
	placeOutside   // what is known outside; see outside
	placeGiven     // what comes into interfaces there
	placeConverted // functions of a type that come into interfaces
)

// variable is a node, or a value of a concrete type, whose node is made if something comes of it.
type variable struct {
	node int32 // or none
	t    int32
}

func (p *program) variableTypes(ctx context.Context) (*variableTypes, error) {
	v := &variableTypes{types: newTypeNumbers(), values: make(map[ssa.Value]int32), tuples: make(map[tupleValue]int32), places: make(map[typePlace]int32)}
	v.fits = newCandidates(p, &v.types)
	if p.light {
		v.outside = newOutside(p, v)
	}
	for f := range p.names.Functions() {
		if isTemplate(f) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				v.instruction(i)
			}
		}
	}
	v.callers(p.roots)
	if v.outside != nil {
		v.outside.settle()
	}
	return v, v.passOn(ctx)
}

// callers lets parameters of what is called by nobody else hold something of their own type, such as a ResponseWriter. No method
// of it is known.
func (v *variableTypes) callers(roots []*ssa.Function) {
	for _, f := range roots {
		for _, param := range f.Params {
			if _, named := types.Unalias(param.Type()).(*types.Named); named && types.IsInterface(param.Type()) {
				v.holds[v.of(param).node] = v.hold(held{t: param.Type(), unknown: true})
			}
		}
	}
}

// isTemplate reports whether a function is generic, so that only its instances run.
func isTemplate(f *ssa.Function) bool { return f.TypeParams().Len() > len(f.TypeArgs()) }

// node makes one.
func (v *variableTypes) node(holds int32) int32 {
	v.holds = append(v.holds, holds)
	return int32(len(v.holds) - 1)
}

// hold numbers what a variable holds.
func (v *variableTypes) hold(h held) int32 {
	v.held = append(v.held, h)
	return int32(len(v.held) - 1)
}

// of returns the variable that a value is.
func (v *variableTypes) of(value ssa.Value) variable {
	switch f := value.(type) {
	case *ssa.Const:
		return variable{none, v.types.number(f.Type())}
	case *ssa.Function:
		node, ok := v.values[f]
		if !ok {
			node = v.node(v.hold(held{f: f}))
			v.values[f] = node
		}
		return variable{node, v.types.number(f.Type())}
	}
	t := v.types.number(value.Type())
	if g, is := value.(*ssa.Global); is && v.outside != nil && !v.outside.globals[g] {
		v.outside.globals[g] = true
		v.outside.global(g, v.of(g))
	}
	switch n := &v.types.list[t]; {
	case !n.holds:
		return variable{none, t}
	case n.nested != none:
		return v.place(typePlace{placePointer, n.nested, 0}, t)
	}
	node, ok := v.values[value]
	if !ok {
		node = v.node(v.initial(t))
		v.values[value] = node
	}
	return variable{node, t}
}

// initial is what a variable of a type holds whatever comes to it: a named function has methods.
func (v *variableTypes) initial(t int32) int32 {
	n := &v.types.list[t]
	if n.methods && n.held == none {
		n.held = v.hold(held{t: n.t})
	}
	return n.held
}

// part is one value of a tuple.
func (v *variableTypes) part(value ssa.Value, at int, of types.Type) variable {
	t := v.types.number(of)
	if !v.types.list[t].holds {
		return variable{none, t}
	}
	key := tupleValue{value, at}
	node, ok := v.tuples[key]
	if !ok {
		node = v.node(none)
		v.tuples[key] = node
	}
	return variable{node, t}
}

// shared is what all values of a type have in common; content is its own type.
func (v *variableTypes) shared(kind placeKind, of types.Type, at int, content types.Type) variable {
	t := v.types.number(content)
	if !v.types.list[t].holds {
		return variable{none, t}
	}
	return v.place(typePlace{kind, v.types.number(of), at}, t)
}

func (v *variableTypes) place(p typePlace, t int32) variable {
	node, ok := v.places[p]
	if !ok {
		node = v.node(none)
		v.places[p] = node
	}
	return variable{node, t}
}

// goes says that what a variable holds comes to another, if that one may hold it.
func (v *variableTypes) goes(from, to variable) {
	if to.node == none {
		return
	}
	if from.node == none {
		n := &v.types.list[from.t]
		if n.holds || !n.methods { // nil, or what no method is called of
			return
		}
		from.node = v.place(typePlace{placeConcrete, from.t, 0}, from.t).node
		v.holds[from.node] = v.initial(from.t)
	}
	v.from, v.to = append(v.from, from.node), append(v.to, to.node)
}

// same says that a variable is assigned to another. If both are pointers, what one refers to the other does.
func (v *variableTypes) same(to, from variable) {
	v.goes(from, to)
	if v.types.list[to.t].pointer && v.types.list[from.t].pointer {
		v.goes(to, from)
	}
}

func (v *variableTypes) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case ssa.CallInstruction:
		v.call(i)
		return
	case ssa.Value:
		if isBasic(i.Type()) {
			return
		}
	case *ssa.Store:
		if !isBasic(i.Val.Type()) {
			v.same(v.of(i.Addr), v.of(i.Val))
		}
		return
	}
	switch i := i.(type) {
	case *ssa.MakeInterface:
		v.goes(v.of(i.X), v.of(i))
		if v.outside != nil {
			v.outside.convert(i.X)
		}
	case *ssa.ChangeInterface:
		v.goes(v.of(i.X), v.of(i))
	case *ssa.ChangeType:
		v.same(v.of(i), v.of(i.X))
	case *ssa.MultiConvert:
		v.same(v.of(i), v.of(i.X))
	case *ssa.MakeClosure:
		f := i.Fn.(*ssa.Function)
		v.goes(v.of(f), v.of(i))
		for k, free := range f.FreeVars {
			v.same(v.of(free), v.of(i.Bindings[k]))
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			v.same(v.of(i), v.of(i.X))
		case token.ARROW:
			of := i.X.Type().Underlying().(*types.Chan).Elem()
			to := v.of(i)
			if i.CommaOk {
				to = v.part(i, 0, of)
			}
			v.same(to, v.shared(placeChannel, of, 0, of))
		}
	case *ssa.Phi:
		for _, e := range i.Edges {
			v.same(v.of(i), v.of(e))
		}
	case *ssa.TypeAssert:
		to := v.of(i)
		if i.CommaOk {
			to = v.part(i, 0, i.AssertedType)
		}
		v.goes(v.of(i.X), to)
	case *ssa.Extract:
		v.same(v.of(i), v.part(i.Tuple, i.Index, i.Type()))
	case *ssa.Panic:
		v.goes(v.of(i.X), v.panics())
	case *ssa.Return:
		for k, r := range i.Results {
			v.goes(v.of(r), v.result(i.Parent(), k))
		}
	default:
		v.access(i)
	}
}

// access is about an instruction that reads or writes a part of a value, or an element of what it leads to.
func (v *variableTypes) access(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Field:
		at := v.shared(placeField, i.X.Type(), i.Field, i.Type())
		v.goes(at, v.of(i))
		if v.outside != nil {
			v.outside.field(i.X.Type(), i.Field, at)
		}
	case *ssa.FieldAddr:
		v.address(i, placeField, i.X.Type().Underlying().(*types.Pointer).Elem(), i.Field)
	case *ssa.Send:
		of := i.Chan.Type().Underlying().(*types.Chan).Elem()
		v.same(v.shared(placeChannel, of, 0, of), v.of(i.X))
	case *ssa.Select:
		v.choice(i)
	case *ssa.Index:
		v.same(v.of(i), v.shared(placeElement, i.Type(), 0, i.Type()))
	case *ssa.IndexAddr:
		v.address(i, placeElement, i.Type().Underlying().(*types.Pointer).Elem(), 0)
	case *ssa.Lookup:
		if m, is := i.X.Type().Underlying().(*types.Map); is {
			to := v.of(i)
			if i.CommaOk {
				to = v.part(i, 0, m.Elem())
			}
			v.same(to, v.shared(placeValue, m.Elem(), 0, m.Elem()))
		}
	case *ssa.MapUpdate:
		m := i.Map.Type().Underlying().(*types.Map)
		v.same(v.shared(placeKey, m.Key(), 0, m.Key()), v.of(i.Key))
		v.same(v.shared(placeValue, m.Elem(), 0, m.Elem()), v.of(i.Value))
	case *ssa.Next:
		if r, is := i.Iter.(*ssa.Range); is && !i.IsString {
			m := r.X.Type().Underlying().(*types.Map)
			v.same(v.part(i, 1, m.Key()), v.shared(placeKey, m.Key(), 0, m.Key()))
			v.same(v.part(i, 2, m.Elem()), v.shared(placeValue, m.Elem(), 0, m.Elem()))
		}
	}
}

// isBasic reports whether a type is one of the language's, and none of a program that may have methods.
func isBasic(t types.Type) bool {
	_, is := t.(*types.Basic)
	return is
}

// address makes a pointer to what all values of a type have in common be that.
func (v *variableTypes) address(i ssa.Value, kind placeKind, of types.Type, at int) {
	content := i.Type().Underlying().(*types.Pointer).Elem()
	if isBasic(content) || !v.types.list[v.types.number(content)].holds { // of the pointer, each instruction has a type of its own
		return
	}
	place, to := v.shared(kind, of, at, content), v.of(i)
	v.goes(place, to)
	v.goes(to, place)
	if v.outside != nil && kind == placeField {
		v.outside.field(of, at, place)
	}
}

// panics is what panics anywhere, of which any recover may be one.
func (v *variableTypes) panics() variable {
	t := v.types.number(types.Universe.Lookup("any").Type())
	return v.place(typePlace{placePanic, 0, 0}, t)
}

func (v *variableTypes) choice(s *ssa.Select) {
	n := 2
	for _, state := range s.States {
		of := state.Chan.Type().Underlying().(*types.Chan).Elem()
		place := v.shared(placeChannel, of, 0, of)
		if state.Dir == types.SendOnly {
			v.same(place, v.of(state.Send))
			continue
		}
		v.same(v.part(s, n, of), place)
		n++
	}
}
