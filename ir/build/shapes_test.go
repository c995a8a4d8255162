package build_test

import (
	"testing"

	"github.com/govyre/vyre/internal/testing/shape"
	"github.com/govyre/vyre/ir/build"
)

func TestBuilderIsLinear(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			last := 0
			for _, n := range []int{12500, 25000, 50000} {
				b := s.Build(n)
				c := b.Code()
				visits := build.Visits(b)
				if last > 0 && float64(visits) > 2.2*float64(last) {
					t.Errorf("%d rows cost %d visits, half as many %d", c.Rows(), visits, last)
				}
				last = visits
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, s := range shape.All {
		b.Run(s.Name, func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = s.Build(10000).Code().Rows()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}
