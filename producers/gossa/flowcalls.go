package main

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/govyre/vyre/producers/calls/names"

	"github.com/govyre/vyre/graph"
)

// call makes the sites of a call.
func (b *body) call(i ssa.CallInstruction) {
	common := i.Common()
	result := int32(none)
	if v := i.Value(); v != nil {
		result = b.at[v]
	}
	if builtin, is := common.Value.(*ssa.Builtin); is {
		b.builtin(builtin, common, result)
		return
	}
	var args []int32
	if common.IsInvoke() {
		args = append(args, b.part(b.object(common.Value), pointee))
	}
	for _, a := range common.Args {
		args = append(args, b.object(a))
	}
	number := b.number()
	b.sinks(i, b.readAs(common, args))
	first := true
	for _, c := range b.proc.of.sites[i] {
		if q := b.of[c]; q != nil && !b.rules.replaces(c.f, common) {
			s := site{number: number, caller: b.proc.id, callee: q.id, args: args, env: none, result: result, panics: none, recovers: none}
			switch i.(type) {
			case *ssa.Call:
				s.panics = b.proc.panics
			case *ssa.Defer:
				s.panics, s.recovers = b.proc.panics, b.proc.panics
			}
			if len(c.bound) > 0 {
				s.mask = kindCopy
			}
			if !common.IsInvoke() && len(c.f.FreeVars) > 0 {
				s.env = b.what(common.Value)
			}
			b.site(s)
			continue
		}
		// However many implementations are not followed, the call is one, but for those that have rules of their own.
		if first || b.rules.models(c.f, common) {
			first = false
			b.model(i, c.f, args, result)
		}
	}
	if len(b.proc.of.sites[i]) == 0 || first && b.p.light && b.p.variables.isUnknown(common) {
		b.model(i, nil, args, result)
	}
}

// number makes one for a call.
func (f *flow) number() uint32 {
	f.numbers++
	return f.numbers
}

func (b *body) site(s site) {
	b.sites = append(b.sites, s)
	n := int32(len(b.sites) - 1)
	callee := b.procs[s.callee]
	callee.callers = append(callee.callers, n)
	b.proc.calls = append(b.proc.calls, n)
}

// special makes an object for what a call does.
func (b *body) special(at ssa.Instruction, name string) int32 {
	o := b.heap.object(b.proc.id)
	b.proc.nodes = append(b.proc.nodes, special{o, name, at})
	return o
}

// read takes all of an object to a place.
func (b *body) read(from, to int32, mask uint32) { b.take(from, all, to, mask) }

func (b *body) take(from int32, w face, to int32, mask uint32) {
	if from != none {
		b.heap.mark(from, faceFlag[w])
		b.heap.arc(from, w, to, itself, mask)
	}
}

// write puts something into all of an object.
func (b *body) write(from, to int32, mask uint32) { b.put(from, to, mask, into) }

// fill puts something into all of an object that functions may set which are not followed.
func (b *body) fill(from, to int32, mask uint32) { b.put(from, to, mask, filled) }

func (b *body) put(from, to int32, mask uint32, w face) {
	if to != none {
		b.heap.mark(to, faceFlag[w])
		b.heap.arc(from, itself, to, w, mask)
	}
}

// model stands for a function that is not followed: what goes in comes out, by its rules or by the general one. f is nil if
// it is not known which it is.
func (b *body) model(i ssa.CallInstruction, f *ssa.Function, args []int32, result int32) {
	name := "unknown function"
	if f != nil {
		name = ruleName(f)
	}
	common := i.Common()
	if f == nil && b.p.light && common.IsInvoke() {
		name = methodName(common.Method)
	}
	passes, sources := b.rules.of(f, common)
	read := b.readAs(common, args)
	supposed := passes == nil && sources == nil
	if supposed {
		passes = []*rule{b.p.general(f, common)}
	}
	for _, p := range passes {
		switch p.kind {
		case wrapRule:
			b.wrap(i, p, args, result)
		case rootRule:
			b.handOver(i, p, sources, args)
		default:
			through := b.special(i, "call of "+name)
			if supposed && b.p.isDependency(f, common) {
				b.supposed[through] = name
			}
			b.pass(i, f, p, through, read)
			b.outcome(i, p, through, args, result)
			for k := range args {
				b.callBack(i, f, k, through, p.args == nil || len(p.args) > 0 || p.from != none)
			}
		}
	}
	for _, s := range sources {
		if !b.isMade(common, s) && (s.result || !handsOver(passes, s.writes)) {
			b.origin(i, f, s, name, args, result)
		}
	}
}

// pass takes what a rule says that a function reads to a node.
func (b *body) pass(i ssa.CallInstruction, f *ssa.Function, p *rule, through int32, read []int32) {
	common := i.Common()
	if p.kind == sanitizerRule {
		b.place(p, through)
	}
	for k, a := range read {
		switch t := argumentType(common, k); {
		case !p.reads(k) || a == none:
		case isIterator(t): // what it gives is what it has captured
			b.take(a, yielded, through, kindModel)
		case isFunction(t):
			b.heap.arc(a, itself, through, itself, kindModel)
		default:
			b.read(a, through, kindModel)
		}
	}
	if p.args != nil {
		return
	}
	value := int32(none) // of the function, which has what it has captured, as those have that library functions return
	if _, is := common.Value.(*ssa.Function); !is && !common.IsInvoke() {
		value = b.object(common.Value)
	}
	b.read(value, through, kindModel)
	if f == nil && value != none { // it may keep what it gets
		b.keep(through, value, common.Value.Type())
	}
}

// keep puts something into a value, and where that leads, but into none of the parts that the program names.
func (b *body) keep(from, to int32, t types.Type) {
	b.heap.arc(from, itself, to, itself, kindModel)
	if _, is := t.Underlying().(*types.Struct); !is {
		b.heap.arc(from, itself, b.part(to, pointee), itself, kindModel)
	}
}

// origin makes a source of what a function gives.
func (b *body) origin(i ssa.CallInstruction, f *ssa.Function, s *rule, name string, args []int32, result int32) {
	from := b.special(i, name)
	b.place(s, from)
	b.outcome(i, s, from, args, result)
	for _, k := range s.writes {
		if k < len(args) {
			given := b.special(i, "what "+name+" passes on")
			b.read(from, given, kindModel)
			b.callBack(i, f, k, given, true)
		}
	}
}

// isFromOutside reports whether what a rule puts somewhere is made outside of the program: a library has no access to what the program's
// functions have captured, and none to hidden fields. That does not hold where it hands back what the program gave it.
func (r *rule) isFromOutside() bool {
	return r.general || r.shipped && (r.kind == sourceRule || r.kind == bindRule)
}

// outcome puts what a function gives into its results, or where its arguments lead.
func (b *body) outcome(i ssa.CallInstruction, r *rule, from int32, args []int32, result int32) {
	for _, k := range r.writes {
		if k < len(args) && args[k] != none {
			to, t := args[k], argumentType(i.Common(), k)
			if isReceiver := k == 0 && i.Common().IsInvoke(); isReceiver {
				b.part(to, pointee) // to is what the interface has
			} else if _, is := t.Underlying().(*types.Struct); !is {
				b.refers(to, t)
				to = b.part(to, pointee)
			}
			_, is := t.Underlying().(*types.Pointer)
			switch {
			case r.general && is && b.p.isClosed(t):
				b.fillClosed(from, to)
			case r.isFromOutside():
				b.fill(from, to, kindModel)
			default:
				b.put(from, to, kindModel, given)
			}
			if r.kind == modelRule || r.kind == sanitizerRule {
				b.written(i, k, from, itself)
			}
		}
	}
	if !r.result || result == none {
		return
	}
	results := i.Common().Signature().Results()
	if results.Len() == 1 {
		b.give(from, result, r, results.At(0).Type())
		return
	}
	for j := range results.Len() {
		if t := results.At(j).Type(); j < results.Len()-1 || !isError(t) {
			b.give(from, b.part(result, b.heap.component(j)), r, t)
		}
	}
}

// give puts something into a result. Of a value of an interface with methods that a source has made, the program names no parts, and
// what is known of a function from outside has nothing to do with what functions of the program have captured.
func (b *body) give(from, to int32, r *rule, t types.Type) {
	made := r.kind == sourceRule && r.isFromOutside()
	switch {
	case r.general && isBool(t): // which has no text
	case made && hasMethods(t), r.general && (isFunction(t) || b.p.isClosed(t)):
		b.keep(from, to, t)
	case made:
		b.fill(from, to, kindModel)
	case r.general:
		b.put(from, to, kindModel, given)
	default:
		b.write(from, to, kindModel)
	}
}

// isClosed is true of a struct from outside without exported fields, and of a pointer to one.
func (p *program) isClosed(t types.Type) bool {
	n := pointed(t)
	if n == nil || n.Obj().Pkg() == nil || p.own[n.Obj().Pkg().Path()] {
		return false
	}
	s, is := n.Underlying().(*types.Struct)
	return is && !slices.ContainsFunc(slices.Collect(s.Fields()), (*types.Var).Exported)
}

// hasMethods is true of an interface that is not empty.
func hasMethods(t types.Type) bool {
	of, is := t.Underlying().(*types.Interface)
	return is && of.NumMethods() > 0
}

// fillClosed puts something into a struct from outside whose fields the program does not see, and into what it writes to. What else an
// object has that is one with it, as a handler with others, is of other types.
func (b *body) fillClosed(from, to int32) {
	b.heap.arc(from, itself, to, itself, kindModel)
	b.fill(from, b.part(to, wrapped), kindModel)
}

// wrap makes what results refer to have what arguments refer to, as a writer has that which it writes to: what is written to
// one is in the other. Without arguments results have something in common, as both ends of a pipe have.
func (b *body) wrap(i ssa.CallInstruction, r *rule, args []int32, result int32) {
	inner := b.special(i, "what is common to results")
	results := i.Common().Signature().Results()
	for j := range results.Len() {
		to := result
		if to == none || isError(results.At(j).Type()) {
			continue
		}
		if results.Len() > 1 {
			to = b.part(result, b.heap.component(j))
		}
		if _, is := results.At(j).Type().Underlying().(*types.Struct); !is {
			to = b.part(to, pointee)
		}
		if r.args == nil {
			b.heap.unify(b.part(to, wrapped), b.part(inner, pointee))
		}
		for k, a := range args {
			if r.args != nil && r.reads(k) {
				b.refers(b.part(to, wrapped), argumentType(i.Common(), k))
				b.copied(a, b.part(to, wrapped), graph.KindAssign, argumentType(i.Common(), k))
				b.heap.mark(to, isWritten|isGiven)
				b.written(i, k, to, into, given)
			}
		}
	}
}

// refers makes the places to which pointers in interfaces lead, before something is written there: nobody else may name them.
func (b *body) refers(o int32, t types.Type) {
	switch t := t.Underlying().(type) {
	case *types.Interface:
		b.part(b.part(o, pointee), pointee)
	case *types.Slice:
		b.refers(b.part(b.part(o, pointee), element), t.Elem())
	}
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// argumentType is that of an argument; the receiver of an interface's method is the first.
func argumentType(c *ssa.CallCommon, k int) types.Type {
	if c.IsInvoke() {
		if k == 0 {
			return c.Value.Type()
		}
		k--
	}
	return c.Args[k].Type()
}

// arguments is how many a call has.
func arguments(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return len(c.Args) + 1
	}
	return len(c.Args)
}

// argument is the value of an argument that is no receiver of an interface's method.
func argument(c *ssa.CallCommon, k int) ssa.Value {
	if c.IsInvoke() {
		k--
	}
	return c.Args[k]
}

// callBack lets a function that is not followed call what it is passed as argument k, if that is a function, with all that it
// gets. If nothing passes through it, nothing comes to that function but what it has captured.
func (b *body) callBack(i ssa.CallInstruction, f *ssa.Function, k int, through int32, passes bool) {
	common := i.Common()
	if !isFunction(argumentType(common, k)) {
		return
	}
	v := argument(common, k)
	for _, c := range b.passed(i, f, k, v) {
		q := b.of[c]
		if q == nil {
			continue
		}
		got := b.special(i, "what "+names.Short(c.f)+" gives")
		s := site{number: b.number(), caller: b.proc.id, callee: q.id, env: none, result: got, through: true, panics: b.proc.panics, recovers: none}
		for range q.params {
			gets := b.special(i, "what "+names.Short(c.f)+" gets")
			s.args = append(s.args, gets)
			if passes {
				b.put(through, gets, kindModel, given)
				b.read(gets, through, kindModel)
			}
		}
		if results := c.f.Signature.Results(); passes && !(results.Len() == 1 && isBool(results.At(0).Type())) {
			b.read(got, through, kindModel)
		}
		if len(c.f.FreeVars) > 0 {
			s.env = b.what(v)
		}
		b.site(s)
	}
}

// isIterator is true of a function that calls another for each of some values, as those that range can be over do.
func isIterator(t types.Type) bool {
	s, is := t.Underlying().(*types.Signature)
	if !is || s.Params().Len() != 1 || s.Results().Len() != 0 {
		return false
	}
	yield, is := s.Params().At(0).Type().Underlying().(*types.Signature)
	return is && yield.Results().Len() == 1 && types.Identical(yield.Results().At(0).Type(), types.Typ[types.Bool])
}

// passed are the functions that an argument may be.
func (b *body) passed(i ssa.CallInstruction, f *ssa.Function, k int, v ssa.Value) (list []*copied) {
	if known := b.proc.of.knows(v); known != nil {
		return b.calls.within(b.proc.of.sites[i], known.f)
	}
	if b.p.light && (f == nil || isOutside(f)) {
		functions := b.p.variables.functionsOf(v)
		b.p.names.Sort(functions)
		for _, g := range functions {
			if c := b.calls.originals[g]; c != nil {
				list = append(list, c)
			}
		}
		return list
	}
	if f == nil {
		b.unseen["a function that is passed to one that is not known"]++
		return nil
	}
	return b.calls.calledBy(b.proc.of.sites[i], k)
}

// within finds the copies of a function that those of a call call; if none does, the function as it is.
func (c *calls) within(callees []*copied, f *ssa.Function) (list []*copied) {
	for _, of := range callees {
		for _, to := range of.callees() {
			if to.f == f {
				list = append(list, to)
			}
		}
	}
	if list == nil {
		if to := c.first[f]; to != nil {
			return []*copied{to}
		}
	}
	return list
}

// calledBy are the functions that callees of a call call as their parameter k.
func (c *calls) calledBy(callees []*copied, k int) (list []*copied) {
	for _, of := range callees {
		if k >= len(of.f.Params) {
			continue
		}
		for _, use := range *of.f.Params[k].Referrers() {
			if call, is := use.(ssa.CallInstruction); is && call.Common().Value == of.f.Params[k] {
				list = append(list, of.sites[call]...)
			}
		}
	}
	return list
}

// callees are what a function calls, in the order of its body.
func (c *copied) callees() (list []*copied) {
	for _, b := range c.f.Blocks {
		for _, i := range b.Instrs {
			if call, is := i.(ssa.CallInstruction); is {
				list = append(list, c.sites[call]...)
			}
		}
	}
	return list
}

// builtin is about functions of the language.
func (b *body) builtin(f *ssa.Builtin, c *ssa.CallCommon, result int32) {
	arg := func(k int) int32 { return b.object(c.Args[k]) }
	switch f.Name() {
	case "append":
		b.copied(arg(0), result, graph.KindAssign, c.Args[0].Type())
		if len(c.Args) > 1 {
			b.elements(c.Args[1], b.part(b.part(result, pointee), element))
		}
	case "copy":
		b.elements(c.Args[1], b.part(b.what(c.Args[0]), element))
	case "min", "max", "complex", "real", "imag":
		for k := range c.Args {
			b.scalar(arg(k), result, graph.KindAssign)
		}
	case "ssa:wrapnilchk":
		b.copied(arg(0), result, graph.KindAssign, c.Args[0].Type())
	case "String":
		b.scalar(b.what(c.Args[0]), result, graph.KindLoad)
	case "StringData":
		b.scalar(arg(0), b.part(result, pointee), graph.KindStore)
	case "SliceData":
		b.heap.unify(b.part(b.what(c.Args[0]), element), b.part(result, pointee))
	case "Slice":
		b.heap.unify(b.what(c.Args[0]), b.part(b.part(result, pointee), element))
	case "Add":
		b.same(arg(0), result)
	case "recover":
		b.copied(b.proc.recovers, result, graph.KindAssign, c.Signature().Results().At(0).Type())
	}
}

// elements copies those of a slice, or the bytes of a string.
func (b *body) elements(from ssa.Value, to int32) {
	s, is := from.Type().Underlying().(*types.Slice)
	if !is {
		b.scalar(b.object(from), to, graph.KindStore)
		return
	}
	b.copied(b.part(b.what(from), element), to, graph.KindStore|graph.KindIndex, s.Elem())
}

// ordinal tells results apart where there are several.
func ordinal(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprint(" ", i+1)
}
