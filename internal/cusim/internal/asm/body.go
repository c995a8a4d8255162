package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// body is a kernel while its code is read.
type body struct {
	k      *Kernel
	scopes []*scope
	fixes  []fix
	// tables are found before their labels are, so leave changes these too.
	tables map[string][]*label
}

func newBody(k *Kernel) *body {
	b := &body{k: k, tables: make(map[string][]*label)}
	b.push()
	return b
}

func (b *body) push() {
	b.scopes = append(b.scopes, &scope{names: make(map[string]symbol), families: make(map[string]family)})
}

// label is a place in the code; at is -1 until it is found.
type label struct {
	name string
	line int
	at   int
}

// fix is a branch whose operand waits for its label.
type fix struct {
	inst, arg int
	elem      int // of a table; −1 without
	l         *label
}

// maxScopes bounds the nesting of blocks.
const maxScopes = 64

// body reads statements up to the brace that ends the kernel.
func (p *parser) body() {
	f := p.fn
	for len(p.errs) < maxErrors {
		switch {
		case p.tok.kind == tEnd:
			p.fail("the text ends inside of %s", f.k.Name)
		case p.is("{"):
			p.advance()
			if len(f.scopes) >= maxScopes {
				p.fail("blocks are nested deeper than %d", maxScopes)
			}
			f.push()
		case p.is("}"):
			p.advance()
			p.leave()
			if len(f.scopes) == 0 {
				p.finish()
				return
			}
		default:
			if !p.try(p.statement) {
				p.resume()
			}
		}
	}
}

// resume goes after the statement at fault: past its semicolon, but over no brace that stands alone.
func (p *parser) resume() {
	if p.ended {
		return
	}
	depth := 0
	for p.tok.kind != tEnd {
		switch {
		case p.is(";") && depth == 0:
			p.advance()
			return
		case p.is("{"):
			depth++
		case p.is("}"):
			if depth == 0 {
				return
			}
			depth--
		}
		p.advance()
	}
}

// leave ends a block: its labels must have been found.
func (p *parser) leave() {
	f := p.fn
	s := f.scopes[len(f.scopes)-1]
	f.scopes = f.scopes[:len(f.scopes)-1]
	for _, sym := range s.names {
		if l := sym.label; l != nil && l.at < 0 {
			if len(f.scopes) == 0 {
				p.errorf(l.line, "there is no label %s", l.name)
				continue
			}
			// A branch may lead out of its block.
			out := f.scopes[len(f.scopes)-1]
			if outer, ok := out.names[l.name]; ok && outer.label != nil {
				for i := range f.fixes {
					if f.fixes[i].l == l {
						f.fixes[i].l = outer.label
					}
				}
				for _, t := range f.tables {
					for i := range t {
						if t[i] == l {
							t[i] = outer.label
						}
					}
				}
				continue
			}
			out.names[l.name] = symbol{reg: NoReg, label: l}
		}
	}
}

// finish puts labels into branches and ends the code.
func (p *parser) finish() {
	k := p.fn.k
	if n := len(k.Code); n == 0 || k.Code[n-1].Guard != NoReg || !k.Code[n-1].ends() || p.endLabelled() {
		last := Inst{Line: p.tok.line, Guard: NoReg, Op: "exit"}
		if k.function {
			last.Op = "ret"
		}
		k.Code = append(k.Code, last)
	}
	for _, x := range p.fn.fixes {
		o := &k.Code[x.inst].Args[x.arg]
		if x.elem >= 0 {
			o = &o.Vec[x.elem]
		}
		o.Bits = uint64(max(0, x.l.at))
	}
}

// endLabelled reports whether a branch leads past the last instruction.
func (p *parser) endLabelled() bool {
	for _, x := range p.fn.fixes {
		if x.l.at == len(p.fn.k.Code) {
			return true
		}
	}
	return false
}

// ends reports whether control does not go on after the instruction, if it runs.
func (in *Inst) ends() bool {
	return in.Op == "exit" || in.Op == "ret" || in.Op == "trap" || in.Op == "bra" || in.Op == "brx"
}

// statement reads a declaration, label or instruction.
func (p *parser) statement() {
	f := p.fn
	if p.accept(";") {
		return
	}
	if p.tok.kind == tDot {
		switch d := p.tok.text; d {
		case "reg":
			p.advance()
			p.registers()
		case "shared", "local", "global", "const":
			p.advance()
			for _, v := range p.variables(spaceNames[d], false) {
				p.declare(f.scopes[len(f.scopes)-1], v)
				if v.Space == Global || v.Space == Const {
					p.m.Vars = append(p.m.Vars, v)
				} else {
					f.k.Vars = append(f.k.Vars, v)
				}
			}
		case "loc":
			p.location()
		case "pragma":
			p.pragma()
		case "param":
			p.advance()
			for _, v := range p.variables(Param, false) {
				v.Passed = true
				p.declare(f.scopes[len(f.scopes)-1], v)
				f.k.Vars = append(f.k.Vars, v)
			}
		default:
			p.fail("unknown directive .%s", d)
		}
		return
	}
	in := Inst{Line: p.tok.line, Guard: NoReg}
	if p.accept("@") {
		in.Not = p.accept("!")
		line, name := p.tok.line, p.name()
		in.Guard = p.register(line, name)
		if f.k.Regs[in.Guard].Type != Pred {
			p.errorf(line, "guard %s is no predicate", name)
		}
	}
	line, name := p.tok.line, p.name()
	if p.is(":") && in.Guard == NoReg {
		p.advance()
		if p.tok.kind == tDot && p.tok.text == "branchtargets" {
			p.table(name)
			return
		}
		p.place(line, name)
		return
	}
	in.Op = name
	if name == "call" {
		p.call(&in)
		return
	}
	p.instruction(&in)
}

// location reads .loc, which is for debuggers.
func (p *parser) location() {
	p.advance()
	for range 3 {
		p.number(1 << 40)
	}
	for p.accept(",") {
		for p.tok.kind == tName || p.tok.kind == tNumber || p.is("+") {
			p.advance()
		}
	}
}

// place puts a label where the code is.
func (p *parser) place(line int, name string) {
	f := p.fn
	s := f.scopes[len(f.scopes)-1]
	sym, known := s.names[name]
	switch {
	case known && (sym.label == nil || sym.label.at >= 0):
		p.errorf(line, "%s is declared twice", name)
	case known:
		sym.label.at = len(f.k.Code)
	default:
		s.names[name] = symbol{reg: NoReg, label: &label{name, line, len(f.k.Code)}}
	}
}

// lookup finds a name, from the innermost block outwards.
func (p *parser) lookup(name string) (symbol, bool) {
	for i := len(p.fn.scopes) - 1; i >= 0; i-- {
		s := p.fn.scopes[i]
		if sym, ok := s.names[name]; ok {
			return sym, true
		}
		stem := strings.TrimRight(name, "0123456789")
		// A family's own name may end in digits, so every split is tried; names are short.
		for ; len(stem) < len(name); stem = name[:len(stem)+1] {
			fam, ok := s.families[stem]
			if !ok {
				continue
			}
			digits := name[len(stem):]
			if n, err := strconv.ParseUint(digits, 10, 32); err == nil && n < fam.n && (digits == "0" || digits[0] != '0') {
				return symbol{reg: fam.first + Reg(n)}, true
			}
		}
	}
	sym, ok := p.globals.names[name]
	return sym, ok
}

// register finds a register.
func (p *parser) register(line int, name string) Reg {
	sym, ok := p.lookup(name)
	if !ok || sym.v != nil || sym.label != nil {
		p.errorf(line, "there is no register %s", name)
		panic(failed{})
	}
	return sym.reg
}

// instruction reads modifiers and operands, and adds the instruction to the code.
func (p *parser) instruction(in *Inst) {
	var words []string
	for p.tok.kind == tDot {
		words = append(words, p.tok.text)
		p.advance()
	}
	raw := p.operands()
	p.expect(";")
	f := p.choose(in, words, raw)
	if p.m.SM < f.sm {
		p.errorf(in.Line, "%s needs sm_%d, the target is %s", in, f.sm, p.m.Target)
	}
	if p.m.Version.less(f.since) {
		p.errorf(in.Line, "%s needs PTX %s, the text says %s", in, f.since, p.m.Version)
	}
	at := len(p.fn.k.Code)
	for i, a := range f.args {
		switch a {
		case "L":
			p.fn.fixes = append(p.fn.fixes, fix{at, i, -1, p.target(raw[i].name, raw[i].line)})
		case "B":
			for e, l := range p.fn.tables[raw[i].name] {
				p.fn.fixes = append(p.fn.fixes, fix{at, i, e, l})
			}
		}
	}
	p.fn.k.Code = append(p.fn.k.Code, *in)
}

// choose finds the form of the instruction and sets its operands.
func (p *parser) choose(in *Inst, words []string, raw []rawOperand) *pattern {
	list := patterns[in.Op]
	if list == nil {
		p.errorf(in.Line, "%s is no instruction that is simulated", in.Op)
		panic(failed{})
	}
	best, bestTaken := list[0], -1
	var why string
	for _, f := range list {
		taken, ok := f.match(in, words)
		if !ok {
			if taken > bestTaken {
				best, bestTaken = f, taken
			}
			continue
		}
		if problem := p.bind(in, f, raw); problem != "" {
			if why == "" {
				why = problem
			}
			continue
		}
		return f
	}
	name := in.Op
	for _, w := range words {
		name += "." + w
	}
	if why == "" {
		why = "there is no such form; the nearest is " + best.usage(in.Op)
	}
	p.errorf(in.Line, "%s: %s", name, why)
	panic(failed{})
}

// target is the label that an operand names.
func (p *parser) target(name string, line int) *label {
	sym, ok := p.lookup(name)
	if ok && sym.label != nil {
		return sym.label
	}
	l := &label{name, line, -1}
	p.fn.scopes[len(p.fn.scopes)-1].names[name] = symbol{reg: NoReg, label: l}
	return l
}

// table reads the labels that a branch by index may lead to.
func (p *parser) table(name string) {
	p.advance()
	if p.fn.tables[name] != nil {
		p.fail("%s is declared twice", name)
	}
	var list []*label
	for {
		line := p.tok.line
		list = append(list, p.target(p.name(), line))
		if len(list) > maxTable {
			p.fail("%s has more than %d labels", name, maxTable)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	p.fn.tables[name] = list
}

// maxTable bounds a table of labels.
const maxTable = 1 << 12

// typeError says that a register does not fit.
func typeError(r RegInfo, t Type) string {
	return fmt.Sprintf("%s is .%s, the operand is .%s", r.Name(), r.Type, t)
}
