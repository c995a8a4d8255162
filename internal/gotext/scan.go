package gotext

import "strings"

// token is a token of Go, or a directive of vyre. None has no text, except the end of the file.
type token struct {
	text       string
	start, end int
}

// scanner reads the tokens of a Go file, without comments. A semicolon that ends a line is a token, as in Go's specification.
type scanner struct {
	src  string
	at   int
	ends bool // a line that ends here ends a statement
}

const (
	// Keywords after which a line that ends does not end a statement.
	open      = " case chan const default defer else for func go goto if import interface map package range select struct switch type var "
	directive = "//vyre:"
)

func (s *scanner) next() token {
	for s.at < len(s.src) {
		start := s.at
		rest := s.src[start:]
		switch b := rest[0]; {
		case b == ' ' || b == '\t' || b == '\r':
			s.at++
		case b == '\n':
			if s.at++; s.ends {
				return s.token(start, ";", false)
			}
		case strings.HasPrefix(rest, "/*"):
			s.after("*/", 2)
			if s.ends && strings.IndexByte(s.src[start:s.at], '\n') >= 0 {
				return s.token(start, ";", false)
			}
		case strings.HasPrefix(rest, "//"):
			if s.after("\n", 2); s.at < len(s.src) || rest[len(rest)-1] == '\n' {
				s.at-- // the end of the line is a token yet
			}
			if strings.HasPrefix(rest, directive) {
				return s.token(start, strings.Join(strings.Fields(s.src[start:s.at]), " "), s.ends)
			}
		case b == '`':
			s.after("`", 1)
			return s.token(start, strings.ReplaceAll(s.src[start:s.at], "\r", ""), true)
		case b == '"' || b == '\'':
			s.quoted(b)
			return s.token(start, s.src[start:s.at], true)
		case isWord(b):
			for s.at < len(s.src) && isWord(s.src[s.at]) {
				s.at++
			}
			word := s.src[start:s.at]
			return s.token(start, word, !strings.Contains(open, " "+word+" "))
		default:
			s.at += operator(rest)
			op := s.src[start:s.at]
			return s.token(start, op, op == ")" || op == "]" || op == "}" || op == "++" || op == "--")
		}
	}
	return token{"", s.at, s.at}
}

func (s *scanner) token(start int, text string, ends bool) token {
	s.ends = ends
	return token{text, start, s.at}
}

// after goes behind the next place of a text, from so many bytes on, or to the end.
func (s *scanner) after(text string, skip int) {
	if n := strings.Index(s.src[s.at+skip:], text); n >= 0 {
		s.at += skip + n + len(text)
		return
	}
	s.at = len(s.src)
}

// quoted goes behind a string or a rune, which ends with its line at the latest.
func (s *scanner) quoted(quote byte) {
	for s.at++; s.at < len(s.src) && s.src[s.at] != '\n'; s.at++ {
		switch s.src[s.at] {
		case quote:
			s.at++
			return
		case '\\':
			s.at = min(s.at+1, len(s.src)-1)
		}
	}
}

// operator returns how long the operator at the beginning of a text is: the longest that there is.
func operator(text string) int {
	is := func(at int, set string) bool { return at < len(text) && strings.IndexByte(set, text[at]) >= 0 }
	n := 1
	if is(0, "&|<>+-") && is(1, text[:1]) || is(0, "<") && is(1, "-") || is(0, "&") && is(1, "^") {
		n = 2
	}
	if is(0, "+-*/%&|^<>=!:") && is(n, "=") {
		n++
	}
	return n
}

func isWord(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
