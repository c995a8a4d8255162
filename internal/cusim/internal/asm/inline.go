package asm

import "slices"

// inline replaces calls by the code of the functions, in all entries.
func (p *parser) inline() {
	for _, k := range p.m.Kernels {
		x := &inliner{p: p, out: &Kernel{}, shared: make(map[*Var]bool)}
		if !x.needed(k) {
			continue
		}
		if !p.try(func() { x.expand(k, make(map[*Var]*Var)) }) {
			continue
		}
		k.Regs, k.Vars, k.Code = x.out.Regs, x.out.Vars, x.out.Code
	}
}

// The functions that the driver has, and the types of what they take.
var builtins = map[string][]Type{"cudaGraphSetConditional": {B64, B32}}

// inliner makes one body of an entry and all that it calls.
type inliner struct {
	p      *parser
	out    *Kernel // registers, variables and code
	stack  []string
	calls  int
	shared map[*Var]bool // those that are in out already
}

// What calls may make of an entry.
const (
	maxInlined = 1 << 20 // instructions
	maxCalls   = 1 << 16
	maxDepth   = 256
)

// needed reports whether there is anything to do for an entry.
func (x *inliner) needed(k *Kernel) bool {
	return slices.ContainsFunc(k.Vars, func(v *Var) bool { return v.Passed }) || slices.ContainsFunc(k.Code, func(in Inst) bool { return in.Call != nil })
}

// expand adds the body of k. vars says what its parameters stand for. Returning goes on after the body.
func (x *inliner) expand(k *Kernel, vars map[*Var]*Var) {
	base := Reg(len(x.out.Regs))
	x.out.Regs = append(x.out.Regs, k.Regs...)
	for _, v := range k.Vars {
		if v.Passed || v.Space == Local {
			vars[v] = x.local(v)
		} else if !x.shared[v] {
			x.shared[v] = true
			x.out.Vars = append(x.out.Vars, v)
		}
	}
	at := make([]uint64, len(k.Code)+1)
	var branches []int // what is added here and has labels of k
	for i := range k.Code {
		in := &k.Code[i]
		at[i] = uint64(len(x.out.Code))
		if len(x.out.Code) > maxInlined {
			x.p.errorf(in.Line, "calls make the code longer than %d instructions", maxInlined)
			panic(failed{})
		}
		switch {
		case in.Call != nil:
			x.call(in, base, vars)
			continue
		case in.Op == "ret" && k.function:
			if i == len(k.Code)-1 && in.Guard == NoReg {
				continue // the next instruction is what follows the call
			}
			in = &Inst{Line: in.Line, Guard: in.Guard, Not: in.Not, Op: "bra", Args: []Operand{{Kind: IsLabel, Reg: NoReg, Second: NoReg, Bits: uint64(len(k.Code))}}}
		}
		out := *in
		if out.Guard != NoReg {
			out.Guard += base
		}
		out.Args = renamed(in.Args, base, vars)
		if out.Op == "bra" || out.Op == "brx" {
			branches = append(branches, len(x.out.Code))
		}
		x.out.Code = append(x.out.Code, out)
	}
	at[len(k.Code)] = uint64(len(x.out.Code))
	for _, b := range branches {
		place(x.out.Code[b].Args, at)
	}
}

// place moves labels to where their instructions are now.
func place(args []Operand, at []uint64) {
	for i := range args {
		switch args[i].Kind {
		case IsLabel:
			args[i].Bits = at[args[i].Bits]
		case IsTable:
			place(args[i].Vec, at)
		}
	}
}

func renamed(args []Operand, base Reg, vars map[*Var]*Var) []Operand {
	list := slices.Clone(args)
	for i := range list {
		o := &list[i]
		if o.Reg != NoReg {
			o.Reg += base
		}
		if o.Second != NoReg {
			o.Second += base
		}
		if v := vars[o.Var]; v != nil {
			o.Var = v
		}
		if o.Vec != nil {
			o.Vec = renamed(o.Vec, base, vars)
		}
	}
	return list
}

// local makes a variable of local memory like v.
func (x *inliner) local(v *Var) *Var {
	l := *v
	l.Space, l.Offset = Local, 0
	x.out.Vars = append(x.out.Vars, &l)
	return &l
}

// call adds the code of a function in place of a call.
func (x *inliner) call(in *Inst, base Reg, vars map[*Var]*Var) {
	f := x.p.funcs[in.Call.Name]
	x.calls++
	switch {
	case slices.Contains(x.stack, f.Name):
		x.p.errorf(in.Line, "%s calls itself, which is not simulated", f.Name)
		panic(failed{})
	case x.calls > maxCalls || len(x.stack) == maxDepth:
		x.p.errorf(in.Line, "more than %d calls, or %d within each other", maxCalls, maxDepth)
		panic(failed{})
	}
	around := -1
	if in.Guard != NoReg { // those that do not call go around
		around = len(x.out.Code)
		x.add(in.Line, Inst{Guard: in.Guard + base, Not: !in.Not, Op: "bra", Args: []Operand{{Kind: IsLabel, Reg: NoReg, Second: NoReg}}})
	}
	args, returns := renamed(in.Call.args, base, vars), renamed(in.Call.returns, base, vars)
	if types := builtins[f.Name]; !f.defined && len(types) == len(args) && types != nil {
		for i := range args {
			args[i] = x.value(in.Line, args[i], types[i])
		}
		x.add(in.Line, Inst{Guard: NoReg, Op: "call", Args: args, Call: &Call{Name: f.Name}})
	} else if !f.defined {
		x.p.errorf(in.Line, "function %s is declared and never defined", f.Name)
		panic(failed{})
	} else {
		x.enter(in.Line, f, args, returns)
	}
	if around >= 0 {
		x.out.Code[around].Args[0].Bits = uint64(len(x.out.Code))
	}
}

// enter passes arguments, adds the body and takes results.
func (x *inliner) enter(line int, f *Kernel, args, returns []Operand) {
	own := Reg(len(x.out.Regs)) // where the function's registers will be
	bound := make(map[*Var]*Var)
	meet := func(formals []formal, actuals []Operand) {
		for i, m := range formals {
			switch {
			case m.v != nil && actuals[i].Kind == IsSymbol:
				bound[m.v] = actuals[i].Var
			case m.v != nil:
				bound[m.v] = x.local(m.v)
			}
		}
	}
	meet(f.formals, args)
	meet(f.returns, returns)
	for i, m := range f.formals {
		switch {
		case m.v == nil && args[i].Kind == IsSymbol:
			x.access(line, "ld", m.typ, register(own+m.reg), args[i].Var)
		case m.v == nil:
			x.add(line, Inst{Guard: NoReg, Op: "mov", Type: m.typ, Args: []Operand{register(own + m.reg), args[i]}})
		case args[i].Kind != IsSymbol:
			x.access(line, "st", m.typ, args[i], bound[m.v])
		}
	}
	x.stack = append(x.stack, f.Name)
	x.expand(f, bound)
	x.stack = x.stack[:len(x.stack)-1]
	for i, m := range f.returns {
		switch {
		case m.v == nil && returns[i].Kind == IsSymbol:
			x.access(line, "st", m.typ, register(own+m.reg), returns[i].Var)
		case m.v == nil:
			x.add(line, Inst{Guard: NoReg, Op: "mov", Type: m.typ, Args: []Operand{returns[i], register(own + m.reg)}})
		case returns[i].Kind != IsSymbol:
			x.access(line, "ld", m.typ, returns[i], bound[m.v])
		}
	}
}

func (x *inliner) add(line int, in Inst) {
	in.Line = line
	x.out.Code = append(x.out.Code, in)
}

func register(r Reg) Operand { return Operand{Kind: IsReg, Reg: r, Second: NoReg} }

// access adds a load or store of a passed variable.
func (x *inliner) access(line int, op string, t Type, value Operand, v *Var) {
	list := []Operand{value, {Kind: IsAddress, Reg: NoReg, Second: NoReg, Var: v}}
	if op == "st" {
		slices.Reverse(list)
	}
	x.add(line, Inst{Guard: NoReg, Op: op, Mods: []string{"param"}, Type: t, Args: list})
}

// value is an argument as a register or constant.
func (x *inliner) value(line int, o Operand, t Type) Operand {
	if o.Kind != IsSymbol {
		return o
	}
	r := register(Reg(len(x.out.Regs)))
	x.out.Regs = append(x.out.Regs, RegInfo{"argument", -1, t})
	x.access(line, "ld", t, r, o.Var)
	return r
}
