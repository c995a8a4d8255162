package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
)

// unit is text whose first word begins a sentence: a paragraph, a heading, an item of a list, a cell of a table. Code
// spans are backquotes throughout, and targets of links are spaces.
type unit struct {
	text  string
	lines []int // of each byte of text
}

// read returns the prose of a file.
func read(path string) ([]unit, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".go") {
		return markdown(strings.Split(string(src), "\n")), nil
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return markdown(comments(fset, f)), nil
}

// comments returns a file of the same lines with nothing but its // comments, as Markdown.
func comments(fset *token.FileSet, f *ast.File) []string {
	lines := make([]string, fset.File(f.Pos()).LineCount())
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "// ")
			code := strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "  ") && !item.MatchString(text)
			if ok && !code {
				lines[fset.Position(c.Pos()).Line-1] = text
			}
		}
	}
	return lines
}

var (
	fence      = regexp.MustCompile("^ *(```|~~~)")
	item       = regexp.MustCompile(`^ *([-*+]|\d+[.)]) +`)
	definition = regexp.MustCompile(`^\[[^\]]*\]: `)
	indented   = regexp.MustCompile(`^(    |\t)`)
	blanks     = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^>]*>|<https?:[^>]*>`)
	target     = regexp.MustCompile(`\]\([^)]*\)`)
)

// markdown returns the prose of lines.
func markdown(lines []string) []unit {
	var units []unit
	var open unit
	end := func() {
		if strings.TrimSpace(open.text) != "" {
			units = append(units, unit{plain(open.text), open.lines})
		}
		open = unit{}
	}
	add := func(line int, text string) {
		open.text += text + " "
		for len(open.lines) < len(open.text) {
			open.lines = append(open.lines, line)
		}
	}
	inFence, inList, inComment := false, false, false
	for i, text := range lines {
		line, trimmed := i+1, strings.TrimSpace(text)
		switch {
		case inComment || !inFence && strings.HasPrefix(trimmed, "<!--"):
			inComment = !strings.Contains(text, "-->")
		case fence.MatchString(text):
			inFence = !inFence
			end()
		case inFence:
		case trimmed == "" || definition.MatchString(text):
			end()
		case open.text == "" && !inList && indented.MatchString(text): // code without a fence
		case strings.HasPrefix(trimmed, "#"):
			end()
			add(line, strings.TrimLeft(trimmed, "# "))
			end()
			inList = false
		case strings.HasPrefix(trimmed, "|"):
			for _, cell := range strings.Split(hidePipes(trimmed), "|") {
				end()
				add(line, strings.TrimLeft(cell, ":- "))
			}
			end()
		default:
			if marker := item.FindString(text); marker != "" {
				end()
				text, inList = text[len(marker):], true
			} else if open.text == "" && !strings.HasPrefix(text, " ") {
				inList = false
			}
			add(line, strings.TrimLeft(text, "> "))
		}
	}
	end()
	return units
}

// hidePipes takes the bars out of code spans and those behind a backslash, which end no cell.
func hidePipes(row string) string {
	b, code := []byte(row), false
	for i, c := range b {
		if c == '`' {
			code = !code
		}
		if c == '|' && (code || i > 0 && b[i-1] == '\\') {
			b[i] = '/'
		}
	}
	return string(b)
}

// plain blanks what is not prose, byte for byte.
func plain(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '`' {
			continue
		}
		n := 1
		for i+n < len(b) && b[i+n] == '`' {
			n++
		}
		closing := strings.Index(text[i+n:], text[i:i+n])
		if closing < 0 {
			break
		}
		for last := i + n + closing + n; i < last; i++ {
			b[i] = '`'
		}
		i--
	}
	for _, re := range []*regexp.Regexp{blanks, target} {
		b = re.ReplaceAllFunc(b, func(m []byte) []byte { return []byte(strings.Repeat(" ", len(m))) })
	}
	for i, c := range b {
		if c == '[' || c == ']' || c == '*' {
			b[i] = ' '
		}
	}
	return string(b)
}
