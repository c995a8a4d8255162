package gpu

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Assert fails the launch if ok is false. On a device the launch reports the first
// failed assertion and the invocation goes on, so that no barrier waits for it; natively Assert panics.
// The error tells one value, if given, such as the number that is too large.
func Assert(ok bool, msg string, value ...uint64) {
	switch {
	case ok:
	case len(value) == 1:
		panic(fmt.Sprintf("assertion failed: %s, value %#x", msg, value[0]))
	default:
		panic("assertion failed: " + msg)
	}
}

// Printf prints a text. On a device what invocations print goes to a bounded ring, up to twelve values a text; the host
// formats it after the launch, in order of the invocations and with the position of the call (driver.Print). The format
// is constant and its verbs are those that Go has for integers, floats and bools; constant texts take %s. Natively a line
// goes to standard error at once.
func Printf(t Thread, format string, v ...any) {
	text := fmt.Sprintf("invocation %d: %s\n", t.GlobalIndex(), strings.TrimSuffix(fmt.Sprintf(format, v...), "\n"))
	os.Stderr.WriteString(text) // one write, so that lines of invocations do not mix
}

// start is when the process began, about: where the native clock counts from.
var start = time.Now()

// Clock returns a counter that does not decrease within an invocation: of clock cycles on a GPU, of steps or nanoseconds
// elsewhere. Differences of it are a measure, not a result: they are different each time.
func Clock() uint64 { return uint64(time.Since(start)) }

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
