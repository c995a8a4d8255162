package verify_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/govyre/vyre/internal/testing/shape"

	"github.com/govyre/vyre/ir/build"
	"github.com/govyre/vyre/ir/verify"
)

func TestVerifyingIsLinear(t *testing.T) {
	for _, s := range shape.All {
		t.Run(s.Name, func(t *testing.T) {
			last := 0
			for _, n := range []int{12500, 25000, 50000} {
				p, err := s.Build(n).Program()
				if err != nil {
					t.Fatal(err)
				}
				visits := verify.Visits(p)
				if last > 0 && float64(visits) > 2.2*float64(last) {
					t.Errorf("%d rows cost %d visits, half as many %d", p.Rows(), visits, last)
				}
				last = visits
			}
		})
	}
}

// So it is in every construct, and so are the bytes of a seal.
func TestSealingIsLinearInEveryConstruct(t *testing.T) {
	for _, s := range shape.Grown {
		t.Run(s.Name, func(t *testing.T) {
			var lastVisits, lastBytes float64
			for _, n := range []int{500, 2000} {
				c := s.Build(n).Code()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				p, err := verify.Seal(c)
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				rows := float64(p.Rows())
				visits, bytes := float64(verify.Visits(p))/rows, float64(after.TotalAlloc-before.TotalAlloc)/rows
				if lastBytes > 0 && (visits > 1.3*lastVisits || bytes > 1.3*lastBytes) {
					t.Errorf("each of %d rows costs %.1f visits and %.0f bytes, with fewer %.1f and %.0f", p.Rows(), visits, bytes, lastVisits, lastBytes)
				}
				lastVisits, lastBytes = visits, bytes
			}
		})
	}
}

// Returns deep in a nest, each under its own condition, end control in all of the nest's
// levels; every level is raised once all the same.
func TestExitsOutOfDeepNestsAreLinear(t *testing.T) {
	visits := func(n int) int {
		b := build.New("exits", build.Workgroup(64))
		lid := b.Local(0)
		var nest func(depth int)
		nest = func(depth int) {
			if depth > 0 {
				b.Block(func(build.Label) { nest(depth - 1) })
				return
			}
			for i := range n {
				b.If(b.Eq(lid, b.U32(uint32(i))), func() { b.Return() })
			}
		}
		nest(200)
		p, err := b.Program()
		if err != nil {
			t.Fatal(err)
		}
		return verify.Visits(p)
	}
	if one, two := visits(1000), visits(2000); float64(two) > 2.2*float64(one) {
		t.Errorf("2000 exits cost %d visits, 1000 %d", two, one)
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, s := range shape.All {
		for _, n := range []int{10000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", s.Name, n), func(b *testing.B) {
				p, err := s.Build(n).Program()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					verify.Visits(p)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Rows()), "ns/row")
			})
		}
	}
}

func BenchmarkSeal(b *testing.B) {
	for _, s := range shape.All {
		for _, n := range []int{10000, 100000} {
			b.Run(fmt.Sprintf("%s/%d", s.Name, n), func(b *testing.B) {
				c := s.Build(n).Code()
				rows := c.Rows()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := verify.Seal(c.Clone()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				b.SetBytes(int64(rows * 31))
			})
		}
	}
}
