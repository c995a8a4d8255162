package text

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// arrayDecl is an array with the token that names it.
type arrayDecl struct {
	ir.Array
	at token
}

// parseArray reads a shared or local array or a table with its keyword.
func (p *parser) parseArray() (arrayDecl, bool) {
	a := arrayDecl{Array: ir.Array{Shared: p.tok.text == "shared"}}
	table := p.tok.text == "table"
	p.advance()
	var ok bool
	if a.at, ok = p.take(tokObject, "the array's name, @name"); !ok {
		return a, false
	}
	a.Name, a.Pos = a.at.text, p.posOf(a.at)
	if !p.expect(':', "before the array's type") {
		return a, false
	}
	if a.Type, ok = p.scalarType(); !ok {
		return a, false
	}
	if !p.expect('[', "before the array's length") {
		return a, false
	}
	if p.punct('?') {
		a.Len = ir.RestLen
	} else if a.Len, ok = p.count("the array's length", ir.RestLen-1); !ok {
		return a, false
	}
	if !p.expect(']', "after the array's length") {
		return a, false
	}
	return a, !table || p.parseTable(&a)
}

// parseTable reads the elements of a table: = {element, …}, as many as it has.
func (p *parser) parseTable(a *arrayDecl) bool {
	if !p.expect('=', "before the elements of a table") || !p.expect('{', "before the elements of a table") {
		return false
	}
	if a.AddBytes(0) > ir.MaxTableBytes {
		p.limit("bytes of table @"+a.Name, int(min(a.AddBytes(0), 1<<40)), ir.MaxTableBytes)
		return false
	}
	var bytes []byte
	n := uint64(0)
	for p.tok.kind == tokNumber || p.tok.kind == tokIdent {
		bits, code, msg := literal.ParseElem(a.Type, p.tok.text)
		if code != "" {
			p.report(p.tok, code, msg, "")
		}
		if n++; n <= a.Len {
			bytes = a.Type.AppendElem(bytes, bits)
		}
		p.advance()
		if !p.punct(',') {
			break
		}
	}
	if n != a.Len || n == 0 {
		p.report(a.at, "VT005", fmt.Sprintf("table @%s has %d elements, and %d in braces", a.Name, a.Len, n), "")
	}
	a.Table = string(bytes)
	return p.expect('}', "after the elements of a table")
}

// numberArrays puts shared arrays before local ones and these before tables, wherever they were declared, and
// numbers them after the buffers.
func (p *parser) numberArrays(arrays []arrayDecl) {
	if len(arrays) > limits.Arrays {
		p.limit("arrays", len(arrays), limits.Arrays)
		return
	}
	for _, kind := range ir.ArrayKinds {
		for _, a := range arrays {
			if a.Kind() == kind {
				p.defineObject(a.at, ir.Object(p.code.Buffers()+len(p.code.Arrays)))
				p.code.Arrays = append(p.code.Arrays, a.Array)
			}
		}
	}
	for i := range p.code.Params {
		if q := &p.code.Params[i]; q.IsBuffer() && literal.AllDigits(q.Name) {
			q.Name = ""
		}
	}
	for i := range p.code.Arrays {
		if a := &p.code.Arrays[i]; literal.AllDigits(a.Name) {
			a.Name = ""
		}
	}
	p.objs = p.code.Objects()
}
