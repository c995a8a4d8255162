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
	rules := rules{nodes: math.MaxUint64, nodeNames: [2]string{"arc source", "arc target"}}
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
		rules.comment, rules.third, p.list = "#%", weight, true
	case Matrix:
		promised, line, err = r.matrixHead(&rules, &p)
	case DIMACS:
		promised, line, err = r.dimacsHead(&rules, &p)
	}
	if err != nil {
		return p, err
	}
	if rules.third == weight && !r.o.Weights {
		rules.third = number
	}
	if p.list && r.o.IDs == Dense {
		rules.nodes = graph.MaxNodes
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
	case "symmetric", "skew-symmetric":
		p.mirror = true
	default:
		return bad(quoted([]byte(w[4])), "general, symmetric or skew-symmetric")
	}
	comment := func(s string) bool { return strings.HasPrefix(s, "%") || strings.TrimSpace(s) == "" }
	size, err := r.headLine(&line, comment, "rows, columns and entries")
	if err != nil {
		return 0, 0, err
	}
	n, err := r.numbers(size, 3)
	if err != nil {
		return bad(quoted([]byte(size)), "rows, columns and entries")
	}
	if n[0] != n[1] {
		return bad(fmt.Sprintf("%d rows and %d columns", n[0], n[1]), "as many of both: the matrix of a graph is square")
	}
	if n[0] > graph.MaxNodes {
		return bad(fmt.Sprintf("%d rows", n[0]), fmt.Sprintf("at most %d nodes have ids", uint64(graph.MaxNodes)))
	}
	p.nodes = n[0]
	rules.comment, rules.first, rules.nodes, rules.nodeNames = "%", 1, uint64(n[0]), [2]string{"row", "column"}
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
	rest, ok := strings.CutPrefix(problem, "p sp ")
	n, err := r.numbers(rest, 2)
	switch {
	case !ok || err != nil:
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: quoted([]byte(problem)), Want: "p sp NODES ARCS before the first arc"}
	case n[0] > graph.MaxNodes:
		return 0, 0, &graph.ParseError{File: r.name, Line: line - 1, Got: fmt.Sprintf("%d nodes", n[0]), Want: fmt.Sprintf("at most %d have ids", uint64(graph.MaxNodes))}
	}
	p.nodes = n[0]
	rules.tag, rules.comment, rules.first, rules.nodes, rules.third = 'a', "c", 1, uint64(n[0]), weight
	return n[1], line, nil
}

// numbers reads exactly so many.
func (r *reader) numbers(s string, count int) ([]int64, error) {
	var list []int64
	for _, w := range strings.Fields(s) {
		v, err := unsigned([]byte(w))
		if err != "" || v > math.MaxInt64 {
			return nil, errors.New(err)
		}
		list = append(list, int64(v))
	}
	if len(list) != count {
		return nil, fmt.Errorf("%d numbers", len(list))
	}
	return list, nil
}

// grouped is a number with commas between thousands.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
