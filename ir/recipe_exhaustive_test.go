package ir_test

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/long"
)

var (
	exhaustive = flag.Bool("exhaustive", false, "with -long: measure accurate f32 functions on all inputs")
	functions  = flag.String("functions", "", "with -exhaustive: only these, as in exp,log2")
)

// TestRecipesF32Exhaustive runs each function of one operand on all 2³² inputs and each of
// two on -samples random pairs, by default 10⁹, on all processors. Run it with -v and
// -timeout 0; it prints the greatest error and the time of each function.
func TestRecipesF32Exhaustive(t *testing.T) {
	if !long.Enabled() || !*exhaustive {
		t.Skip("takes about ten minutes a function and core; run with -long -exhaustive -timeout 0")
	}
	var names []string
	if *functions != "" {
		names = strings.Split(*functions, ",")
	}
	for _, f := range accurates {
		if names != nil && !slices.Contains(names, f.op.String()) {
			continue
		}
		t.Run(f.op.String(), func(t *testing.T) {
			start := time.Now()
			w := sweep(t, f)
			w.report(t, f)
			t.Logf("%v: %v on %d processors", f.op, time.Since(start).Round(time.Second), runtime.GOMAXPROCS(0))
		})
	}
}

// sweep splits the inputs into shards that the processors take in turn.
func sweep(t *testing.T, f accurate) (total worst) {
	const shards = 1 << 10
	var next, done atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	pairs := *samples
	if pairs == 0 {
		pairs = 1_000_000_000
	}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var w worst
			for shard := next.Add(1) - 1; shard < shards; shard = next.Add(1) - 1 {
				if f.binary() {
					w.binary32(f, rand.New(rand.NewPCG(uint64(shard), uint64(f.op))), pairs/shards)
				} else {
					const size = 1 << 32 / shards
					for i := range uint32(size) {
						w.unary32(f, uint32(shard)*size+i)
					}
				}
				if d := done.Add(1); d%(shards/4) == 0 {
					t.Logf("%v: %d%%", f.op, 100*d/shards)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			count := total.count + w.count
			if w.ulps > total.ulps {
				total = w
			}
			total.count = count
		})
	}
	wg.Wait()
	return total
}
