package main

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/graph"
)

// Kinds of arcs beside those of package graph.
const (
	kindChannel uint32 = 1 << (16 + iota) // through a channel
	kindClosure                           // a captured variable
	kindCopy                              // an argument of a copy of a function that is passed a function
	kindModel                             // through a function of which a rule says what it does
)

// body makes the objects and arcs of procedures, one after another.
type body struct {
	*flow
	proc *proc
	at   map[ssa.Value]int32

	guards  *guards // of its function, where there are rules
	use     use     // where the values are used that are asked for
	refined map[refinement]int32

	formatted map[ssa.Instruction]fact
	responses map[ssa.Value]*response
}

// mostKept is how many values a map may have had that is used for the next procedure: to clear one takes as long as it is large.
const mostKept = 200

func (b *body) make(q *proc) {
	if b.proc != nil && len(b.proc.values) > mostKept {
		b.at = make(map[ssa.Value]int32, len(q.values))
	} else {
		clear(b.at)
	}
	b.proc = q
	for i, v := range q.values {
		b.at[v] = q.first + int32(i)
	}
	b.sourceParameters()
	clear(b.refined)
	if b.checker != nil {
		b.guards, b.formatted = b.checker.guardsOf(q.of.f), formatted(q.of.f)
	}
	for _, block := range b.proc.of.f.Blocks {
		b.use = use{in: block}
		for _, i := range block.Instrs {
			b.instruction(i)
		}
	}
}

// object returns that of a value where it is used.
func (b *body) object(v ssa.Value) int32 {
	o := b.plain(v)
	if o != none && isText(v.Type()) {
		return b.guarded(v, o, b.use)
	}
	return o
}

// plain returns the object of a value, whatever is known of it. Constants, and functions by name, have none.
func (b *body) plain(v ssa.Value) int32 {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin, nil:
		return none
	case *ssa.Global:
		return b.global(v)
	}
	if o, ok := b.at[v]; ok {
		return o
	}
	return none
}

// global returns the object of a variable's address.
func (f *flow) global(v *ssa.Global) int32 {
	o, ok := f.globals[v]
	if !ok {
		o = f.heap.object(shared)
		f.globals[v] = o
		f.procs[shared].values = append(f.procs[shared].values, v)
		f.sourceVariable(v, o)
	}
	return o
}

// what returns the place that a value refers to.
func (b *body) what(v ssa.Value) int32 { return b.heap.part(b.object(v), pointee) }

// part returns a part of an object, or none of none.
func (b *body) part(o int32, k key) int32 { return b.heap.part(o, k) }

// copied says that a value of a type goes from one object to another.
func (b *body) copied(from, to int32, mask uint32, t types.Type) {
	b.heap.copied(from, to, mask, isScalar(t))
}

// same says that two values refer to the same place.
func (b *body) same(x, y int32) {
	if x != none && y != none {
		b.heap.unify(b.part(x, pointee), b.part(y, pointee))
		b.heap.arc(x, itself, y, itself, graph.KindAssign)
	}
}

// scalar says that something comes of a value, but no part of it does.
func (b *body) scalar(from, to int32, mask uint32) {
	b.heap.copied(from, to, mask, true)
}

// isScalar reports whether values of a type lead to no others.
func isScalar(t types.Type) bool {
	basic, is := t.Underlying().(*types.Basic)
	return is && basic.Kind() != types.UnsafePointer
}

func (b *body) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case ssa.CallInstruction:
		b.call(i)
	case *ssa.Store:
		b.sinkField(i)
		val := b.object(i.Val)
		if what := b.formatted[i]; what != 0 && val != none {
			val = b.checked(i.Val, val, what)
		}
		b.copied(val, b.what(i.Addr), graph.KindStore, i.Val.Type())
	case *ssa.MapUpdate:
		m := b.what(i.Map)
		b.copied(b.object(i.Key), b.part(m, mapKey), graph.KindStore, i.Key.Type())
		b.copied(b.object(i.Value), b.part(m, element), graph.KindStore|graph.KindIndex, i.Value.Type())
	case *ssa.Send:
		b.copied(b.object(i.X), b.part(b.what(i.Chan), element), kindChannel, i.X.Type())
	case *ssa.Return:
		for j, r := range i.Results {
			b.copied(b.object(r), b.proc.results[j], graph.KindAssign, r.Type())
		}
	case *ssa.Panic:
		b.copied(b.object(i.X), b.proc.panics, graph.KindAssign, i.X.Type())
	case ssa.Value:
		b.value(i, b.at[i])
	}
}

func (b *body) value(v ssa.Value, to int32) {
	t := v.Type()
	switch v := v.(type) {
	case *ssa.Phi:
		in := b.use
		for i, e := range v.Edges {
			b.use = use{in: v.Block().Preds[i], to: v.Block()}
			b.copied(b.object(e), to, graph.KindPhi, t)
		}
		b.use = in
	case *ssa.BinOp:
		b.binary(v, to)
	case *ssa.UnOp:
		b.unary(v, to)
	case *ssa.ChangeType:
		b.sinkConversion(v, t, v.X)
		b.copied(b.object(v.X), to, graph.KindConvert, t)
	case *ssa.ChangeInterface:
		b.copied(b.object(v.X), to, graph.KindConvert, t)
	case *ssa.MakeInterface:
		b.copied(b.object(v.X), b.part(to, pointee), graph.KindConvert, v.X.Type())
		b.scalar(b.object(v.X), to, graph.KindConvert)
	case *ssa.TypeAssert:
		b.assert(v, to)
	case *ssa.Convert:
		b.sinkConversion(v, t, v.X)
		b.convert(v.X, to, t)
	case *ssa.MultiConvert:
		b.convert(v.X, to, t)
	case *ssa.SliceToArrayPointer:
		b.same(b.object(v.X), to)
	case *ssa.Slice:
		b.copied(b.object(v.X), to, graph.KindAssign, t)
	case *ssa.FieldAddr:
		s := v.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		b.address(b.part(b.what(v.X), b.heap.field(s, v.Field)), to, graph.KindField)
		b.sourceField(v, v.X.Type(), v.Field, b.part(to, pointee))
	case *ssa.Field:
		s := v.X.Type().Underlying().(*types.Struct)
		b.copied(b.part(b.object(v.X), b.heap.field(s, v.Field)), to, graph.KindField, t)
		b.sourceField(v, v.X.Type(), v.Field, to)
	case *ssa.IndexAddr:
		b.address(b.part(b.what(v.X), element), to, graph.KindIndex)
	case *ssa.Index:
		b.index(v.X, to, t, false)
	case *ssa.Lookup:
		b.index(v.X, to, t, v.CommaOk)
	case *ssa.Range:
		b.copied(b.object(v.X), to, graph.KindAssign, v.X.Type())
	case *ssa.Next:
		b.next(v, to)
	case *ssa.Extract:
		b.copied(b.part(b.object(v.Tuple), b.heap.component(v.Index)), to, graph.KindAssign, t)
	case *ssa.Select:
		b.choose(v, to)
	case *ssa.MakeClosure:
		env := b.part(to, pointee)
		for i, bound := range v.Bindings {
			b.copied(b.object(bound), b.part(env, b.heap.captured(v.Fn.(*ssa.Function), i)), kindClosure, bound.Type())
		}
	}
}

// address makes a value refer to a part of a place.
func (b *body) address(place, to int32, mask uint32) {
	if place == none {
		return
	}
	b.heap.unify(place, b.part(to, pointee))
}

// binary is about what comes of operands. What a comparison says is not data.
func (b *body) binary(v *ssa.BinOp, to int32) {
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return
	}
	b.scalar(b.object(v.X), to, graph.KindAssign)
	y := b.object(v.Y)
	if y != none && b.guards != nil && v.Op == token.ADD && isText(v.Type()) && hasHost(leading(v.X), v.Y) {
		y = b.checked(v.Y, y, b.factsOf(v.Y, b.use)|noURL)
	}
	b.scalar(y, to, graph.KindAssign)
}

func (b *body) unary(v *ssa.UnOp, to int32) {
	switch v.Op {
	case token.MUL:
		b.copied(b.what(v.X), to, graph.KindLoad, v.Type())
	case token.ARROW:
		t := v.X.Type().Underlying().(*types.Chan).Elem()
		if v.CommaOk {
			to = b.part(to, b.heap.component(0))
		}
		b.copied(b.part(b.what(v.X), element), to, kindChannel, t)
	default:
		b.scalar(b.object(v.X), to, graph.KindAssign)
	}
}

// assert takes a value out of its interface, or goes on with another interface.
func (b *body) assert(v *ssa.TypeAssert, to int32) {
	if v.CommaOk {
		to = b.part(to, b.heap.component(0))
	}
	if types.IsInterface(v.AssertedType) {
		b.copied(b.object(v.X), to, graph.KindConvert, v.AssertedType)
	} else {
		b.copied(b.what(v.X), to, graph.KindConvert, v.AssertedType)
	}
}

// convert is about strings and slices of bytes or runes, whose elements are what a string is.
func (b *body) convert(x ssa.Value, to int32, t types.Type) {
	from := b.object(x)
	switch isSlice, wasSlice := sliced(t), sliced(x.Type()); {
	case isSlice && !wasSlice:
		b.scalar(from, b.part(b.part(to, pointee), element), graph.KindConvert)
	case wasSlice && !isSlice:
		b.scalar(b.part(b.part(from, pointee), element), to, graph.KindConvert)
	default:
		if !isScalar(t) || !isScalar(x.Type()) {
			b.unseen["a conversion of an unsafe.Pointer"]++
		}
		b.heap.copied(from, to, graph.KindConvert, isScalar(t) && isScalar(x.Type()))
	}
}

func sliced(t types.Type) bool {
	_, is := t.Underlying().(*types.Slice)
	return is
}

// index is an element of an array, a slice, a map or a string.
func (b *body) index(x ssa.Value, to int32, t types.Type, commaOk bool) {
	if commaOk {
		to = b.part(to, b.heap.component(0))
	}
	switch x.Type().Underlying().(type) {
	case *types.Basic:
		b.scalar(b.object(x), to, graph.KindIndex)
	case *types.Array:
		b.copied(b.part(b.object(x), element), to, graph.KindIndex, t)
	default:
		b.copied(b.part(b.what(x), element), to, graph.KindLoad|graph.KindIndex, t)
	}
}

// next is a step of a range over a map or a string.
func (b *body) next(v *ssa.Next, to int32) {
	key, value := b.part(to, b.heap.component(1)), b.part(to, b.heap.component(2))
	if v.IsString {
		b.scalar(b.object(v.Iter), value, graph.KindIndex)
		return
	}
	m := v.Iter.(*ssa.Range).X.Type().Underlying().(*types.Map)
	b.copied(b.part(b.what(v.Iter), mapKey), key, graph.KindLoad, m.Key())
	b.copied(b.part(b.what(v.Iter), element), value, graph.KindLoad|graph.KindIndex, m.Elem())
}

// choose is a select: what it sends, and one value for each channel that it receives from.
func (b *body) choose(v *ssa.Select, to int32) {
	n := 2
	for _, s := range v.States {
		elem := s.Chan.Type().Underlying().(*types.Chan).Elem()
		in := b.part(b.what(s.Chan), element)
		if s.Dir == types.SendOnly {
			b.copied(b.object(s.Send), in, kindChannel, elem)
			continue
		}
		b.copied(in, b.part(to, b.heap.component(n)), kindChannel, elem)
		n++
	}
}
