package asm

import (
	"fmt"
	"strings"
)

// rawOperand is an operand as written, before the instruction's form gives it a type.
type rawOperand struct {
	line    int
	kind    rawKind
	name    string // of a name; the base of an address
	second  string // the name after a bar
	not     bool
	consts  []token // sign and number of a constant
	off     int64   // of an address or symbol
	hasBase bool    // an address has a name
	vec     []rawOperand
}

type rawKind uint8

const (
	rawName rawKind = iota
	rawConst
	rawAddress
	rawVec
)

// maxOperands bounds the operands of an instruction.
const maxOperands = 16

// operands reads operands up to the semicolon.
func (p *parser) operands() []rawOperand {
	var list []rawOperand
	if p.is(";") {
		return nil
	}
	for {
		if len(list) == maxOperands {
			p.fail("more than %d operands", maxOperands)
		}
		list = append(list, p.operand(true))
		if !p.accept(",") {
			return list
		}
	}
}

func (p *parser) operand(outer bool) rawOperand {
	o := rawOperand{line: p.tok.line}
	switch {
	case p.is("{") && outer:
		p.advance()
		o.kind = rawVec
		for !p.accept("}") {
			if len(o.vec) == 8 {
				p.fail("a vector has at most 8 elements")
			}
			o.vec = append(o.vec, p.operand(false))
			if !p.is("}") {
				p.expect(",")
			}
		}
	case p.is("[") && outer:
		p.advance()
		p.addressInto(&o)
	case p.accept("!"):
		o.not = true
		o.name = p.name()
	case p.tok.kind == tName && p.tok.text != "WARP_SZ":
		o.name = p.name()
		if p.tok.kind == tDot && len(p.tok.text) == 1 {
			o.name += "." + p.tok.text
			p.advance()
		}
		switch {
		case p.accept("|"):
			o.second = p.name()
		case p.is("+") || p.is("-"):
			o.off = p.offset()
		}
	default:
		o.kind = rawConst
		for p.is("-") || p.is("+") {
			o.consts = append(o.consts, p.tok)
			p.advance()
		}
		o.consts = append(o.consts, p.tok)
		if p.tok.kind != tNumber && p.tok.kind != tFloat && p.tok.kind != tFloat32 && p.tok.kind != tName {
			p.fail("%s where an operand is due", p.shown())
		}
		p.advance()
	}
	return o
}

// offset reads a sum of numbers, signs included.
func (p *parser) offset() int64 {
	var sum int64
	for p.is("+") || p.is("-") {
		neg := p.is("-")
		p.advance()
		if p.accept("-") {
			neg = !neg
		}
		n := int64(p.number(1 << 40))
		if neg {
			n = -n
		}
		sum += n
	}
	return sum
}

func (p *parser) addressInto(o *rawOperand) {
	o.kind = rawAddress
	if p.tok.kind == tName {
		o.hasBase = true
		o.name = p.name()
		o.off = p.offset()
	} else {
		o.off = int64(p.number(1<<63 - 1))
	}
	p.expect("]")
}

// bind sets the operands of in by the form. It returns what is wrong, "" if nothing is.
func (p *parser) bind(in *Inst, f *pattern, raw []rawOperand) string {
	optional := 0
	for _, a := range f.args {
		if strings.HasSuffix(a, "?") {
			optional++
		}
	}
	if len(raw) > len(f.args) || len(raw) < len(f.args)-optional {
		due := fmt.Sprint(len(f.args))
		if optional > 0 {
			due = fmt.Sprintf("%d to %d", len(f.args)-optional, len(f.args))
		}
		return fmt.Sprintf("%d operands where %s are due", len(raw), due)
	}
	missing := len(f.args) - len(raw)
	in.Args = make([]Operand, len(f.args))
	next := 0
	for i, a := range f.args {
		a, opt := strings.CutSuffix(a, "?")
		if opt && missing > 0 {
			missing--
			in.Args[i] = Operand{Kind: IsNothing, Reg: NoReg, Second: NoReg}
			continue
		}
		o, why := p.one(in, a, &raw[next])
		if why != "" {
			return fmt.Sprintf("operand %d: %s", next+1, why)
		}
		in.Args[i] = o
		next++
	}
	return ""
}

// one gives an operand its meaning by the word of a form.
func (p *parser) one(in *Inst, word string, o *rawOperand) (Operand, string) {
	none := Operand{Reg: NoReg, Second: NoReg}
	word, written := strings.CutPrefix(word, "=")
	word, _, paired := strings.Cut(word, "|")
	if o.not && word != "!p" {
		return none, "only a predicate that is read can be negated here, and this one cannot"
	}
	if o.second != "" && !paired {
		return none, "no second register belongs here"
	}
	if n, t, ok := strings.Cut(word, "×"); ok {
		return p.list(o, int(n[0]-'0'), typeByName[t], false, written)
	}
	wider := false
	t := None
	switch word {
	case "L":
		if o.kind != rawName {
			return none, "a label is due"
		}
		return Operand{Kind: IsLabel, Reg: NoReg, Second: NoReg}, ""
	case "B":
		list := p.fn.tables[o.name]
		if o.kind != rawName || list == nil {
			return none, fmt.Sprintf("there is no table of labels %s before this", o.name)
		}
		x := Operand{Kind: IsTable, Reg: NoReg, Second: NoReg, Vec: make([]Operand, len(list))}
		for i := range x.Vec {
			x.Vec[i] = Operand{Kind: IsLabel, Reg: NoReg, Second: NoReg}
		}
		return x, ""
	case "[g]":
		return p.address(in, o)
	case "S":
		if v := p.variableNamed(o); v != nil {
			return Operand{Kind: IsSymbol, Reg: NoReg, Second: NoReg, Var: v, Bits: uint64(o.off)}, ""
		}
		t = in.Type
	case "M":
		return p.moved(in, o, written)
	case "T":
		t = in.Type
	case "F":
		t = in.From
	case "W":
		t = in.Type.wide()
	case "R":
		t, wider = in.Type, true
	case "FR":
		t, wider = in.From, true
	case "V":
		return p.vector(in, o, written)
	case "p", "!p", "pred":
		t = Pred
	default:
		t = typeByName[word]
	}
	return p.scalar(o, t, wider, written)
}

// scalar is a register or constant of type t.
func (p *parser) scalar(o *rawOperand, t Type, wider, written bool) (Operand, string) {
	x := Operand{Reg: NoReg, Second: NoReg, Not: o.not}
	switch o.kind {
	case rawConst:
		if written {
			return x, "a register is due, this is a constant"
		}
		bits, why := p.immediate(o, t)
		x.Kind, x.Bits = IsImm, bits
		return x, why
	case rawName:
	default:
		return x, "a register is due"
	}
	if o.name == "_" && written {
		x.Kind = IsSink
		return x, ""
	}
	if o.off != 0 {
		return x, "a sum belongs into an address"
	}
	if specials[o.name] != NoSpecial {
		return x, fmt.Sprintf("%s can only be read by mov", o.name)
	}
	sym, ok := p.lookup(o.name)
	if !ok || sym.v != nil || sym.label != nil {
		return x, fmt.Sprintf("there is no register %s", o.name)
	}
	r := p.fn.k.Regs[sym.reg]
	if !t.takes(r.Type) && !(wider && t.takesWider(r.Type)) {
		return x, typeError(r, t)
	}
	x.Kind, x.Reg = IsReg, sym.reg
	if o.second != "" {
		q, ok := p.lookup(o.second)
		if !ok || q.v != nil || q.label != nil || p.fn.k.Regs[q.reg].Type != Pred {
			return x, fmt.Sprintf("%s is no predicate", o.second)
		}
		x.Second = q.reg
	}
	return x, ""
}

// immediate reads a constant of type t.
func (p *parser) immediate(o *rawOperand, t Type) (bits uint64, why string) {
	if t == Pred {
		n := o.consts[len(o.consts)-1]
		switch {
		case len(o.consts) == 1 && n.kind == tNumber && n.num <= 1:
			return n.num, ""
		case len(o.consts) == 2 && o.consts[0].text == "-" && n.kind == tNumber && n.num == 1: // how nvcc writes true
			return 1, ""
		}
		return 0, "a predicate is 0, 1 or -1"
	}
	// The reader of constants works on tokens: it gets these, and its error is taken back.
	q := parser{tok: o.consts[0], lex: lexer{src: ""}}
	rest := o.consts[1:]
	neg := false
	for len(rest) > 0 {
		neg = neg != (q.tok.text == "-")
		q.tok, rest = rest[0], rest[1:]
	}
	if neg {
		return q.negated(t)
	}
	ok := q.try(func() { bits = q.constant(t) })
	if !ok {
		return 0, q.errs[0].Msg
	}
	return bits, ""
}

// negated reads the constant in the current token with a minus before it.
func (p *parser) negated(t Type) (bits uint64, why string) {
	number := p.tok
	ok := p.try(func() {
		p.tok = token{kind: tPunct, text: "-", line: number.line}
		p.lex = lexer{src: number.text, line: number.line}
		bits = p.constant(t)
	})
	if !ok {
		return 0, p.errs[0].Msg
	}
	return bits, ""
}

// variableNamed is the variable that an operand names, nil if it names none.
func (p *parser) variableNamed(o *rawOperand) *Var {
	if o.kind != rawName {
		return nil
	}
	sym, ok := p.lookup(o.name)
	if !ok {
		return nil
	}
	return sym.v
}

// address is a place in memory.
func (p *parser) address(in *Inst, o *rawOperand) (Operand, string) {
	x := Operand{Kind: IsAddress, Reg: NoReg, Second: NoReg, Bits: uint64(o.off)}
	if o.kind != rawAddress {
		return x, "an address in brackets is due"
	}
	space := in.Space()
	if !o.hasBase {
		return x, ""
	}
	sym, ok := p.lookup(o.name)
	switch {
	case !ok || sym.label != nil:
		return x, fmt.Sprintf("there is no register or variable %s", o.name)
	case sym.v != nil:
		if sym.v.Space != space {
			return x, fmt.Sprintf("%s is in %s memory, the access goes to %s", o.name, sym.v.Space, space)
		}
		if space == Param && in.Op == "st" && !sym.v.Passed {
			return x, fmt.Sprintf("%s is a parameter of the kernel, which nobody writes", o.name)
		}
		if sym.v.Passed && in.Guard != NoReg {
			return x, fmt.Sprintf("%s is passed by a call, and access to it cannot be guarded", o.name)
		}
		x.Var = sym.v
		return x, ""
	case space == Param && in.Op == "st":
		return x, "a parameter that is written is named, not pointed to"
	}
	r := p.fn.k.Regs[sym.reg]
	narrow := space == Shared || space == Local || space == Const || space == Param
	if !(r.Type.Bits() == 64 || r.Type.Bits() == 32 && narrow) || r.Type.Float() {
		return x, fmt.Sprintf("%s is .%s, which is no address in %s memory", r.Name(), r.Type, space)
	}
	x.Reg = sym.reg
	return x, ""
}

// vector is what a load writes or a store reads: one register, or with .v2 and .v4 as many in braces.
func (p *parser) vector(in *Inst, o *rawOperand, written bool) (Operand, string) {
	n := in.Vec()
	if n == 1 {
		return p.scalar(o, in.Type, true, written)
	}
	return p.list(o, n, in.Type, true, written)
}

func (p *parser) list(o *rawOperand, n int, t Type, wider, written bool) (Operand, string) {
	x := Operand{Kind: IsVec, Reg: NoReg, Second: NoReg}
	if o.kind != rawVec || len(o.vec) != n {
		return x, fmt.Sprintf("a vector of %d is due", n)
	}
	for i := range o.vec {
		if o.vec[i].second != "" || o.vec[i].not {
			return x, "an element of a vector is one register"
		}
		e, why := p.scalar(&o.vec[i], t, wider, written)
		if why != "" {
			return x, fmt.Sprintf("element %d: %s", i, why)
		}
		x.Vec = append(x.Vec, e)
	}
	return x, ""
}

// parts are the types that a move may split a type into, by how many there are.
var parts = map[Type]map[int]Type{
	B32: {2: B16}, B64: {2: B32, 4: B16},
}

// moved is an operand of mov: also special registers, addresses of variables, and vectors that are
// packed or unpacked.
func (p *parser) moved(in *Inst, o *rawOperand, written bool) (Operand, string) {
	x := Operand{Reg: NoReg, Second: NoReg}
	switch {
	case o.kind == rawVec:
		t := parts[in.Type][len(o.vec)]
		if t == None {
			return x, fmt.Sprintf(".%s does not split into %d", in.Type, len(o.vec))
		}
		return p.list(o, len(o.vec), t, false, written)
	case o.kind == rawName && !written && specials[o.name] != NoSpecial:
		s := specials[o.name]
		if !in.Type.takes(s.Type()) && !(s.Type() == U64 && in.Type.Bits() == 32) {
			return x, fmt.Sprintf("%s is .%s, the operand is .%s", o.name, s.Type(), in.Type)
		}
		x.Kind, x.Special = IsSpecial, s
		return x, ""
	case !written && p.variableNamed(o) != nil:
		v := p.variableNamed(o)
		if in.Type.Bits() < 32 || in.Type.Float() || in.Type.Bits() == 32 && (v.Space == Global || v.Space == Param) {
			return x, fmt.Sprintf(".%s does not hold the address of %s", in.Type, v.Name)
		}
		x.Kind, x.Var, x.Bits = IsSymbol, v, uint64(o.off)
		return x, ""
	}
	return p.scalar(o, in.Type, false, written)
}
