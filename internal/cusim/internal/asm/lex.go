package asm

import "strconv"

type tokenKind uint8

const (
	tEnd     tokenKind = iota
	tName              // a name, also with a leading % or $
	tDot               // a directive or modifier, without its dot
	tNumber            // an integer, or a float as raw bits
	tFloat             // a decimal float, or one in hexadecimal of 64 bits, as bits of f64
	tFloat32           // one in hexadecimal of 32 bits
	tString
	tPunct
)

// token is one token. Numbers are read here.
type token struct {
	kind tokenKind
	line int
	text string
	num  uint64
}

// lexer splits text into tokens.
type lexer struct {
	src  string
	at   int
	line int
	bad  string // what is wrong with the token just read
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// next reads a token; at the end of the text it keeps returning tEnd.
func (l *lexer) next() token {
	l.bad = ""
	l.blank()
	t := token{line: l.line}
	if l.at >= len(l.src) {
		return t
	}
	start := l.at
	c := l.src[l.at]
	switch {
	case isDigit(c):
		l.number(&t)
	case isNameByte(c) || c == '%':
		l.at++
		l.run()
		t.kind, t.text = tName, l.src[start:l.at]
	case c == '.' && l.at+1 < len(l.src) && isNameByte(l.src[l.at+1]):
		l.at++
		for l.run(); l.at+2 < len(l.src) && l.src[l.at] == ':' && l.src[l.at+1] == ':' && isNameByte(l.src[l.at+2]); l.run() {
			l.at += 2
		}
		t.kind, t.text = tDot, l.src[start+1:l.at]
	case c == '"':
		l.quoted(&t)
	default:
		l.at++
		t.kind, t.text = tPunct, l.src[start:l.at]
	}
	return t
}

func (l *lexer) run() {
	for l.at < len(l.src) && isNameByte(l.src[l.at]) {
		l.at++
	}
}

// blank skips blanks and comments.
func (l *lexer) blank() {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case c == '\n':
			l.line++
			l.at++
		case c == ' ' || c == '\t' || c == '\r' || c == 0:
			l.at++
		case c == '/' && l.at+1 < len(l.src) && l.src[l.at+1] == '/':
			for l.at < len(l.src) && l.src[l.at] != '\n' {
				l.at++
			}
		case c == '/' && l.at+1 < len(l.src) && l.src[l.at+1] == '*':
			l.at += 2
			for l.at < len(l.src) && !(l.src[l.at] == '*' && l.at+1 < len(l.src) && l.src[l.at+1] == '/') {
				if l.src[l.at] == '\n' {
					l.line++
				}
				l.at++
			}
			l.at = min(l.at+2, len(l.src))
		default:
			return
		}
	}
}

func (l *lexer) quoted(t *token) {
	start := l.at
	for l.at++; l.at < len(l.src) && l.src[l.at] != '"' && l.src[l.at] != '\n'; l.at++ {
		if l.src[l.at] == '\\' && l.at+1 < len(l.src) {
			l.at++
		}
	}
	if l.at >= len(l.src) || l.src[l.at] != '"' {
		l.bad = "a string without an end"
	} else {
		l.at++
	}
	t.kind, t.text = tString, l.src[start:l.at]
	if s, err := strconv.Unquote(t.text); err == nil {
		t.text = s
	}
}

func (l *lexer) number(t *token) {
	start := l.at
	hexFloat := func(kind tokenKind, digits int) bool {
		s := l.src[start+2 : min(start+2+digits, len(l.src))]
		v, err := strconv.ParseUint(s, 16, 64)
		if len(s) != digits || err != nil {
			return false
		}
		l.at = start + 2 + digits
		t.kind, t.num, t.text = kind, v, l.src[start:l.at]
		return true
	}
	if l.src[l.at] == '0' && l.at+1 < len(l.src) {
		switch l.src[l.at+1] {
		case 'f', 'F':
			if !hexFloat(tFloat32, 8) {
				l.run()
				l.bad = strconv.Quote(l.src[start:l.at]) + " is no f32: 0f takes 8 hexadecimal digits"
			}
			return
		case 'd', 'D':
			if !hexFloat(tFloat, 16) {
				l.run()
				l.bad = strconv.Quote(l.src[start:l.at]) + " is no f64: 0d takes 16 hexadecimal digits"
			}
			return
		}
	}
	l.run()
	if l.decimal(start) {
		v, err := strconv.ParseFloat(l.src[start:l.at], 64)
		if err != nil {
			l.bad = strconv.Quote(l.src[start:l.at]) + " is no number"
		}
		t.kind, t.num, t.text = tFloat, f64Bits(v), l.src[start:l.at]
		return
	}
	t.kind, t.text = tNumber, l.src[start:l.at]
	s := t.text
	if last := s[len(s)-1]; last == 'U' || last == 'u' {
		s = s[:len(s)-1]
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		l.bad = strconv.Quote(t.text) + " is no integer of 64 bits"
	}
	t.num = v
}

// decimal goes on over the fraction and exponent of a decimal float that starts at start, if it is one.
func (l *lexer) decimal(start int) bool {
	for i := start; i < l.at; i++ {
		if !isDigit(l.src[i]) {
			return false
		}
	}
	if l.at+1 >= len(l.src) || l.src[l.at] != '.' || !isDigit(l.src[l.at+1]) {
		return false
	}
	for l.at++; l.at < len(l.src) && isDigit(l.src[l.at]); l.at++ {
	}
	if l.at < len(l.src) && (l.src[l.at] == 'e' || l.src[l.at] == 'E') {
		end := l.at + 1
		if end < len(l.src) && (l.src[end] == '+' || l.src[end] == '-') {
			end++
		}
		if end < len(l.src) && isDigit(l.src[end]) {
			for l.at = end; l.at < len(l.src) && isDigit(l.src[l.at]); l.at++ {
			}
		}
	}
	return true
}
