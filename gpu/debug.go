package gpu

import (
	"fmt"
	"os"
	"strings"
)

// Assert fails the launch if ok is false. On a device the launch reports the first
// failed assertion and the invocation goes on, so that no barrier waits for it; natively Assert panics.
func Assert(ok bool, msg string) {
	if !ok {
		panic("assertion failed: " + msg)
	}
}

// Trace records up to three values under a constant tag. On a device they go to a
// bounded ring that the host reads after the launch; natively a line goes to standard
// error: the tag, the invocation's GlobalIndex, the values.
func Trace(t Thread, tag string, v ...uint64) {
	if len(v) > 3 {
		panic(fmt.Sprintf("gpu: Trace %q of %d values; it takes at most 3", tag, len(v)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "trace %s %d:", tag, t.GlobalIndex())
	for _, x := range v {
		fmt.Fprintf(&b, " %d", x)
	}
	b.WriteByte('\n')
	os.Stderr.WriteString(b.String()) // one write, so that lines of invocations do not mix
}
