package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/govyre/vyre/graph"
)

// lines reads a format of text: its header, if it has one, and then a stream of arcs.
func (r *reader) lines(format Format) (parsed, error) {
	rules := rules{scale: r.o.Scale, any: true, nodeNames: [2]string{"arc source", "arc target"}, missing: "a weight"}
	p := parsed{nodes: -1}
	promised, line := int64(-1), int64(1)
	var err error
	switch format {
	case Edges:
		rules.comment, rules.third, p.list = "#%", kinds, true
		if r.o.NoKinds {
			rules.third = anyRest
		}
	case WEdges:
		rules.comment, rules.third, p.list, rules.missing = "#%", weight, true, "a weight; --format el reads lists without"
	case Matrix:
		promised, line, err = r.matrixHead(&rules, &p)
	case DIMACS:
		promised, line, err = r.dimacsHead(&rules, &p)
	}
	if err != nil {
		return p, err
	}
	if p.list {
		rules.named = "; --format nel takes words as names"
	}
	if rules.third == weight && r.o.NoWeights {
		rules.third = number
	}
	if p.list && r.o.IDs == Dense {
		rules.any, rules.nodes = false, graph.MaxNodes
	}
	if err := r.stream(rules, line, &p); err != nil {
		return p, err
	}
	if promised >= 0 && p.count != promised {
		return p, &graph.ParseError{File: r.name, Line: line - 1, Offset: r.in.n, Got: fmt.Sprintf("%s entries promised, %s found", grouped(promised), grouped(p.count))}
	}
	return p, nil
}

// line reads a line of a header, without its end.
func (r *reader) line() (string, error) {
	if err := r.ctx.Err(); err != nil {
		return "", err
	}
	b, err := r.in.text.ReadSlice('\n')
	r.in.n += int64(len(b))
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("a line of more than %d bytes", mostLine)
	case err == io.EOF && len(b) == 0:
		return "", io.ErrUnexpectedEOF
	case err != nil && err != io.EOF:
		return "", err
	}
	return string(bytes.TrimRight(b, "\r\n")), nil
}

// headLine reads lines until one says something, and returns it with its number.
func (r *reader) headLine(line *int64, skip func(string) bool, want string) (string, error) {
	for {
		s, err := r.line()
		if err != nil {
			if errors.Is(err, r.ctx.Err()) && err != io.ErrUnexpectedEOF {
				return "", err
			}
			got := err.Error()
			if err == io.ErrUnexpectedEOF {
				got = "the file ends"
			}
			return "", &graph.ParseError{File: r.name, Line: *line, Offset: r.in.n, Got: got, Want: want}
		}
		*line++
		if !skip(s) {
			return s, nil
		}
	}
}

// matrixHead reads the banner and the size of a Matrix Market file.
func (r *reader) matrixHead(rules *rules, p *parsed) (entries, line int64, err error) {
	line = 1
	bad := func(got, want string) (int64, int64, error) {
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: got, Want: want}
	}
	banner, err := r.headLine(&line, func(string) bool { return false }, "%%MatrixMarket matrix coordinate …")
	if err != nil {
		return 0, 0, err
	}
	w := strings.Fields(strings.ToLower(banner))
	if len(w) != 5 || w[0] != "%%matrixmarket" || w[1] != "matrix" {
		return bad(quoted([]byte(banner)), "%%MatrixMarket matrix coordinate FIELD SYMMETRY")
	}
	if w[2] != "coordinate" {
		return bad(quoted([]byte(w[2])), "coordinate; a dense array is no graph")
	}
	switch w[3] {
	case "pattern":
	case "real", "integer", "double":
		rules.third = weight
	default:
		return bad(quoted([]byte(w[3])), "pattern, real or integer; no weight is "+w[3])
	}
	switch w[4] {
	case "general":
	case "symmetric":
		p.mirror = true
	case "skew-symmetric":
		if rules.third == weight && !r.o.NoWeights {
			return bad("skew-symmetric", "general or symmetric: of each two arcs one would have a weight below 0; --no-weights leaves weights out")
		}
		p.mirror = true
	default:
		return bad(quoted([]byte(w[4])), "general, symmetric or skew-symmetric")
	}
	comment := func(s string) bool { return strings.HasPrefix(s, "%") || strings.TrimSpace(s) == "" }
	size, err := r.headLine(&line, comment, "rows, columns and entries")
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(size)
	n, wrong := numbers(fields)
	switch {
	case len(fields) != 3:
		return bad(quoted([]byte(size)), "rows, columns and entries")
	case wrong != "":
		return bad(quoted([]byte(size)), "rows, columns and entries: "+wrong)
	case n[0] != n[1]:
		return bad(fmt.Sprintf("%d rows and %d columns", n[0], n[1]), "as many of both: the matrix of a graph is square")
	}
	if n[0] > graph.MaxNodes {
		return bad(fmt.Sprintf("%d rows", n[0]), fmt.Sprintf("at most %d nodes have ids", uint64(graph.MaxNodes)))
	}
	p.nodes = n[0]
	rules.comment, rules.first, rules.any, rules.nodes = "%", 1, false, uint64(n[0])
	rules.nodeNames, rules.missing = [2]string{"row", "column"}, "a value, since the file is of "+w[3]
	return n[2], line, nil
}

// dimacsHead reads the comments and the problem line of a DIMACS file.
func (r *reader) dimacsHead(rules *rules, p *parsed) (entries, line int64, err error) {
	line = 1
	comment := func(s string) bool { return s == "c" || strings.HasPrefix(s, "c ") || strings.TrimSpace(s) == "" }
	problem, err := r.headLine(&line, comment, "p sp NODES ARCS")
	if err != nil {
		return 0, 0, err
	}
	w := strings.Fields(problem)
	if len(w) != 4 || w[0] != "p" || w[1] != "sp" {
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: quoted([]byte(problem)), Want: "p sp NODES ARCS before the first arc"}
	}
	n, wrong := numbers(w[2:])
	switch {
	case wrong != "":
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: quoted([]byte(problem)), Want: "p sp NODES ARCS: " + wrong}
	case n[0] > graph.MaxNodes:
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: fmt.Sprintf("%d nodes", n[0]), Want: fmt.Sprintf("at most %d have ids", uint64(graph.MaxNodes))}
	}
	p.nodes = n[0]
	rules.tag, rules.comment, rules.first, rules.any, rules.nodes, rules.third = 'a', "c", 1, false, uint64(n[0]), weight
	return n[1], line, nil
}

// numbers reads words of a header, or says what is wrong with one.
func numbers(words []string) (list []int64, wrong string) {
	for _, w := range words {
		v, wrong := unsigned([]byte(w))
		switch {
		case wrong != "":
			return nil, quoted([]byte(w)) + ", " + wrong
		case v > math.MaxInt64:
			return nil, quoted([]byte(w)) + ", at most 9223372036854775807"
		}
		list = append(list, int64(v))
	}
	return list, ""
}

// grouped is a number with commas between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
