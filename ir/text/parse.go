package text

import (
	"fmt"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/finding"
	"github.com/govyre/vyre/ir/internal/literal"
	"github.com/govyre/vyre/ir/verify"
)

// maxFindings ends a parse: what comes after so many findings is noise.
const maxFindings = 50

// Parse reads a text file and seals its kernels, in the order of the file. The error is
// a Diags with every finding, of the text and of the verifier. Rows without a position
// of their own get that of their statement in the text.
func Parse(filename, src string) ([]*ir.Program, error) {
	return parseSealed(filename, src, false)
}

// ParseTrusted is Parse for text that a pass wrote: it takes `!inb` at its word.
func ParseTrusted(filename, src string) ([]*ir.Program, error) {
	return parseSealed(filename, src, true)
}

// ParseCode reads a text file without sealing: only what the columns cannot hold is an
// error. It is for programs that a pass works on, or that the verifier should see.
func ParseCode(filename, src string) ([]*ir.Code, error) {
	p := parseFile(filename, src, true)
	if len(p.diags) > 0 {
		return nil, p.diags
	}
	return p.codes, nil
}

func parseSealed(filename, src string, trusted bool) ([]*ir.Program, error) {
	p := parseFile(filename, src, trusted)
	diags := p.diags
	var programs []*ir.Program
	for i, c := range p.codes {
		if p.broken[i] {
			continue
		}
		sealed, err := verify.Seal(c)
		if ds, ok := err.(ir.Diags); ok {
			diags = append(diags, ds...)
		}
		programs = append(programs, sealed)
	}
	if len(diags) > 0 {
		return nil, diags
	}
	return programs, nil
}

// parser reads one file. It keeps one token of lookahead, and the open structured ops
// of a kernel in a stack, never in calls of its own.
type parser struct {
	lexer
	tok     token
	file    string
	trusted bool
	diags   ir.Diags
	stop    bool // a limit was exceeded, or there were too many findings

	codes  []*ir.Code
	broken []bool // of each code: it has a finding
	named  map[string]bool
	known  map[string]mnemonic // mnemonics met so far

	kernel
}

// kernel is the state of the kernel being read.
type kernel struct {
	code    *ir.Code
	values  map[string]ir.Row
	numbers []ir.Row // values named by a number, by number; unset is NoRow
	labels  map[string]ir.Row
	objects map[string]ir.Object
	objs    []ir.ObjectInfo
	names   []string // of rows

	consts  []literal.Const
	constOf map[literal.Const]ir.Row

	frames   []frame
	results  []token   // names that wait for the end of an open op
	types    []ir.Type // types that do
	at       uint32    // 1 + index of the statement's position
	explicit bool      // some position stands in the text itself

	ops  []ir.Row // operands of the statement
	imms []uint32
	vals []token // names on its left
}

// Values that are no row (yet). Constants have ids of their own until the kernel is
// complete: only then is it known how many rows they take in front of the others.
const (
	firstConst ir.Row = 1 << 31
	unknownRow ir.Row = ir.NoRow - 1 // a name that was reported, or whose definition was
)

func parseFile(filename, src string, trusted bool) *parser {
	p := &parser{file: filename, trusted: trusted, known: map[string]mnemonic{}, named: map[string]bool{}}
	p.lexer = lexer{src: src, line: 1, bad: func(t token, msg, fix string) { p.report(t, "VT001", msg, fix) }}
	p.advance()
	if p.tok.kind != tokIdent || p.tok.text != "vyre" {
		p.syntax("a file starts with \"vyre 1\"")
		return p
	}
	p.advance()
	if p.tok.text != "1" {
		p.fail("VT002", fmt.Sprintf("text version %s, but this is read as version 1", literal.Clip(p.tok.text)), "start the file with \"vyre 1\"")
		return p
	}
	p.advance()
	for p.tok.kind != tokEOF && !p.stop {
		if !p.word("kernel") {
			p.syntax("expected a kernel")
			p.skipToKernel()
			continue
		}
		before := len(p.diags)
		p.parseKernel()
		p.broken = append(p.broken, len(p.diags) > before)
	}
	return p
}

func (p *parser) advance() {
	if p.stop {
		return
	}
	p.lexer.next(&p.tok)
	if p.stop {
		p.end()
	}
}

// report notes a finding at token t.
func (p *parser) report(t token, code, msg, fix string) {
	if p.stop {
		return
	}
	p.diags = append(p.diags, ir.Diag{Code: code, Row: ir.NoRow, Pos: p.posOf(t), Msg: msg, Fix: fix})
	if len(p.diags) >= maxFindings {
		p.end()
	}
}

// end makes the rest of the file look like its end.
func (p *parser) end() {
	p.stop = true
	p.tok = token{kind: tokEOF, nl: true, line: p.tok.line, col: p.tok.col}
}

// fail notes a finding at the current token.
func (p *parser) fail(code, msg, fix string) { p.report(p.tok, code, msg, fix) }

// broke notes that token t breaks a rule of the verifier that the columns could not show.
func (p *parser) broke(t token, code string, args ...any) {
	ru := finding.Rules[code]
	p.report(t, code, fmt.Sprintf(ru.Format, args...), ru.Fix)
}

// syntax notes that the current token is not what the grammar wants.
func (p *parser) syntax(want string) {
	found := p.tok.kind.String()
	if p.tok.text != "" && p.tok.kind <= tokMark {
		found = literal.Clip(p.tok.text)
	}
	p.fail("VT002", want+", found "+found, "")
}

// limit ends the parse: n of something is more than a program may have.
func (p *parser) limit(what string, n, most int) {
	p.broke(p.tok, "VY502", what, n, most)
	p.end()
}

func (p *parser) posOf(t token) ir.Pos {
	return ir.Pos{File: p.file, Line: int(t.line), Col: int(t.col)}
}

func (p *parser) isWord(w string) bool { return p.tok.kind == tokIdent && p.tok.text == w }

// word takes the word w if it is next.
func (p *parser) word(w string) bool {
	if p.isWord(w) {
		p.advance()
		return true
	}
	return false
}

// punct takes the mark c if it is next.
func (p *parser) punct(c byte) bool {
	if p.tok.kind == tokenKind(c) {
		p.advance()
		return true
	}
	return false
}

// expect takes the mark c, or reports what was meant to stand there.
func (p *parser) expect(c byte, where string) bool {
	if p.punct(c) {
		return true
	}
	p.syntax(fmt.Sprintf("expected %q %s", rune(c), where))
	return false
}

// take takes a token of kind k, or reports what was meant to stand there.
func (p *parser) take(k tokenKind, want string) (token, bool) {
	t := p.tok
	if t.kind != k {
		p.syntax("expected " + want)
		return t, false
	}
	p.advance()
	return t, true
}

// resync goes on after a syntax error: to the end of the line, past whole bodies. It
// passes at least one token if the statement, which starts at token number start, had none.
func (p *parser) resync(start int) {
	stuck := p.tokens == start
	for depth := 0; p.tok.kind != tokEOF; p.advance() {
		if depth == 0 && !stuck && (p.tok.nl || p.tok.kind == ';' || p.tok.kind == '}') {
			return
		}
		stuck = false
		switch p.tok.kind {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
}

// skipToKernel goes on with the next kernel.
func (p *parser) skipToKernel() {
	for p.tok.kind != tokEOF && !p.isWord("kernel") {
		p.advance()
	}
}
