package exact_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/govyre/vyre/internal/conform"
	"github.com/govyre/vyre/internal/testing/long"
	"github.com/govyre/vyre/ir"
)

var (
	sums      = flag.String("sums", "", "with -exhaustive: file for a weighted sum of the results of each function and shard")
	functions = flag.String("functions", "", "with -exhaustive: only these, as in exp,log2")
)

// shards is the number of pieces of a sweep.
const shards = 1 << 10

// TestRecipesF32Exhaustive runs each function of one operand on all 2³² inputs and each of
// two on -samples random pairs, by default 10⁹, on all processors. Run it with -v and
// -timeout 0; it prints the greatest error and the time of each function.
func TestRecipesF32Exhaustive(t *testing.T) {
	long.OnlyExhaustive(t, "takes some minutes a function and core")
	var lines []byte
	for _, f := range accurates {
		if !f.named() {
			continue
		}
		t.Run(f.op.String(), func(t *testing.T) {
			start := time.Now()
			w, parts := sweep(t, f)
			w.report(t, f)
			if !f.binary() {
				for shard, sum := range parts {
					lines = fmt.Appendf(lines, "%v %d %016x\n", f.op, shard, sum)
				}
			}
			t.Logf("%v: %v on %d processors", f.op, time.Since(start).Round(time.Second), runtime.GOMAXPROCS(0))
		})
	}
	if *sums != "" {
		if err := os.WriteFile(*sums, lines, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// named tells whether -functions asks for f.
func (f accurate) named() bool {
	return *functions == "" || slices.Contains(strings.Split(*functions, ","), f.op.String())
}

// sweep splits the inputs into shards that the processors take in turn.
func sweep(t *testing.T, f accurate) (total worst, parts [shards]uint64) {
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
			var bulk *conform.Bulk // the same bits as exact.Eval in a fifth of the time
			if !f.binary() {
				bulk = conform.NewBulk(conform.Function{Op: f.op, Out: ir.F32})
			}
			for shard := next.Add(1) - 1; shard < shards; shard = next.Add(1) - 1 {
				if f.binary() {
					w.binary32(f, rand.New(rand.NewPCG(uint64(shard), uint64(f.op))), pairs/shards)
				} else {
					const size = 1 << 32 / shards
					w.sum = 0
					bulk.Range(uint32(shard)*size, size, func(at uint32, results []uint64) {
						for i, r := range results {
							w.value32(f, at+uint32(i), uint32(r))
						}
					})
					parts[shard] = w.sum
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
	return total, parts
}
