package asm

// function reads what follows .func: what it returns, its name and parameters, and a body unless it is
// only declared.
func (p *parser) function() {
	k := &Kernel{Line: p.tok.line, function: true}
	p.fn = newBody(k)
	if p.accept("(") {
		k.returns = p.formals()
	}
	k.Line, k.Name = p.tok.line, p.name()
	if p.accept("(") {
		k.formals = p.formals()
	}
	for p.tok.kind == tDot {
		p.performance(k)
	}
	known := p.funcs[k.Name]
	if known != nil && (len(known.formals) != len(k.formals) || len(known.returns) != len(k.returns)) {
		p.fail("%s is declared with %d parameters and %d results, and here with %d and %d", k.Name, len(known.formals), len(known.returns), len(k.formals), len(k.returns))
	}
	if p.accept(";") {
		if known == nil {
			p.funcs[k.Name] = k
		}
		return
	}
	if known != nil && known.defined {
		p.fail("function %s is defined twice", k.Name)
	}
	k.defined = true
	p.funcs[k.Name] = k
	p.expect("{")
	p.body()
}

// formals reads parameters up to the parenthesis that ends them.
func (p *parser) formals() []formal {
	var list []formal
	for !p.accept(")") {
		list = append(list, p.formal())
		if !p.is(")") {
			p.expect(",")
		}
	}
	return list
}

func (p *parser) formal() formal {
	k, names := p.fn.k, p.fn.scopes[0]
	switch {
	case p.tok.kind == tDot && p.tok.text == "param":
		p.advance()
		v := p.variable(Param, false)
		v.Passed = true
		p.declare(names, v)
		return formal{v, NoReg, v.Type}
	case p.tok.kind == tDot && p.tok.text == "reg":
		p.advance()
		t := typeByName[p.tok.text]
		if p.tok.kind != tDot || t.Bits() < 16 || t == B128 {
			p.fail("%s where the type of a register is due", p.shown())
		}
		p.advance()
		name := p.name()
		r := Reg(len(k.Regs))
		k.Regs = append(k.Regs, RegInfo{name, -1, t})
		names.names[name] = symbol{reg: r}
		return formal{nil, r, t}
	}
	p.fail("%s where .param or .reg is due", p.shown())
	return formal{}
}

// call reads a call after its word. The function has been declared.
func (p *parser) call(in *Inst) {
	if p.tok.kind == tDot && p.tok.text == "uni" {
		p.advance()
	}
	var returns, args []rawOperand
	if p.is("(") {
		returns = p.actuals()
		p.expect(",")
	}
	name := p.name()
	f := p.funcs[name]
	if f == nil {
		p.fail("there is no function %s before this; calls by address are not simulated", name)
	}
	if p.accept(",") {
		args = p.actuals()
	}
	if len(returns) != len(f.returns) || len(args) != len(f.formals) {
		p.fail("%s takes %d arguments and gives %d results, the call has %d and %d", name, len(f.formals), len(f.returns), len(args), len(returns))
	}
	in.Call = &Call{Name: name}
	bind := func(list []rawOperand, formals []formal, written bool) []Operand {
		bound := make([]Operand, len(list))
		for i := range list {
			o, why := p.actual(&list[i], formals[i], written)
			if why != "" {
				p.fail("call of %s, operand %d: %s", name, i+1, why)
			}
			bound[i] = o
		}
		return bound
	}
	in.Call.returns, in.Call.args = bind(returns, f.returns, true), bind(args, f.formals, false)
	p.expect(";")
	p.fn.k.Code = append(p.fn.k.Code, *in)
}

// actuals reads operands in parentheses.
func (p *parser) actuals() []rawOperand {
	p.expect("(")
	var list []rawOperand
	for !p.accept(")") {
		if len(list) == maxActuals {
			p.fail("more than %d operands", maxActuals)
		}
		list = append(list, p.operand(false))
		if !p.is(")") {
			p.expect(",")
		}
	}
	return list
}

// maxActuals bounds the operands of a call.
const maxActuals = 256

// actual is what a call passes or gets: a variable of the parameter space, a register or a constant.
func (p *parser) actual(o *rawOperand, f formal, written bool) (Operand, string) {
	v := p.variableNamed(o)
	if v == nil {
		if f.typ.Bits() < 16 || f.v != nil && f.v.Bytes != f.typ.Bytes() {
			return Operand{}, "what is passed is a variable of the parameter space"
		}
		return p.scalar(o, f.typ, false, written)
	}
	switch {
	case !v.Passed:
		return Operand{}, v.Name + " is no variable of the parameter space of the call"
	case f.v != nil && v.Bytes != f.v.Bytes, f.v == nil && v.Bytes != f.typ.Bytes():
		return Operand{}, v.Name + " has another size than the parameter"
	}
	return Operand{Kind: IsSymbol, Reg: NoReg, Second: NoReg, Var: v}, ""
}
