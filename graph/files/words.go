package files

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// columns are those of a line of a list with names: between tabs, or between blanks and tabs.
type columns struct {
	text string
	tabs bool
	at   int // where the last column started
	end  int
}

// column is a word; one in quotes may have any bytes.
type column struct {
	text   string
	quoted bool
}

// next returns the next column, and what is wrong with its quotes. There is none at the end of the line, which no blank is before.
func (c *columns) next() (word column, ok bool, wrong string) {
	i := c.end
	for i < len(c.text) && (c.text[i] == ' ' || c.text[i] == '\t' && !c.tabs) {
		i++
	}
	c.at = i
	if i == len(c.text) {
		c.end = i
		return column{}, false, ""
	}
	if c.text[i] == '"' {
		prefix, err := strconv.QuotedPrefix(c.text[i:])
		if err != nil {
			return column{}, true, `quotes that end, and escapes as in Go: \" \\ \t \n \x1b \u00e9`
		}
		word.text, _ = strconv.Unquote(prefix)
		word.quoted = true
		i += len(prefix)
		if i < len(c.text) && c.text[i] != ' ' && c.text[i] != '\t' {
			return word, true, "a separator behind the quotes"
		}
	} else {
		start := i
		for i < len(c.text) && c.text[i] != '\t' && (c.tabs || c.text[i] != ' ') {
			i++
		}
		word.text = strings.TrimRight(c.text[start:i], " ")
	}
	for i < len(c.text) && c.text[i] == ' ' {
		i++
	}
	if c.tabs && i < len(c.text) {
		if c.text[i] != '\t' {
			return word, true, "a tab behind the quotes"
		}
		i++
	}
	c.end = i
	return word, true, ""
}

// name is next for a name.
func (c *columns) name() (word column, ok bool, wrong string) {
	word, ok, wrong = c.next()
	if ok && wrong == "" && !word.quoted {
		wrong = unquotable(word.text, c.tabs)
	}
	return word, ok, wrong
}

const inQuotes = "; in quotes it is a name"

// unquotable says why a word must be in quotes, nothing if it need not. Signs that other forms of lists have are among the reasons,
// so that such a list is not taken for names with signs in them.
func unquotable(word string, tabs bool) string {
	switch {
	case word == "":
		return "a name, and not two separators in a row"
	case !utf8.ValidString(word):
		return "text in UTF-8"
	case strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsPrint(r) }):
		return fmt.Sprintf("characters that can be seen; in quotes it is %s", strconv.Quote(word))
	case word[0] == '#' || word[0] == '%':
		return "comments have a line of their own" + inQuotes
	case strings.Contains(word, `"`):
		return `quotes around all of a name; \" within them`
	case !tabs && strings.Contains(word, ","):
		return "columns between blanks or tabs, not commas" + inQuotes
	case !tabs && strings.ContainsRune(":;", rune(word[len(word)-1])):
		return "columns between blanks or tabs, and nothing else" + inQuotes
	case !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "columns between blanks or tabs, and nothing else" + inQuotes
	}
	return ""
}

// heads are words that the first line of a table has over its first two columns.
var heads = map[string]bool{"source": true, "target": true, "from": true, "to": true, "src": true, "dst": true, "dest": true, "u": true, "v": true,
	"fromnodeid": true, "tonodeid": true, "from_node": true, "to_node": true, "source_id": true, "target_id": true, "node1": true, "node2": true,
	"caller": true, "callee": true, "parent": true, "child": true, "head": true, "tail": true, "node": true, "id": true}

func isHead(word column) bool { return !word.quoted && heads[strings.ToLower(word.text)] }

// wordOf is a name as a list with names has it.
func wordOf(name string) string {
	if unquotable(name, false) != "" || strings.ContainsAny(name, " \t") || heads[strings.ToLower(name)] {
		return strconv.Quote(name)
	}
	return name
}

// hasNames reports whether the lines that a list begins with are arcs between names: there are some, and none has two numbers. A
// list that is mixed is one of numbers, so that the word that is none is refused, and not taken for a name.
func hasNames(first []byte) bool {
	found := false
	for line := range bytes.Lines(first) {
		if line[len(line)-1] != '\n' && len(first) == peekBytes {
			break // its end is not here
		}
		w := words{text: bytes.TrimRight(line, "\r\n")}
		from := w.next()
		switch {
		case bytes.HasPrefix(from, []byte("#:")):
			return true
		case len(from) == 0 || from[0] == '#' || from[0] == '%':
			continue
		}
		to := w.next()
		if isNumber(from) && (len(to) == 0 || isNumber(to)) {
			return false
		}
		found = found || len(to) > 0
	}
	return found
}

// words are the words of a line; at is where the last one started.
type words struct {
	text    []byte
	at, end int
}

func (w *words) next() []byte {
	i := w.end
	for i < len(w.text) && blank(w.text[i]) {
		i++
	}
	w.at = i
	for i < len(w.text) && !blank(w.text[i]) {
		i++
	}
	w.end = i
	return w.text[w.at:i]
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == ',' }
