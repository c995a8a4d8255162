package compile

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/govyre/vyre/ir"
)

// InternalError is a panic in the compiler: a mistake of its own, never of the program.
type InternalError struct {
	Run    string // the run, or what else was going on
	Kernel string
	Row    ir.Row // that the run was at, as the program was numbered then; NoRow if at none
	Pos    ir.Pos // in the source, if known
	Value  any    // of the panic
	Stack  []byte // of the goroutine
}

// Error is one line: what happened, to what, and what to do meanwhile.
func (e *InternalError) Error() string {
	var b strings.Builder
	r, p, isRun := find(e.Run)
	b.WriteString("BUG: ")
	if isRun {
		b.WriteString("pass ")
	}
	fmt.Fprintf(&b, "%s, kernel %q", e.Run, e.Kernel)
	if e.Row != ir.NoRow {
		fmt.Fprintf(&b, ", row %d", e.Row)
	}
	if e.Pos.Line > 0 {
		fmt.Fprintf(&b, " from %v", e.Pos)
	}
	fmt.Fprintf(&b, ": panic: %v; fix: report it with the program", e.Value)
	if isRun && !p.Required {
		fmt.Fprintf(&b, ", and leave the pass out meanwhile: -%s", r.Name)
	}
	return b.String()
}

// find returns the run of that name and its pass.
func find(name string) (Run, Pass, bool) {
	for _, r := range table {
		if r.Name == name {
			p, ok := Of(r.Pass)
			return r, p, ok
		}
	}
	return Run{}, Pass{}, false
}

// Guard calls do, which is one run over a kernel, and makes an InternalError of a panic in it. where tells the row that the
// run is at, and its place in the source. A panic is seen on the goroutine that calls Guard only: a pass that starts
// others guards each.
func Guard(run, kernel string, where func() (ir.Row, ir.Pos), do func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			row, pos := where()
			err = &InternalError{Run: run, Kernel: kernel, Row: row, Pos: pos, Value: v, Stack: debug.Stack()}
		}
	}()
	do()
	return nil
}

// Nowhere is the place of what is at no row.
func Nowhere() (ir.Row, ir.Pos) { return ir.NoRow, ir.Pos{} }
