package evidence

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Row is one sample: four ways of doing the same work, timed in turn. Rows come from Sample.Row and from Read.
type Row struct {
	line    int // of the file that it was read from; 0 if it was measured
	words   [numFields]string
	numbers [numFields]uint64
}

// Field returns the text of a field by its name in the header, or "" if there is none of that name.
func (r *Row) Field(name string) string {
	for f := range numFields {
		if f.String() == name {
			return r.text(f)
		}
	}
	return ""
}

// text is how a field stands in the file.
func (r *Row) text(f field) string {
	if f.isNumber() {
		return strconv.FormatUint(r.numbers[f], 10)
	}
	return r.words[f]
}

// set reads the text of a field. What it may be instead is the error.
func (r *Row) set(f field, text string) (want string) {
	switch form := fieldTable[f].form; form {
	case number, duration:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil || strconv.FormatUint(v, 10) != text {
			return "a decimal number without sign or leading zeros, below 2⁶⁴"
		}
		if form == duration && v == 0 {
			return "a time, which is not 0"
		}
		r.numbers[f] = v
	case word:
		if text == "" || text != clean(text) {
			return "a name without commas, quotes and control characters"
		}
		r.words[f] = text
	case digits64, digits32:
		n := 64
		if form == digits32 {
			n = 32
		}
		if len(text) != n || strings.Trim(text, "0123456789abcdef") != "" {
			return fmt.Sprintf("%d hexadecimal digits, small letters", n)
		}
		r.words[f] = text
	}
	return ""
}

// clean makes a name one that can stand in the file.
func clean(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r == '"' || r == utf8.RuneError || unicode.IsControl(r) {
			return '_'
		}
		return r
	}, name)
}

// Write writes a file.
func Write(w io.Writer, rows []Row) error {
	var b strings.Builder
	b.WriteString(Header)
	b.WriteByte('\n')
	for i := range rows {
		for f := range numFields {
			if f > 0 {
				b.WriteByte(',')
			}
			b.WriteString(rows[i].text(f))
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}
