package text

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// parseStructured reads the head of an if, a loop or a block and opens its first region.
func (p *parser) parseStructured(op ir.Op) bool {
	if len(p.frames) > limits.Nesting {
		p.limit("nesting", len(p.frames), limits.Nesting)
		return false
	}
	f := frame{op: op, results: len(p.results), types: len(p.types), at: p.at, named: len(p.vals) > 0}
	p.ops = p.ops[:0]
	var args []loopArg
	var label token
	ok := true
	switch op {
	case ir.OpIf:
		var c ir.Row
		c, ok = p.operand()
		p.ops = append(p.ops, c)
	case ir.OpLoop:
		if label, ok = p.take(tokLabel, "the loop's label, ^name"); ok {
			args, ok = p.loopArgs()
		}
	case ir.OpBlock:
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
	var flags ir.Flags
	if op == ir.OpLoop && p.isWord("unroll") {
		p.advance()
		n, ok := p.count("unroll", 255)
		if !ok {
			return false
		}
		flags = flags.WithUnroll(int(n))
	}
	if p.tok.kind != '{' {
		p.syntax("expected \"{\" before the body of " + op.Info().Name)
		p.types = p.types[:f.types]
		return false
	}
	if n := len(p.types) - f.types; f.named && n != len(p.vals) {
		p.report(p.vals[0], "VT002", fmt.Sprintf("%d names for %d results", len(p.vals), n), "state one type after -> for each name")
		f.named = false
		for _, v := range p.vals {
			p.setName(v.text, unknownRow)
		}
	}
	if f.named {
		p.results = append(p.results, p.vals...)
	}
	p.advance()

	owns := op.Info().Owns
	if n := len(p.code.Regions) + owns; n > limits.Regions {
		p.limit("regions", n, limits.Regions)
	}
	f.region = uint32(len(p.code.Regions))
	if op == ir.OpIf {
		f.row = p.emit(op, ir.None, flags, f.region, p.ops...)
	} else {
		f.row = p.emitList(op, ir.None, flags, f.region, p.ops)
	}
	for range owns {
		p.code.Regions = append(p.code.Regions, ir.Region{Op: f.row})
	}
	p.code.Regions[f.region].First = ir.Row(p.code.Rows())
	p.frames = append(p.frames, f)
	if label.text != "" {
		p.defineLabel(label, f.row)
	}
	for k, a := range args {
		p.define(a.name, p.emit(ir.OpArg, a.typ, 0, uint32(k)))
	}
	return true
}

// loopArg is an argument of a loop; its first value is in p.ops.
type loopArg struct {
	name token
	typ  ir.Type
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

// resultTypes reads the types after an arrow onto the stack.
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

func (p *parser) defineLabel(label token, r ir.Row) {
	if _, dup := p.labels[label.text]; dup {
		p.report(label, "VT004", fmt.Sprintf("^%s is defined twice", label.text), "")
	}
	p.labels[label.text] = r
	if !literal.AllDigits(label.text) {
		p.names[r] = label.text
	}
}

// closeBody ends the open region at its brace: with the exit that the text may leave
// out, and with the op's results if it was the last region.
func (p *parser) closeBody() {
	f := p.top()
	if !f.ended {
		switch f.op {
		case 0:
			p.place(p.tok)
			p.emit(ir.OpReturn, ir.None, 0, 0)
		case ir.OpIf:
			p.place(p.tok)
			p.emit(ir.OpYield, ir.None, 0, 0)
		}
	}
	p.advance()
	start := p.tokens
	regions := p.code.Regions
	regions[f.region].End = ir.Row(p.code.Rows())
	if f.op == 0 {
		p.frames = p.frames[:0]
		return
	}
	p.at = f.at
	if f.op == ir.OpIf && !f.els {
		f.els = true
		f.region++
		f.ended = false
		regions[f.region].First = ir.Row(p.code.Rows())
		if p.word("else") {
			if !p.expect('{', "after else") {
				p.resync(start)
			}
			return
		}
		p.emit(ir.OpYield, ir.None, 0, 0)
		regions[f.region].End = ir.Row(p.code.Rows())
	}
	closed := *f
	p.frames = p.frames[:len(p.frames)-1]
	for k, t := range p.types[closed.types:] {
		r := p.emit(ir.OpRes, t, 0, uint32(k))
		if closed.named {
			p.define(p.results[closed.results+k], r)
		}
	}
	p.types, p.results = p.types[:closed.types], p.results[:closed.results]
	if !p.endStatement(closed.row) {
		p.resync(start)
	}
}
