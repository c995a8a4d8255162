package text

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// frame is an open region and the structured op that owns it; the first is the body.
type frame struct {
	op      ir.Op
	row     ir.Row // of the op
	region  uint32 // of the arm that is open
	els     bool   // that is the second one
	ended   bool   // the region's last own row is a terminator
	results int    // where the op's names and types start in the stacks
	types   int
	named   bool // the statement names its results
	at      uint32
}

func (p *parser) top() *frame { return &p.frames[len(p.frames)-1] }

// parseStatement reads one statement, the head of a structured one, or the end of a body.
func (p *parser) parseStatement() {
	switch p.tok.kind {
	case ';':
		p.advance()
		return
	case '}':
		p.closeBody()
		return
	}
	if start := p.tokens; !p.parseOne() {
		// What the statement would have defined is known to be missing.
		for _, v := range p.vals {
			if _, ok := p.lookup(v.text); !ok {
				p.setName(v.text, unknownRow)
			}
		}
		p.resync(start)
	}
}

func (p *parser) parseOne() bool {
	p.place(p.tok)
	p.vals = p.vals[:0]
	if p.tok.kind == tokValue {
		for {
			v, ok := p.take(tokValue, "a value name, %name")
			if !ok {
				return false
			}
			p.vals = append(p.vals, v)
			if !p.punct(',') {
				break
			}
		}
		if !p.expect('=', "after the names of the results") {
			return false
		}
	}
	word, ok := p.take(tokIdent, "a statement")
	if !ok {
		return false
	}
	m, ok := p.mnemonic(word)
	if !ok {
		return false
	}
	switch {
	case m.op.Info().Attr&ir.Structured != 0:
		return p.parseStructured(m.op)
	case m.op.Info().Attr&ir.Terminator != 0:
		return p.parseExit(word, m.op) && p.endStatement(ir.Row(p.code.Rows())-1)
	}
	return p.parseSimple(word, m) && p.endStatement(ir.Row(p.code.Rows())-1)
}

// place gives the rows that follow the position of t.
func (p *parser) place(t token) {
	d := &p.code.Debug
	d.Positions = append(d.Positions, p.posOf(t))
	p.at = uint32(len(d.Positions))
}

// endStatement reads what may follow the statement of row r: marks, then a line's end.
func (p *parser) endStatement(r ir.Row) bool {
	for p.tok.kind == tokMark && !p.tok.nl {
		pos, place := parsePos(p.tok.text)
		switch {
		case p.tok.text == "inb":
			if !p.trusted {
				p.fail("VT002", "!inb is a proof, which no text can bring", "leave it out; the optimiser finds it again")
			}
			p.code.Flags[r] |= ir.InBounds
		case p.tok.text == "checked":
			if !p.trusted && p.code.Op[r] == ir.OpTrace {
				p.fail("VT002", "!checked marks a trace that memcheck put there, which no text can bring", "leave it out")
			}
			p.code.Flags[r] |= ir.Checked
		case place:
			p.code.Debug.Positions[p.at-1] = pos
			p.explicit = true
		default:
			p.fail("VT001", "the mark "+literal.Clip("!"+p.tok.text)+" is neither !inb nor !checked nor a position", "write !file:line or !file:line:col")
			return false
		}
		p.advance()
	}
	if p.tok.nl || p.tok.kind == ';' || p.tok.kind == '}' || p.tok.kind == tokEOF {
		return true
	}
	p.syntax("expected the end of the statement")
	return false
}

// parseExit reads a terminator after its word.
func (p *parser) parseExit(word token, op ir.Op) bool {
	if len(p.vals) > 0 {
		p.broke(p.vals[0], "VY011", op.Info().Name, "no", "it is named %"+p.vals[0].text)
	}
	in := op.Info()
	var x uint32
	p.ops = p.ops[:0]
	if in.Imm == ir.ImmLabel {
		label, ok := p.take(tokLabel, "the label to leave to, ^name")
		if !ok {
			return false
		}
		target, ok := p.labels[label.text]
		if !ok {
			p.report(label, "VT003", fmt.Sprintf("^%s is not defined", label.text), "")
		}
		x = uint32(target)
		if !p.tok.nl && p.punct('(') && !p.punct(')') {
			if !p.operands() || !p.expect(')', "after the values") {
				return false
			}
		}
	} else if in.List && p.startsOperand() && !p.operands() {
		return false
	}
	p.emitList(op, ir.None, 0, x, p.ops)
	return true
}

// startsOperand reports whether an operand stands on the statement's line.
func (p *parser) startsOperand() bool {
	if p.tok.nl {
		return false
	}
	switch p.tok.kind {
	case tokValue, tokNumber, tokIdent, tokObject, tokImm:
		return true
	}
	return false
}

// operands reads a list of values into p.ops.
func (p *parser) operands() bool {
	for {
		v, ok := p.operand()
		if !ok {
			return false
		}
		p.ops = append(p.ops, v)
		if !p.punct(',') {
			return true
		}
	}
}

// operand reads a value: a name or a literal.
func (p *parser) operand() (ir.Row, bool) {
	t := p.tok
	switch t.kind {
	case tokValue:
		p.advance()
		v, ok := p.lookup(t.text)
		if !ok {
			p.report(t, "VT003", fmt.Sprintf("%%%s is not defined", t.text), "")
			p.setName(t.text, unknownRow)
			return unknownRow, true
		}
		return v, true
	case tokNumber, tokIdent:
		typ, bits, code, msg := literal.Parse(t.text)
		if code == "VT001" && t.kind == tokIdent {
			break
		}
		p.advance()
		if code != "" {
			fix := ""
			if code == "VT001" {
				fix = "write it with its type, such as 1_u32"
			}
			p.report(t, code, msg, fix)
			return unknownRow, true
		}
		return p.constant(literal.Const{Type: typ, Bits: bits}), true
	}
	p.syntax("expected a value, %name or a literal")
	return 0, false
}

// constant returns the id of a constant.
func (p *parser) constant(l literal.Const) ir.Row {
	if v, ok := p.constOf[l]; ok {
		return v
	}
	v := firstConst + ir.Row(len(p.consts))
	if len(p.consts) == limits.Pool {
		p.limit("pool entries", limits.Pool+1, limits.Pool)
	}
	p.consts = append(p.consts, l)
	p.constOf[l] = v
	return v
}

// typeOf returns the type of a value, None if it is not known.
func (p *parser) typeOf(v ir.Row) ir.Type {
	switch {
	case v == unknownRow || v == ir.NoRow:
		return ir.None
	case v >= firstConst:
		return p.consts[v-firstConst].Type
	}
	return p.code.Type[v]
}

// lookup returns the value with a name.
func (p *parser) lookup(name string) (ir.Row, bool) {
	if n, ok := smallNumber(name); ok && n < len(p.numbers) && p.numbers[n] != ir.NoRow {
		return p.numbers[n], true
	}
	v, ok := p.values[name]
	return v, ok
}

// setName binds a name. Numbers, which the printer gives by the thousand, need no hash
// as long as they are dense.
func (p *parser) setName(name string, v ir.Row) {
	n, ok := smallNumber(name)
	if !ok || n > 2*p.code.Rows()+limits.Params {
		p.values[name] = v
		return
	}
	for n >= len(p.numbers) {
		p.numbers = append(p.numbers, ir.NoRow)
	}
	p.numbers[n] = v
}

// smallNumber reads a name that is a number of at most seven digits, without a zero in front.
func smallNumber(name string) (n int, ok bool) {
	if len(name) > 7 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	for i := range len(name) {
		if !literal.IsDigit(name[i]) {
			return 0, false
		}
		n = n*10 + int(name[i]-'0')
	}
	return n, true
}

// define names row v on behalf of the token.
func (p *parser) define(name token, v ir.Row) {
	if old, dup := p.lookup(name.text); dup {
		if old != unknownRow {
			p.report(name, "VT004", fmt.Sprintf("%%%s is defined twice", name.text), "")
		}
	}
	p.setName(name.text, v)
	if !literal.AllDigits(name.text) {
		p.names[v] = name.text
	}
}

// emit adds a row to the open region.
func (p *parser) emit(op ir.Op, t ir.Type, f ir.Flags, x uint32, ops ...ir.Row) ir.Row {
	c := p.code
	r := ir.Row(len(c.Op))
	if r == limits.Rows {
		p.limit("rows", limits.Rows+1, limits.Rows)
	}
	operand := [3]ir.Row{ir.NoRow, ir.NoRow, ir.NoRow}
	copy(operand[:], ops)
	top := p.top()
	c.Op = append(c.Op, op)
	c.Type = append(c.Type, t)
	c.Flags = append(c.Flags, f)
	c.Region = append(c.Region, top.region)
	c.A = append(c.A, operand[0])
	c.B = append(c.B, operand[1])
	c.C = append(c.C, operand[2])
	c.X = append(c.X, x)
	c.Args = append(c.Args, ir.NoArgs)
	c.Debug.PosOf = append(c.Debug.PosOf, p.at)
	p.names = append(p.names, "")
	top.ended = op.Info().Attr&ir.Terminator != 0
	return r
}

// emitList adds a row with a list of operands.
func (p *parser) emitList(op ir.Op, t ir.Type, f ir.Flags, x uint32, list []ir.Row) ir.Row {
	r := p.emit(op, t, f, x)
	if len(list) == 0 {
		return r
	}
	c := p.code
	if len(list) > limits.List {
		p.limit("variable operands", len(list), limits.List)
	}
	if n := len(c.Extra) + 1 + len(list); n > limits.Extra {
		p.limit("extra operands", n, limits.Extra)
		return r
	}
	c.Args[r] = uint32(len(c.Extra))
	c.Extra = append(c.Extra, uint32(len(list)))
	for _, v := range list {
		c.Extra = append(c.Extra, uint32(v))
	}
	return r
}
