package explain

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/govyre/vyre/internal/opt"
)

// place is a spot in the source.
type place struct{ line, col int }

// sourceColumn shows the files that the program comes from: the declarations in use, the others
// folded. It is nil if there is nothing to read. A line with accesses that keep a bounds check says so.
func (o *origins) sourceColumn(read func(string) ([]byte, error), checks []opt.Note) *column {
	if read == nil {
		return nil
	}
	files, used := o.files()
	c := &column{id: "source", title: "source"}
	for _, file := range files {
		src, err := read(file)
		if err != nil {
			continue
		}
		lines := o.sourceLines(file, src, used[file])
		for _, n := range checks {
			if n.Pos.File == file && n.Pos.Line > 0 && n.Pos.Line <= len(lines) {
				l := &lines[n.Pos.Line-1]
				l.note = strings.TrimPrefix(l.note+"; "+n.Msg, "; ")
			}
		}
		c.parts = append(c.parts, fold(file, src, lines, len(files) > 1)...)
		if c.about == "" {
			c.about = file
		}
	}
	if c.parts == nil {
		return nil
	}
	n := 0
	c.lines(func(*line) { n++ })
	c.fact("lines", strconv.Itoa(n), "of source")
	c.fact("in blue", "lines of PTX", "how many come from each line, calls included")
	c.fact("bounds checks", strconv.Itoa(len(checks)), "accesses whose index is not proven to be in bounds; their lines say why")
	if len(files) > 1 {
		c.about = fmt.Sprintf("%d files", len(files))
	}
	return c
}

// files lists the files of all positions, the kernel's own first, and for each the
// origins by the place that they or the calls around them are at.
func (o *origins) files() ([]string, map[string]map[place][]origin) {
	var files []string
	used := make(map[string]map[place][]origin)
	outer := ""
	for id, pos := range o.pos {
		if pos.Line == 0 {
			continue
		}
		for at := &pos; at != nil; at = at.Call {
			if used[at.File] == nil {
				used[at.File] = make(map[place][]origin)
				files = append(files, at.File)
			}
			p := place{at.Line, at.Col}
			used[at.File][p] = append(used[at.File][p], origin(id))
			if at.Call == nil && outer == "" {
				outer = at.File
			}
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		if a == outer || b == outer {
			return map[bool]int{true: -1, false: 1}[a == outer]
		}
		return strings.Compare(a, b)
	})
	return files, used
}

// sourceLines cuts a file into lines that know what was made of them.
func (o *origins) sourceLines(file string, src []byte, used map[place][]origin) []line {
	var cut [][]placed
	if filepath.Ext(file) == ".go" {
		cut = goTokens(src)
	} else {
		for text := range strings.SplitSeq(string(src), "\n") {
			cut = append(cut, placeAll(programTokens(text)))
		}
	}
	if k := len(cut) - 1; k > 0 && len(cut[k]) == 0 {
		cut = cut[:k] // after the last end of line
	}
	lines := make([]line, len(cut))
	for i, tokens := range cut {
		l := &lines[i]
		l.number = i + 1
		for _, t := range tokens {
			t.origins = used[place{i + 1, t.col}]
			l.tokens = append(l.tokens, t.token)
		}
	}
	var places []place
	for p := range used {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.col - b.col
	})
	for _, p := range places {
		if p.line <= len(lines) {
			for _, id := range used[p] {
				lines[p.line-1].add(id)
			}
		}
	}
	return lines
}

func placeAll(tokens []token) []placed {
	var list []placed
	col := 1
	for _, t := range tokens {
		list = append(list, placed{t, col})
		col += len(t.text)
	}
	return list
}

// shortest is the number of lines from which it pays to fold what is not in use.
const shortest = 3

// fold makes parts of the declarations in use, and folded ones of what lies between.
func fold(file string, src []byte, lines []line, many bool) []part {
	show := make([]bool, len(lines))
	any := false
	for _, r := range declarations(src) {
		for i := r[0]; i <= r[1] && i <= len(lines); i++ {
			if len(lines[i-1].origins) > 0 {
				any = true
				for k := r[0]; k <= r[1] && k <= len(lines); k++ {
					show[k-1] = true
				}
				break
			}
		}
	}
	title := ""
	if many {
		title = file
	}
	if !any {
		return []part{{title: title, lines: lines}}
	}
	var parts []part
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && show[end] == show[i] {
			end++
		}
		p := part{lines: lines[i:end:end], folded: !show[i] && end-i >= shortest}
		if p.folded {
			p.title = fmt.Sprintf("lines %d–%d", i+1, end)
		}
		parts = append(parts, p)
		i = end
	}
	if many {
		parts = append([]part{{title: file}}, parts...)
	}
	return parts
}

// declarations returns the first and last line of each top-level declaration of a Go file,
// with its comment; of anything else, nothing.
func declarations(src []byte) [][2]int {
	set := gotoken.NewFileSet()
	f, err := parser.ParseFile(set, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var list [][2]int
	for _, d := range f.Decls {
		start := d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
		case *ast.GenDecl:
			if d.Doc != nil {
				start = d.Doc.Pos()
			}
		}
		// Positions count lines of the text, whatever line directives say.
		list = append(list, [2]int{set.PositionFor(start, false).Line, set.PositionFor(d.End(), false).Line})
	}
	return list
}

// weigh counts, for each line of source, the lines of PTX that come from it.
func (c *column) weigh(ptx *column) {
	from := make(map[origin][]int)
	ptx.lines(func(l *line) {
		for _, id := range l.origins {
			from[id] = append(from[id], l.number)
		}
	})
	c.lines(func(l *line) {
		seen := make(map[int]bool)
		for _, id := range l.origins {
			for _, n := range from[id] {
				seen[n] = true
			}
		}
		l.weight = len(seen)
	})
}
