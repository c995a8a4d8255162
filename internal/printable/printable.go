// Package printable makes text of a graph, a file name or an error safe to print.
//
// Names come from programs and files of strangers. Raw, they colour a terminal, set its title, clear it, forge lines of a
// table, turn text round, or break the format that they are printed in. Everything that a command prints for people goes
// through this package, whatever the form: terminal, SVG, DOT, CSV, lists and SARIF. JSON keeps names as they are.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text returns s with what is not printable as Go escapes it: \n, \x1b, \u202e, and \xff for a byte that is no UTF-8. Text
// that is printable, backslashes included, stays as it is.
func Text(s string) string { return escaped(s, "") }

// Lines is Text for what has lines and columns already: line feeds and tabs stay.
func Lines(s string) string { return escaped(s, "\n\t") }

// All returns the texts of a list.
func All(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = Text(s)
	}
	return out
}

func escaped(s, kept string) string {
	plain := func(r rune, size int) bool {
		return (r != utf8.RuneError || size > 1) && (strconv.IsPrint(r) || strings.ContainsRune(kept, r))
	}
	at := 0
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !plain(r, size) {
			break
		}
		at += size
	}
	if at == len(s) {
		return s
	}
	b := append(make([]byte, 0, len(s)+16), s[:at]...)
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case plain(r, size):
			b = append(b, s[at:at+size]...)
		case size == 1 && r == utf8.RuneError:
			b = fmt.Appendf(b, `\x%02x`, s[at])
		default:
			quoted := strconv.QuoteRune(r)
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		at += size
	}
	return string(b)
}
