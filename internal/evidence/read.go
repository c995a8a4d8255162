package evidence

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// A file is read within bounds, whatever it says: at most maxRows rows of less than maxLine bytes.
const (
	maxLine = 8 << 10
	maxRows = 10000
)

// Read reads a file. Its rows are well formed, and nothing else is said of them: Gate.Check says whether they prove
// anything. What is not well formed is an error of type Rejections, any other error is r's.
func Read(r io.Reader) ([]Row, error) {
	f := reader{in: bufio.NewReaderSize(r, maxLine)}
	text, err := f.next()
	switch {
	case err != nil:
		return nil, err
	case text == "" && f.ended:
		f.bad.add(Empty, 0, "", "the file is empty; it starts with the header")
		return nil, f.bad
	case text != Header:
		f.header(text)
		return nil, f.bad
	}
	var rows []Row
	for {
		text, err := f.next()
		switch {
		case err != nil:
			return nil, err
		case f.ended:
			if len(rows) == 0 && len(f.bad) == 0 {
				f.bad.add(Empty, 0, "", "the file has a header and no row")
			}
			return rows, f.bad.err()
		case f.line > maxRows+1:
			f.bad.add(BadRow, f.line, "", "more than %d rows; split the file", maxRows)
			return nil, f.bad
		}
		if row, ok := f.row(text); ok {
			rows = append(rows, row)
		}
	}
}

// reader reads lines.
type reader struct {
	in    *bufio.Reader
	line  int // read last
	ended bool
	bad   Rejections
}

// next returns a line without its end. At the end of the file, and after a line that nothing can follow, ended is set.
func (f *reader) next() (string, error) {
	b, err := f.in.ReadSlice('\n')
	f.line++
	switch {
	case err == nil:
		return string(b[:len(b)-1]), nil
	case errors.Is(err, bufio.ErrBufferFull):
		f.bad.add(BadRow, f.line, "", "a line of %d bytes and more; rows are shorter", maxLine)
	case !errors.Is(err, io.EOF):
		return "", err
	case len(b) > 0:
		f.bad.add(BadRow, f.line, "", "the line has no end: the file is cut off")
	}
	f.ended = true
	return string(b), nil
}

// header says where the first line differs.
func (f *reader) header(text string) {
	have, want := strings.Split(text, ","), strings.Split(Header, ",")
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			f.bad.add(BadHeader, 1, want[i], "field %d is %.40q, want %q", i+1, have[i], want[i])
			return
		}
	}
	f.bad.add(BadHeader, 1, "", "%d fields, want %d", len(have), len(want))
}

// row reads the fields of a line, and notes all that are wrong.
func (f *reader) row(text string) (Row, bool) {
	row, before := Row{line: f.line}, len(f.bad)
	if n := strings.Count(text, ",") + 1; n != int(numFields) {
		f.bad.add(BadRow, f.line, "", "%d fields, want %d", n, numFields)
		return row, false
	}
	schema, _, _ := strings.Cut(text, ",")
	if want := row.set(fSchema, schema); want != "" || row.numbers[fSchema] != Schema {
		f.bad.add(BadSchema, f.line, fSchema.String(), "schema is %.40q, want %d", schema, Schema)
		return row, false // what its fields mean is not known
	}
	for i := range numFields {
		word, rest, _ := strings.Cut(text, ",")
		text = rest
		if want := row.set(i, word); want != "" {
			f.bad.add(BadValue, f.line, i.String(), "%v is %.40q, want %s", i, word, want)
		}
	}
	return row, len(f.bad) == before
}
