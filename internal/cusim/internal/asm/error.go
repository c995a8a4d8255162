package asm

import (
	"fmt"
	"strings"
)

// Error is one rule that the text breaks.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Errors is everything wrong with a text, in order of lines.
type Errors []*Error

func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// maxErrors bounds how many errors are collected; a text that has more is not worth reading on.
const maxErrors = 50

// failed ends the reading of a statement; its error has been recorded.
type failed struct{}
