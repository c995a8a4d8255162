package egraph_test

import (
	"testing"

	"github.com/govyre/vyre/internal/testing/egraphs"
)

func BenchmarkRebuild(b *testing.B) {
	for _, way := range []struct {
		name    string
		workers int
	}{{"worklist", 0}, {"rounds-1", 1}, {"rounds-2", 2}} {
		b.Run(way.name, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				g := egraphs.Mixed(1_000_000)
				b.StartTimer()
				if way.workers == 0 {
					_ = g.Rebuild()
				} else {
					_, _ = g.RebuildParallel(way.workers)
				}
			}
			b.ReportMetric(1e9*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Mrows/s")
		})
	}
}
