package graph

import (
	"cmp"
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
	parts := strings.Split(s, ":")
	for n := min(len(parts)-1, 2); n > 0; n-- {
		line, err := strconv.Atoi(parts[len(parts)-n])
		if err != nil || line < 1 {
			continue
		}
		column := 0
		if n == 2 {
			if column, err = strconv.Atoi(parts[len(parts)-1]); err != nil || column < 1 {
				continue
			}
		}
		return Position{strings.Join(parts[:len(parts)-n], ":"), line, column}
	}
	return Position{File: s}
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
	files map[string][]place // in the order of lines, columns and nodes
	names []string           // of files, ascending
}

// place is where a node is in a file.
type place struct {
	line, column int
	node         uint32
}

// NewPlaces makes the places of a graph's positions. Nodes with an empty position have none.
//
// Errors: those of CSR.Read.
func NewPlaces(g *CSR) (*Places, error) {
	p := &Places{files: map[string][]place{}}
	err := g.Read(func() error {
		positions := g.Data().Positions
		for v := range positions.Len() {
			if s := positions.At(v); s != "" {
				at := ParsePosition(s)
				p.files[at.File] = append(p.files[at.File], place{at.Line, at.Column, uint32(v)})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for file, places := range p.files {
		p.names = append(p.names, file)
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.node, b.node))
		})
	}
	slices.Sort(p.names)
	return p, nil
}

// matching yields the files that a path names: the file itself, or those whose paths end with it from a folder on.
func (p *Places) matching(path string, yield func(file string, places []place)) {
	for _, file := range p.names {
		rest, ok := strings.CutSuffix(file, path)
		if path != "" && ok && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasSuffix(rest, `\`)) {
			yield(file, p.files[file])
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
