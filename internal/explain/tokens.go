package explain

import (
	"go/scanner"
	gotoken "go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexer cuts one line of a program or of PTX.
type lexer struct {
	text   string
	tokens []token
}

// take makes the next n bytes a token.
func (l *lexer) take(n int, c class) {
	if k := len(l.tokens); k > 0 && c == plain && l.tokens[k-1].class == plain {
		l.tokens[k-1].text += l.text[:n]
	} else {
		l.tokens = append(l.tokens, token{class: c, text: l.text[:n]})
	}
	l.text = l.text[n:]
}

// word returns the length of the identifier that starts at the i-th byte.
func (l *lexer) word(i int) int {
	n := strings.IndexFunc(l.text[i:], func(r rune) bool {
		return r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if n < 0 {
		return len(l.text) - i
	}
	return n
}

// structure are the words of the program's text that are not operations.
var structure = []string{"kernel", "param", "shared", "local", "table", "if", "else", "loop", "block", "unroll", "ro", "wo", "rw", "max", "align"}

// programTokens cuts a line of a program's text.
func programTokens(text string) []token {
	l := lexer{text: text}
	statement := true // the next word is an operation
	for l.text != "" {
		c := l.text[0]
		switch {
		case strings.HasPrefix(l.text, "//"):
			l.take(len(l.text), comment)
		case strings.IndexByte("%@^", c) >= 0:
			l.take(1+l.word(1), name)
		case c == '!' || c == '#':
			l.take(1+l.word(1), directive)
		case c >= '0' && c <= '9', c == '-' && l.word(1) > 0:
			l.take(1+l.word(1), number)
		case l.word(0) > 0:
			n := l.word(0)
			switch word := l.text[:n]; {
			case slices.Contains(structure, word):
				l.take(n, keyword)
			case statement:
				l.take(n, operation)
			case strings.HasPrefix(word, "inf_"), word == "true", word == "false":
				l.take(n, number)
			default:
				l.take(n, plain)
			}
			statement = false
		default:
			statement = statement || c == '=' || c == '{'
			_, n := utf8.DecodeRuneInString(l.text)
			l.take(n, plain)
		}
	}
	return l.tokens
}

// ptxTokens cuts a line of PTX.
func ptxTokens(text string) []token {
	l := lexer{text: text}
	statement := true // the next word is an opcode
	for l.text != "" {
		c := l.text[0]
		switch {
		case strings.HasPrefix(l.text, "//"):
			l.take(len(l.text), comment)
		case c == '"':
			l.take(len(l.text), literal)
		case c == '%':
			l.take(1+l.word(1), name)
		case c == '.' && l.word(0) > 1:
			l.take(l.word(0), keyword)
			statement = false
		case c >= '0' && c <= '9', c == '-' && l.word(1) > 0:
			l.take(1+l.word(1), number)
		case l.word(0) > 0:
			n := l.word(0)
			if label := strings.HasPrefix(l.text[n:], ":"); statement && !label {
				l.take(n, operation)
			} else {
				l.take(n, name)
			}
			statement = false
		default:
			_, n := utf8.DecodeRuneInString(l.text)
			l.take(n, plain)
		}
	}
	return l.tokens
}

// goTokens cuts a Go file into lines. It never fails: what is no Go is plain.
func goTokens(src []byte) [][]placed {
	lines := make([][]placed, 1)
	put := func(text string, c class) {
		for i, s := range strings.Split(text, "\n") {
			if i > 0 {
				lines = append(lines, nil)
			}
			if s == "" {
				continue
			}
			last := &lines[len(lines)-1]
			col := 1
			if k := len(*last); k > 0 {
				col = (*last)[k-1].col + len((*last)[k-1].text)
			}
			*last = append(*last, placed{token{class: c, text: s}, col})
		}
	}
	set := gotoken.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	at := 0
	for {
		pos, tok, lit := s.Scan()
		start := file.Offset(pos)
		if tok == gotoken.EOF {
			put(string(src[at:]), plain)
			return lines
		}
		if tok == gotoken.SEMICOLON && lit != ";" {
			continue // put in by the scanner
		}
		if lit == "" {
			lit = tok.String()
		}
		end := min(start+len(lit), len(src))
		if start < at || end <= start {
			continue
		}
		put(string(src[at:start]), plain)
		put(string(src[start:end]), goClass(tok, lit))
		at = end
	}
}

// placed is a token with its column, in bytes from 1.
type placed struct {
	token
	col int
}

func goClass(tok gotoken.Token, lit string) class {
	switch {
	case tok == gotoken.COMMENT && strings.HasPrefix(lit, "//vyre:"):
		return directive
	case tok == gotoken.COMMENT:
		return comment
	case tok.IsKeyword():
		return keyword
	case tok == gotoken.INT, tok == gotoken.FLOAT, tok == gotoken.IMAG:
		return number
	case tok == gotoken.STRING, tok == gotoken.CHAR:
		return literal
	}
	return plain
}
