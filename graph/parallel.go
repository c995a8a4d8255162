package graph

import (
	"runtime"
	"sync/atomic"

	"github.com/govyre/vyre/internal/guard"
)

// portion is one of equal parts of some work.
type portion struct {
	number, parts uint64
	kept          *[]uint64 // memory that a worker has from one portion to the next
}

// of returns which of n pieces belong to the portion.
func (p portion) of(n uint64) (from, to uint64) {
	each := (n + p.parts - 1) / p.parts
	return min(p.number*each, n), min((p.number+1)*each, n)
}

// alone is below how many pieces one core does the work sooner than several are told of it.
const alone = 1 << 14

// portions calls do for portions of so much work, on all cores that Go may use, and returns when all are done. One core has one
// portion, several have several each: parts of equal size need not take equally long. If do panics on any of them, portions does.
func portions(pieces uint64, do func(portion)) {
	workers := uint64(runtime.GOMAXPROCS(0))
	if workers == 1 || pieces < alone {
		do(portion{0, 1, new([]uint64)})
		return
	}
	parts := 8 * workers
	var next atomic.Uint64
	var all guard.Group
	for range workers {
		all.Go(func() {
			kept := new([]uint64)
			for k := next.Add(1) - 1; k < parts; k = next.Add(1) - 1 {
				do(portion{k, parts, kept})
			}
		})
	}
	all.Wait()
}
