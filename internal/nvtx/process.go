package nvtx

import (
	"cmp"
	"os"
	"sync"
)

// Ranges marks ranges in a profiler. It is safe for concurrent use.
type Ranges interface {
	// Start starts a range that any thread may end.
	Start(text string) (id uint64)
	// End ends a range.
	End(id uint64)
}

// Wanted reports whether the environment asks for ranges.
func Wanted() bool { return cmp.Or(os.Getenv(EnvInjection), os.Getenv(Env)) != "" }

// OfProcess returns the ranges that the environment asks for, and by what they are marked. The library is loaded once a process, and
// stays. It fails with a *MissingError. An injection that does not work is not replaced.
var OfProcess = sync.OnceValues(func() (r Ranges, err error) {
	if path := os.Getenv(EnvInjection); path != "" {
		return Inject(path)
	}
	return Load("")
})
