package code

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/internal/ptx"
	"github.com/govyre/vyre/ir"
)

// lineInLog finds where the assembler stopped, and what it says there: "…, line 12; error : Unknown symbol". It
// reports false where a log names no line.
func lineInLog(log string) (n int, what string, ok bool) {
	const mark = "line "
	for rest := log; ; {
		at := strings.Index(rest, mark)
		if at < 0 {
			return 0, "", false
		}
		rest = rest[at+len(mark):]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(rest[digits:], "\n")
		if _, after, found := strings.Cut(line, ";"); found {
			line = after
		}
		return n, strings.TrimSpace(line), true
	}
}

// assemblerError is the driver's refusal of a text, with the place.
func (c *Compiler) assemblerError(m *ptx.Module, log string, err error) *driver.Error {
	e := c.gpu.ErrorOf("compile", "", err)
	if e.Log = log; log == "" {
		return e
	}
	defer func() { c.dump(m, e.Log) }()
	n, what, ok := lineInLog(log)
	if !ok {
		e.Msg = log
		return e
	}
	e.Line, e.Msg = n, fmt.Sprintf("%s: line %d of the text: %s", e.Call, n, what)
	k := &m.Kernels[0]
	if row := k.RowAt(n); row != ir.NoRow {
		e.Pos = k.Program.Pos(row).String()
	}
	lines := strings.Split(m.Text, "\n")
	for i := max(1, n-2); i <= min(len(lines), n+2); i++ {
		e.Log += fmt.Sprintf("\n%6d | %s", i, lines[i-1])
	}
	if n >= 1 && n <= len(lines) {
		e.Msg += fmt.Sprintf(" in %q", strings.TrimSpace(lines[n-1]))
	}
	return e
}
