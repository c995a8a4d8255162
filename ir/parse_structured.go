package ir

import "fmt"

// parseStructured reads the head of an if, a loop or a block and opens its first region.
func (p *parser) parseStructured(op Op) bool {
	if len(p.frames) > maxNesting {
		p.limit("nesting", len(p.frames), maxNesting)
		return false
	}
	f := frame{op: op, results: len(p.results), types: len(p.types), at: p.at, named: len(p.vals) > 0}
	p.ops = p.ops[:0]
	var args []loopArg
	var label token
	ok := true
	switch op {
	case OpIf:
		var c Row
		c, ok = p.operand()
		p.ops = append(p.ops, c)
	case OpLoop:
		if label, ok = p.take(tokLabel, "the loop's label, ^name"); ok {
			args, ok = p.loopArgs()
		}
	case OpBlock:
		label, ok = p.take(tokLabel, "the block's label, ^name")
	}
	if !ok {
		return false
	}
	if p.tok.kind == tokArrow {
		p.advance()
		if !p.resultTypes() {
			p.types = p.types[:f.types]
			return false
		}
	}
	var flags Flags
	if op == OpLoop && p.isWord("unroll") {
		p.advance()
		n, ok := p.count("unroll", 255)
		if !ok {
			return false
		}
		flags = flags.WithUnroll(int(n))
	}
	if p.tok.kind != '{' {
		p.syntax("expected \"{\" before the body of " + table[op].Name)
		p.types = p.types[:f.types]
		return false
	}
	if n := len(p.types) - f.types; f.named && n != len(p.vals) {
		p.report(p.vals[0], "VT002", fmt.Sprintf("%d names for %d results", len(p.vals), n), "state one type behind -> for each name")
		f.named = false
		for _, v := range p.vals {
			p.setName(v.text, unknownRow)
		}
	}
	if f.named {
		p.results = append(p.results, p.vals...)
	}
	p.advance()

	owns := table[op].Owns
	if n := len(p.code.Regions) + owns; n > maxRegions {
		p.limit("regions", n, maxRegions)
	}
	f.region = uint32(len(p.code.Regions))
	if op == OpIf {
		f.row = p.emit(op, None, flags, f.region, p.ops...)
	} else {
		f.row = p.emitList(op, None, flags, f.region, p.ops)
	}
	for range owns {
		p.code.Regions = append(p.code.Regions, Region{Op: f.row})
	}
	p.code.Regions[f.region].First = Row(p.code.Rows())
	p.frames = append(p.frames, f)
	if label.text != "" {
		p.defineLabel(label, f.row)
	}
	for k, a := range args {
		p.define(a.name, p.emit(OpArg, a.typ, 0, uint32(k)))
	}
	return true
}

// loopArg is an argument of a loop; its first value is in p.ops.
type loopArg struct {
	name token
	typ  Type
}

func (p *parser) loopArgs() ([]loopArg, bool) {
	if !p.expect('(', "after the loop's label") {
		return nil, false
	}
	var args []loopArg
	for p.tok.kind != ')' {
		name, ok := p.take(tokValue, "an argument, %name: type = value")
		if !ok || !p.expect(':', "before the argument's type") {
			return nil, false
		}
		t, ok := p.valueType()
		if !ok || !p.expect('=', "before the argument's first value") {
			return nil, false
		}
		v, ok := p.operand()
		if !ok {
			return nil, false
		}
		args = append(args, loopArg{name, t})
		p.ops = append(p.ops, v)
		if !p.punct(',') {
			break
		}
	}
	return args, p.expect(')', "after the loop's arguments")
}

// resultTypes reads the types behind an arrow onto the stack.
func (p *parser) resultTypes() bool {
	if !p.expect('(', "after \"->\"") {
		return false
	}
	for {
		t, ok := p.valueType()
		if !ok {
			return false
		}
		p.types = append(p.types, t)
		if !p.punct(',') {
			return p.expect(')', "after the result types")
		}
	}
}

func (p *parser) defineLabel(label token, r Row) {
	if _, dup := p.labels[label.text]; dup {
		p.report(label, "VT004", fmt.Sprintf("^%s is defined twice", label.text), "")
	}
	p.labels[label.text] = r
	if !allDigits(label.text) {
		p.names[r] = label.text
	}
}

// closeBody ends the open region at its brace: with the exit that the text may leave
// out, and with the op's results if it was the last region.
func (p *parser) closeBody() {
	f := p.top()
	if table[f.last].Attr&Terminator == 0 {
		switch f.op {
		case 0:
			p.place(p.tok)
			p.emit(OpReturn, None, 0, 0)
		case OpIf:
			p.place(p.tok)
			p.emit(OpYield, None, 0, 0)
		}
	}
	p.advance()
	start := p.tokens
	regions := p.code.Regions
	regions[f.region].End = Row(p.code.Rows())
	if f.op == 0 {
		p.frames = p.frames[:0]
		return
	}
	p.at = f.at
	if f.op == OpIf && !f.els {
		f.els = true
		f.region++
		f.last = 0
		regions[f.region].First = Row(p.code.Rows())
		if p.word("else") {
			if !p.expect('{', "after else") {
				p.resync(start)
			}
			return
		}
		p.emit(OpYield, None, 0, 0)
		regions[f.region].End = Row(p.code.Rows())
	}
	closed := *f
	p.frames = p.frames[:len(p.frames)-1]
	for k, t := range p.types[closed.types:] {
		r := p.emit(OpRes, t, 0, uint32(k))
		if closed.named {
			p.define(p.results[closed.results+k], r)
		}
	}
	p.types, p.results = p.types[:closed.types], p.results[:closed.results]
	if !p.endStatement(closed.row) {
		p.resync(start)
	}
}
