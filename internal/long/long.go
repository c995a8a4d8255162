// Package long holds the switches for tests that take long: `go test -long` in a package that imports it, or VYRE_LONG=1
// in the environment, for those that take minutes. Continuous integration runs all of them. What takes a quarter of an
// hour and more, because it goes through all arguments, needs -exhaustive beside it.
package long

import (
	"flag"
	"math/rand/v2"
	"os"
)

var (
	enabled    = flag.Bool("long", os.Getenv("VYRE_LONG") != "", "run the slow sweeps too")
	exhaustive = flag.Bool("exhaustive", false, "with -long: sweeps over all arguments too, which take a quarter of an hour and more")
	seed       = flag.Uint64("seed", 0, "where what is drawn at random begins; 0 is as Seed says")
)

// Enabled reports whether slow tests should run. Call it from a test, after flags are parsed.
func Enabled() bool { return *enabled }

// Exhaustive reports whether sweeps over all arguments should run.
func Exhaustive() bool { return *enabled && *exhaustive }

// Seed is where a sweep over seeds begins: quick, always the same, and with -long a seed that is drawn, so that every run
// goes where none has been; unless the flag says. It tells the log, which is what a failure is repeated by.
func Seed(t interface{ Logf(string, ...any) }, quick uint64) uint64 {
	first := quick
	switch {
	case *seed != 0:
		first = *seed
	case Enabled():
		first = rand.Uint64()
	}
	t.Logf("the first seed is %d; -seed=%d repeats it", first, first)
	return first
}

// Count is how many cases a test takes: quick ones always, sweep with -long, all with -exhaustive beside it.
func Count(quick, sweep, all int) int {
	switch {
	case Exhaustive():
		return all
	case Enabled():
		return sweep
	}
	return quick
}
