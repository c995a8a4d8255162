// Package long holds the switch for tests that take minutes: `go test -long` in a
// package that imports it, or VYRE_LONG=1 in the environment. Continuous integration
// sets it where the time is worth it.
package long

import (
	"flag"
	"os"
)

var enabled = flag.Bool("long", os.Getenv("VYRE_LONG") != "", "run the slow sweeps too")

// Enabled reports whether slow tests should run. Call it from a test, after flags are parsed.
func Enabled() bool { return *enabled }
