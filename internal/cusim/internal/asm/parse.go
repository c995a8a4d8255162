package asm

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Parse reads a PTX text. The error is of type Errors and lists everything that is wrong.
func Parse(text string) (*Module, error) {
	p := &parser{lex: lexer{src: text, line: 1}, m: &Module{Files: make(map[int]string)}, funcs: make(map[string]*Kernel)}
	p.globals = scope{names: make(map[string]symbol)}
	p.advance()
	p.module()
	p.constants()
	if len(p.errs) == 0 {
		p.inline()
	}
	if len(p.errs) > 0 {
		sort.SliceStable(p.errs, func(i, j int) bool { return p.errs[i].Line < p.errs[j].Line })
		return nil, p.errs
	}
	return p.m, nil
}

// parser reads a module. What breaks a rule is recorded; reading goes on at the next statement.
type parser struct {
	lex     lexer
	tok     token
	ended   bool // the token before this one ended a statement
	m       *Module
	errs    Errors
	globals scope
	fn      *body
	funcs   map[string]*Kernel
}

// symbol is what a name stands for.
type symbol struct {
	reg   Reg // when v is nil
	v     *Var
	label *label
}

// scope is a block's names.
type scope struct {
	names map[string]symbol
	// families are registers declared as name<n>: the number is no part of the key.
	families map[string]family
}

type family struct {
	first Reg
	n     uint64
}

func (p *parser) advance() {
	p.ended = p.is(";")
	p.tok = p.lex.next()
	if p.lex.bad != "" {
		p.errorf(p.tok.line, "%s", p.lex.bad)
	}
}

func (p *parser) errorf(line int, format string, args ...any) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, &Error{line, fmt.Sprintf(format, args...)})
	}
}

// fail records an error at the current token and gives the statement up.
func (p *parser) fail(format string, args ...any) {
	p.errorf(p.tok.line, format, args...)
	panic(failed{})
}

// try runs f and reports whether it read its statement to the end.
func (p *parser) try(f func()) (ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(failed); !is {
				panic(r)
			}
			ok = false
		}
	}()
	f()
	return true
}

// shown is the current token as an error names it.
func (p *parser) shown() string {
	switch p.tok.kind {
	case tEnd:
		return "the end of the text"
	case tDot:
		return "." + p.tok.text
	}
	return strconv.Quote(p.tok.text)
}

func (p *parser) is(punct string) bool { return p.tok.kind == tPunct && p.tok.text == punct }

// accept takes a punctuation mark if it is next.
func (p *parser) accept(punct string) bool {
	if !p.is(punct) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(punct string) {
	if !p.accept(punct) {
		p.fail("%s where %q is due", p.shown(), punct)
	}
}

func (p *parser) name() string {
	if p.tok.kind != tName {
		p.fail("%s where a name is due", p.shown())
	}
	s := p.tok.text
	p.advance()
	return s
}

// number takes an integer that is at most limit.
func (p *parser) number(limit uint64) uint64 {
	if p.tok.kind != tNumber {
		p.fail("%s where a number is due", p.shown())
	}
	if p.tok.num > limit {
		p.fail("%d exceeds %d", p.tok.num, limit)
	}
	n := p.tok.num
	p.advance()
	return n
}

// numbers takes integers between commas.
func (p *parser) numbers(limit uint64) []uint64 {
	list := []uint64{p.number(limit)}
	for p.accept(",") {
		list = append(list, p.number(limit))
	}
	return list
}

// skip goes past the next semicolon or block in braces, where statements start again.
func (p *parser) skip() {
	if p.ended {
		return
	}
	depth := 0
	for p.tok.kind != tEnd {
		switch {
		case p.is("{"):
			depth++
		case p.is("}"):
			if depth--; depth <= 0 {
				p.advance()
				return
			}
		case p.is(";") && depth == 0:
			p.advance()
			return
		}
		p.advance()
	}
}

// module reads the whole text.
func (p *parser) module() {
	if !p.try(p.head) {
		return
	}
	for p.tok.kind != tEnd && len(p.errs) < maxErrors {
		if !p.try(p.topLevel) {
			p.skip()
		}
	}
}

// head reads version, target and address size, in this order.
func (p *parser) head() {
	want := func(directive string) {
		if p.tok.kind != tDot || p.tok.text != directive {
			p.fail("%s where .%s is due", p.shown(), directive)
		}
		p.advance()
	}
	want("version")
	major, minor, ok := strings.Cut(p.tok.text, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if p.tok.kind != tFloat || !ok || err1 != nil || err2 != nil || a > 99 || b > 99 {
		p.fail("%s is no version of PTX", p.shown())
	}
	p.m.Version = Version{a, b}
	p.advance()
	want("target")
	p.m.Target = p.name()
	digits := strings.TrimRight(strings.TrimPrefix(p.m.Target, "sm_"), "af")
	sm, err := strconv.Atoi(digits)
	if !strings.HasPrefix(p.m.Target, "sm_") || err != nil || sm <= 0 || sm > 999 {
		p.errorf(p.tok.line, "%q is no target; targets are sm_70, sm_90a and the like", p.m.Target)
	}
	p.m.SM = sm
	for p.accept(",") { // options such as texmode and debug
		p.name()
	}
	if v, known := firstVersion(p.m.Target, sm); !known {
		p.errorf(p.tok.line, "target %s is not known", p.m.Target)
	} else if p.m.Version.less(v) {
		p.errorf(p.tok.line, "target %s needs PTX %s, the text says %s", p.m.Target, v, p.m.Version)
	}
	if p.tok.kind == tDot && p.tok.text == "address_size" {
		p.advance()
		if n := p.number(1 << 10); n != 64 {
			p.errorf(p.tok.line, "address size %d; only 64 is simulated", n)
		}
	}
}

// targets maps architectures to the lowest version of PTX that knows them.
var targets = map[int]Version{50: {4, 0}, 52: {4, 1}, 53: {4, 2}, 60: {5, 0}, 61: {5, 0}, 62: {5, 0}, 70: {6, 0}, 72: {6, 1}, 75: {6, 3},
	80: {7, 0}, 86: {7, 1}, 87: {7, 4}, 88: {9, 0}, 89: {7, 8}, 90: {7, 8}, 100: {8, 6}, 101: {8, 6}, 103: {8, 8}, 110: {9, 0}, 120: {8, 7}, 121: {8, 8}}

func firstVersion(target string, sm int) (Version, bool) {
	v, ok := targets[sm]
	switch {
	case strings.HasSuffix(target, "a") && sm == 90:
		v = Version{8, 0}
	case strings.HasSuffix(target, "f"):
		v = Version{8, 8}
	}
	return v, ok
}

// topLevel reads one statement outside of kernels.
func (p *parser) topLevel() {
	if p.accept(";") {
		return
	}
	linkage := ""
	for p.tok.kind == tDot && contains([]string{"visible", "extern", "weak", "common"}, p.tok.text) {
		linkage = p.tok.text
		p.advance()
	}
	if p.tok.kind != tDot {
		p.fail("%s where a directive is due", p.shown())
	}
	switch d := p.tok.text; d {
	case "entry":
		p.advance()
		p.kernel()
	case "global", "const", "shared":
		p.advance()
		for _, v := range p.variables(spaceNames[d], linkage == "extern") {
			p.declare(&p.globals, v)
			p.m.Vars = append(p.m.Vars, v)
		}
	case "file":
		p.file()
	case "pragma":
		p.pragma()
	case "section":
		p.advance()
		p.skip()
	case "func":
		p.advance()
		p.function()
	case "alias":
		p.fail(".alias is not simulated; call the function by its own name")
	default:
		p.fail("unknown directive .%s", d)
	}
}

func (p *parser) file() {
	p.advance()
	n := int(p.number(1 << 30))
	p.m.Files[n] = p.tok.text
	p.advance()
	for p.accept(",") {
		p.number(1<<64 - 1)
	}
}

// pragma reads a pragma. None changes what a program does.
func (p *parser) pragma() {
	p.advance()
	if p.tok.kind != tString {
		p.fail("%s where the text of a pragma is due", p.shown())
	}
	p.advance()
	p.expect(";")
}

// declare gives v its name in a scope.
func (p *parser) declare(s *scope, v *Var) {
	if _, taken := s.names[v.Name]; taken {
		p.errorf(v.Line, "%s is declared twice", v.Name)
		return
	}
	s.names[v.Name] = symbol{reg: NoReg, v: v}
}

// kernel reads an entry.
func (p *parser) kernel() {
	k := &Kernel{Line: p.tok.line, Name: p.name()}
	if p.m.Kernel(k.Name) != nil {
		p.errorf(k.Line, "entry %s is declared twice", k.Name)
	}
	p.fn = newBody(k)
	if p.accept("(") {
		for !p.accept(")") {
			p.parameter(k)
			if !p.is(")") {
				p.expect(",")
			}
		}
	}
	if k.ParamBytes > maxParamBytes {
		p.errorf(k.Line, "%d bytes of parameters exceed %d", k.ParamBytes, maxParamBytes)
	}
	for p.tok.kind == tDot {
		p.performance(k)
	}
	p.expect("{")
	p.body()
	p.m.Kernels = append(p.m.Kernels, k)
}

// maxParamBytes is what a kernel may have of parameters since PTX 8.1 on sm_70; before, it was 4352.
const maxParamBytes = 32764

func (p *parser) parameter(k *Kernel) {
	if p.tok.kind != tDot || p.tok.text != "param" {
		p.fail("%s where .param is due", p.shown())
	}
	p.advance()
	v := p.variable(Param, false)
	k.ParamBytes = (k.ParamBytes + v.Align - 1) / v.Align * v.Align
	v.Offset = k.ParamBytes
	k.ParamBytes += v.Bytes
	p.declare(p.fn.scopes[0], v)
	k.Params = append(k.Params, v)
}

// performance reads a directive between parameters and body.
func (p *parser) performance(k *Kernel) {
	d := p.tok.text
	p.advance()
	switch d {
	case "reqntid":
		k.Required = [3]uint32{1, 1, 1}
		for i, n := range p.numbers(1024) {
			if i < 3 {
				k.Required[i] = uint32(n)
			}
		}
	case "maxntid":
		k.Most = 1
		for _, n := range p.numbers(1024) {
			k.Most *= n
		}
	case "maxnreg":
		k.MaxRegisters = int(p.number(1 << 16))
	case "minnctapersm", "maxnctapersm":
		p.number(1 << 16)
	case "noreturn":
	case "pragma":
		p.fail("a pragma stands before the body only with its semicolon inside of it")
	default:
		p.fail("unknown directive .%s before the body of %s", d, k.Name)
	}
}
