package text

import (
	"strconv"

	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ir/internal/literal"
)

// parsePos reads what follows the exclamation mark of a position.
func parsePos(s string) (pos ir.Pos, ok bool) {
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
	for i < len(s) && literal.IsDigit(s[i]) {
		i++
	}
	n, err := strconv.Atoi(s[1:i])
	return n, s[i:], err == nil && n <= 1<<31-1
}

// appendPos writes a position so that parsePos reads it.
func appendPos(b []byte, pos ir.Pos) []byte {
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
