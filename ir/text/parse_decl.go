package text

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// parseKernel reads a kernel after its keyword, and adds its code even if it is broken.
func (p *parser) parseKernel() {
	p.kernel = kernel{
		code:    &ir.Code{},
		values:  map[string]ir.Row{noName: unknownRow},
		labels:  map[string]ir.Row{noName: 0},
		objects: map[string]ir.Object{},
		constOf: map[literal.Const]ir.Row{},
		frames:  p.frames[:0],
		names:   p.names[:0],
		numbers: p.numbers[:0],
		ops:     p.ops[:0],
		vals:    p.vals[:0],
	}
	p.codes = append(p.codes, p.code)
	p.reserve()
	if !p.parseHead() {
		p.skipToKernel()
		return
	}
	p.code.Regions = append(p.code.Regions, ir.Region{Op: ir.NoRow})
	p.frames = append(p.frames, frame{row: ir.NoRow})
	p.parseDecls()
	for len(p.frames) > 0 {
		if p.tok.kind == tokEOF {
			p.syntax(fmt.Sprintf("kernel @%s is not closed: expected \"}\"", p.code.Name))
			return
		}
		p.parseStatement()
	}
	p.finish()
}

// reserve makes room for about as many rows as the kernel has lines, but for no more than
// its bytes can possibly spell.
func (p *parser) reserve() {
	text := p.src[p.pos:]
	if i := strings.Index(text, "\nkernel "); i >= 0 {
		text = text[:i]
	}
	const shortest = 12 // bytes of a statement, about
	n := min(strings.Count(text, "\n"), len(text)/shortest, limits.Rows)
	c := p.code
	c.Grow(n + n/4)
	c.Debug.PosOf = make([]uint32, 0, n+n/4)
	c.Debug.Positions = make([]ir.Pos, 0, n)
}

// parseHead reads the name, the workgroup and the opening brace.
func (p *parser) parseHead() bool {
	name, ok := p.take(tokObject, "the kernel's name, @name")
	if !ok {
		return false
	}
	if p.named[name.text] {
		p.report(name, "VT004", fmt.Sprintf("kernel @%s is defined twice", name.text), "")
	}
	p.named[name.text] = true
	p.code.Name = name.text
	if !p.word("workgroup") {
		p.syntax("expected the workgroup, workgroup(x, y, z)")
		return false
	}
	if !p.expect('(', "after workgroup") {
		return false
	}
	p.code.Workgroup = [3]uint32{1, 1, 1}
	for axis := range 3 {
		n, ok := p.count("the workgroup's size", 1<<32-1)
		if !ok {
			return false
		}
		p.code.Workgroup[axis] = uint32(n)
		if !p.punct(',') {
			break
		}
	}
	return p.expect(')', "after the workgroup") && p.expect('{', "before the kernel's body")
}

// count takes a plain number.
func (p *parser) count(what string, most uint64) (uint64, bool) {
	t := p.tok
	if t.kind != tokNumber || !literal.AllDigits(t.text) {
		p.syntax("expected " + what + ", a number")
		return 0, false
	}
	p.advance()
	n, err := strconv.ParseUint(t.text, 10, 64)
	if err != nil || n > most {
		p.report(t, "VT005", fmt.Sprintf("%s: %s, at most %d", what, t.text, most), "")
		return 0, true
	}
	return n, true
}

// parseDecls reads the declarations and numbers the objects.
func (p *parser) parseDecls() {
	var arrays []arrayDecl
	for {
		ok, start := true, p.tokens
		switch {
		case p.word("param"):
			ok = p.parseParam()
		case p.isWord("shared"), p.isWord("local"), p.isWord("table"):
			var a arrayDecl
			if a, ok = p.parseArray(); ok {
				arrays = append(arrays, a)
			}
		default:
			p.numberArrays(arrays)
			return
		}
		if !ok {
			p.resync(start)
		}
		for p.punct(';') {
		}
	}
}

func (p *parser) parseParam() bool {
	if len(p.code.Params) == limits.Params {
		p.limit("parameters", limits.Params+1, limits.Params)
		return false
	}
	name := p.tok
	p.advance()
	param := ir.Param{Name: name.text, Pos: p.posOf(name)}
	switch name.kind {
	case tokObject:
		p.defineObject(name, ir.Object(p.code.Buffers()))
		p.code.Params = append(p.code.Params, param)
		return p.parseBuffer(&p.code.Params[len(p.code.Params)-1])
	case tokValue:
		if !p.expect(':', "before the parameter's type") {
			return false
		}
		t, ok := p.scalarType()
		if !ok {
			return false
		}
		param.Type = t
		if literal.AllDigits(param.Name) {
			param.Name = ""
		}
		p.code.Params = append(p.code.Params, param)
		p.place(name)
		p.define(name, p.emit(ir.OpArg, t.Value(), 0, uint32(p.code.Rows())))
		return true
	}
	p.report(name, "VT002", "expected a parameter, @buffer or %scalar, found "+literal.Clip(name.text), "")
	return false
}

// parseBuffer reads a buffer parameter after its name.
func (p *parser) parseBuffer(b *ir.Param) bool {
	b.Access, b.Align, b.MaxLen = ir.RW, ir.AlignAuto, ir.DefaultMaxLen
	if !p.expect(':', "before the buffer's type") {
		return false
	}
	if !p.word("buf") {
		p.syntax("expected buf<type>")
		return false
	}
	if !p.expect('<', "before the element type") {
		return false
	}
	ok := true
	if p.punct('{') {
		b.Record, ok = p.record()
	} else {
		b.Type, ok = p.scalarType()
	}
	if !ok || !p.expect('>', "after the element type") {
		return false
	}
	switch {
	case p.word("ro"):
		b.Access = ir.RO
	case p.word("wo"):
		b.Access = ir.WO
	case p.word("rw"):
	default:
		p.syntax("expected the access right, ro, wo or rw")
		return false
	}
	if p.word("max") {
		if b.MaxLen, ok = p.count("max", 1<<63); !ok {
			return false
		}
	}
	if p.isWord("align") {
		p.advance()
		at := p.tok
		n, ok := p.count("align", 1<<31)
		if !ok {
			return false
		}
		if bits.OnesCount64(n) != 1 {
			p.report(at, "VT005", fmt.Sprintf("align %d is no power of two", n), "")
			return true
		}
		b.Align = uint8(bits.TrailingZeros64(n))
	}
	return true
}

// record reads the layout of a record after its brace: {pad type [count] @offset, …; stride align n}.
func (p *parser) record() (*ir.Record, bool) {
	l := &ir.Record{}
	end := 0
	for {
		f := ir.RecordField{Offset: end, Count: 1, Pad: p.word("pad")}
		var ok bool
		if f.Type, ok = p.scalarType(); !ok {
			return nil, false
		}
		if p.punct('[') {
			n, ok := p.count("the elements of a field", ir.MaxStride)
			if !ok || !p.expect(']', "after the elements of a field") {
				return nil, false
			}
			f.Count = int(n)
		}
		if p.tok.kind == tokObject {
			n, err := strconv.ParseUint(p.tok.text, 10, 16)
			if err != nil {
				p.report(p.tok, "VT005", fmt.Sprintf("@%s is no offset of a field", p.tok.text), "")
			}
			f.Offset = int(n)
			p.advance()
		}
		end = f.Offset + f.Count*f.Type.Size()
		l.Align = max(l.Align, log2(f.Type.Size()))
		if l.Fields = append(l.Fields, f); len(l.Fields) > ir.MaxFields {
			p.limit("fields of a record", len(l.Fields), ir.MaxFields)
			return nil, false
		}
		if !p.punct(',') {
			break
		}
	}
	if !p.expect(';', "before the bytes of a record") {
		return nil, false
	}
	n, ok := p.count("the bytes of a record", ir.MaxStride)
	l.Stride = int(n)
	if ok && p.isWord("align") {
		p.advance()
		at := p.tok
		if n, ok = p.count("align", 1<<ir.MaxRecordAlign); ok && bits.OnesCount64(n) != 1 {
			p.report(at, "VT005", fmt.Sprintf("align %d is no power of two", n), "")
		} else {
			l.Align = uint8(bits.TrailingZeros64(n))
		}
	}
	return l, ok && p.expect('}', "after the bytes of a record")
}

func (p *parser) defineObject(name token, o ir.Object) {
	if _, dup := p.objects[name.text]; dup {
		p.report(name, "VT004", fmt.Sprintf("@%s is defined twice", name.text), "")
	}
	p.objects[name.text] = o
}

// scalarType reads an element type.
func (p *parser) scalarType() (ir.Type, bool) {
	if p.tok.kind == tokIdent {
		if t := ir.ParseType(p.tok.text); t != ir.None {
			p.advance()
			return t, true
		}
	}
	p.syntax("expected a type such as u32")
	return ir.None, false
}

// valueType reads the type of a value, maybe a vector.
func (p *parser) valueType() (ir.Type, bool) {
	if p.tok.kind == tokIdent {
		if t := typeByName(p.tok.text); t != ir.None {
			p.advance()
			return t, true
		}
	}
	p.syntax("expected a type such as u32 or v4.f32")
	return ir.None, false
}

// typeByName is ParseType with vectors.
func typeByName(s string) ir.Type {
	lanes := ir.Type(0)
	if rest, ok := strings.CutPrefix(s, "v2."); ok {
		s, lanes = rest, ir.V2
	} else if rest, ok := strings.CutPrefix(s, "v4."); ok {
		s, lanes = rest, ir.V4
	}
	t := ir.ParseType(s)
	if t == ir.None {
		return ir.None
	}
	return t | lanes
}
