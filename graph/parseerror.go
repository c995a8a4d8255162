package graph

import (
	"fmt"
	"strings"
)

// ParseError says where a file is no graph, and why.
type ParseError struct {
	File         string
	Line, Column int64 // from 1, in the text as it is when nothing is compressed; 0 where there is no line or no column
	Offset       int64 // of the byte, from 0
	Got, Want    string
}

// Error is one line: file:line:column: what is there: what should be.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	for _, part := range []string{e.Got, e.Want} {
		if part != "" {
			b.WriteString(": ")
			b.WriteString(part)
		}
	}
	return b.String()
}
