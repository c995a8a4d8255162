package ir

import (
	"fmt"
	"strconv"
)

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

// finish puts the constants behind the parameters, where sealed programs have them, and
// gives every value its row.
func (p *parser) finish() {
	c := p.code
	first := Row(0) // row of the first constant
	for int(first) < len(c.Op) && c.Region[first] == 0 && c.Op[first] == OpArg {
		first++
	}
	n := len(p.consts)
	if rows := len(c.Op) + n; rows > maxRows {
		p.limit("rows", rows, maxRows)
		return
	}
	c.Op = insert(c.Op, first, n, OpConst)
	c.Type = insert(c.Type, first, n, None)
	c.Flags = insert(c.Flags, first, n, 0)
	c.Region = insert(c.Region, first, n, 0)
	c.A = insert(c.A, first, n, NoRow)
	c.B = insert(c.B, first, n, NoRow)
	c.C = insert(c.C, first, n, NoRow)
	c.X = insert(c.X, first, n, 0)
	c.Args = insert(c.Args, first, n, NoArgs)
	c.Debug.PosOf = insert(c.Debug.PosOf, first, n, 0)
	for k, l := range p.consts {
		c.Type[int(first)+k] = l.t
		c.X[int(first)+k] = uint32(k)
		c.Pool = append(c.Pool, l.bits)
	}
	moved := func(v Row) Row {
		switch {
		case v == NoRow || v < first:
			return v
		case v >= firstConst:
			return first + v - firstConst
		}
		return v + Row(n)
	}
	for r := int(first) + n; r < len(c.Op); r++ {
		c.A[r], c.B[r], c.C[r] = moved(c.A[r]), moved(c.B[r]), moved(c.C[r])
		if table[c.Op[r]].Imm == ImmLabel {
			c.X[r] = uint32(moved(Row(c.X[r])))
		}
	}
	for s := 0; s < len(c.Extra); {
		end := s + 1 + int(c.Extra[s])
		for s++; s < end; s++ {
			c.Extra[s] = uint32(moved(Row(c.Extra[s])))
		}
	}
	for i := range c.Regions {
		g := &c.Regions[i]
		if i > 0 {
			g.Op, g.First = moved(g.Op), moved(g.First)
		}
		g.End += Row(n)
	}
	named := 0
	for _, s := range p.names {
		if s != "" {
			named++
		}
	}
	c.Debug.Names = make(map[Row]string, named)
	for r, s := range p.names {
		if s != "" {
			c.Debug.Names[moved(Row(r))] = s
		}
	}
	if p.explicit {
		p.mergePositions()
	}
}

// insert makes room for n elements in front of element at, and fills it with v.
func insert[T any](s []T, at Row, n int, v T) []T {
	old := len(s)
	for range n {
		s = append(s, v)
	}
	copy(s[int(at)+n:], s[at:old])
	for i := range s[at : int(at)+n] {
		s[int(at)+i] = v
	}
	return s
}

// mergePositions makes the positions distinct again: those of the text itself are, but
// several statements may state the same one.
func (p *parser) mergePositions() {
	d := &p.code.Debug
	index := make(map[Pos]uint32, len(d.Positions))
	to := make([]uint32, len(d.Positions)+1)
	kept := d.Positions[:0]
	for i, pos := range d.Positions {
		k, ok := index[pos]
		if !ok {
			kept = append(kept, pos)
			k = uint32(len(kept))
			index[pos] = k
		}
		to[i+1] = k
	}
	d.Positions = kept
	for r, k := range d.PosOf {
		d.PosOf[r] = to[k]
	}
}

// parsePos reads what follows the exclamation mark of a position.
func parsePos(s string) (pos Pos, ok bool) {
	rest := s
	if s != "" && s[0] == '"' {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return pos, false
		}
		if pos.File, err = strconv.Unquote(quoted); err != nil {
			return pos, false
		}
		rest = s[len(quoted):]
	} else {
		i := 0
		for i < len(s) && s[i] != ':' {
			i++
		}
		pos.File, rest = s[:i], s[i:]
	}
	if pos.Line, rest, ok = colonNumber(rest); !ok {
		return pos, false
	}
	if rest != "" {
		if pos.Col, rest, ok = colonNumber(rest); !ok {
			return pos, false
		}
	}
	return pos, rest == "" && pos.Line > 0
}

// colonNumber reads ":n" in front of s.
func colonNumber(s string) (n int, rest string, ok bool) {
	if s == "" || s[0] != ':' {
		return 0, s, false
	}
	i := 1
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n, err := strconv.Atoi(s[1:i])
	return n, s[i:], err == nil && n <= 1<<31-1
}

// appendPos writes a position so that parsePos reads it.
func appendPos(b []byte, pos Pos) []byte {
	plain := pos.File != ""
	for i := range len(pos.File) {
		c := pos.File[i]
		plain = plain && (identByte[c] || c == '/' || c == '-' || c == '+' || c == '@')
	}
	b = append(b, '!')
	if plain {
		b = append(b, pos.File...)
	} else {
		b = strconv.AppendQuote(b, pos.File)
	}
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(pos.Line), 10)
	if pos.Col > 0 {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(pos.Col), 10)
	}
	return b
}
