package cuda

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/govyre/vyre/driver"
	"github.com/govyre/vyre/ir"
	"github.com/govyre/vyre/ptx"
)

// lineInLog finds where the assembler stopped.
var lineInLog = regexp.MustCompile(`line (\d+)\b[^;]*;?\s*(.*)`)

// assemblerError is the driver's refusal of a text, with the place.
func (d *Device) assemblerError(m *ptx.Module, log string, err error) *driver.Error {
	e := d.errorOf("compile", "", err)
	if e.Log = log; log == "" {
		return e
	}
	defer func() { d.dump(m, e.Log) }()
	found := lineInLog.FindStringSubmatch(log)
	if found == nil {
		e.Msg = log
		return e
	}
	n, convErr := strconv.Atoi(found[1])
	if convErr != nil {
		e.Msg = log
		return e
	}
	e.Line, e.Msg = n, fmt.Sprintf("%s: line %d of the text: %s", e.Call, n, strings.TrimSpace(found[2]))
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
