package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/govyre/vyre/ir/internal/limits"
	"github.com/govyre/vyre/ir/internal/literal"
)

// tokenKind is a class of tokens. A punctuation mark is its own kind.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // keyword, mnemonic, type, true, inf_f32
	tokNumber           // starts with a digit, or with a minus sign
	tokValue            // %id
	tokObject           // @id
	tokLabel            // ^id
	tokImm              // #n
	tokMark             // !inb, !file:line
	tokArrow            // ->
)

var tokenNames = [...]string{"the end of the file", "a word", "a number", "a %value", "an @object", "a ^label", "a #number", "a !mark", "\"->\""}

func (k tokenKind) String() string {
	if int(k) < len(tokenNames) {
		return tokenNames[k]
	}
	return fmt.Sprintf("%q", rune(k))
}

// token is one token of text; text is without the sigil.
type token struct {
	text      string
	line, col int32
	kind      tokenKind
	nl        bool // first on its line
}

// identByte tells the ASCII bytes that may stand in an identifier.
var identByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.'
	}
	return
}()

// noName stands for a name that was left out; the parser knows it everywhere, since the
// lexer has said what there is to say.
const noName = "?"

// lexer cuts a source text into tokens. It looks at every byte once, but for a mark's.
type lexer struct {
	src       string
	pos       int
	line      int32 // of pos, from 1
	lineStart int   // offset of the first byte of line
	tokens    int   // counted for the test of linear work
	bad       func(t token, msg, fix string)
}

// skip moves over blanks and comments and reports whether it passed the end of a line.
func (l *lexer) skip() (nl bool) {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			l.pos++
		case c == '\n':
			l.endLine(l.pos)
			l.pos++
			l.line++
			l.lineStart = l.pos
			nl = true
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "//"):
			n := strings.IndexByte(l.src[l.pos:], '\n')
			if n < 0 {
				n = len(l.src) - l.pos
			}
			l.pos += n
		default:
			return nl
		}
	}
	l.endLine(l.pos)
	return true
}

// endLine checks the length of the line that ends at offset end.
func (l *lexer) endLine(end int) {
	if n := end - l.lineStart; n > limits.Line {
		l.bad(token{line: l.line, col: 1}, fmt.Sprintf("line of %d bytes, at most %d", n, limits.Line), "break the line after a comma")
	}
}

// next reads the next token into t. Bytes that start no token are reported and left out.
func (l *lexer) next(t *token) {
	t.nl = l.pos == 0
	for {
		t.nl = l.skip() || t.nl
		t.line, t.col = l.line, int32(l.pos-l.lineStart+1)
		l.tokens++
		start := l.pos
		if start >= len(l.src) {
			t.kind, t.text = tokEOF, ""
			return
		}
		switch c := l.src[start]; c {
		case '{', '}', '(', ')', '[', ']', '<', '>', ',', '=', ':', ';', '?':
			l.pos++
			t.kind, t.text = tokenKind(c), l.src[start:l.pos]
			return
		case '%', '@', '^', '#':
			l.pos++
			t.kind, t.text = sigilKind(c), l.ident()
			switch {
			case t.text == "":
				l.bad(*t, fmt.Sprintf("no name after %q", c), "")
				t.text = noName
			case len(t.text) > limits.Name:
				l.bad(*t, fmt.Sprintf("name of %d bytes, at most %d", len(t.text), limits.Name), "")
			}
			return
		case '!':
			l.pos++
			t.kind, t.text = tokMark, l.mark()
			return
		case '-':
			l.pos++
			switch {
			case l.pos < len(l.src) && l.src[l.pos] == '>':
				l.pos++
				t.kind, t.text = tokArrow, "->"
				return
			case l.pos < len(l.src) && (literal.IsDigit(l.src[l.pos]) || l.src[l.pos] == 'i'):
				l.number()
				t.kind, t.text = tokNumber, l.src[start:l.pos]
				return
			}
			l.bad(*t, "a minus sign without a number", "")
		default:
			if literal.IsDigit(c) {
				l.number()
				t.kind, t.text = tokNumber, l.src[start:l.pos]
				return
			}
			if word := l.ident(); word != "" {
				t.kind, t.text = tokIdent, word
				if len(word) > limits.Name {
					l.bad(*t, fmt.Sprintf("word of %d bytes, at most %d", len(word), limits.Name), "")
					t.text = noName
				}
				return
			}
			r, n := utf8.DecodeRuneInString(l.src[start:])
			l.pos += n
			l.bad(*t, fmt.Sprintf("unexpected character %q", r), "")
		}
	}
}

func sigilKind(c byte) tokenKind {
	switch c {
	case '%':
		return tokValue
	case '@':
		return tokObject
	case '^':
		return tokLabel
	}
	return tokImm
}

// ident takes the longest identifier at pos, maybe none.
func (l *lexer) ident() string {
	start := l.pos
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		if identByte[c] {
			l.pos++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if !isIdentRune(r) {
			break
		}
		l.pos += n
	}
	return l.src[start:l.pos]
}

// isIdentRune reports whether a rune beyond ASCII may stand in an identifier.
func isIdentRune(r rune) bool {
	return r >= utf8.RuneSelf && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// number moves over a number with its type. A sign belongs to it after the e of a decimal exponent.
func (l *lexer) number() {
	start := l.pos
	hex := strings.HasPrefix(l.src[l.pos:], "0x")
	typed := false
	for ; l.pos < len(l.src); l.pos++ {
		c := l.src[l.pos]
		switch {
		case c == '_':
			typed = true
		case identByte[c]:
		case (c == '+' || c == '-') && !hex && !typed && l.pos > start && (l.src[l.pos-1] == 'e' || l.src[l.pos-1] == 'E'):
		default:
			return
		}
	}
}

// mark takes what follows an exclamation mark: up to a blank, a semicolon or a brace,
// but a quoted file name as a whole.
func (l *lexer) mark() string {
	start := l.pos
	if l.pos < len(l.src) && l.src[l.pos] == '"' {
		for l.pos++; l.pos < len(l.src) && l.src[l.pos] != '"' && l.src[l.pos] != '\n'; l.pos++ {
			if l.src[l.pos] == '\\' && l.pos+1 < len(l.src) && l.src[l.pos+1] != '\n' {
				l.pos++
			}
		}
	}
	for l.pos < len(l.src) && !strings.ContainsRune(" \t\r\n;}", rune(l.src[l.pos])) {
		l.pos++
	}
	return l.src[start:l.pos]
}
