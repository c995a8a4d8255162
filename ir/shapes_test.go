package ir_test

import (
	"fmt"
	"testing"

	"github.com/govyre/vyre/internal/shape"
	"github.com/govyre/vyre/ir"
)

// shapes are the programs over which the work of every stage must stay linear.
var shapes = shape.All

func TestBuildingAndSealingIsLinear(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.Name, func(t *testing.T) {
			last := 0
			for _, n := range []int{12500, 25000, 50000} {
				b := s.Build(n)
				c := b.Code()
				visits := ir.BuilderVisits(b) + ir.CanonicalVisits(c)
				if last > 0 && float64(visits) > 2.2*float64(last) {
					t.Errorf("%d rows cost %d visits, half as many %d", c.Rows(), visits, last)
				}
				last = visits
			}
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	for _, s := range shapes {
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

func BenchmarkSeal(b *testing.B) {
	for _, s := range shapes {
		for _, n := range []int{10000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", s.Name, n), func(b *testing.B) {
				c := s.Build(n).Code()
				rows := c.Rows()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Clone().Seal(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				b.SetBytes(int64(rows * 31))
			})
		}
	}
}
