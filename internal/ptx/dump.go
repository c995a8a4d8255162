package ptx

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/govyre/vyre/ir"
)

// Dump returns a trace that writes to w what there was after each run that changed something: programs as the caller
// shows them, then instructions. Each is under the names of the kernel, the run and the rules that it used. The last, the
// text of the module, is left out. Errors of w are dropped: a dump decides nothing. It does not print programs itself,
// because every user's program links this package, and the printer is large.
func Dump(w io.Writer, show func(*ir.Program) string) func(Step) {
	return func(s Step) {
		if !s.Changed || s.Run == "ptx.print" {
			return
		}
		var program string
		if s.Listing != nil {
			program = s.Listing.Text
		} else {
			program = show(s.Program)
		}
		_, _ = fmt.Fprintf(w, "// %s after %s%s\n%s\n", s.Kernel, s.Run, rewritten(s.Rewrites), program)
	}
}

// rewritten lists the rules of a run and how often each was used.
func rewritten(rewrites map[string]int) string {
	var list []string
	for rule, n := range rewrites {
		list = append(list, fmt.Sprintf("%s %d", rule, n))
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return ": " + strings.Join(list, ", ")
}
