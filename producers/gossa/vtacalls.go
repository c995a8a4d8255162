package main

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// result is what a function returns.
func (v *variableTypes) result(f *ssa.Function, k int) variable {
	return v.part(f, k, f.Signature.Results().At(k).Type())
}

// call connects a call with what it may call.
func (v *variableTypes) call(call ssa.CallInstruction) {
	c := call.Common()
	if b, is := c.Value.(*ssa.Builtin); is {
		if value := call.Value(); b.Name() == "recover" && value != nil {
			v.goes(v.panics(), v.of(value))
		}
		return
	}
	results := c.Signature().Results()
	to := func(k int) variable {
		if results.Len() == 1 {
			return v.of(call.Value())
		}
		return v.part(call.Value(), k, results.At(k).Type())
	}
	returns := call.Value() != nil // not go, or defer
	if f := c.StaticCallee(); f != nil {
		if v.outside != nil && isOutside(f) {
			v.outside.call(c, to, returns)
			return
		}
		for k, a := range c.Args {
			if k < len(f.Params) && !isBasic(a.Type()) {
				v.same(v.of(f.Params[k]), v.of(a))
			}
		}
		for k := range results.Len() {
			if returns {
				v.goes(v.result(f, k), to(k))
			}
		}
		return
	}
	fit := v.fits.of(c)
	if len(fit.list) == 0 && v.outside == nil {
		return
	}
	v.connect(fit, c.IsInvoke())
	if v.outside != nil && c.IsInvoke() {
		v.outside.invoked(fit, c)
	}
	if c.IsInvoke() {
		v.goes(v.of(c.Value), v.argument(fit, -1, c.Value.Type()))
	}
	for k, a := range c.Args {
		v.same(v.argument(fit, k, c.Signature().Params().At(k).Type()), v.of(a))
	}
	for k := range results.Len() {
		if returns {
			v.goes(v.passed(placeResult, fit, k, results.At(k).Type()), to(k))
		}
	}
}

// argument is what all calls pass that some functions fit; -1 is the receiver.
func (v *variableTypes) argument(fit *candidate, k int, t types.Type) variable {
	return v.passed(placeArgument, fit, k, t)
}

func (v *variableTypes) passed(kind placeKind, fit *candidate, k int, of types.Type) variable {
	t := v.types.number(of)
	if !v.types.list[t].holds {
		return variable{none, t}
	}
	return v.place(typePlace{kind, fit.id, k}, t)
}

// connect makes, once, the arcs between what calls pass and the functions that fit. A receiver is what its interface holds, and
// matters only if it is a function.
func (v *variableTypes) connect(fit *candidate, method bool) {
	if fit.connected {
		return
	}
	fit.connected = true
	for _, f := range fit.list {
		if v.outside != nil && isOutside(f) {
			v.outside.fit(fit, f)
			continue
		}
		params := f.Params
		if method && len(params) > 0 {
			if isFunction(params[0].Type()) {
				v.goes(v.argument(fit, -1, fit.receiver), v.of(params[0]))
			}
			params = params[1:]
		}
		for k, p := range params {
			v.same(v.of(p), v.argument(fit, k, p.Type()))
		}
		for k := range f.Signature.Results().Len() {
			v.goes(v.result(f, k), v.passed(placeResult, fit, k, f.Signature.Results().At(k).Type()))
		}
	}
}
