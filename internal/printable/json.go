package printable

import (
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON returns a document with every character that is not printable as \uXXXX, which means the same: nothing is lost.
func JSON(doc []byte) []byte {
	b := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case r < 0x7f || strconv.IsPrint(r):
			b = append(b, doc[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
		doc = doc[size:]
	}
	return b
}

// JSONWriter returns a writer for encoding/json, which writes a document in one piece.
func JSONWriter(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ w io.Writer }

func (j jsonWriter) Write(doc []byte) (int, error) {
	if _, err := j.w.Write(JSON(doc)); err != nil {
		return 0, err
	}
	return len(doc), nil
}
