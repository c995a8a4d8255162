package cpu_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/govyre/vyre/graph"
	"github.com/govyre/vyre/graph/generate"
	"github.com/govyre/vyre/graph/internal/cpu"
)

// Benchmark searches and labels, with all cores and with one: go test -run '^$' -bench . ./graph/internal/cpu
func Benchmark(b *testing.B) {
	for _, name := range []string{"road:1024x1024", "kron:18"} {
		g, err := generate.Graph(context.Background(), name, generate.Options{Seed: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			e := cpu.New(arrays(g), arrays(g), cpu.Options{Workers: workers}) // both are symmetric
			seeds, out := graphSeed(g), make([]uint32, g.Nodes())
			b.Run(fmt.Sprintf("%s/index/%d", name, workers), func(b *testing.B) {
				for b.Loop() {
					if err := cpu.New(arrays(g), arrays(g), cpu.Options{Workers: workers}).Index(ctx); err != nil {
						b.Fatal(err)
					}
				}
			})
			if err := e.Index(ctx); err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/levels/%d", name, workers), func(b *testing.B) {
				var stats cpu.Stats
				for b.Loop() {
					if stats, err = e.Levels(ctx, seeds, graph.AllKinds, out); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(stats.Rounds), "rounds")
				b.ReportMetric(float64(stats.Shared), "shared")
				b.ReportMetric(float64(stats.Backward), "backward")
			})
			b.Run(fmt.Sprintf("%s/components/%d", name, workers), func(b *testing.B) {
				for b.Loop() {
					if err := e.Components(ctx, graph.AllKinds, out); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
