// Package long holds the switches for tests that take long: `go test -long` in a package that imports it, or VYRE_LONG=1
// in the environment, for those that take minutes. VYRE_LONG=0.25 is for a quarter of their cases. Continuous
// integration takes a share, which begins elsewhere at each commit. What takes a quarter of an hour and more, because it goes
// through all arguments, needs -exhaustive beside -long.
//
// What is drawn at random begins at -seed=N. Of what begins anywhere, with -long, VYRE_SEED=N says where too: continuous
// integration takes a number of the code that it tests, so that the same code is tested with the same programs.
package long

import (
	"flag"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
)

var (
	asked      = os.Getenv("VYRE_LONG") // before a test that takes it away
	enabled    = flag.Bool("long", asked != "", "run the slow sweeps too")
	exhaustive = flag.Bool("exhaustive", false, "with -long: sweeps over all arguments too, which take a quarter of an hour and more")
	chance     = rand.Uint64()
	seed       = flag.Uint64("seed", 0, "where what is drawn at random begins; 0 is as Seed says")
)

// Enabled reports whether slow tests should run. Call it from a test, after flags are parsed.
func Enabled() bool { return *enabled }

// Whole reports whether slow tests should run with all their cases, not with a share of them.
func Whole() bool { return Enabled() && share() == 1 }

// Exhaustive reports whether sweeps over all arguments should run.
func Exhaustive() bool { return *enabled && *exhaustive }

// skipper is a test.
type skipper interface {
	Helper()
	Skipf(format string, args ...any)
}

// Only skips a test unless slow ones should run. The reason is what the test takes, or does that takes long.
func Only(t skipper, reason string) {
	t.Helper()
	if !Enabled() {
		t.Skipf("%s; run with -long", reason)
	}
}

// OnlyExhaustive skips a test unless sweeps over all arguments should run.
func OnlyExhaustive(t skipper, reason string) {
	t.Helper()
	if !Exhaustive() {
		t.Skipf("%s; run with -long -exhaustive -timeout 0", reason)
	}
}

// Device is the name of the device that a test opens for one. The simulated GPU is one of four multiprocessors, and only for
// whole sweeps as large as a real one: each of them has warps that look for work, and all of these are interpreted.
func Device(name string) string {
	if name == "cuda-sim" && !Whole() {
		return "cuda-sim:3"
	}
	return name
}

// Seed is where a sweep over seeds begins: quick, always the same, and with -long a seed that is drawn, so that every run
// goes where none has been; unless the flag or VYRE_SEED says. It tells the log, which is what a failure is repeated by.
func Seed(t interface{ Logf(string, ...any) }, quick uint64) uint64 { return begin(t, quick, 1) }

// Seeds are those of a sweep, as many as Count says, that begins at 0 without -long and with it at a seed that is drawn: what
// the same seeds find they found the first time, so a sweep that is run often is short. The first is a multiple of all small
// numbers: what a test takes of a seed modulo one of them comes as often as from 0 on.
func Seeds(t interface{ Logf(string, ...any) }, quick, sweep, all int) iter.Seq[uint64] {
	const smooth = 5040 // a multiple of all up to 10
	first, n := begin(t, 0, smooth), Count(quick, sweep, all)
	return func(yield func(uint64) bool) {
		for i := range uint64(n) {
			if !yield(first + i) {
				return
			}
		}
	}
}

// begin is where seeds begin: at a multiple of a number if that is drawn.
func begin(t interface{ Logf(string, ...any) }, quick, multiple uint64) uint64 {
	first := quick
	switch {
	case *seed != 0:
		first = *seed
	case Enabled():
		first = drawn() / multiple * multiple
	}
	t.Logf("the first seed is %d; -seed=%d repeats it", first, first)
	return first
}

// drawn is a seed that VYRE_SEED says, or any: one for all tests of a process.
func drawn() uint64 {
	n, err := strconv.ParseUint(os.Getenv("VYRE_SEED"), 0, 64)
	if err != nil {
		return chance
	}
	return n
}

// Count is how many cases a test takes: quick ones always, sweep or a share of it with -long, all with -exhaustive beside it.
func Count(quick, sweep, all int) int {
	switch {
	case Exhaustive():
		return all
	case Enabled():
		return quick + int(float64(sweep-quick)*share())
	}
	return quick
}

// Every is of how many cases a test takes one: of quick, with -long of sweep, or of so many more that it is a share of them.
func Every(quick, sweep int) int {
	if !Enabled() {
		return quick
	}
	return min(quick, int(float64(sweep)/share()))
}

// Turn reports whether a test takes case i of a list that is the same in every run: of quick cases one, and none if that is 0.
// With -long it takes all. A share of them begins at a case that is drawn, so that those of many runs are all of them.
func Turn(i, quick int) bool {
	switch {
	case !Enabled():
		return quick > 0 && i%quick == 0
	case quick == 0:
		quick = math.MaxInt
	}
	n := Every(quick, 1)
	return (uint64(i)+drawn())%uint64(n) == 0
}

// share is how much of a sweep VYRE_LONG asks for; all, if it says no number.
func share() float64 {
	part, err := strconv.ParseFloat(asked, 64)
	if err != nil || part <= 0 || part > 1 {
		return 1
	}
	return part
}
