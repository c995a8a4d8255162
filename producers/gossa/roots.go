package main

import (
	"cmp"
	"context"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// handed is a function that a call hands over, as an argument or in one, to be called later: a root rule says so.
type handed struct {
	arg  int
	f    *ssa.Function
	made bool // a function that is handed over returns it
}

// handOver finds what calls hand over. The roots are nothing without a call of what a rule names.
func (r *rules) handOver(ctx context.Context, p *program, may callees) (map[ssa.CallInstruction][]handed, error) {
	all := make(map[ssa.CallInstruction][]handed)
	about := rootsOf{rules: r, of: make(map[*ssa.Function][]*rule), methods: make(map[*types.Func][]*rule)}
	for f := range p.names.Functions() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if isTemplate(f) || r.opaque(p, f) {
			continue
		}
		for call := range callsIn(f) {
			for _, n := range about.call(call.Common(), may[call]) {
				for k := range len(call.Common().Args) + 1 {
					if n.reads(k) {
						all[call] = p.handedIn(all[call], call.Common(), k, n.methods)
					}
				}
			}
		}
	}
	p.sortHanded(all)
	return all, nil
}

// sortHanded orders what each call hands over by names: what variables hold is found in any order.
func (p *program) sortHanded(all map[ssa.CallInstruction][]handed) {
	functions := make(map[ssa.CallInstruction][]*ssa.Function)
	for call, list := range all {
		for _, h := range list {
			functions[call] = append(functions[call], h.f)
		}
	}
	order := orderOf(p, functions)
	for _, list := range all {
		slices.SortFunc(list, func(a, b handed) int {
			if a.made != b.made {
				if a.made {
					return 1
				}
				return -1
			}
			return cmp.Or(a.arg-b.arg, order[a.f]-order[b.f])
		})
	}
}

// rootsOf finds the root rules for calls.
type rootsOf struct {
	*rules
	of      map[*ssa.Function][]*rule
	methods map[*types.Func][]*rule
}

func (r *rootsOf) call(c *ssa.CallCommon, may []*ssa.Function) (list []*rule) {
	if f := c.StaticCallee(); f != nil {
		may = []*ssa.Function{f}
	}
	for _, f := range may {
		some, ok := r.of[f]
		if !ok {
			some = onlyRoots(r.find(ruleName(f)))
			r.of[f] = some
		}
		list = append(list, some...)
	}
	if c.IsInvoke() && len(list) == 0 {
		some, ok := r.methods[c.Method]
		if !ok {
			some = onlyRoots(r.find(methodName(c.Method)))
			r.methods[c.Method] = some
		}
		list = append(list, some...)
	}
	return list
}

func onlyRoots(list []*rule) (roots []*rule) {
	for _, n := range list {
		if n.kind == rootRule {
			roots = append(roots, n)
		}
	}
	return roots
}

// handedIn adds what is in an argument.
func (p *program) handedIn(list []handed, c *ssa.CallCommon, k int, methods bool) []handed {
	if c.IsInvoke() {
		k--
	}
	if k < 0 || k >= len(c.Args) {
		return list
	}
	v := c.Args[k]
	if c.IsInvoke() {
		k++
	}
	for _, f := range p.functionsIn(v, v.Type(), methods) {
		if h := (handed{k, f, false}); !slices.Contains(list, h) {
			list = append(list, h)
		}
		for _, f := range p.returnedBy(f) {
			if h := (handed{k, f, true}); !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
	}
	return list
}

// returnedBy are the functions that a function returns, as those do that put a handler around another, and methods of
// interfaces that it does.
func (p *program) returnedBy(f *ssa.Function) (list []*ssa.Function) {
	if p.variables == nil {
		return nil
	}
	for k := range f.Signature.Results().Len() {
		t := f.Signature.Results().At(k).Type()
		if is, _ := t.Underlying().(*types.Interface); isFunction(t) || is != nil && is.NumMethods() > 0 && !isError(t) {
			list = append(list, p.heldBy(p.variables.heldBy(p.variables.result(f, k).node), t, false)...)
		}
	}
	return list
}

// functionsIn are the functions that a value is, has among its elements, or has as methods: of its interface, or all
// exported ones. to is the type of the argument.
func (p *program) functionsIn(v ssa.Value, to types.Type, methods bool) (list []*ssa.Function) {
	switch x := v.(type) {
	case *ssa.Const:
		return nil
	case *ssa.Function:
		return []*ssa.Function{x}
	case *ssa.MakeClosure:
		return []*ssa.Function{x.Fn.(*ssa.Function)}
	case *ssa.ChangeType:
		return p.functionsIn(x.X, to, methods)
	case *ssa.ChangeInterface:
		return p.functionsIn(x.X, to, methods)
	case *ssa.MakeInterface:
		if isFunction(x.X.Type()) && !methods {
			return p.functionsIn(x.X, to, methods)
		}
		return p.methodsOf(x.X.Type(), to, methods)
	case *ssa.Slice:
		if array, is := x.X.(*ssa.Alloc); is {
			elem := to
			if s, is := to.Underlying().(*types.Slice); is {
				elem = s.Elem()
			}
			for _, one := range storedIn(array) {
				list = append(list, p.functionsIn(one, elem, methods)...)
			}
			return list
		}
	}
	if p.variables == nil {
		return nil
	}
	if s, is := to.Underlying().(*types.Slice); is {
		return p.heldBy(p.variables.element(s.Elem()), s.Elem(), methods)
	}
	if !isFunction(to) && !types.IsInterface(to) {
		return p.methodsOf(to, to, methods)
	}
	return p.heldBy(p.variables.heldBy(p.variables.of(v).node), to, methods)
}

// storedIn are the values that an array is filled with where it is made.
func storedIn(array *ssa.Alloc) (list []ssa.Value) {
	for _, use := range *array.Referrers() {
		at, is := use.(*ssa.IndexAddr)
		if !is {
			continue
		}
		for _, use := range *at.Referrers() {
			if s, is := use.(*ssa.Store); is && s.Addr == at {
				list = append(list, s.Val)
			}
		}
	}
	return list
}

// heldBy are the functions among what a variable holds, and methods of its types.
func (p *program) heldBy(all []held, to types.Type, methods bool) (list []*ssa.Function) {
	for _, h := range all {
		switch {
		case h.f != nil && !methods:
			list = append(list, h.f)
		case h.f == nil && !types.IsInterface(h.t) && (methods || !isFunction(h.t)):
			list = append(list, p.methodsOf(h.t, to, methods)...)
		}
	}
	return list
}

// methodsOf are a type's methods that an interface has, or all its exported ones.
func (p *program) methodsOf(t, to types.Type, methods bool) (list []*ssa.Function) {
	set := p.ssa.MethodSets.MethodSet(t)
	is, _ := to.Underlying().(*types.Interface)
	for i := range set.Len() {
		m := set.At(i)
		wanted := methods && m.Obj().Exported()
		if !methods && is != nil {
			found, _, _ := types.LookupFieldOrMethod(to, false, m.Obj().Pkg(), m.Obj().Name())
			_, wanted = found.(*types.Func)
		}
		if wanted {
			if f := p.ssa.MethodValue(m); f != nil {
				list = append(list, f)
			}
		}
	}
	return list
}

// handOver makes the calls of what a call hands over: with the source that some argument's functions get, if there is
// one.
func (b *body) handOver(i ssa.CallInstruction, r *rule, sources []*rule, args []int32) {
	for n, h := range b.p.handed[i] {
		q := b.of[b.proc.of.hands[i][n]]
		if !r.reads(h.arg) || q == nil {
			continue
		}
		value := int32(none)
		if !h.made {
			value = b.valueIn(args[h.arg], argumentType(i.Common(), h.arg))
		}
		s := site{number: b.number(), caller: b.proc.id, callee: q.id, env: none, result: none, panics: none, recovers: none, through: true}
		params := h.f.Params
		if h.f.Signature.Recv() != nil {
			s.args, params = append(s.args, value), params[1:]
		} else if len(h.f.FreeVars) > 0 && !h.made {
			s.env = b.part(value, pointee)
		}
		for _, p := range params {
			given := b.special(i, "what "+b.calls.name(h.f)+" gets")
			s.args = append(s.args, given)
			for _, source := range sources {
				if slices.Contains(source.writes, h.arg) && !isContext(p.Type()) {
					from := b.special(i, source.name)
					b.place(source, from)
					b.write(from, given, kindModel)
				}
			}
		}
		b.site(s)
	}
}

// valueIn is the object of what an argument has that is a function or has methods.
func (b *body) valueIn(o int32, t types.Type) int32 {
	switch t := t.Underlying().(type) {
	case *types.Slice:
		return b.valueIn(b.part(b.part(o, pointee), element), t.Elem())
	case *types.Interface:
		return b.part(o, pointee)
	}
	return o
}

// isContext is true of context.Context, which has nothing from outside.
func isContext(t types.Type) bool {
	n, is := types.Unalias(t).(*types.Named)
	return is && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && n.Obj().Name() == "Context"
}

// handsOver reports whether root rules are about all of some arguments.
func handsOver(rules []*rule, args []int) bool {
	return !slices.ContainsFunc(args, func(k int) bool {
		return !slices.ContainsFunc(rules, func(r *rule) bool { return r.kind == rootRule && r.reads(k) })
	})
}

// export makes what packages export roots: all but programs, and packages that are internal to a module.
func (p *program) export() {
	p.exported = make(map[*ssa.Function]bool)
	for f := range p.names.Functions() {
		if slices.Contains(p.named, f.Pkg) && isExported(f) {
			p.exported[f] = true
			if !slices.Contains(p.roots, f) {
				p.roots = append(p.roots, f)
			}
		}
	}
	p.names.Sort(p.roots)
}

// isExported reports whether a package that imports another can call a function of it.
func isExported(f *ssa.Function) bool {
	o, is := f.Object().(*types.Func)
	if !is || !o.Exported() || isTemplate(f) || o.Pkg().Name() == "main" || slices.Contains(strings.Split(o.Pkg().Path(), "/"), "internal") {
		return false
	}
	recv := o.Signature().Recv()
	if recv == nil {
		return true
	}
	n := pointed(recv.Type())
	return n != nil && n.Obj().Exported()
}
