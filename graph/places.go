package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Position is where a node is in what the graph was made of. A line or column of 0 is not known, or any in a question.
type Position struct {
	File         string
	Line, Column int
}

// ParsePosition takes file:line:column apart; line and column may be missing. A text without them is a file.
func ParsePosition(s string) Position {
	rest, last, ok := cutNumber(s)
	if !ok {
		return Position{File: s}
	}
	if file, line, ok := cutNumber(rest); ok {
		return Position{file, line, last}
	}
	return Position{File: rest, Line: last}
}

// cutNumber cuts a number of at least 1 off the end of a text, and the colon before it.
func cutNumber(s string) (rest string, n int, ok bool) {
	colon := strings.LastIndexByte(s, ':')
	n, err := strconv.Atoi(s[colon+1:])
	if colon < 0 || err != nil || n < 1 {
		return s, 0, false
	}
	return s[:colon], n, true
}

// String is file:line:column, without what is not known.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Places finds nodes by their positions. It is made once for a graph, and each question looks at the names of the files and at the
// nodes of those that match. It does not change, so that any goroutine may ask.
type Places struct {
	files []placed // by name
}

// placed is the nodes of a file, ascending.
type placed struct {
	file  string
	nodes []place
}

// place is where a node is in its file.
type place struct {
	node         uint32
	line, column int
}

// NewPlaces makes the places of a graph's positions. Nodes with an empty position have none.
//
// Errors: those of CSR.Read.
func NewPlaces(g *CSR) (*Places, error) {
	p, at := &Places{}, map[string]int{}
	err := g.Read(func() error {
		positions, last := g.Data().Positions, -1
		for v := range positions.Len() {
			s := positions.At(v)
			if s == "" {
				continue
			}
			to := ParsePosition(s)
			if last < 0 || p.files[last].file != to.File { // neighbours are often in one file
				var known bool
				if last, known = at[to.File]; !known {
					last = len(p.files)
					at[to.File], p.files = last, append(p.files, placed{file: to.File})
				}
			}
			p.files[last].nodes = append(p.files[last].nodes, place{uint32(v), to.Line, to.Column})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(p.files, func(a, b placed) int { return strings.Compare(a.file, b.file) })
	return p, nil
}

// matching yields the files that a path names: the file itself, or those whose paths end with it from a folder on.
func (p *Places) matching(path string, yield func(file string, places []place)) {
	for _, f := range p.files {
		rest, ok := strings.CutSuffix(f.file, path)
		if path != "" && ok && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, `\`)) {
			yield(f.file, f.nodes)
		}
	}
}

// At returns the nodes at a position, ascending. The file may be the end of a path, from a folder on, and then all files count that
// it fits.
func (p *Places) At(at Position) (nodes []uint32) {
	p.matching(at.File, func(_ string, places []place) {
		for _, n := range places {
			if (at.Line == 0 || n.line == at.Line) && (at.Column == 0 || n.column == at.Column) {
				nodes = append(nodes, n.node)
			}
		}
	})
	slices.Sort(nodes)
	return nodes
}

// Nearest returns the position of a node that is the fewest lines away from a position, and of those the fewest columns. It reports
// whether any node is in such a file.
func (p *Places) Nearest(at Position) (nearest Position, ok bool) {
	away := func(line, column int) [2]int { return [2]int{distance(line, at.Line), distance(column, at.Column)} }
	p.matching(at.File, func(file string, places []place) {
		for _, n := range places {
			to, best := away(n.line, n.column), away(nearest.Line, nearest.Column)
			if !ok || slices.Compare(to[:], best[:]) < 0 {
				nearest, ok = Position{file, n.line, n.column}, true
			}
		}
	})
	return nearest, ok
}

func distance(a, b int) int { return max(a, b) - min(a, b) }
