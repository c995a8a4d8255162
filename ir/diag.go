package ir

import (
	"fmt"
	"strings"
)

// Severity tells a finding that stops a program from one that does not.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// Diag is one finding about a program.
type Diag struct {
	Code     string // stable, such as "VY401"
	Severity Severity
	Row      Row // NoRow if it is about the whole program
	Pos      Pos // of the row, if known
	Msg, Fix string
	Kernel   string
	Related  []Note
}

// Note points at another row that has to do with a finding.
type Note struct {
	Row Row
	Pos Pos
	Msg string
}

// String returns "file:line:col: message"; the inlined chain is left out.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Where returns "file:line:col", and after it the program that was inlined if that was done in no line of a source: a wave
// of a fused program is "file:line:col (wave 2)".
func (p Pos) Where() string {
	out := &p
	for out.Call != nil {
		out = out.Call
	}
	if out == &p || out.Line != 0 || out.File == "" {
		return p.String()
	}
	return fmt.Sprintf("%v (%s)", p, out.File)
}

// String returns the finding as a person should see it: the position, the kernel, the
// message and the code on one line, then related places and the advice, indented.
func (d Diag) String() string {
	var b strings.Builder
	where := d.Pos.String()
	if where == "" && d.Row != NoRow {
		where = fmt.Sprintf("row %d", d.Row)
	}
	if where != "" {
		b.WriteString(where + ": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	if d.Kernel != "" {
		b.WriteString("kernel " + d.Kernel + ": ")
	}
	b.WriteString(d.Msg)
	if d.Code != "" { // another compiler's finding, passed on
		fmt.Fprintf(&b, " [%s]", d.Code)
	}
	for c := d.Pos.Call; c != nil; c = c.Call {
		fmt.Fprintf(&b, "\n\tinlined at %s", c)
	}
	for _, n := range d.Related {
		at := n.Pos.String()
		if at == "" && n.Row != NoRow {
			at = fmt.Sprintf("row %d", n.Row)
		}
		fmt.Fprintf(&b, "\n\t%s: %s", at, n.Msg)
	}
	if d.Fix != "" {
		b.WriteString("\n\t" + d.Fix)
	}
	return b.String()
}

// Diags is a list of findings; as an error it holds at least one of severity Error.
type Diags []Diag

// Error joins the findings, one after the other.
func (ds Diags) Error() string {
	var lines []string
	for _, d := range ds {
		lines = append(lines, d.String())
	}
	return strings.Join(lines, "\n")
}

// Errors returns the findings that are not warnings.
func (ds Diags) Errors() Diags {
	var errs Diags
	for _, d := range ds {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	return errs
}

// Warnings returns the findings that are warnings.
func (ds Diags) Warnings() Diags {
	var ws Diags
	for _, d := range ds {
		if d.Severity == Warning {
			ws = append(ws, d)
		}
	}
	return ws
}
