package evidence

import (
	"fmt"
	"strings"
)

// Code says what is wrong with a file.
type Code string

const (
	BadHeader    Code = "header"       // the first line is not Header
	BadRow       Code = "row"          // a line that is no row: too few fields, too many, too long, cut off
	Empty        Code = "empty"        // nothing, or no row
	BadSchema    Code = "schema"       // another version of the file
	BadValue     Code = "value"        // a field whose text is nothing that may stand there
	BadRequired  Code = "required"     // a ratio that nothing can be required to have
	Scale        Code = "scale"        // too small a graph, too few repetitions, a device that does not count
	FewSamples   Code = "samples"      // a graph with a single sample in its run
	Polluted     Code = "polluted"     // the host took part in a resident region
	Inconsistent Code = "inconsistent" // a figure that does not follow from others
	BadDigest    Code = "digest"       // results that differ
	Duplicate    Code = "duplicate"    // one sample twice
	Below        Code = "below"        // a ratio below what is required
)

// Error is one reason why a file is rejected.
type Error struct {
	Code  Code
	Line  int    // of the file, whose header is line 1; 0 if it is about no line
	Field string // its name in the header; empty if it is about none. For BadRequired and Below, the protocol
	Text  string // what is wrong, with the values
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("evidence: %s: %s", e.Code, e.Text)
	}
	return fmt.Sprintf("evidence: line %d: %s: %s", e.Line, e.Code, e.Text)
}

// maxRejections bounds how many reasons a file is rejected for: from there on they are the same ones.
const maxRejections = 100

// Rejections are all reasons why a file is rejected, or the first hundred. errors.As finds the first *Error of them.
type Rejections []*Error

func (r Rejections) Error() string {
	var lines []string
	for _, e := range r {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each reason.
func (r Rejections) Unwrap() []error {
	var all []error
	for _, e := range r {
		all = append(all, e)
	}
	return all
}

// add notes a reason.
func (r *Rejections) add(code Code, line int, field, format string, args ...any) {
	if len(*r) < maxRejections {
		*r = append(*r, &Error{code, line, field, fmt.Sprintf(format, args...)})
	}
}

// err is nil if there is no reason.
func (r Rejections) err() error {
	if len(r) == 0 {
		return nil
	}
	return r
}
