package asm

import (
	"encoding/binary"
	"math"
)

func f64Bits(v float64) uint64 { return math.Float64bits(v) }

// maxVarBytes bounds a variable, so that no text makes the reader allocate much.
const maxVarBytes = 1 << 26

// maxConstants is how many bytes the variables in constant memory may have together.
const maxConstants = 64 << 10

// constants checks that the variables in constant memory fit it.
func (p *parser) constants() {
	n := 0
	for _, v := range p.m.Vars {
		if v.Space != Const {
			continue
		}
		n = (n+v.Align-1)&^(v.Align-1) + v.Bytes
		if n > maxConstants {
			p.errorf(v.Line, "with %s the variables in constant memory have %d bytes, %d are possible", v.Name, n, maxConstants)
			return
		}
	}
}

// variables reads a declaration of one or more variables, with its semicolon.
func (p *parser) variables(space Space, extern bool) []*Var {
	first := p.variable(space, extern)
	list := []*Var{first}
	for p.accept(",") {
		v := &Var{Line: p.tok.line, Space: space, Type: first.Type, Align: first.Align, Extern: extern}
		p.named(v)
		list = append(list, v)
	}
	p.expect(";")
	return list
}

// variable reads what follows the state space: alignment, type, name, sizes, contents.
func (p *parser) variable(space Space, extern bool) *Var {
	v := &Var{Line: p.tok.line, Space: space, Extern: extern, Align: 0}
	for p.tok.kind == tDot {
		switch p.tok.text {
		case "align":
			p.advance()
			v.Align = int(p.number(1 << 10))
			if v.Align == 0 || v.Align&(v.Align-1) != 0 {
				p.fail("alignment %d is no power of two", v.Align)
			}
			continue
		case "ptr":
			p.pointer()
			continue
		}
		t, ok := typeByName[p.tok.text]
		if !ok || t == Pred && space != Param {
			p.fail("%s where a type is due", p.shown())
		}
		if v.Type != None {
			p.fail("two types for one variable")
		}
		v.Type = t
		p.advance()
	}
	if v.Type == None || v.Type == Pred {
		p.fail("%s where a type is due", p.shown())
	}
	if v.Align == 0 {
		v.Align = v.Type.Bytes()
	}
	p.named(v)
	return v
}

// pointer reads what is said of memory that a parameter points to.
func (p *parser) pointer() {
	p.advance()
	if p.tok.kind == tDot && spaceNames[p.tok.text] != Generic {
		p.advance()
	}
	if p.tok.kind == tDot && p.tok.text == "align" {
		p.advance()
		p.number(1 << 20)
	}
}

// named reads name, sizes and contents.
func (p *parser) named(v *Var) {
	v.Name = p.name()
	n := uint64(1)
	for p.accept("[") {
		if p.accept("]") {
			n = 0
			continue
		}
		k := p.number(maxVarBytes)
		if n *= k; n > maxVarBytes {
			p.fail("%s has more than %d elements", v.Name, maxVarBytes)
		}
		p.expect("]")
	}
	v.Bytes = int(n) * v.Type.Bytes()
	if v.Bytes > maxVarBytes {
		p.fail("%s has %d bytes, more than %d", v.Name, v.Bytes, maxVarBytes)
	}
	if n == 0 && !(v.Extern && v.Space == Shared) && !(v.Space == Global || v.Space == Const) {
		p.fail("%s has no length", v.Name)
	}
	if p.accept("=") {
		if v.Space != Global && v.Space != Const {
			p.fail("%s is in %s memory, which has no contents at the start", v.Name, v.Space)
		}
		p.contents(v, 0)
		if v.Bytes == 0 {
			v.Bytes = len(v.Init)
		}
		if len(v.Init) > v.Bytes {
			p.errorf(v.Line, "%s has %d bytes and gets %d", v.Name, v.Bytes, len(v.Init))
		}
	}
}

// contents reads the elements of v, in braces of any nesting.
func (p *parser) contents(v *Var, depth int) {
	if p.is("{") {
		if depth > 8 {
			p.fail("braces are nested too deep")
		}
		p.advance()
		for !p.accept("}") {
			p.contents(v, depth+1)
			if !p.is("}") {
				p.expect(",")
			}
		}
		return
	}
	if p.tok.kind == tName {
		p.fail("%s: addresses among the contents of a variable are not simulated", p.tok.text)
	}
	bits := p.constant(v.Type)
	if len(v.Init) >= maxVarBytes {
		p.fail("%s gets more than %d bytes", v.Name, maxVarBytes)
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	v.Init = append(v.Init, b[:min(8, v.Type.Bytes())]...)
}

// constant reads an immediate of type t and returns its bits.
func (p *parser) constant(t Type) uint64 {
	neg := false
	for p.is("-") || p.is("+") {
		neg = neg != p.is("-")
		p.advance()
	}
	tok := p.tok
	bits := tok.num
	switch tok.kind {
	case tNumber:
		if t.Float() && t != F16 && t != BF16 && t != F16x2 && t != BF16x2 {
			p.fail("%s is an integer, and %s takes a float such as %s", tok.text, t, "0f3F800000")
		}
		limit := uint64(1)<<(min(t.Bits(), 63)) - 1
		if t.Bits() == 64 {
			limit = 1<<64 - 1
		}
		if bits > limit && !(neg && bits == limit/2+1) || neg && bits > limit/2+1 {
			p.fail("%s does not fit %d bits", tok.text, t.Bits())
		}
		if neg {
			bits = -bits & limit
		}
	case tFloat, tFloat32:
		if t.Int() || t == Pred || t.Bits() < 32 {
			p.fail("%s is a float, which %s does not take", tok.text, t)
		}
		v := math.Float64frombits(bits)
		wide := tok.kind == tFloat
		switch {
		case !wide && t.Bits() == 64:
			p.fail("%s has 32 bits, and %s takes 64", tok.text, t)
		case wide && t.Bits() == 32:
			bits = uint64(math.Float32bits(float32(v)))
			fallthrough
		case !wide:
			if neg {
				bits ^= 1 << 31
			}
		case neg:
			bits ^= 1 << 63
		}
	case tName:
		if tok.text != "WARP_SZ" {
			p.fail("%s where a constant is due", p.shown())
		}
		bits = 32
	default:
		p.fail("%s where a constant is due", p.shown())
	}
	p.advance()
	return bits
}

// registers reads a .reg declaration after its word.
func (p *parser) registers() {
	if p.tok.kind != tDot {
		p.fail("%s where a type is due", p.shown())
	}
	t, ok := typeByName[p.tok.text]
	if !ok || t.Bits() == 8 || t == B128 {
		p.fail(".%s is no type of a register", p.tok.text)
	}
	p.advance()
	k, s := p.fn.k, p.fn.scopes[len(p.fn.scopes)-1]
	for {
		name := p.name()
		first := Reg(len(k.Regs))
		n := uint64(1)
		numbered := p.accept("<")
		if numbered {
			n = p.number(maxRegs)
			p.expect(">")
		}
		if uint64(len(k.Regs))+n > maxRegs {
			p.fail("%s has more than %d registers", k.Name, maxRegs)
		}
		if _, taken := s.names[name]; taken {
			p.errorf(p.tok.line, "%s is declared twice", name)
		}
		if numbered {
			s.families[name] = family{first, n}
			for i := range n {
				k.Regs = append(k.Regs, RegInfo{name, int32(i), t})
			}
		} else {
			s.names[name] = symbol{reg: first}
			k.Regs = append(k.Regs, RegInfo{name, -1, t})
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
}

// maxRegs bounds the registers of a kernel.
const maxRegs = 1 << 18
